"""Matrix games: rounds, agents, and files of one's own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest

import hm_agent
from hm_agent.agents.registry import AGENTS
from hm_agent.catalogue.casting import can_play
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import register_scenarios, suites
from hm_agent.command_line import cli
from hm_agent.config import ConfigError
from hm_agent.core import Step
from hm_agent.episode import run_episode
from hm_agent.metrics import UNBOUNDED
from hm_agent.repeated_games.best_play import best_response
from hm_agent.repeated_games.levels import naive_action
from hm_agent.repeated_games.rules_of_play import RuleOfPlay
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.worlds.matrix_games.agents import LADDER, PLAYERS
from hm_agent.worlds.matrix_games.settings import TableScenario, load_payoff_game, table_scenarios
from hm_agent.worlds.matrix_games.suite import SUITE
from hm_agent.worlds.matrix_games.views import RoundScene
from hm_agent.worlds.matrix_games.world import MatrixGameWorld
from tests.support.step_log import StepLog

OWN = """
title = "Left or right"
short_name = "sides"
actions = ["left", "right"]
column_actions = ["up", "down"]
payoff = [[2, 0], [1, 3]]
column_payoff = [[0, 1], [2, 0]]
rounds = 5

[[scenarios]]
name = "answers"
about = "best response to the agent's last action"
held_out = false
opponents = [{ rule = "counter_earlier", rounds_ago = 1, first = "up" }]
"""


DRAWN_PLAYED = (("random", 3), ("oracle", 3), ("random", 4))
SHORT = 10
"""The rounds of shortened games, since plans of `bayes` grow fast with them."""


def rounds(name: str, *agents: str, seed: int = 0, length: int | None = None) -> list[Step]:
    """The rounds of one episode. length: how many, None for as many as the game has."""
    scenario = table_scenarios()[name]
    game = replace(scenario.game, rounds=length or scenario.game.rounds)
    world, kept = MatrixGameWorld(replace(scenario, game=game)), StepLog(object)
    players = {seat: PLAYERS[agent](world, seed) for seat, agent in zip(world.seats, agents, strict=True)}
    outcome = asyncio.run(run_episode(world, players, seed=seed, recorders=[kept]))
    assert outcome.status == "completed", outcome.error
    return kept.steps


@cache
def total(name: str, agent: str, seed: int = 0) -> float:
    """The reward of one shortened episode."""
    return rounds(name, agent, seed=seed, length=SHORT)[-1].totals["player_0"]


def with_opponent() -> Sequence[TableScenario]:
    return [scenario for scenario in table_scenarios().values() if scenario.group]


def draws(rule: RuleOfPlay) -> bool:
    """True if a rule leaves anything to chance in a state that it can be in."""
    states = {state for values in best_response(rule, SHORT)._values for state in values}
    return any(0 < chance < 1 for state in states for chance in rule.chances(state))


def test_oracle_reaches_the_computed_optimum_within_its_interval() -> None:
    for scenario in with_opponent():
        if scenario.game.highest_drawn is not None:
            continue  # its optimum depends on the tables of an episode
        world, gaps = MatrixGameWorld(scenario), []
        best = {rule: best_response(rule, SHORT).total for rule in scenario.rules}
        for seed in range(6 if len(scenario.rules) == 1 else 12):
            world.reset(seed)
            assert world.opponent is not None
            gaps.append(total(scenario.name, "oracle", seed) - best[world.opponent])
        assert abs(mean(gaps)) <= 3.5 * stdev(gaps) / sqrt(len(gaps)) + 1e-6, scenario.name


def test_no_ceiling_and_no_floor_beats_oracle_where_nothing_is_drawn() -> None:
    for scenario in with_opponent():
        if len(scenario.rules) > 1 or scenario.game.highest_drawn is not None or draws(scenario.rules[0]):
            continue
        best = best_response(scenario.rules[0], SHORT).total
        for agent in ("random", "constant", "equilibrium", "bayes"):
            assert total(scenario.name, agent) <= best + 1e-6, scenario.name


def test_bayes_earns_at_most_what_oracle_does_over_a_game_and_more_than_floors() -> None:
    for game in ("rps", "pd", "stag", "chicken"):
        totals = dict.fromkeys(("random", "constant", "equilibrium", "bayes", "oracle"), 0.0)
        for scenario in with_opponent():
            if scenario.game.short_name == game:
                for agent in totals:
                    totals[agent] += mean(total(scenario.name, agent, seed) for seed in range(2))
        assert max(totals["random"], totals["constant"], totals["equilibrium"]) < totals["bayes"] < totals["oracle"], (
            game
        )


def test_agents_play_the_scenarios_that_they_say_they_play() -> None:
    """A few of all pairs: each agent in some scenarios, and each scenario with some agents."""
    pairs = [(info, name) for info in SUITE.scenarios for name, agent in SUITE.own_agents.items() if agent.plays(info)]
    played = pairs[::11]
    assert {info for info, _ in played} == set(SUITE.scenarios)
    assert {name for _, name in played} == {name for _, name in pairs}
    for info, name in played:
        last = rounds(info.name, *[name] * len(info.seats), length=SHORT)[-1]
        assert last.turn.observations["player_0"].view.round == last.turn.step + 1 == SHORT, (info.name, name)


def test_the_same_seed_is_the_same_episode_and_the_opponent_does_not_depend_on_the_agent() -> None:
    first, again = (rounds("mg_rps_noisy_copy", "random", seed=3) for _ in range(2))
    assert [step.scene for step in first] == [step.scene for step in again]
    assert [step.scene for step in first] != [step.scene for step in rounds("mg_rps_noisy_copy", "random", seed=4)]
    played = [rounds("mg_rps_rotating_mixture", agent, length=SHORT) for agent in ("constant", "bayes")]
    others = [[step.scene.actions[1] for step in steps if isinstance(step.scene, RoundScene)] for steps in played]
    assert others[0] == others[1]
    assert len(set(others[0])) > 1


def test_tit_for_tat_plays_what_the_agent_played_last() -> None:
    played = [step.scene for step in rounds("mg_pd_tit_for_tat", "random")]
    actions = [scene.actions for scene in played if isinstance(scene, RoundScene)]
    assert [other for _, other in actions[1:]] == [own for own, _ in actions[:-1]]


def test_players_see_every_round_from_their_own_side() -> None:
    last = rounds("mg_bos_selfplay", "random", "constant")[-1]
    row, column = (last.turn.observations[seat].view for seat in ("player_0", "player_1"))
    assert len(row.history) == row.rounds - 1 == 29
    assert row.left == 1
    assert [(past.own, past.other) for past in row.history] == [(past.other, past.own) for past in column.history]
    assert [past.reward for past in row.history] == [past.others_reward for past in column.history]
    assert column.side.payoff == ((2, 0), (0, 3))
    for past in column.history:
        own, other = column.side.actions.index(past.own), column.side.others.index(past.other)
        assert past.reward == column.side.payoff[own][other]


def test_a_column_player_gets_the_column_players_payoffs() -> None:
    assert rounds("mg_bos_stravinsky_column", "oracle")[-1].totals["player_0"] == 90
    assert rounds("mg_bos_stravinsky", "oracle")[-1].totals["player_0"] == 60


def test_a_drawn_table_is_new_in_every_round_and_the_same_for_all_who_play() -> None:
    """Both seats and every agent see the tables of the episode's seed, and are paid by them."""
    first, again, other = (rounds("mg_drawn_boldest_2", agent, seed=seed) for agent, seed in DRAWN_PLAYED)
    seen = [[step.turn.observations["player_0"].view for step in steps] for steps in (first, again, other)]
    tables = [[view.side for view in views] for views in seen]
    assert tables[0] == tables[1]
    assert len(set(tables[0])) == len(tables[0]) == 16
    assert not set(tables[0]) & set(tables[2])
    assert list(seen[0][-1].tables) == tables[0][:-1]
    row, column = (step.turn.observations for step in rounds("mg_drawn_selfplay", "average", "boldest")[-2:])
    for observations in (row, column):
        views = [observations[seat].view for seat in ("player_0", "player_1")]
        assert views[0].side == views[1].side.opposite
        for view in views:
            for past, table, (own, played) in zip(view.history, view.tables, view.moves, strict=True):
                assert past.reward == table.payoff[own][played]


