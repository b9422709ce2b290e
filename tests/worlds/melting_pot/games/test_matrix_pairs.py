"""Matched pairs of Running With Scissors: what both boards share, what is right on each, and who passes which."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import AgentSetup
from hm_agent.matched_pairs import BOARDS, BOTH_BOARDS, HALVES
from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.theory_of_mind.hypotheses import Parameters
from hm_agent.worlds.melting_pot.facts import FOCAL
from hm_agent.worlds.melting_pot.games.game import LED
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.kind import PAIR_SHORTCUTS
from hm_agent.worlds.melting_pot.games.matrix.pairs.kinds import (
    ANSWERS,
    CREED,
    FREE,
    KINDS,
    PAIR_SCENARIOS,
    PLAYED_ON,
    PRELUDE,
    Creed,
)
from hm_agent.worlds.melting_pot.games.matrix.pairs.pair_world import RIGHT, MatrixPairBoard, MatrixPairWorld
from hm_agent.worlds.melting_pot.games.matrix.pairs.scripts import AGENT, COLLECTED, OPPONENT
from hm_agent.worlds.melting_pot.games.matrix.pairs.takings import Taking, Witnessed
from hm_agent.worlds.melting_pot.grid import Move, Pose, Window
from hm_agent.worlds.melting_pot.scenarios import game_named
from hm_agent.worlds.melting_pot.suite import SUITE
from hm_agent.worlds.melting_pot.text_view import TextView

SAMPLE = [*zip(HALVES, range(len(HALVES)), strict=True)]
"""The pairs that tests take, as (half, number)."""
TURNED, LONGEST = 2, 15
"""For how many frames at each station the opponent, in view, faces another way on the other board."""
GAME = game_named(PLAYED_ON, MatrixFacts)
ROCK, PAPER, SCISSORS = range(3)
VIEW = Window(left=2, right=2, forward=3, backward=1)
HERE, AHEAD, BEHIND = Pose(5, 5, 0), Pose(5, 3, 2), Pose(5, 3, 0)
"""The agent, and an opponent that has it in view or not."""


def scenario(kind: str, half: str = HALVES[0]) -> ScenarioInfo:
    return find_scenarios([f"rws_pairs_{kind}_{half}"])[0]


@cache
def prelude_of(kind: str, half: str, number: int, place: int, seed: int | None = None) -> Any:
    """All that the seat gets up to its first free step, and both players' truth then.

    seed: of what the seat tries to do meanwhile; None for nothing.
    """
    board = MatrixPairBoard(GAME, PAIR_SCENARIOS[f"rws_pairs_{kind}_{half}"], place, [])
    tries, views = Random(seed), [board.reset(number).observations[FOCAL].view]
    while LED in views[-1]:
        action = Move.NOOP if seed is None else tries.choice([*Move])
        views.append(board.step({FOCAL: action}).observations[FOCAL].view)
    truth = [board.truth(player) for player in (AGENT, OPPONENT)]
    board.close()
    return views, truth, board.script


def both_preludes(kind: str, half: str, number: int) -> list[Any]:
    return [prelude_of(kind, half, number, place) for place in (0, 1)]


@pytest.mark.parametrize("kind", ["order_1", "order_2"])
def test_boards_look_alike_but_for_when_the_opponent_faces_the_agent(kind: str) -> None:
    for half, number in SAMPLE:
        (first, *_), (second, *_) = both_preludes(kind, half, number)
        assert len(first) == len(second) == PRELUDE + 1
        differing = sum((one["RGB"] != other["RGB"]).any() for one, other in zip(first, second, strict=True))
        assert 2 * TURNED <= differing < 2 * LONGEST
        for one, other in zip(first, second, strict=True):
            assert (one["INVENTORY"] == other["INVENTORY"]).all()
            assert (one[CREED] == other[CREED]).all()
            assert one.get(LED) == other.get(LED)
            differs = (one["RGB"] != other["RGB"]).any(axis=2)
            assert differs.sum() <= 8 * 8, "more than the opponent's cell"


def test_boards_of_order_0_differ_in_which_kind_comes_first() -> None:
    for half, number in SAMPLE:
        (_, _, first), (_, _, second) = both_preludes("order_0", half, number)
        assert first.creed == second.creed
        assert first.plays != second.plays


@pytest.mark.parametrize("kind", ["order_1", "order_2"])
def test_nothing_on_the_map_tells_which_board_it_is_at_the_decision(kind: str) -> None:
    for half, number in SAMPLE:
        (_, first, _), (_, second, _) = both_preludes(kind, half, number)
        assert (first[AGENT]["WORLD.RGB"] == second[AGENT]["WORLD.RGB"]).all()
        assert (first[OPPONENT]["INVENTORY"] != second[OPPONENT]["INVENTORY"]).any()


@pytest.mark.parametrize("kind", KINDS)
def test_the_opponent_holds_what_it_plays_and_the_right_answers_differ(kind: str) -> None:
    for half, number in SAMPLE:
        boards = both_preludes(kind, half, number)
        for _, (agent, opponent), script in boards:
            assert opponent["INVENTORY"].argmax() == script.plays
            assert opponent["INVENTORY"][script.plays] > COLLECTED
            assert agent["INVENTORY"].sum() == 3 + (2 if kind == "order_1" else 0)
            assert np.abs(agent["POSITION"] - opponent["POSITION"]).sum() == 3
        assert len({GAME.side.best_response(script.plays) for _, _, script in boards}) == 2


def test_what_the_seat_does_in_the_prelude_changes_nothing() -> None:
    led, _, _ = prelude_of("order_1", "even", 0, 0)
    tried, _, _ = prelude_of("order_1", "even", 0, 0, seed=1)
    assert all((one["RGB"] == other["RGB"]).all() for one, other in zip(led, tried, strict=True))


def test_a_seat_that_meets_nobody_fails_in_time() -> None:
    with_nobody = MatrixPairWorld(GAME, PAIR_SCENARIOS["rws_pairs_order_0_even"])
    turn = with_nobody.reset(0)
    while not turn.is_over:
        turn = with_nobody.step(dict.fromkeys(turn.observations, Move.NOOP))
    with_nobody.close()
    assert turn.step == PRELUDE + FREE
    assert with_nobody.metrics() == {BOTH_BOARDS: 0}


def taken(step: int, kind: int, *, is_own: bool, other: Pose) -> Taking:
    return Taking(step, kind, is_own, HERE, other)


def kinds_played(order: int, *takings: Taking) -> list[int | None]:
    """What an opponent plays by each answer to what it goes by."""
    return [Witnessed(Creed(order, answer), takings, VIEW).opponents_kind(GAME.side) for answer in range(ANSWERS)]


def test_an_opponent_of_order_0_goes_by_what_it_took_last() -> None:
    takings = taken(1, ROCK, is_own=False, other=BEHIND), taken(2, PAPER, is_own=False, other=BEHIND)
    assert kinds_played(0, *takings) == [PAPER, SCISSORS, ROCK]


def test_an_opponent_of_order_1_goes_by_what_it_had_in_view() -> None:
    takings = taken(1, ROCK, is_own=True, other=AHEAD), taken(2, PAPER, is_own=True, other=BEHIND)
    assert kinds_played(1, *takings) == [ROCK, PAPER, SCISSORS]
    assert Witnessed(Creed(1, 0), takings, VIEW).opponents_kind(GAME.side, order=0) == PAPER, "it takes all as known"


def test_an_opponent_of_order_2_goes_by_the_answer_to_what_it_noticed_being_seen() -> None:
    takings = taken(1, ROCK, is_own=False, other=AHEAD), taken(2, PAPER, is_own=False, other=BEHIND)
    assert kinds_played(2, *takings) == [PAPER, SCISSORS, ROCK], "rock was seen, paper answers it"
    assert Witnessed(Creed(2, 0), takings, VIEW).opponents_kind(GAME.side, order=1) == SCISSORS


def test_an_opponent_that_has_seen_nothing_can_not_be_foretold() -> None:
    assert kinds_played(1, taken(1, ROCK, is_own=True, other=BEHIND)) == [None] * ANSWERS


@cache
def passed(kind: str, half: str, number: int, agent: str) -> Mapping[str, float]:
    """By seat, whether an agent played the right kind."""
    world, agents = set_up(scenario(kind, half), agent, seed=number)
    outcome = play_out(world, agents, seed=number)
    assert outcome.status == "completed"
    won = {seat: world.seat_metrics(seat)[RIGHT] for seat in BOARDS}
    assert world.metrics() == {BOTH_BOARDS: min(won.values())}
    assert all(outcome.rewards[seat] > 0 for seat in BOARDS if won[seat])
    world.close()
    return won


@pytest.mark.parametrize(("kind", "order"), [("order_0", 0), ("order_1", 1), ("order_2", 2)])
def test_a_mind_of_the_order_passes_and_one_below_plays_alike_on_both_boards(kind: str, order: int) -> None:
    for half, number in SAMPLE:
        assert min(passed(kind, half, number, f"order_{order}").values()) == 1
        for below in range(order):
            assert min(passed(kind, half, number, f"order_{below}").values()) == 0


@pytest.mark.parametrize("agent", ["react", "hm_odds", "hm_joint"])
def test_what_a_pair_needs_stands_in_its_questions(agent: str) -> None:
    for kind in ("order_1", "order_2"):
        assert min(passed(kind, "odd", 0, agent).values()) == 1


@pytest.mark.parametrize("agent", ["last_taken_0", "last_taken_1", "last_taken_2"])
def test_who_does_not_look_where_the_opponent_looks_passes_one_board_at_most(agent: str) -> None:
    for kind in ("order_1", "order_2"):
        assert min(passed(kind, "even", 0, agent).values()) == 0


def test_the_suite_knows_its_pairs_and_their_shortcuts() -> None:
    suite = suites()["melting_pot"]
    pairs = find_scenarios(["rws_pairs_*"])
    assert [info.name for info in pairs] == [*PAIR_SCENARIOS]
    for info in pairs:
        assert (info.seats, info.metric.ceiling) == (BOARDS, f"order_{info.needs_order}")
        assert info.held_out == info.name.endswith("odd")
        settled = suite.settle(info, suite.with_defaults({"bots": "trained"}))
        assert (settled["bots"], settled["clues"], settled["hints"]) == (None, "off", "none")
    assert {*PAIR_SHORTCUTS} < {*suite.shortcuts}
    assert all(suite.own_agents[name].plays(pairs[0]) for name in PAIR_SHORTCUTS)
    (one_shot,) = find_scenarios(["rws_one_shot_1"])
    assert not any(suite.own_agents[name].plays(one_shot) for name in PAIR_SHORTCUTS)


@pytest.mark.parametrize("agent", ["oracle", "ppo"])
def test_oracle_and_ppo_play_no_pairs(agent: str) -> None:
    plays = SUITE.own_agents[agent].plays
    assert not plays(scenario("order_1"))
    assert plays(find_scenarios(["rws_repeated_1"])[0])


@pytest.mark.parametrize("seat", BOARDS)
def test_a_board_is_read_in_words_by_the_moves_that_the_world_makes(seat: str) -> None:
    world, _ = set_up(scenario("order_1"), "noop")
    world.close()
    setup = AgentSetup(scenario("order_1"), world, seat, BuiltinReasoner({}), 0, {}, Parameters())
    views, (truth, _), _ = prelude_of("order_1", HALVES[0], 0, BOARDS.index(seat))
    text, words = TextView(setup), ""
    for view in views:
        words = text.see(view, Move.NOOP)
    x, y = truth["POSITION"]
    assert words.startswith(f"Player position: ({x}, {y}), facing")
