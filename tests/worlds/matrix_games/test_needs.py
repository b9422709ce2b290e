"""Which order of mind scenarios need: the ladder separates, and no shortcut does what a mind does."""

from __future__ import annotations

from functools import cache
from itertools import takewhile
from random import Random
from statistics import mean

import pytest

from hm_agent.catalogue.registry import scenario_named, scenarios
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.command_line import cli
from hm_agent.config import ConfigError
from hm_agent.repeated_games.learners import LEARNERS, mutual_action
from hm_agent.repeated_games.levels import LevelRule, drawn_side, level_action
from hm_agent.repeated_games.payoffs import Side
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.worlds.matrix_games.agents import LADDER, PLAYERS
from hm_agent.worlds.matrix_games.needs import CEILING, MISSED, REACHED, Item, main, measured
from hm_agent.worlds.matrix_games.own_agents import SHORTCUTS as NAMED
from hm_agent.worlds.matrix_games.settings import TableScenario, table_scenarios
from hm_agent.worlds.matrix_games.shortcuts import SHORTCUTS
from hm_agent.worlds.matrix_games.suite import SUITE

TESTED = {"mg_blind_average_1": 1, "mg_drawn_boldest_2": 2, "mg_drawn_average_3": 3}
ELSEWHERE = 1000
"""The number of an episode that no other measurement has."""


@cache
def item(name: str, first: int = 0, episodes: int = 5) -> Item:
    (found,) = measured([table_scenarios()[name]], episodes, first)
    return found


def test_each_order_passes_where_it_is_needed_and_lower_ones_fail() -> None:
    for name, order in TESTED.items():
        assert scenario_named(name).needs_order == order == item(name, ELSEWHERE).needs_order, name


@pytest.mark.parametrize("name", TESTED)
def test_a_reasoner_that_is_told_nothing_of_the_opponents_plays_each_order(name: str) -> None:
    """So items can be played by who thinks in levels, not only by who knows which opponents there are."""
    info, known = scenario_named(name), item(name, ELSEWHERE)
    earned = [reward_per_round(info, number) for number in range(ELSEWHERE, ELSEWHERE + 5)]
    assert Item(known.scenario, {**known.earned, "react": mean(earned)}).score("react") > REACHED


def reward_per_round(info: ScenarioInfo, number: int) -> float:
    """What `react` earns with the built-in reasoner, on the seed of `measured`."""
    seed = Random(f"{info.name}/{number}").getrandbits(32)
    outcome = play_out(*set_up(info, "react", seed=seed), seed=seed)
    return outcome.reward / outcome.steps


def test_an_order_is_needed_if_it_plays_well_and_those_below_it_play_badly() -> None:
    scenario = table_scenarios()["mg_brief_fictitious_play_3"]
    others = {**dict.fromkeys(SHORTCUTS, 0.0), "random": -90.0, CEILING: 10.0}
    for scores, order in (((1, 3, 9, 10), 2), ((1, 5, 9, 10), None), ((1, 1, 1, 1), None), ((8, 9, 9, 9), None)):
        earned = others | dict(zip(LADDER, map(float, scores), strict=True))
        assert Item(scenario, earned).needs_order == order, scores


def test_shortcuts_stay_at_the_floor_that_other_seeds_chose() -> None:
    for name in TESTED:
        here, floor = item(name, ELSEWHERE).earned, item(name).best_shortcut
        scale = here[CEILING] - here[floor]
        assert max((here[shortcut] - here[floor]) / scale for shortcut in SHORTCUTS) <= MISSED, name