def test_who_thinks_at_a_level_answers_the_present_table() -> None:
    """It best-responds to what the agent would do if it went for its largest payoff, but for 5% of rounds."""
    view = rounds("mg_drawn_boldest_2", "random")[-1].turn.observations["player_0"].view
    answers = [table.opposite.best_response(naive_action(table, "boldest")) for table in view.tables]
    assert sum(answer == played for answer, (_, played) in zip(answers, view.moves, strict=True)) >= 13


def test_nobody_is_told_of_rounds_where_the_game_does_not_tell_of_them() -> None:
    """What players see of a round is the same whatever was played before it, but they are paid for all."""
    played = [rounds("mg_blind_average_1", agent, seed=1) for agent in ("average", "boldest", "oracle")]
    first, second, best = ([step.turn.observations["player_0"] for step in steps] for steps in played)
    assert first == second == best
    assert [seen.view.round for seen in first] == list(range(1, 17))
    assert not any(seen.reward or seen.view.history for seen in first)
    sums = [steps[-1].totals["player_0"] for steps in played]
    assert sums[2] > max(sums[:2]) > 0


def test_agents_that_ask_for_chances_ask_in_every_table_where_nobody_is_told_of_rounds(tmp_path: Path) -> None:
    (result,) = hm_agent.play("mg_blind_average_1", agent="hm_odds", out=tmp_path)
    assert result.questions == result.steps == 16


