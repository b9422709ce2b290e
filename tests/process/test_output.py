"""What a command prints to, and how many files it may have open."""

from __future__ import annotations

import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.pool.progress import NoProgress
from hm_agent.pool.run import run
from hm_agent.storage.open_files import allow_files
from tests.support.commands import ROOT

SCRIPT = """
from hm_agent.process.output import output_console
console = output_console()
for line in ("one", "two"):
    console.out(line)
    print(line)
"""


def test_a_command_whose_output_nobody_reads_goes_on_and_says_so() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == "hm-agent: nobody reads the output any more; the command goes on\n"
    assert process.returncode == 0


def test_open_files_are_allowed_as_needed_and_refused_beyond_the_limit(tmp_path: Path, silence: NoProgress) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
        stories = Experiment(tuple(find_scenarios(["exploretom_a4"])), ("reality",), episodes=8, out=tmp_path)
        run(replace(stories, max_steps=1, record_replay=False, concurrency=2**63), silence)
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (66, hard)
        if hard != resource.RLIM_INFINITY:
            with pytest.raises(ConfigError, match=rf"may open {hard} here: say --concurrency=\d+, or raise the limit"):
                allow_files(hard, 1)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
