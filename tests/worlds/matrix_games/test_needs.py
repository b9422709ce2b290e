"""Which order of mind scenarios need: the ladder separates, and no shortcut does what a mind does."""

from __future__ import annotations

from functools import cache
from itertools import takewhile

import pytest

from hm_agent.command_line import cli
from hm_agent.registry import scenario_named, scenarios
from hm_agent.repeated_games.best_play import best_response
from hm_agent.repeated_games.learners import LEARNERS, mutual_action
from hm_agent.repeated_games.reflexes import reflex_value
from hm_agent.worlds.matrix_games.agents import LADDER, PLAYERS
from hm_agent.worlds.matrix_games.needs import CEILING, Item, main, measured
from hm_agent.worlds.matrix_games.settings import table_scenarios
from hm_agent.worlds.matrix_games.shortcuts import SHORTCUTS
from hm_agent.worlds.matrix_games.suite import SHORTCUTS as NAMED
from hm_agent.worlds.matrix_games.suite import SUITE

TESTED = {
    "mg_brief_fictitious_play_3": 1,
    "mg_mod_deeper_2_2_1": 2,
    "mg_mod_deeper_3_2_1": 3,
}
ELSEWHERE = 1000
"""The number of an episode that no other measurement has."""


@cache
def item(name: str, first: int = 0, episodes: int = 8) -> Item:
    (found,) = measured([table_scenarios()[name]], episodes, first)
    return found


def test_each_order_passes_where_it_is_needed_and_lower_ones_fail() -> None:
    for name, order in TESTED.items():
        assert scenario_named(name).needs_order == order == item(name, ELSEWHERE).needs_order, name


def test_an_order_is_needed_if_it_plays_well_and_those_below_it_play_badly() -> None:
    scenario = table_scenarios()["mg_brief_fictitious_play_3"]
    others = {**dict.fromkeys(SHORTCUTS, 0.0), "random": -90.0, CEILING: 10.0}
    for scores, order in (((1, 3, 9, 10), 2), ((1, 5, 9, 10), None), ((1, 1, 1, 1), None), ((8, 9, 9, 9), 0)):
        earned = others | dict(zip(LADDER, map(float, scores), strict=True))
        assert Item((scenario,), earned).needs_order == order, scores


def test_shortcuts_stay_at_the_floor_that_other_seeds_chose() -> None:
    for name in TESTED:
        here, floor = item(name, ELSEWHERE).earned, item(name).best_shortcut
        scale = here[CEILING] - here[floor]
        assert max((here[shortcut] - here[floor]) / scale for shortcut in SHORTCUTS) <= 0.05, name


def test_pairs_count_by_the_lesser_and_one_opponent_alone_is_answered_without_a_mind() -> None:
    plain, deeper = (table_scenarios()[f"mg_pair_steps_2_{kind}"] for kind in ("plain", "deeper"))
    (both,), (alone,) = (list(measured(known, 6)) for known in ([plain, deeper], [plain]))
    assert both.name == "mg_pair_steps_2"
    assert both.needs_order == 2
    assert alone.earned["order_0"] > 2 * both.earned["order_0"] + 0.3
    assert all(both.earned[agent] <= alone.earned[agent] for agent in both.earned)


def test_the_opponents_of_a_pair_play_alike_until_one_is_beaten_often_enough() -> None:
    for pair in ("steps_1", "steps_2", "react_2", "react_3"):
        plain, deeper = (table_scenarios()[f"mg_pair_{pair}_{kind}"].rules[0] for kind in ("plain", "deeper"))
        states = [plain.start, deeper.start]
        for _ in range(6):
            chances = [rule.chances(state) for rule, state in zip((plain, deeper), states, strict=True)]
            assert chances[0] == chances[1], pair
            own = chances[0].index(max(chances[0]))
            states = [rule.after(state, own, own) for rule, state in zip((plain, deeper), states, strict=True)]


def test_what_separates_nobody_needs_nothing_and_is_listed_so(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("mg_pd_grim", "mg_mod_counter_earlier_3"):
        assert item(name, episodes=4).need == "separates nobody"
        assert scenario_named(name).separates_nobody
    assert all(info.needs_order is None for info in SUITE.scenarios if info.separates_nobody)
    assert cli.main(["hm-agent", "list"]) == 0
    assert "after the agent's first defect; separates nobody" in capsys.readouterr().out


def test_no_answer_to_the_last_round_alone_does_what_orders_2_and_3_do() -> None:
    for name in ("mg_mod_deeper_2_2_1", "mg_mod_deeper_3_2_1"):
        (rule,), rounds = table_scenarios()[name].rules, 30
        best = best_response(rule, rounds).total
        assert reflex_value({rule: 1.0}, rounds) / rounds < 0.43 < 0.79 < best / rounds, name


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


def test_a_mutual_action_is_to_cooperate() -> None:
    sides = {name: table_scenarios()[f"mg_{name}_selfplay"].side for name in ("pd", "stag", "chicken")}
    assert {name: side.actions[mutual_action(side)] for name, side in sides.items()} == {
        "pd": "cooperate",
        "stag": "stag",
        "chicken": "dove",
    }


def test_the_command_prints_a_line_for_each_item(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mg_pd_grim", "mg_pd_defect", "--episodes=1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in lines] == ["| item", "| ---", "| mg_pd_grim", "| mg_pd_defect"]
    assert {line.count("|") for line in lines} == {14}


def test_scenarios_are_listed_by_the_order_that_they_need(capsys: pytest.CaptureFixture[str]) -> None:
    easy = sum(info.separates_nobody for info in scenarios().values())
    assert cli.main(["hm-agent", "list", "--needs_order=3"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    first = lines.index("Scenarios of Matrix games that need order 3, measured on seeds:")
    shown = [line.split()[0] for line in takewhile(lambda line: line.startswith(" "), lines[first + 1 :])]
    assert shown == [info.short_name for info in SUITE.scenarios if info.needs_order == 3]
    assert (
        last
        == f"{easy} scenarios separate nobody: a shortcut does about as well as any mind. `hm-agent list` marks them."
    )
