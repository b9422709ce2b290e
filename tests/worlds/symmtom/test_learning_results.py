"""The table, the paper's relations and the figures of training runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hm_agent.cli import main
from hm_agent.worlds.symmtom.learning.curves import LearningCurve
from hm_agent.worlds.symmtom.learning.results import publish, read_results, relations


def leave(out: Path, scenario: str, algorithm: str, best: float, seed: int = 0, episodes: int = 300) -> None:
    """What a run leaves."""
    folder = out / scenario / algorithm / f"seed-{seed}"
    folder.mkdir(parents=True)
    curve = LearningCurve()
    for at in range(1, 4):
        curve.add(100 * at, 2.5 * at, 0.125)
    curve.judge(200, best)
    (folder / "curve.csv").write_text(curve.as_csv())
    found = {"scenario": scenario, "algorithm": algorithm, "seed": seed, "trained_episodes": episodes}
    found |= {"evaluated_episodes": 1000, "final": best - 1, "best": best, "heuristic": 48.0}
    found |= {"parameters": {"updates": 3, "every": 25}}
    (folder / "evaluation.json").write_text(json.dumps(found))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    for scenario, factor in (("symmtom_w6_n3_c3", 1.0), ("symmtom_w6_n3_c6", 0.5)):
        leave(tmp_path, scenario, "maddpg", 10 * factor)
        leave(tmp_path, scenario, "maddpg_oracle", 30 * factor)
    leave(tmp_path, "symmtom_w6_n3_c3", "maddpg_oracle", 50, seed=1)
    for algorithm, best in (("maddpg_ce", 18), ("maddpg_ge", 15), ("maddpg_ee", 15), ("rmaddpg", 12)):
        leave(tmp_path, "symmtom_w6_n3_c3", algorithm, best)
    return tmp_path


def test_relations_are_means_over_the_settings_in_which_all_learners_were_run(out: Path) -> None:
    lines = relations(read_results(out)).splitlines()[2:]
    here = [[cell.strip() for cell in line.split("|")[3:6]] for line in lines]
    assert here == [["+250%", "2", "yes"], ["+50%", "1", "yes"], ["+50%", "1", "yes"], ["+220%", "1", "yes"]]


def test_a_relation_without_its_learners_is_left_open(tmp_path: Path) -> None:
    leave(tmp_path, "symmtom_w6_n3_c3", "maddpg", 10)
    assert all("| not run | 0 | - |" in line for line in relations(read_results(tmp_path)).splitlines()[2:])


def test_runs_of_different_lengths_are_not_compared(tmp_path: Path) -> None:
    leave(tmp_path, "symmtom_w6_n3_c3", "maddpg", 10)
    leave(tmp_path, "symmtom_w6_n3_c3", "maddpg_oracle", 30, episodes=600)
    assert "| MADDPG-Oracle above MADDPG | +127% | not run | 0 | - |" in relations(read_results(tmp_path))


def test_curves_come_back_from_their_file(out: Path) -> None:
    curve = read_results(out)[0].curve
    assert curve.rewards == [2.5, 5.0, 7.5]
    assert (curve.judged, curve.validation) == ([200], [10.0])


def test_results_are_published_without_training(out: Path, tmp_path: Path) -> None:
    into = tmp_path / "published"
    assert main(["hm-agent", "train", "symmtom", f"--out={out}", f"--results={into}"]) == 0
    text = (into / "README.md").read_text()
    assert "| symmtom_w6_n3_c3 | rmaddpg | 300 | every=25 | 1 | 11.0 | 12.0 | 48.0 |" in text
    assert (
        "| symmtom_w6_n3_c3 | maddpg_oracle | 300 | every=25 | 2 | 39.0 (29.0 to 49.0) | 40.0 (30.0 to 50.0) |" in text
    )
    assert relations(read_results(out)) in text
    assert len(json.loads((into / "results.json").read_text())) == 9
    pictures = sorted(path.stem for path in into.glob("*.png"))
    assert pictures == ["maddpg", "maddpg_oracle", "symmtom_w6_n3_c3", "symmtom_w6_n3_c6"]
    assert all(f"({name}.png)" in text for name in pictures)


def test_what_was_published_of_other_runs_stays(out: Path, tmp_path: Path) -> None:
    publish(read_results(out), tmp_path / "published")
    leave(tmp_path / "later", "symmtom_w6_n3_c3", "maddpg", 20)
    leave(tmp_path / "later", "symmtom_w6_n3_c3", "ippo", 70)
    publish(read_results(tmp_path / "later"), tmp_path / "published")
    text = (tmp_path / "published/README.md").read_text()
    assert "| symmtom_w6_n3_c3 | maddpg | 300 | every=25 | 1 | 19.0 | 20.0 | 48.0 |" in text
    assert "| 1 | 69.0 | 70.0 | 48.0 |" in text
    assert "| symmtom_w6_n3_c6 | maddpg_oracle | 300 | every=25 | 1 | 14.0 | 15.0 | 48.0 |" in text
    assert "(maddpg_oracle.png)" in text
    assert text.count("| symmtom_w6_n3_c3 | maddpg |") == 1