def test_an_action_that_the_game_lacks_is_refused() -> None:
    world = MatrixGameWorld(table_scenarios()["mg_pd_grim"])
    world.reset(0)
    with pytest.raises(ValueError, match="there is no action 'hawk': say cooperate, defect"):
        world.step({"player_0": "hawk"})


def test_every_scenario_is_listed_and_half_of_a_games_scenarios_is_held_out() -> None:
    assert [info.name for info in SUITE.scenarios] == list(table_scenarios())
    for short_name in {scenario.game.short_name for scenario in table_scenarios().values()}:
        marks = [info.held_out for info in SUITE.scenarios if f"_{short_name}_" in info.name and len(info.seats) == 1]
        assert abs(2 * sum(marks) - len(marks)) <= 1, short_name


def test_no_interval_goes_beyond_what_a_table_can_pay() -> None:
    bounds = {info.name: info.metric.bounds for info in SUITE.scenarios}
    assert bounds["mg_pd_grim"] == bounds["mg_pd_selfplay"] == (0, 5)
    assert {bounds[f"mg_bos_{name}"] for name in ("copy", "copy_column", "selfplay")} == {(0, 3)}
    assert bounds["mg_drawn_selfplay"] == UNBOUNDED


def test_agents_with_a_strategy_in_words_play_and_nobody_is_told_of_another_seat() -> None:
    pd, selfplay = find_scenarios(["mg_pd_grim", "mg_pd_selfplay"])
    assert {agent for agent in AGENTS if not can_play(agent, pd)} == {"he_hr"}
    playing = {name for name, agent in SUITE.own_agents.items() if agent.plays(selfplay)}
    assert playing == set(PLAYERS) - {"bayes", "oracle", *LADDER}
    assert "mg_pd_selfplay" not in [scenario.name for scenario in find_scenarios(["mg_pd_*"])]


def test_results_and_replays_have_the_rounds(tmp_path: Path) -> None:
    results = hm_agent.play("mg_pd_tit_for_tat", agent=["oracle", "random"], out=tmp_path)
    oracle = next(result for result in results if result.agent == "oracle")
    assert oracle.metrics["reward_per_round"] == pytest.approx((3 * 29 + 5) / 30)
    assert oracle.background == ("copy first=cooperate",)
    (page, *_) = tmp_path.rglob("replay.html")
    assert "Payoffs by the own choice (rows) and the other's (columns)" in page.read_text("utf-8")


@pytest.fixture
def own_folder(tmp_path: Path, forgets_folders: None) -> Path:
    """A folder with a game of one's own; what a test registers is forgotten after it."""
    (tmp_path / "matrix_games").mkdir()
    (tmp_path / "matrix_games" / "sides.toml").write_text(OWN)
    return tmp_path


def test_a_game_of_ones_own_is_listed_and_played_and_its_content_is_recorded(
    own_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["hm-agent", "list", f"--scenarios_dir={own_folder}"]) == 0
    assert " mg_sides_answers\n" in capsys.readouterr().out
    assert cli.main(["hm-agent", "needs", "mg_sides_*", f"--scenarios_dir={own_folder}", "--episodes=1"]) == 0
    assert "| mg_sides_answers |" in capsys.readouterr().out
    result, *_ = hm_agent.play("mg_sides_answers", agent=["bayes"], out=tmp_path / "runs")
    assert result.steps == 5
    assert str(result.settings["scenarios_dir"]).startswith("sha256:")
    assert suites()["matrix_games"].content(find_scenarios(["mg_pd_grim"])[0]) is None


