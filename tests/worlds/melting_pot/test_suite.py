"""What the suite knows of scenarios without the simulator, against the simulator."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from hm_agent.catalogue.finding import find_scenarios, passed_over_lines
from hm_agent.catalogue.suite import Setting
from hm_agent.config import ConfigError
from hm_agent.core import World
from hm_agent.worlds.melting_pot.games import kind_of
from hm_agent.worlds.melting_pot.scenarios import Scenario, all_scenarios, scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import choose_bots
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld, SelfPlayWorld
from hm_agent.worlds.melting_pot.suite import SUITE

SCENARIOS = [scenario for scenario in all_scenarios() if not (scenario.is_self_play or scenario.pairs)]
SELF_PLAY = [scenario for scenario in all_scenarios() if scenario.is_self_play]
INFO = {scenario.name: scenario for scenario in SUITE.scenarios}


def settled_bots(scenario: Scenario, bots: str, folder: Path | None) -> Setting:
    """The kind of bots that the suite decides on; the message if it refuses."""
    given: dict[str, Setting] = {"bots": bots, "bots_dir": str(folder) if folder else None, "inference": "exact"}
    try:
        return SUITE.settle(INFO[scenario.name], given)["bots"]
    except ConfigError as error:
        return str(error)


def chosen_bots(scenario: Scenario, bots: str, folder: Path | None) -> str:
    """The kind of bots that the simulator's casting decides on; the message if it refuses."""
    try:
        return str(choose_bots(scenario, bots, folder))
    except ConfigError as error:
        return str(error)


def test_auto_settles_all_scenarios_of_a_game_alike() -> None:
    settled: dict[str, set[Setting]] = {}
    for scenario in SCENARIOS:
        settled.setdefault(scenario.game.short_name, set()).add(settled_bots(scenario, "auto", None))
    assert {game for game, kinds in settled.items() if len(kinds) > 1} == set()


def test_settled_bots_are_those_that_casting_chooses(tmp_path: Path) -> None:
    for scenario, bots, folder in product(SCENARIOS, ("auto", "trained", "scripted"), (None, tmp_path)):
        assert settled_bots(scenario, bots, folder) == chosen_bots(scenario, bots, folder), scenario.short_name


def test_scripted_players_stand_in_for_the_bots_of_every_scenario_that_ships() -> None:
    for scenario in SCENARIOS:
        assert settled_bots(scenario, "scripted", None) == "scripted", scenario.short_name


@pytest.mark.usefixtures("boats_without_stand_ins")
def test_a_scenario_without_stand_ins_is_refused_in_one_line_with_what_to_do() -> None:
    scenario = scenario_named("boat_race_eight_races_0")
    refusal = settled_bots(scenario, "scripted", None)
    assert re.fullmatch(
        "boat_race_eight_races_0 needs trained bots, since no scripted player stands in for its bots: .*"
        "--bots_dir.*; boat_race_eight_races_selfplay needs none",
        str(refusal),
    )
    assert refusal == chosen_bots(scenario, "scripted", None)


@pytest.mark.usefixtures("boats_without_stand_ins")
def test_globs_leave_out_what_needs_trained_bots_unless_these_are_there_or_nothing_else_matches(tmp_path: Path) -> None:
    names = ["b*_[01]"]
    without = find_scenarios(names, {})
    playable = [f"bach_or_stravinsky_{game}_{number}" for game in ("arena", "repeated") for number in (0, 1)]
    assert [one.short_name for one in without] == playable
    assert list(passed_over_lines(names, without)) == ["boat_race_eight_races_0 and 1 more, for want of trained bots"]
    folder = tmp_path / "bots"
    (folder / "boat_race__eight_races").mkdir(parents=True)
    assert len(find_scenarios(names, {"bots_dir": str(folder)})) == 6
    assert find_scenarios(names, {"bots": "scripted", "bots_dir": str(folder)}) == without
    assert len(find_scenarios(names)) == len(find_scenarios(names, {"bots": "trained"})) == 6
    (alone,) = find_scenarios(["boat_race_eight_races_0"], {})
    assert alone.needs == "trained bots"


