"""Training runs in processes that are killed, and what they leave."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np

from hm_agent.worlds.symmtom.learning.checkpoints import load
from hm_agent.worlds.symmtom.learning.training import Training, TrainingProgress, run
from tests.support.commands import ROOT

SCRIPT = """
from pathlib import Path
from hm_agent.worlds.symmtom.learning.maddpg import MaddpgParameters
from hm_agent.worlds.symmtom.learning.ppo import PpoParameters
from hm_agent.worlds.symmtom.learning.training import Training, run
from hm_agent.worlds.symmtom.settings import GameSettings

run({training!r}, Path({folder!r}), lambda training, progress: print(progress.updates, flush=True))
"""


def no_report(training: Training, progress: TrainingProgress) -> None:
    """Says nothing."""


def run_until_killed(training: Training, folder: Path, updates: int) -> None:
    """Trains in a process of its own, which `kill -9` ends after so many updates."""
    script = SCRIPT.format(training=training, folder=str(folder))
    command = [sys.executable, "-c", script]
    with subprocess.Popen(
        command, env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert any(line.strip() == str(updates) for line in process.stdout), "the process ended by itself"
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert not (folder / "evaluation.json").exists()


def go_on(training: Training, folder: Path) -> int:
    """Trains to the end; returns the number of the first update."""
    began: list[int] = []
    run(training, folder, lambda training, progress: began.append(progress.updates))
    return began[0]


def check_same(one_run: Path, other_run: Path) -> None:
    """All weights, all that a run goes on with, curves and evaluations are the same to the bit."""
    for name in ("last.npz", "best.npz"):
        (one, extra), (other, its_extra) = load(one_run / name), load(other_run / name)
        assert one.reward == other.reward
        for arrays, others in ((one.weights, other.weights), (extra, its_extra)):
            assert arrays.keys() == others.keys()
            for key, value in arrays.items():
                np.testing.assert_array_equal(value, others[key], key)
    for name in ("curve.csv", "evaluation.json"):
        assert (one_run / name).read_text() == (other_run / name).read_text()
