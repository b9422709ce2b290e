"""`python -m hm_agent` and the console script `hm-agent`."""

from hm_agent.process.starting import interrupted_in_one_line, nothing_collected


def run() -> None:
    """Runs `hm-agent`."""
    with interrupted_in_one_line("hm-agent"), nothing_collected():
        from hm_agent.command_line.cli import run_from_shell
    run_from_shell()


if __name__ == "__main__":
    run()
