"""What long and many episodes leave behind in a process; `python -m benchmarks soak` plays longer and more of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.memory_growth import MAX_GROWTH

ROOT = Path(__file__).parents[1]


def in_a_process_of_its_own(script: str, *arguments: object) -> object:
    """What a script prints as JSON; what other tests have loaded and left is none of its business."""
    command = [sys.executable, "-W", "ignore", "-c", script, *map(str, arguments)]
    return json.loads(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)


@pytest.mark.heavy
def test_a_long_episode_takes_no_more_memory_than_a_short_one(tmp_path: Path) -> None:
    script = (
        "import json, sys; from pathlib import Path; from tests.support.memory_growth import memory_by_step;"
        "print(json.dumps(memory_by_step(Path(sys.argv[1]), 1500)))"
    )
    weights = in_a_process_of_its_own(script, tmp_path)
    assert isinstance(weights, dict)
    assert weights["1500"] - weights["500"] <= MAX_GROWTH


@pytest.mark.heavy
def test_episodes_leave_no_file_open_and_no_thread(tmp_path: Path) -> None:
    script = (
        "import json, sys; from dataclasses import asdict; from pathlib import Path;"
        "from tests.support.memory_growth import resources_around;"
        "print(json.dumps([asdict(one) for one in resources_around(Path(sys.argv[1]), 2)]))"
    )
    held = in_a_process_of_its_own(script, tmp_path)
    assert isinstance(held, list)
    assert held[0] == held[1]