def test_self_play_has_no_bots_to_settle() -> None:
    for scenario in SELF_PLAY:
        given: dict[str, Setting] = {"bots": "trained", "bots_dir": "somewhere", "inference": "model"}
        settled = SUITE.settle(INFO[scenario.name], given)
        assert settled == {"bots": None, "bots_dir": None, "inference": "model"}, scenario.short_name


@pytest.mark.parametrize(
    ("name", "kind"), [("rws_repeated_0", MeltingPotWorld), ("rws_repeated_selfplay", SelfPlayWorld)]
)
def test_suite_opens_the_world_of_a_scenario(name: str, kind: type[World[object, object]]) -> None:
    scenario = INFO[scenario_named(name).name]
    world = SUITE.open(scenario, {"bots": "scripted", "bots_dir": None})
    assert isinstance(world, kind)
    assert tuple(world.seats) == scenario.seats


def test_scenarios_with_odd_numbers_are_held_out() -> None:
    for scenario in SCENARIOS:
        *_, number = scenario.short_name.split("_")
        was_looked_at = scenario.unseen is not None and scenario.unseen.puppeteer == "server"
        assert INFO[scenario.name].held_out == (bool(int(number) % 2) and not was_looked_at), scenario.short_name


def test_self_play_is_not_held_out() -> None:
    for scenario in SELF_PLAY:
        assert not INFO[scenario.name].held_out, scenario.short_name


def test_unseen_scenarios_are_a_group_of_their_own_in_the_unit_of_their_game() -> None:
    unseen = [scenario for scenario in SCENARIOS if scenario.is_unseen and not scenario.study]
    numbered = {f"{name}_unseen_{number}" for name, count in (("pd", 6), ("rws", 8)) for number in range(count)}
    assert numbered <= {scenario.short_name for scenario in unseen}
    for scenario in unseen:
        of_the_game = INFO[Scenario(scenario.game, 0).name]
        assert INFO[scenario.name].group == f"{of_the_game.group}, unseen opponents"
        assert INFO[scenario.name].metric == replace(of_the_game.metric, ceiling="oracle")
        assert INFO[scenario.name].has_paid_interactions == kind_of(scenario.game).has_paid_interactions
        assert not INFO[scenario.name].published


def test_opponents_of_a_study_are_a_group_of_their_own() -> None:
    studied = [INFO[scenario.name] for scenario in SCENARIOS if scenario.study == "order"]
    assert [(scenario.short_name, scenario.order) for scenario in studied] == [
        (f"rws_order_{order}", order) for order in range(3)
    ]
    assert {scenario.group for scenario in studied} == {"Running With Scissors, repeated, study of order"}
    assert {scenario.metric for scenario in studied} == {INFO[scenario_named("rws_repeated_0").name].metric}


def test_scores_against_opponents_who_model_the_agent_run_from_the_best_shortcut() -> None:
    studied = [INFO[scenario.name] for scenario in SCENARIOS if scenario.study == "models_me"]
    assert [scenario.short_name for scenario in studied] == [
        *(f"chicken_models_me_{number}" for number in range(2)),
        *(f"rws_models_me_{number}" for number in range(8)),
    ]
    assert all(scenario.name.endswith("_".join(scenario.short_name.split("_")[1:])) for scenario in studied)
    assert {(scenario.metric.floor, scenario.metric.ceiling) for scenario in studied} == {(None, "oracle")}
    assert {scenario.asked_by for scenario in studied} == {"models_me"}


def test_every_scenario_has_its_published_results_and_self_play_none() -> None:
    for scenario in SCENARIOS:
        figures = INFO[scenario.name].published
        assert {agent: (one.mean, one.error) for agent, one in figures.items()} == scenario.published
    assert not any(INFO[scenario.name].published for scenario in SELF_PLAY)