def test_two_games_of_one_name_are_refused(own_folder: Path) -> None:
    own = own_folder / "matrix_games" / "sides.toml"
    own.write_text(OWN.replace('"sides"', '"pd"').replace('"answers"', '"grim"'))
    with pytest.raises(ConfigError, match=r"sides.toml: .*prisoners_dilemma.toml has the scenario mg_pd_grim already"):
        register_scenarios(own_folder)


WRONG: tuple[tuple[str, str, str], ...] = (
    ("payoff = [[2, 0], [1, 3]]", "payoff = [[2, 0]]", "payoff: say 2 rows of 2 numbers"),
    (
        "payoff = [[2, 0], [1, 3]]\ncolumn_payoff = [[0, 1], [2, 0]]",
        "payoff = [[2, 0], [1]]",
        "payoff: say 2 rows of 2 numbers",
    ),
    (
        'column_actions = ["up", "down"]\npayoff = [[2, 0], [1, 3]]\ncolumn_payoff = [[0, 1], [2, 0]]',
        'column_actions = ["up", "down", "under"]\npayoff = [[2, 0, 1], [1, 3, 1]]',
        "column_payoff: say 2 rows of 3 numbers",
    ),
    ("payoff = [[2, 0], [1, 3]]", "highest_drawn = 99", "highest_drawn: leave out payoff, column_payoff and column"),
    ("payoff = [[2, 0], [1, 3]]\n", "", "say payoff, or highest_drawn for a new table in every round"),
    ("column_payoff = [[0, 1], [2, 0]]", "column_payoff = [[0], [2]]", "column_payoff: say 2 rows of 2"),
    (
        'opponents = [{ rule = "counter_earlier", ',
        'see_less = true\nopponents = [{ rule = "level", order = 2 }, { rule = "counter_earlier", ',
        "scenarios.0.opponents: see_less: level of order 2 looks at what the agent gets",
    ),
    ('actions = ["left", "right"]', 'actions = ["left", "left"]', "actions: each has a name of its own"),
    ('column_actions = ["up", "down"]', 'column_actions = ["up", "up"]', "column_actions: each has a name of its own"),
    ("rounds = 5", "turns = 5", "turns: Unexpected keyword argument"),
    ("rounds = 5", "rounds = 0", "rounds: Input should be greater than or equal to 1"),
    (
        '"counter_earlier"',
        '"counter_earlie"',
        "scenarios.0.opponents: rule: no rule 'counter_earlie': did you mean counter_earlier",
    ),
    ('first = "up"', 'first = "left"', "scenarios.0.opponents: first: no action 'left': there is up, down"),
    ('name = "answers"', 'name = "An answer"', "scenarios.0.name: String should match pattern"),
    ('title = "Left or right"', "", "title: Field required"),
)


def test_a_wrong_file_is_refused_with_file_key_and_what_would_be_right(tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    for right, wrong, message in WRONG:
        assert right in OWN
        path.write_text(OWN.replace(right, wrong))
        with pytest.raises(ConfigError) as refused:
            load_payoff_game(path)
        assert str(refused.value).startswith(f"{path}: {message}")


def test_the_mixture_has_each_opponent_of_the_game_and_side_once() -> None:
    row, column = table_scenarios()["mg_bos_bach"], table_scenarios()["mg_bos_bach_column"]
    for scenario in (row, column):
        shares: Mapping[Any, float] = scenario.mixture()
        assert sum(shares.values()) == pytest.approx(1)
        assert {rule.side for rule in shares} == {scenario.side.opposite}
    pure = table_scenarios()["mg_rps_pure"].mixture()
    rock = table_scenarios()["mg_rps_rock"].rules[0]
    assert pure[rock] == pytest.approx((1 / 3 + 1 / 6 * 1.5 + 1) / 16)


def test_what_the_script_is_given_is_what_was_played() -> None:
    (scenario,) = find_scenarios(["mg_bos_selfplay"])
    world, agents = set_up(scenario, "random")
    kept = StepLog(object)
    play_out(world, agents, seed=1, recorders=[kept])
    viewer = suites()["matrix_games"].viewer(scenario)
    assert viewer is not None
    for step in kept.steps:
        for seat, other in (scenario.seats, scenario.seats[::-1]):
            (played,), (table,) = viewer.shown(step, seat)["round"], viewer.shown(step, seat)["table"]
            assert (played["own"], played["other"]) == (step.decisions[seat].action, step.decisions[other].action)
            assert (played["reward"], played["theirs"]) == (step.rewards[seat], step.rewards[other])
            at = table["own"].index(played["own"]), table["others"].index(played["other"])
            assert table["payoff"][at[0]][at[1]] == played["reward"]
