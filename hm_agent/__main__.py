"""`python -m hm_agent` is the same as `hm-agent`."""

from hm_agent.command_line.cli import run_from_shell

run_from_shell()
