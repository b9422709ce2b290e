"""Means over the scenarios by which constants were chosen, and over those held out."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from hm_agent.recording.result import Result
from hm_agent.reporting.halves import SCORE, split_means
from hm_agent.reporting.report import Report
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.scores import OVERALL
from hm_agent.reporting.tables import tabulate
from hm_agent.reporting.writing import write_report
from tests.reporting.examples import DELIVERY, HELD_OUT, delivered, leave, read, result

EVEN = "running_with_scissors_in_the_matrix__repeated_2"
HALVED = "Running With Scissors, repeated"
MINUTES = {"vmp": 4.0, "mmp": 8.0, "react": 2.0, "random": 10.0}


def both_halves() -> list[Result]:
    """Each agent twice in either half; in the one that is held out each takes two minutes more."""
    return [
        delivered(agent, minutes + late + shift, seed, scenario=scenario)
        for scenario, late in ((DELIVERY, 0.0), (HELD_OUT, 2.0))
        for agent, minutes in MINUTES.items()
        for seed, shift in enumerate((-0.5, 0.5))
    ]


@pytest.mark.usefixtures("delivery")
def test_a_mean_stands_beside_that_of_each_half() -> None:
    found = {split.condition.agent: split for split in split_means(tabulate(both_halves()))}
    assert set(found) == set(MINUTES)
    vmp = found["vmp"]
    assert vmp.chosen is not None
    assert vmp.held_out is not None
    assert (vmp.whole.values, vmp.chosen.values, vmp.held_out.values) == ((4, 6), (4,), (6,))
    assert (vmp.group, vmp.unit, vmp.digits) == ("Delivery", "minutes per parcel", 1)


@pytest.mark.usefixtures("delivery")
def test_over_all_groups_halves_are_normalised_scores_without_references() -> None:
    rewards = {"vmp": 7.0, "mmp": 1.0, "oracle": 10.0, "random": 0.0}
    rows = tabulate([*both_halves(), *(result(agent, reward, scenario=EVEN) for agent, reward in rewards.items())])
    overall = [split for split in split_means(rows) if split.group == OVERALL]
    assert [split.condition.agent for split in overall] == ["vmp", "mmp"]
    vmp, _ = overall
    assert vmp.chosen is not None
    assert vmp.held_out is not None
    assert (vmp.unit, vmp.digits) == (SCORE, 2)
    assert (vmp.whole.n, vmp.chosen.mean, vmp.held_out.mean) == pytest.approx((3, 0.725, 0.75))


@pytest.mark.usefixtures("delivery")
def test_a_world_that_holds_nothing_out_has_no_halves() -> None:
    """Beside one that does; by none of its scenarios were constants chosen."""
    rows = tabulate([*both_halves(), read("reader", 0.9)])
    assert {split.group for split in split_means(rows)} == {"Delivery"}


def test_a_difference_in_a_world_that_holds_nothing_out_has_no_halves(tmp_path: Path) -> None:
    shares = {"reader": 0.9, "hm_odds": 0.5}
    leave(tmp_path, *(read(agent, share, seed) for agent, share in shares.items() for seed in range(5)))
    leave(tmp_path, *(result(agent, reward, scenario=EVEN) for agent, reward in (("vmp", 3), ("mmp", 1))))
    report = Report(read_runs((tmp_path,)), tmp_path)
    groups = {comparison.group: comparison.chosen for comparison in report.comparisons}
    assert groups.pop(HALVED) is not None
    assert set(groups.values()) == {None}
    assert [group for group, _ in report.compared_halves] == [HALVED]
    assert len(report.compared_groups) == 2


@pytest.mark.usefixtures("delivery")
def test_an_agent_that_played_one_half_has_no_mean_in_the_other() -> None:
    found = {split.condition.agent: split for split in split_means(tabulate([*both_halves(), delivered("he_hr", 1)]))}
    assert found["he_hr"].held_out is None
    assert found["he_hr"].chosen is not None


@pytest.mark.usefixtures("delivery")
@pytest.mark.parametrize("scenario", [DELIVERY, HELD_OUT])
def test_scenarios_of_one_half_alone_make_no_halves(scenario: str) -> None:
    rows = tabulate([delivered("vmp", 4, scenario=scenario)])
    assert split_means(rows) == []
    assert split_means(rows) == []


@pytest.mark.usefixtures("delivery")
def test_the_report_shows_both_halves_of_means_and_differences(tmp_path: Path) -> None:
    leave(tmp_path, *both_halves())
    write_report(read_runs((tmp_path,)), tmp_path)
    text, page = ((tmp_path / name).read_text() for name in ("report.md", "report.html"))
    assert "| Delivery | vmp | minutes per parcel | 5.0 ± 1.0 (n = 2) | 4.0 (n = 1) | 6.0 (n = 1) |" in text
    gap = "-4.0 (no interval)"  # of four pairs, two in each half
    assert f"| Delivery | vmp − mmp | minutes per parcel | {gap} | {gap} | {gap} |" in text
    assert "| delivery_1 |  | yes | 0, 1 |" in text
    assert "| delivery_0 |  | no | 0, 1 |" in text
    assert 'id="halves"' in page
    assert 'href="#halves"' in page
    assert 'href="halves.csv"' in page
    with (tmp_path / "halves.csv").open(newline="") as lines:
        rows = {row["agent"]: row for row in csv.DictReader(lines)}
    vmp = rows["vmp"]
    assert [float(vmp[name]) for name in ("all", "chosen", "held_out", "all_scenarios")] == [5, 4, 6, 2]


@pytest.mark.usefixtures("delivery")
def test_where_no_episode_of_either_half_was_finished_no_halves_are_shown(tmp_path: Path) -> None:
    leave(tmp_path, *(replace(one, status="interrupted") for one in both_halves()))
    write_report(read_runs((tmp_path,)), tmp_path)
    assert "halves" not in (tmp_path / "report.html").read_text("utf-8")


def test_without_held_out_scenarios_no_halves_are_shown(tmp_path: Path) -> None:
    leave(tmp_path, result("vmp", 3), result("mmp", 1))
    assert not Report(read_runs((tmp_path,)), tmp_path).split_means
    write_report(read_runs((tmp_path,)), tmp_path)
    assert "halves" not in (tmp_path / "report.md").read_text() + (tmp_path / "report.html").read_text()
    assert not (tmp_path / "halves.csv").exists()
