"""Scores from the best shortcut to the ceiling, where a suite declares shortcuts; and pairs, which count once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import Suite
from hm_agent.extensions import ADDED
from hm_agent.metrics import Metric
from hm_agent.recording.result import Result
from hm_agent.reporting.notes import shortcut_notes, unbeaten_shortcuts, unscored
from hm_agent.reporting.scores import narrow_note, narrow_scales, scores
from hm_agent.reporting.tables import Row, tabulate, without_spare_shortcuts
from tests.reporting.examples import result

METRIC = Metric("points", "points", ceiling="oracle", least_scale=1.0)


class MazeSuite(Suite):
    """A world with two shortcuts, three mazes, and a pair."""

    name = title = "maze"
    shortcuts = ("random", "constant")

    @property
    def scenarios(self) -> Sequence[ScenarioInfo]:
        one = ScenarioInfo("maze", "maze_0", "maze_0", "Mazes", metric=METRIC)
        mazes = [replace(one, name=f"maze_{place}", short_name=f"maze_{place}") for place in range(3)]
        return [*mazes, *(replace(one, name=name, short_name=name, group="Pair", pair="doors") for name in ("a", "b"))]


@pytest.fixture(autouse=True)
def _maze(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ADDED.worlds, "maze", MazeSuite())


def played(by_scenario: Mapping[str, Mapping[str, float]]) -> list[Row]:
    settings = {"seed": 0, "max_steps": None}
    results: list[Result] = [
        result(agent, world="maze", settings=settings, scenario=scenario, metrics={"points": points})
        for scenario, earned in by_scenario.items()
        for agent, points in earned.items()
    ]
    return tabulate(results)


def floors(rows: Sequence[Row]) -> Mapping[str, tuple[str, float]]:
    return {
        row.scenario.name: (row.floor_reference.condition.agent, row.floor_reference.estimate.mean)
        for row in rows
        if row.floor_reference
    }


MAZES = {
    "maze_0": {"random": 0.0, "constant": 6.0, "oracle": 10.0, "react": 7.0},
    "maze_1": {"random": 5.0, "constant": 1.0, "oracle": 10.0, "react": 5.5},
    "maze_2": {"random": 5.0, "constant": 1.0, "oracle": 10.0, "react": 3.0},
}


def test_the_floor_is_the_shortcut_that_is_best_on_the_other_scenarios_of_the_group() -> None:
    rows = played(MAZES)
    assert floors(rows) == {"maze_0": ("random", 0.0), "maze_1": ("constant", 1.0), "maze_2": ("constant", 1.0)}
    react = {row.scenario.name: row.normalised_score for row in rows if row.condition.agent == "react"}
    assert react == pytest.approx({"maze_0": 0.7, "maze_1": 0.5, "maze_2": 2 / 9})


def test_where_another_shortcut_than_the_floor_does_as_well_as_the_agents_it_is_said() -> None:
    said = "Some shortcut, which models no mind, does as well as every agent in maze_2."
    assert unbeaten_shortcuts(played(MAZES)) == [said]
    assert unbeaten_shortcuts(played({name: MAZES[name] for name in ("maze_0", "maze_1")})) == []
    alone = {agent: MAZES["maze_2"][agent] for agent in ("random", "oracle")}
    assert unbeaten_shortcuts(played({"maze_2": alone})) == []


def test_the_only_scenario_of_a_group_has_its_own_best_shortcut() -> None:
    assert floors(played({"maze_0": MAZES["maze_0"]})) == {"maze_0": ("constant", 6.0)}


def test_a_scenario_in_which_a_shortcut_does_nearly_as_well_is_in_no_score_and_is_counted() -> None:
    easy = {"maze_1": {**MAZES["maze_1"], "random": 9.5}, "maze_2": {**MAZES["maze_2"], "random": 10.0}}
    rows = played({**MAZES, **easy})
    assert {row.scenario.name: row.is_narrow for row in rows} == {"maze_0": False, "maze_1": True, "maze_2": True}
    (score,) = scores(rows)
    assert (score.mean, score.scenarios) == pytest.approx((0.7, 1))
    said = narrow_note(narrow_scales(rows))
    assert "leave out 2 scenarios" in said
    assert "or less than the least that its metric asks for" in said
    assert unscored(rows) == []


def test_wide_tables_have_no_shortcut_but_the_floor_beside_agents_and_all_where_only_shortcuts_played() -> None:
    earned = {"react": 70.0, "oracle": 80.0, "random": 40.0, "average": 60.0, "constant": 50.0}

    def shown(agents: Sequence[str]) -> set[str]:
        results = [
            result(
                agent,
                world="matrix_games",
                scenario="mg_drawn_boldest_2",
                settings={"seed": 0, "max_steps": None},
                metrics={"reward_per_round": earned[agent]},
            )
            for agent in agents
        ]
        return {row.condition.agent for row in without_spare_shortcuts(tabulate(results))}

    assert shown([*earned]) == {"react", "oracle", "average"}
    assert shown(["random", "average"]) == {"random", "average"}


def test_a_report_names_the_floors_and_the_shortcuts_that_were_not_played() -> None:
    rows = played(MAZES)
    assert shortcut_notes(rows)[0].endswith(", if it has any: `random` in 1 scenario and `constant` in 2 scenarios.")
    without = played(
        {name: {key: earned[key] for key in earned if key != "constant"} for name, earned in MAZES.items()}
    )
    assert "shortcuts were not played: `constant`" in shortcut_notes(without)[1]
    elsewhere = tabulate([result(agent) for agent in ("react", "random", "oracle")])
    assert shortcut_notes([*rows, *elsewhere]) == shortcut_notes(rows)


def test_without_shortcuts_there_is_no_score_and_the_report_says_what_it_needs() -> None:
    rows = played({"maze_0": {"react": 7.0, "oracle": 10.0}})
    assert scores(rows) == []
    assert "needs a shortcut and a better `oracle`" in unscored(rows)[0]


def test_a_shortcut_that_knows_one_answer_is_no_floor_of_a_pair() -> None:
    doors = {
        "a": {"random": 2.0, "constant": 10.0, "oracle": 10.0, "react": 9.0},
        "b": {"random": 3.0, "constant": -10.0, "oracle": 10.0, "react": 9.0},
    }
    rows = played(doors)
    assert floors(rows) == {"a": ("random", 2.0), "b": ("random", 2.0)}
    assert not any(row.is_narrow for row in rows)


def test_no_floor_is_below_what_guessing_earns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.METRIC", replace(METRIC, guessing=2.5))
    rows = played(MAZES)
    floor = {row.scenario.name: row.floor for row in rows}
    assert floor == {"maze_0": 2.5, "maze_1": 2.5, "maze_2": 2.5}
    assert "or what guessing earns if that is better" in shortcut_notes(rows)[0]


def test_a_pair_counts_by_its_lesser_score_and_half_a_pair_does_not_count() -> None:
    doors = {"a": {"random": 0.0, "oracle": 10.0, "react": 9.0}, "b": {"random": 0.0, "oracle": 10.0, "react": 2.0}}
    (score,) = scores(played(doors))
    assert (score.mean, score.scenarios) == pytest.approx((0.2, 1))
    assert scores(played({"a": doors["a"]})) == []


def test_of_many_shortcuts_that_were_not_played_a_few_are_named() -> None:
    known: dict[str, Any] = {
        "world": "matrix_games",
        "scenario": "mg_drawn_average_2",
        "settings": {"seed": 0, "max_steps": None},
    }
    earned = {"react": 60.0, "constant": 40.0, "oracle": 80.0}
    _, missing = shortcut_notes(
        tabulate(
            [result(agent, value, metrics={"reward_per_round": value}, **known) for agent, value in earned.items()]
        )
    )
    assert re.search("not played: (`[a-z_0-9]+`(, )?){5} and [0-9]+ more.$", missing)
