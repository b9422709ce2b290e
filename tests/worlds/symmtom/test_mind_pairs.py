"""Matched pairs of tests of mind: what both boards share, what is right on each, and who passes which."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from hashlib import sha256
from itertools import product

import numpy as np
import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.config import ConfigError
from hm_agent.matched_pairs import BOARDS, BOTH_BOARDS, HALVES, PAIRS
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.worlds.symmtom.agents import POLICIES
from hm_agent.worlds.symmtom.mind_world import SUCCESS
from hm_agent.worlds.symmtom.one_game import OneGame
from hm_agent.worlds.symmtom.pairs.kinds import KINDS
from hm_agent.worlds.symmtom.pairs.matching import find_pair, shipped_attempts, shipped_pair
from hm_agent.worlds.symmtom.pairs.pair_world import MindPairWorld, PairBoard
from hm_agent.worlds.symmtom.policies.shortcuts import RATINGS
from hm_agent.worlds.symmtom.rules import OFFSETS, Direction
from hm_agent.worlds.symmtom.sights import sight_of
from hm_agent.worlds.symmtom.views import BoardView, SpokenMove

SAMPLE = range(2)
"""The numbers of the pairs that tests take from each half."""
BELOW = {"order_0": [], "order_1_heard": ["order_0"], "order_1": ["order_0", "k_ce"], "order_2": ["order_0", "order_1"]}
"""The agents that a kind's pairs are too deep for."""
STAY = SpokenMove(Direction.STAY, 0)


@cache
def passes(kind: str, half: str, number: int, place: int, agent: str) -> bool:
    """True if an agent passes one board of a pair."""
    board, policy = PairBoard(kind, half, place), POLICIES[agent]()
    turn = board.reset(number)
    while not turn.is_over:
        seen = turn.observations["player_0"]
        directions, pieces = policy.act(sight_of(seen.view, seen.step, seen.reward, number), board.state)
        turn = board.step({"player_0": SpokenMove(Direction(int(directions[0])), int(pieces[0]))})
    return board.metrics()[SUCCESS] == 1


def share_passed(kind: str, agent: str) -> float:
    """The share of pairs, of the sample of both halves, that an agent passes."""
    passed = [all(passes(kind, half, number, place, agent) for place in (0, 1)) for half in HALVES for number in SAMPLE]
    return float(np.mean(passed))


def prelude_of(kind: str, number: int, place: int) -> tuple[list[BoardView], PairBoard]:
    """All that the tested agent sees up to the decision, and the board then."""
    board = PairBoard(kind, HALVES[0], place)
    views = [board.reset(number).observations["player_0"].view]
    while len(views) <= KINDS[kind].prelude:
        views.append(board.step({"player_0": STAY}).observations["player_0"].view)
    return views, board


@pytest.mark.parametrize("kind", KINDS)
def test_agents_pass_the_pairs_of_their_order_and_none_above(kind: str) -> None:
    for order in range(3):
        if order >= KINDS[kind].order:
            assert share_passed(kind, f"order_{order}") == 1, order
    for agent in BELOW[kind]:
        assert share_passed(kind, agent) <= 0.25, agent


@pytest.mark.parametrize("kind", KINDS)
def test_no_shortcut_passes_more_than_guessing_would(kind: str) -> None:
    for name in RATINGS:
        assert share_passed(kind, f"shortcut_{name}") <= 0.25, name
    assert share_passed(kind, "heuristic") <= 0.25


@pytest.mark.parametrize("kind", KINDS)
def test_both_boards_look_alike_at_every_step_but_for_the_words(kind: str) -> None:
    for number in SAMPLE:
        (first, one), (second, other) = (prelude_of(kind, number, place) for place in (0, 1))
        for before, after in zip(first, second, strict=True):
            for name in ("positions", "bases", "first_hand", "held", "agent", "settings"):
                assert getattr(before, name) == getattr(after, name), name
            assert [heard.speaker for heard in before.heard] == [heard.speaker for heard in after.heard]
        if KINDS[kind].order:
            assert first[-1].knows == second[-1].knows
        if KINDS[kind].order == 2:
            assert (one.state.knows == other.state.knows).all()
        rights = one.pair(number).rights
        assert rights[0] != rights[1]


def best_by_trying(board: PairBoard, goal: int) -> int:
    """What the tested agent earns at most to the end, of all its plays that come within hearing of a goal first."""
    found: dict[object, int] = {}

    def best(game: OneGame, met: bool) -> int:
        if game.is_over:
            return 0 if met else -100
        key = (game.taken, game.cells[0], tuple(game.knows), met)
        if key not in found:
            found[key] = max(tried(game, met, direction, piece) for direction in range(5) for piece in range(8))
        return found[key]

    def tried(game: OneGame, met: bool, direction: int, piece: int) -> int:
        if not game.knows[0] >> piece & 1:
            return -100
        after = replace(game, recharges=game.recharges.copy())  # a step replaces all else
        others = [board._trial.action(agent, game.taken) for agent in (1, 2, 3)]
        reward = after.step([direction, *(one.direction for one in others)], [piece, *(one.piece for one in others)])[0]
        if not met and after.near[0] and goal not in after.near[0]:
            return -100
        return reward + best(after, met or goal in after.near[0])

    return best(_as_one_game(board), False)