def test_what_separates_nobody_needs_nothing_and_is_listed_so(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("mg_pd_grim", "mg_mod_deeper_3_2_1", "mg_brief_fictitious_play_3", "mg_drawn_average_1"):
        assert item(name, episodes=2).need == "separates nobody"
        assert scenario_named(name).separates_nobody
    assert all(info.needs_order is None for info in SUITE.scenarios if info.separates_nobody)
    assert cli.main(["hm-agent", "list", "--scenario=mg_pd_*"]) == 0
    assert "after the agent's first defect; separates nobody" in capsys.readouterr().out


@pytest.mark.parametrize("scenario", [s for s in table_scenarios().values() if s.game.highest_drawn and s.group])
def test_who_looks_at_one_table_alone_can_not_tell_which_level_the_other_is_of(scenario: TableScenario) -> None:
    """What answers one level of thought is in most tables no answer to the next."""
    (rule,) = scenario.rules
    assert isinstance(rule, LevelRule)
    alike = 0
    for side in (drawn_side(Random(seed), scenario.side.actions, 99) for seed in range(100)):
        answers = [side.best_response(level_action(side.opposite, level, rule.naive)) for level in (1, 2, 3)]
        alike += len(set(answers)) < 2
    assert alike <= 5


def test_the_ladder_knows_the_rules_up_to_its_order_and_no_other() -> None:
    scenario = table_scenarios()["mg_mod_pure"]
    for order in range(len(LADDER)):
        shares = scenario.mixture(order)
        assert sum(shares.values()) == pytest.approx(1)
        assert {rule.order for rule in shares} == {*range(order + 1)}


def test_the_orders_in_files_are_those_of_the_rules() -> None:
    for scenario in table_scenarios().values():
        if scenario.group and scenario.group.order is not None:
            assert {rule.order for rule in scenario.rules} == {scenario.group.order}, scenario.name


def test_the_suite_names_every_shortcut_and_each_is_an_agent() -> None:
    assert list(SUITE.shortcuts) == list(NAMED) == list(SHORTCUTS)
    assert set(PLAYERS) == set(SUITE.own_agents)


def test_shortcuts_that_learn_by_trying_commit_to_what_pays() -> None:
    """Against one who is won over by three hares, and then copies, stag pays most once it is played on."""
    scenario = table_scenarios()["mg_stag_corrigible"]
    by_hare, by_stag = ((1, 1),) * 3 + ((1, 0), (1, 1), (1, 1)), ((0, 1),) + ((0, 0),) * 5
    for name, order in {"explore": (by_stag, by_hare), "explore_backward": (by_hare, by_stag)}.items():
        learner = LEARNERS[name]
        (first, *_), (second, *_) = order
        assert learner(scenario.side, order[0][:5]) == first[0]
        assert learner(scenario.side, order[0]) == second[0]
        assert learner(scenario.side, (*order[0], *order[1])) == 0
    learner = LEARNERS["q_learning"]
    assert learner(scenario.side, [(0, 1), (0, 1), (0, 1)]) == 1  # stag has disappointed after such a round
    assert learner(scenario.side, [(1, 0), (0, 0), (0, 0), (1, 0)]) == 0


def test_a_distance_that_has_cost_most_is_not_kept_where_every_payoff_is_a_loss() -> None:
    """What the other played last has cost least; the answer to that, to go back by one, has cost more."""
    paid = ((-5.0, -1.0), (-1.0, -2.0))
    side = Side(("first", "second"), ("first", "second"), paid, paid)
    assert LEARNERS["best_distance"](side, [(0, 0), (0, 1), (0, 0), (0, 1)]) == 1


def test_who_goes_two_numbers_on_in_every_round_is_never_caught_by_who_counts_the_last_rounds() -> None:
    """Not even the ceiling earns more, though the shortcut looks at nothing that the other does."""
    for name in ("mg_brief_fictitious_play_2", "mg_brief_fictitious_play_3_wild"):
        earned = item(name).earned
        assert earned["step_2"] == earned[CEILING], name


def test_a_mutual_action_is_to_cooperate() -> None:
    sides = {name: table_scenarios()[f"mg_{name}_selfplay"].side for name in ("pd", "stag", "chicken")}
    assert {name: side.actions[mutual_action(side)] for name, side in sides.items()} == {
        "pd": "cooperate",
        "stag": "stag",
        "chicken": "dove",
    }


def test_the_command_prints_a_line_for_each_item(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mg_pd_grim", "--episodes=1", "mg_pd_defect"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in lines] == ["| scenario", "| ---", "| mg_pd_grim", "| mg_pd_defect"]
    assert {line.count("|") for line in lines} == {10}


def test_self_play_alone_is_refused_since_it_has_no_opponent() -> None:
    with pytest.raises(ConfigError, match="no opponent in these scenarios"):
        main(["mg_pd_selfplay", "--episodes=1"])


def test_scenarios_are_listed_by_the_order_that_they_need(capsys: pytest.CaptureFixture[str]) -> None:
    easy = sum(info.separates_nobody for info in scenarios().values())
    assert cli.main(["hm-agent", "list", "--needs_order=3"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    first = lines.index("Scenarios of Matrix games that need order 3, measured on seeds:")
    shown = [line.split()[0] for line in takewhile(lambda line: line.startswith(" "), lines[first + 1 :])]
    assert shown == [info.short_name for info in SUITE.scenarios if info.needs_order == 3]
    assert (
        last
        == f"{easy} scenarios separate nobody: a shortcut does about as well as any mind; lists one by one mark them."
    )
