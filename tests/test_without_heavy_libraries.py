"""Without TensorFlow, JAX, Ray, planners, OpenCV, Pandas and endpoints, all worlds are played, recorded, reported."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

HEAVY = (
    *("tensorflow", "keras", "jax", "jaxlib", "chex", "optax", "ray", "up_fast_downward", "pyperplan", "playwright"),
    *("cv2", "pygame", "pandas", "av", "openai", "genai_prices", "openskill", "cloudpickle"),
)
COMMAND = """
import sys
from importlib.machinery import PathFinder

ABSENT = sys.argv.pop(1).split(",")

class FindsAllBut(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in ABSENT else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = FindsAllBut
from hm_agent.__main__ import run
run()
"""
SCENARIOS = "rws_repeated_1,symmtom_w6_n3_c3,exploretom_functional_a1,enacttom_one_window,mg_pd_grim"


def _run(*arguments: str, absent: Sequence[str] = HEAVY) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", COMMAND, ",".join(absent), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_all_worlds_are_played_recorded_reported_and_resumed(tmp_path: Path) -> None:
    played = ["play", f"--scenario={SCENARIOS}", "--agent=hypothetical_minds", "--max_steps=5", f"--out={tmp_path}"]
    first = _run(*played)
    assert first.returncode == 0, first.stderr
    assert len(list(tmp_path.rglob("result.json"))) == len(SCENARIOS.split(","))
    assert (tmp_path / "report/report.html").is_file()
    assert len(list(tmp_path.rglob("replay.html"))) == len(SCENARIOS.split(","))
    assert "are there already" in _run(*played).stdout


def test_lists_and_help_import_neither_numpy_nor_matplotlib() -> None:
    for command in ("list", "--help"):
        assert _run(command, absent=(*HEAVY, "numpy", "matplotlib")).returncode == 0


def test_trained_bots_ask_for_tensorflow_in_one_line(tmp_path: Path) -> None:
    for number in (0, 1):
        (tmp_path / f"bots/running_with_scissors_in_the_matrix__repeated/puppet_{number}").mkdir(parents=True)
    refused = _run(
        "play", "--scenario=rws_repeated_1", "--bots=trained", f"--bots_dir={tmp_path}/bots", f"--out={tmp_path}/out"
    )
    assert refused.returncode == 2
    assert "hm_agent[bots]" in refused.stderr
    assert refused.stderr.count("\n") == 1
