"""Plays agents on scenarios; see --help. It is the same as `hm-agent play`."""

import sys

if __name__ == "__main__":
    try:
        from hm_agent.command_line.cli import play_from_shell
    except KeyboardInterrupt:  # within the second that the imports take
        sys.stderr.write("run_scenario.py: interrupted\n")
        sys.exit(130)
    play_from_shell()
