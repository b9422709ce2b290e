from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from hm_agent.metrics import PublishedFigure
from hm_agent.reporting.csv_records import episode_record
from hm_agent.reporting.runs import RecordedEpisode
from hm_agent.reporting.scores import OVERALL, scores
from hm_agent.reporting.tables import by_unit, tabulate
from hm_agent.reporting.writing import write_csv
from tests.reporting.examples import KITCHEN, PD, RWS, SELF_PLAY, delivered, result, settings


def test_episodes_that_did_not_complete_are_counted_and_never_averaged_in() -> None:
    failed = [
        result(reward=1e6, seed=3, status="interrupted"),
        result(reward=1e6, seed=4, status="failed: out of memory"),
        result(reward=1e6, seed=5, status="failed: no network", input_tokens=None),
    ]
    (row,) = tabulate([result(reward=10, seed=1), result(reward=20, seed=2), *failed])
    assert row.estimate is not None
    assert (row.estimate.mean, row.estimate.n) == (15, 2)
    assert (row.episodes, row.finished, row.played) == (5, 2, "2 of 5")
    assert row.unfinished == {"interrupted": 1, "failed": 2}
    assert (row.usage.questions, row.usage_of_finished.questions) == (100, 40)
    assert (row.usage.input_tokens, row.usage_of_finished.input_tokens) == (None, 0)


def test_where_nothing_completed_there_is_no_mean() -> None:
    (row,) = tabulate([result(reward=5, status="budget_spent")])
    assert (row.estimate, row.interactions, row.normalised_score) == (None, None, None)


def test_episodes_that_were_set_otherwise_are_not_averaged() -> None:
    rows = tabulate([result(reward=10), result(reward=20, settings=settings(top_k=1))])
    assert sorted(row.mean or 0 for row in rows) == [10, 20]


def test_the_published_figure_is_that_of_the_same_agent() -> None:
    ours, react, random = tabulate([result(), result("react"), result("random")])
    place, conditions = "Hypothetical Minds' table 1", "GPT-4 against trained bots"
    assert ours.published == PublishedFigure(23.2, 4.7, place, conditions)
    assert react.published == PublishedFigure(-2.3, 4.2, place, conditions)
    assert random.published is None


def test_a_score_lies_between_random_and_oracle() -> None:
    row, *_ = tabulate([result(reward=8), result("oracle", 10), result("random", -10, 1), result("random", 10, 2)])
    assert (row.floor, row.ceiling, row.normalised_score) == (0, 10, 0.8)


@pytest.mark.parametrize(
    "changes", [{"settings": settings(bots="trained")}, {"settings": settings(max_steps=10)}, {"scenario": PD}]
)
def test_references_of_other_conditions_are_no_measure(changes: dict[str, Any]) -> None:
    rows = tabulate([result(reward=8), result("oracle", 10, **changes), result("random", 0, **changes)])
    (ours,) = (row for row in rows if row.condition.agent == "hypothetical_minds")
    assert ours.normalised_score is None


def test_of_several_references_the_one_with_the_same_model_counts() -> None:
    played = [
        result(reward=8, model="gpt-4"),
        result("random"),
        result("oracle", 10),
        result("oracle", 16, model="gpt-4"),
    ]
    row, *_ = tabulate(played)
    assert row.ceiling == 16


def test_of_several_references_the_one_with_the_same_settings_counts() -> None:
    ceilings = {"exact": 10, "model": 16}
    played = [result(reward=8, settings=settings(inference=inference)) for inference in ceilings]
    played += [result("oracle", ceiling, settings=settings(inference=name)) for name, ceiling in ceilings.items()]
    found = {dict(row.settings)["inference"]: row.ceiling for row in tabulate(played)}
    assert found == ceilings


def test_scenarios_come_in_their_order_and_strange_ones_last() -> None:
    rows = tabulate([result(scenario=name) for name in ("elsewhere_0", RWS.replace("_1", "_8"), RWS, PD)])
    assert [row.scenario.short_name for row in rows] == [
        "pd_repeated_5",
        "rws_repeated_1",
        "rws_repeated_8",
        "elsewhere_0",
    ]


