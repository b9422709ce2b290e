"""Plays agents on scenarios; see --help."""

import sys

if __name__ == "__main__":
    try:
        from hm_agent.cli import run_from_shell
    except KeyboardInterrupt:  # within the second that the imports take
        sys.stderr.write("run_scenario.py: interrupted\n")
        sys.exit(130)
    run_from_shell()
