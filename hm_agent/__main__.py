"""`python -m hm_agent` is the same as `hm-agent`."""

from hm_agent.cli import run_from_shell

run_from_shell()
