"""The table, the paper's relations and the figures of training runs."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import pytest

from hm_agent.command_line.cli import main
from hm_agent.config import ConfigError
from hm_agent.learning.curves import LearningCurve
from hm_agent.worlds.symmtom.learning.checkpoints import save, shipped
from hm_agent.worlds.symmtom.learning.maddpg import MaddpgParameters
from hm_agent.worlds.symmtom.learning.results import keep, means_over_seeds, missing, read_results, relations, summary
from hm_agent.worlds.symmtom.learning.training import Training
from hm_agent.worlds.symmtom.settings import GameSettings


def leave(
    out: Path, scenario: str, algorithm: str, best: float, seed: int = 0, episodes: int = 300, **others: Any
) -> None:
    """What a run leaves. others: what evaluation.json says beside, or of the learning parameters."""
    folder = out / scenario / algorithm / f"seed-{seed}"
    folder.mkdir(parents=True)
    curve = LearningCurve()
    for at in range(1, 4):
        curve.add(100 * at, 2.5 * at, 0.125)
    curve.judge(200, best)
    (folder / "curve.csv").write_text(curve.as_csv())
    found = {"scenario": scenario, "algorithm": algorithm, "seed": seed, "trained_episodes": episodes}
    found |= {"evaluated_episodes": 1000, "final": best - 1, "best": best, "heuristic": 48.0}
    parameters = {"updates": episodes // 100, "every": 25}
    parameters |= {name: others.pop(name) for name in ("every", "learning_rate") if name in others}
    found |= {"parameters": parameters, **others}
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
    assert here == [["+250% ± 50%", "2", "yes"], ["+50%", "1", "yes"], ["+50%", "1", "yes"], ["+220%", "1", "yes"]]


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
    (row,) = rows(into, "symmtom_w6_n3_c3", "maddpg_oracle")
    assert "| 300 | every=25 | 2 | 39.0 ± 10.0 (29.0 to 49.0) | 40.0 ± 10.0 (30.0 to 50.0) |" in row
    assert relations(read_results(out)) in text
    assert len(json.loads((into / "results.json").read_text())) == 9
    pictures = sorted(path.stem for path in into.glob("*.png"))
    assert pictures == ["maddpg", "maddpg_oracle", "symmtom_w6_n3_c3", "symmtom_w6_n3_c6"]
    assert all(f"({name}.png)" in text for name in pictures)


def test_what_was_published_of_other_runs_stays(out: Path, tmp_path: Path) -> None:
    keep(read_results(out), tmp_path / "published")
    leave(tmp_path / "later", "symmtom_w6_n3_c3", "maddpg", 20)
    leave(tmp_path / "later", "symmtom_w6_n3_c3", "ippo", 70)
    keep(read_results(tmp_path / "later"), tmp_path / "published")
    text = (tmp_path / "published/README.md").read_text()
    assert "| symmtom_w6_n3_c3 | maddpg | 300 | every=25 | 1 | 19.0 | 20.0 | 48.0 |" in text
    assert "| 1 | 69.0 | 70.0 | 48.0 |" in text
    assert "| symmtom_w6_n3_c6 | maddpg_oracle | 300 | every=25 | 1 | 14.0 | 15.0 | 48.0 |" in text
    assert "(maddpg_oracle.png)" in text
    assert text.count("| symmtom_w6_n3_c3 | maddpg |") == 1


KEEPER = """
import sys
from pathlib import Path
from hm_agent.worlds.symmtom.learning.results import keep, read_results
found = read_results(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
keep(found, Path(sys.argv[2]))
"""


def test_runs_that_end_at_the_same_time_lose_none_of_their_results(tmp_path: Path) -> None:
    keepers = []
    for seed in range(2):
        leave(tmp_path / str(seed), "symmtom_w6_n3_c3", "maddpg", 10, seed)
        command = [sys.executable, "-c", KEEPER, str(tmp_path / str(seed)), str(tmp_path / "published")]
        keepers.append(Popen(command, stdin=PIPE, stdout=PIPE, text=True))
    for keeper in keepers:
        assert keeper.stdout
        assert keeper.stdout.readline() == "ready\n"
    for keeper in keepers:
        assert keeper.stdin
        keeper.stdin.write("\n")
        keeper.stdin.flush()
    for keeper in keepers:
        keeper.communicate()
        assert keeper.returncode == 0
    assert [one["seed"] for one in read(tmp_path / "published/results.json")] == [0, 1]


def rows(results: Path, *begin: str) -> list[str]:
    """The lines of README.md in a folder of results that begin with these cells."""
    start = "| " + " | ".join(begin) + " |"
    return [line for line in (results / "README.md").read_text().splitlines() if line.startswith(start)]


def test_published_seeds_with_equal_parameters_stay_beside_new_ones(tmp_path: Path) -> None:
    """Also those of a results.json that says nothing of rules and layers."""
    for seed, best in ((0, 10), (1, 20)):
        leave(tmp_path / "first", "symmtom_w6_n3_c3", "maddpg", best, seed)
    keep(read_results(tmp_path / "first"), tmp_path / "published")
    path = tmp_path / "published/results.json"
    new = ("first_hand", "rewards", "rules", "hidden")
    old = [{k: v for k, v in one.items() if k not in new} for one in read(path)]
    path.write_text(json.dumps(old))
    for seed, best in ((1, 50), (2, 60)):
        leave(tmp_path / "later", "symmtom_w6_n3_c3", "maddpg", best, seed)
    keep(read_results(tmp_path / "later"), tmp_path / "published")
    (row,) = rows(tmp_path / "published", "symmtom_w6_n3_c3", "maddpg")
    assert "| 3 | 39.0 ± 15.3 (9.0 to 59.0) | 40.0 ± 15.3 (10.0 to 60.0) |" in row
    assert [(one["seed"], one["best"]) for one in read(path)] == [(0, 10), (1, 50), (2, 60)]


@pytest.mark.parametrize("other", [{"episodes": 600}, {"every": 50}, {"learning_rate": 0.01}, {"hidden": 32}], ids=str)
def test_a_learner_trained_with_other_parameters_takes_the_place_of_the_published_one(
    tmp_path: Path, other: dict[str, Any]
) -> None:
    leave(tmp_path / "first", "symmtom_w6_n3_c3", "maddpg", 10, seed=0)
    keep(read_results(tmp_path / "first"), tmp_path / "published")
    leave(tmp_path / "later", "symmtom_w6_n3_c3", "maddpg", 50, seed=1, **other)
    keep(read_results(tmp_path / "later"), tmp_path / "published")
    assert [one["seed"] for one in read(tmp_path / "published/results.json")] == [1]


def read(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text())
    return found


def test_a_results_file_of_something_else_is_refused(out: Path, tmp_path: Path) -> None:
    (tmp_path / "published").mkdir()
    for text in ("[{}]", "half a fi", "3"):
        (tmp_path / "published/results.json").write_text(text)
        with pytest.raises(ConfigError, match="holds no results of training"):
            keep(read_results(out), tmp_path / "published")


def test_games_with_other_rules_have_rows_and_lines_of_their_own(tmp_path: Path) -> None:
    out, into = tmp_path / "out", tmp_path / "published"
    leave(out, "symmtom_w6_n3_c3", "maddpg", 10, seed=0)
    leave(out, "symmtom_w6_n3_c3", "maddpg", 30, seed=1, first_hand="private")
    leave(out, "symmtom_w6_n3_c3", "maddpg", 7, seed=4, rules="published")
    leave(out, "symmtom_w6_n3_c3", "maddpg", 3, seed=2, first_hand="private", rewards="competitive")
    leave(out, "symmtom_w6_n3_c3", "maddpg", 5, seed=3, first_hand="private", rewards="competitive")
    keep(read_results(out), into)
    assert "| 1 | 9.0 | 10.0 |" in rows(into, "symmtom_w6_n3_c3", "maddpg")[0]
    assert "| 1 | 29.0 | 30.0 |" in rows(into, "symmtom_w6_n3_c3 first_hand=private", "maddpg")[0]
    assert "| 1 | 6.0 | 7.0 |" in rows(into, "symmtom_w6_n3_c3 rules=published", "maddpg")[0]
    (row,) = rows(into, "symmtom_w6_n3_c3 first_hand=private rewards=competitive", "maddpg")
    assert "| 2 | 3.0 ± 1.0 (2.0 to 4.0) | 4.0 ± 1.0 (3.0 to 5.0) |" in row
    pictures = sorted(path.stem for path in into.glob("*.png"))
    assert pictures == ["maddpg", "symmtom_w6_n3_c3_first_hand=private_rewards=competitive"]
    assert summary(read_results(out)).count("| symmtom_w6_n3_c3 first_hand=private ") == 3


def test_errors_over_games_stand_beside_means_of_one_seed(tmp_path: Path) -> None:
    errors = {"final": 0.5, "best": 0.75, "heuristic": None}
    leave(tmp_path, "symmtom_w6_n3_c3", "maddpg", 10, errors=errors)
    assert "| 1 | 9.0 ± 0.5 | 10.0 ± 0.8 | 48.0 |" in means_over_seeds(read_results(tmp_path))


def test_what_is_missing_is_all_but_the_published_runs_with_equal_parameters(tmp_path: Path) -> None:
    def planned(seed: int, every: int = 100, **rules: bool) -> Training:
        return Training("maddpg", GameSettings(6, 3, 3, **rules), seed, MaddpgParameters(updates=3, every=every))

    parameters = asdict(planned(0).parameters)
    leave(tmp_path / "out", "symmtom_w6_n3_c3", "maddpg", 10, seed=0)
    path = tmp_path / "out/symmtom_w6_n3_c3/maddpg/seed-0/evaluation.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "parameters": parameters}))
    keep(read_results(tmp_path / "out"), tmp_path / "published")
    others = [planned(1), planned(0, every=50), planned(0, has_published_rules=True)]
    assert missing([planned(0), *others], tmp_path / "published") == others
    assert missing([planned(0)], tmp_path / "nothing") == [planned(0)]


def test_rules_of_a_run_by_an_earlier_version_are_those_of_its_checkpoint(tmp_path: Path) -> None:
    leave(tmp_path, "symmtom_w6_n3_c3", "ippo", 30)
    player = shipped("ippo", GameSettings(6, 3, 3))
    private = replace(player, settings=replace(player.settings, has_public_first_hand=False))
    save(tmp_path / "symmtom_w6_n3_c3/ippo/seed-0/best.npz", private)
    assert read_results(tmp_path)[0].game == "symmtom_w6_n3_c3 first_hand=private"


def test_relations_are_about_the_rules_of_the_paper_and_equal_parameters(tmp_path: Path) -> None:
    leave(tmp_path, "symmtom_w6_n3_c3", "maddpg", 10)
    leave(tmp_path, "symmtom_w6_n3_c3", "maddpg_oracle", 90, seed=1, learning_rate=0.01)
    for algorithm, best in (("maddpg", 10), ("maddpg_oracle", 70)):
        leave(tmp_path, "symmtom_w6_n3_c3", algorithm, best, seed=2, rewards="competitive")
    assert "+127% | not run | 0 | - |" in relations(read_results(tmp_path))


def test_a_setting_counts_once_in_a_relation_however_often_it_was_run(tmp_path: Path) -> None:
    for algorithm, best in (("maddpg", 10), ("maddpg_oracle", 20)):
        leave(tmp_path, "symmtom_w6_n3_c3", algorithm, best)
        leave(tmp_path, "symmtom_w6_n3_c3", algorithm, best**2, seed=1, episodes=600)
        leave(tmp_path, "symmtom_w6_n3_c6", algorithm, 5)
    assert "+127% | +100% ± 100% | 2 | yes |" in relations(read_results(tmp_path))


def test_a_learner_that_earned_nothing_is_in_no_relation(tmp_path: Path) -> None:
    leave(tmp_path, "symmtom_w6_n3_c3", "maddpg", 0)
    leave(tmp_path, "symmtom_w6_n3_c3", "maddpg_oracle", 5)
    assert "+127% | not run | 0 | - |" in relations(read_results(tmp_path))


def test_seeds_of_other_parameters_are_in_no_mean_together(tmp_path: Path) -> None:
    leave(tmp_path, "symmtom_w6_n3_c3", "maddpg", 10, seed=0)
    leave(tmp_path, "symmtom_w6_n3_c3", "maddpg", 20, seed=1, learning_rate=0.01)
    leave(tmp_path, "symmtom_w6_n3_c3", "maddpg", 30, seed=2, hidden=32)
    leave(tmp_path, "symmtom_w6_n3_c3", "maddpg", 40, seed=3, evaluated_episodes=20)
    table = means_over_seeds(read_results(tmp_path))
    for how, best in (
        ("every=25", 10),
        ("every=25, learning_rate=0.01", 20),
        ("every=25, hidden=32", 30),
        ("every=25, evaluation=20", 40),
    ):
        assert f"| maddpg | 300 | {how} | 1 | {best - 1}.0 | {best}.0 |" in table