def _as_one_game(board: PairBoard) -> OneGame:
    state, width = board.state, board.settings.width
    game = OneGame.begin(board.settings, 0)
    game.taken = int(state.step[0])
    game.cells = [y * width + x for x, y in state.positions[0].tolist()]
    game.bases = [y * width + x for x, y in state.bases[0].tolist()]
    game.first_hand, game.knows = (
        [sum(1 << piece for piece in np.flatnonzero(known).tolist()) for known in held[0]]
        for held in (state.first_hand, state.knows)
    )
    return game


@pytest.mark.parametrize("kind", ["order_0", "order_1_heard", "order_1"])
def test_of_all_plays_the_best_goes_to_the_right_one(kind: str) -> None:
    _, board = prelude_of(kind, 0, 0)
    pair = board.pair(0)
    right, wrong = (best_by_trying(board, rival) for rival in pair.rights)
    assert right > wrong


def test_in_order_2_no_first_move_is_right_on_both_boards() -> None:
    for number in SAMPLE:
        rights = []
        for place in (0, 1):
            _, board = prelude_of("order_2", number, place)
            steps, (x, y) = board._trial.steps_until_goal, board.state.positions[0, 0].tolist()
            inside = [(x + dx, y + dy) for dx, dy in OFFSETS.tolist()]
            inside = [cell for cell in inside if min(cell) >= 0 and max(cell) < board.settings.width]
            rights.append({cell for cell in inside if steps[1][cell] + 1 <= steps[0][x, y]})
        assert rights[0]
        assert rights[1]
        assert not rights[0] & rights[1]


GOLDEN = {
    "order_0": "58ecc1660cab77bd",
    "order_1_heard": "28a036b776e265c6",
    "order_1": "f2a470e20583c6d5",
    "order_2": "a2835470649d83ee",
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_pair_is_the_same_on_every_machine(kind: str) -> None:
    find_pair.cache_clear()
    assert sha256(repr(shipped_pair(kind, 0)).encode()).hexdigest()[:16] == GOLDEN[kind]


def test_the_halves_have_different_pairs_and_the_odd_one_is_held_out() -> None:
    for attempts in shipped_attempts().values():
        assert len(set(attempts)) == len(HALVES) * PAIRS
    scenarios = find_scenarios(["symmtom_pairs_*"])
    assert {scenario.name.rsplit("_", 1)[1]: scenario.held_out for scenario in scenarios} == {
        "even": False,
        "odd": True,
    }


def test_pairs_need_the_order_that_is_their_ceiling() -> None:
    for scenario in find_scenarios(["symmtom_pairs_*"]):
        assert scenario.metric.ceiling == f"order_{scenario.needs_order}"
        assert not scenario.metric.is_ceiling_told


def test_the_suite_names_every_shortcut_and_each_is_an_agent() -> None:
    suite = suites()["symmtom"]
    assert {f"shortcut_{name}" for name in RATINGS} < {*suite.shortcuts}
    assert all(suite.own_agents[name].is_reference for name in suite.shortcuts)


@pytest.mark.parametrize("agent", ["hypothetical_minds", "heuristic"])
def test_pairs_are_played_from_their_name_by_any_agent(agent: str) -> None:
    (scenario,) = find_scenarios(["symmtom_pairs_order_0_even"])
    world, agents = set_up(scenario, agent, literal="2" if agent != "heuristic" else None)
    assert isinstance(world, MindPairWorld)
    assert tuple(agents) == BOARDS
    outcome = play_out(world, agents, seed=0)
    assert outcome.status == "completed"
    passed = [world.seat_metrics(seat)[SUCCESS] for seat in BOARDS]
    assert world.metrics() == {BOTH_BOARDS: min(passed)}


@pytest.mark.parametrize("kind", ["order_1_heard", "order_1", "order_2"])
def test_what_a_pair_needs_stands_in_its_questions(kind: str) -> None:
    for half, number in product(HALVES, SAMPLE):
        world, agents = set_up(find_scenarios([f"symmtom_pairs_{kind}_{half}"])[0], "react", seed=number)
        play_out(world, agents, seed=number)
        assert world.metrics()[BOTH_BOARDS] == 1


def test_pairs_are_refused_where_they_prove_nothing() -> None:
    (scenario,) = find_scenarios(["symmtom_pairs_order_1_odd"])
    suite = suites()["symmtom"]
    for options in ({"first_hand": "private"}, {"rewards": "competitive"}, {"rules": "published"}):
        with pytest.raises(ConfigError, match="symmtom_pairs_order_1_odd"):
            suite.settle(scenario, options)