def test_scores_are_averaged_over_scenarios_by_group_and_over_all() -> None:
    played = [
        result(agent, reward, seed, scenario=scenario)
        for scenario, rewards in ((RWS, (2.0, 4.0)), (PD, (8.0,)))
        for seed, reward in enumerate(rewards)
        for agent, reward in (("hypothetical_minds", reward), ("oracle", 10), ("random", 0))
    ]
    found = {score.group: (round(score.mean, 9), score.scenarios) for score in scores(tabulate(played))}
    assert list(found) == [OVERALL, "Prisoner's Dilemma, repeated", "Running With Scissors, repeated"]
    assert list(found.values()) == [(0.55, 2), (0.8, 1), (0.3, 1)]


def test_rows_of_different_units_are_apart() -> None:
    tables = by_unit(tabulate([result(scenario=name) for name in (RWS, KITCHEN, PD)]))
    assert {unit: [row.scenario.short_name for row in rows] for unit, rows in tables.items()} == {
        "Reward per 1,000 steps: mean ± standard error over n episodes.": ["cooking_asymmetric_1"],
        "Reward per 1,200 steps: mean ± standard error over n episodes.": ["pd_repeated_5", "rws_repeated_1"],
    }


def test_an_agent_that_counts_no_interactions_has_none() -> None:
    (row,) = tabulate([result(metrics={"normalised_reward": 3.0})])
    assert (row.mean, row.interactions) == (3.0, None)


def test_a_mean_of_zero_is_free_of_rounding_errors(tmp_path: Path) -> None:
    noise = result(reward=-5.6e-17, scenario=SELF_PLAY, metrics={"normalised_reward": -2.7e-16})
    (row,) = tabulate([noise])
    record = episode_record(RecordedEpisode(noise, tmp_path))
    assert (row.mean, record["value"], record["reward"]) == (0.0, 0.0, 0.0)


def test_an_unknown_scenario_is_averaged_by_its_reward() -> None:
    (row,) = tabulate([result(reward=4, scenario="elsewhere_0", metrics={})])
    assert (row.mean, row.unit) == (4, "Reward per episode: mean ± standard error over n episodes.")


@pytest.mark.usefixtures("delivery")
def test_where_less_is_better_the_score_rises_as_the_mean_falls() -> None:
    minutes = {"vmp": 4.0, "mmp": 8.0, "react": 2.0, "random": 10.0}
    rows = tabulate([delivered(agent, value) for agent, value in minutes.items()])
    assert {row.condition.agent: row.normalised_score for row in rows} == {
        "react": 1.0,
        "vmp": 0.75,
        "mmp": 0.25,
        "random": 0.0,
    }
    assert [row.condition.agent for row in rows if row.is_reference] == ["react", "random"]
    assert rows[0].unit == "Minutes per parcel: mean ± standard error over n episodes. Lower is better."
    assert [score.condition.agent for score in scores(rows)] == ["vmp", "mmp"]


@pytest.mark.usefixtures("delivery")
def test_an_agent_is_the_same_in_worlds_with_other_options() -> None:
    rows = tabulate([result("vmp"), delivered("vmp", 4)])
    assert len({row.condition for row in rows}) == 1


@pytest.mark.usefixtures("delivery")
def test_options_that_change_the_world_keep_a_reference_from_being_a_measure() -> None:
    busy = {"seed": 0, "max_steps": None, "top_k": 5, "traffic": "dense"}
    found = [delivered("react", 2), delivered("random", 10), delivered("vmp", 4, settings=busy)]
    assert [row.normalised_score for row in tabulate(found) if row.condition.agent == "vmp"] == [None]


def test_no_cell_of_a_sheet_is_a_formula(tmp_path: Path) -> None:
    said: list[str | float | None] = ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "\tx", "plain", -2.5, None]
    write_csv(tmp_path / "sheet.csv", [{"cell": value} for value in said])
    with (tmp_path / "sheet.csv").open(newline="") as file:
        cells = [row["cell"] for row in csv.DictReader(file)]
    assert cells == ["'=1+1", "'+cmd", "'-2+3", "'@SUM(A1)", "'\tx", "plain", "-2.5", ""]
