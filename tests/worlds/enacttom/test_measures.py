"""Avg, Pass@k, Pass^k and the gap: exact counts, and tables from runs that were played."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from statistics import mean

import pytest

from hm_agent.api import play
from hm_agent.config import ConfigError
from hm_agent.reporting.minds import study_minds
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.statistics import all_of, any_of
from hm_agent.worlds.enacttom.measure_command import main
from hm_agent.worlds.enacttom.measures import TaskRuns, depth_table, groups_of, measured
from hm_agent.worlds.enacttom.suite import SUITE

PROBES = {"literal_always_yes": 0.25, "literal_always_no": 0.7, "literal_by_secrets": 0.5, "literal_success": 0.0}


def runs(task: str, *successes: int, right: float | None = None, depth: int = 1) -> TaskRuns:
    probes = {} if right is None else PROBES | {"literal_right": right}
    metrics = [{"functional_success": float(one), "messages": 2.0, "turns": 5.0, **probes} for one in successes]
    return TaskRuns("order1", task, depth, "mixed" if task == "b" else "cooperative", metrics)


@pytest.mark.parametrize("successes", range(6))
@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_chances_of_one_and_of_all_are_shares_of_all_choices_of_runs(successes: int, count: int) -> None:
    outcomes = [number < successes for number in range(5)]
    choices = list(combinations(outcomes, count))
    assert any_of(successes, 5, count) == pytest.approx(mean(any(one) for one in choices))
    assert all_of(successes, 5, count) == pytest.approx(mean(all(one) for one in choices))


def test_too_few_runs_tell_no_chance() -> None:
    assert any_of(2, 2, 3) is None
    assert all_of(2, 2, 3) is None
    assert measured([runs("a", 1, 1, 1), runs("b", 1, 1)], "order1").functional.any_run is None


def test_two_successes_of_three_are_one_pass_and_not_three() -> None:
    found = measured([runs("a", 1, 1, 0)], "order1").functional
    assert found.mean == pytest.approx(2 / 3)
    assert (found.any_run, found.every_run) == (1.0, 0.0)


def test_tasks_weigh_the_same_and_the_gap_is_paired_by_run() -> None:
    found = measured([runs("a", 1, 0, right=0.5), runs("b", 0, right=1.0)], "order1", k=1)
    assert found.functional.mean == 0.25
    assert found.right == 0.75
    assert (found.always, found.secrets) == (0.7, 0.5)  # always no
    assert found.gap == pytest.approx(((0.5 - 1 + 0.5) / 2 + 1) / 2)
    assert found.gap_interval is None  # of two tasks nothing is bootstrapped


def test_the_gap_of_five_tasks_has_an_interval_over_tasks() -> None:
    tasks = [runs(str(number), 1, 0, right=0.5) for number in range(4)]
    found = measured([*tasks, runs("4", 0, right=1.0)], "order1", k=1)
    assert found.gap == pytest.approx(0.2)
    assert found.gap_interval is not None
    low, high = found.gap_interval
    assert 0 <= low < 0.2 < high <= 0.6


def test_tasks_without_probes_have_no_literal_measure() -> None:
    found = measured([runs("a", 1)], "order1", k=1)
    assert (found.literal, found.right, found.always, found.secrets, found.gap) == (None,) * 5


def test_groups_are_depths_categories_and_all() -> None:
    played = [runs("b", 1, depth=2), runs("a", 0, depth=1), runs("c", 1, depth=1)]
    assert {title: [one.task for one in found] for title, found in groups_of(played).items()} == {
        "K depth 1": ["a", "c"],
        "K depth 2": ["b"],
        "cooperative": ["a", "c"],
        "mixed": ["b"],
        "all": ["a", "c", "b"],
    }
    assert depth_table(played, "functional_success").splitlines()[-1] == "| order1 | 50% | 100% |"


PAIRED = "enacttom_cooperative_k1_014"
"""A task in which order1 leaves pairs of questions about thoughts."""


def test_the_command_reads_what_was_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ("enacttom_far_handle", "enacttom_relay_of_three", PAIRED)
    play(names, ("solo", "order1"), out=tmp_path, record_replay=False, report=False, progress=False)
    capsys.readouterr()
    assert main([str(tmp_path), "--k=1"]) == 0
    shown = capsys.readouterr().out
    assert "| order1 | 100% | 0% |" in shown
    assert "| solo | 0% | 0% |" in shown
    rows = {row.condition.agent: row for row in study_minds(read_runs([tmp_path])).rows}
    assert rows["order1"].base_rate == 0.5
    assert rows["order1"].literal
    assert rows["order1"].literal.mean == 0.5
    assert rows["order1"].functional
    assert rows["order1"].functional.mean == pytest.approx(2 / 3)
    assert SUITE.commands["depths"].place.endswith("measure_command:main")


def test_folders_without_such_episodes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="name the folders"):
        main([])
    with pytest.raises(ConfigError, match="no finished episode of EnactToM"):
        main([str(tmp_path)])
    with pytest.raises(ConfigError, match=r"^nowhere: no such folder$"):
        main(["nowhere"])
