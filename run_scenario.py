"""Plays agents on scenarios; see --help."""

from hm_agent.cli import run_from_shell

if __name__ == "__main__":
    run_from_shell()
