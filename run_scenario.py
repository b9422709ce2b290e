"""Plays agents on scenarios; see --help. It is the same as `hm-agent play`."""

from hm_agent.process.starting import interrupted_in_one_line, nothing_collected

if __name__ == "__main__":
    with interrupted_in_one_line("run_scenario.py"), nothing_collected():
        from hm_agent.command_line.cli import play_from_shell
    play_from_shell()
