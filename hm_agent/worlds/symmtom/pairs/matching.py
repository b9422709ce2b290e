"""Matches two histories of one course: alike in all that a shallower mind goes by, opposite in the right action."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import count
from random import Random

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter

from hm_agent.config import data_folder, read_toml
from hm_agent.worlds.symmtom.knowledge.k_matrix import with_own
from hm_agent.worlds.symmtom.mind_facts import DIRECTIONS, Kind, MindTest, ScriptedPart
from hm_agent.worlds.symmtom.mind_world import steps_until_hearing
from hm_agent.worlds.symmtom.pairs.courses import TESTED, Course, draw_course, steps_to_hear
from hm_agent.worlds.symmtom.pairs.histories import Histories, play_histories
from hm_agent.worlds.symmtom.pairs.kinds import AGENTS, KINDS, PIECES, WIDTH
from hm_agent.worlds.symmtom.policies.orders import Reasoning, nearest_in_range
from hm_agent.worlds.symmtom.policies.planner import DISCOUNT
from hm_agent.worlds.symmtom.rules import OFFSETS, Bools, Ints
from hm_agent.worlds.symmtom.views import Cell, direction_to, manhattan

HISTORIES = 256
"""How many histories of a course are compared."""
ATTEMPTS = 100_000
"""How far apart the attempts of two seeds begin; about one attempt in fifty finds a pair."""


@dataclass(frozen=True)
class MindPair:
    """Two tests that differ in their words alone. rights: the rival to go to, or in order 2 the one that is gone to."""

    tests: tuple[MindTest, MindTest]
    rights: tuple[int, int]


@lru_cache(maxsize=1024)
def find_pair(kind: str, attempt: int) -> MindPair | None:
    """Draws a course, and two histories of it that match; None if none do. The same for the same kind and attempt."""
    rng = Random(f"{kind}/{attempt}")
    course = None
    while course is None or not _decides_at_once(course):
        course = draw_course(KINDS[kind], rng)
    histories = play_histories(course, HISTORIES, np.random.default_rng(rng.randrange(2**32)))
    matches = list(_matches(course, histories))
    if not matches:
        return None
    boards, places = rng.choice(matches), (0, 1)
    if rng.random() < 0.5:
        boards, places = boards[::-1], places[::-1]
    rights = course.rivals[places[0]], course.rivals[places[1]]
    first, second = (_test(course, histories, board, right) for board, right in zip(boards, rights, strict=True))
    return MindPair((first, second), rights)


def _matches(course: Course, histories: Histories) -> Iterator[tuple[int, int]]:
    """Pairs of histories, one for which each rival is right; at most one pair of each likeness."""
    rights, marks = _rights(course, histories), _marks(course, histories)
    alike: dict[bytes, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for board in np.flatnonzero(rights >= 0).tolist():
        alike[marks[board].tobytes()][rights[board]].append(board)
    for groups in alike.values():
        if all(groups):
            proved = [
                [board for board in group if _proves(course, histories, board, rival)]
                for rival, group in zip(course.rivals, groups, strict=True)
            ]
            below = {_goal_below(course, histories, board): board for board in proved[1]}
            same = [
                (board, below[goal]) for board in proved[0] if (goal := _goal_below(course, histories, board)) in below
            ]
            yield from same[:1]


# Right actions


def worth(course: Course, knows: Bools, discount: float) -> npt.NDArray[np.float64]:
    """(B, 2): what the tested agent earns at most, to the end, if it goes to each of the rivals, by K (B, n, c).

    There is time for one rival alone. In each turn near it, each of both can tell the other one piece.
    """
    rivals = list(course.rivals)
    own, theirs = knows[:, [TESTED]], knows[:, rivals]
    exchanges = np.stack([(theirs & ~own).sum(-1), (own & ~theirs).sum(-1)])
    earned = np.zeros(exchanges.shape[1:])
    for place, rival in enumerate(rivals):
        way = steps_to_hear(course.ends[TESTED], course.ends[rival])
        for turn in range(way, course.kind.turns + 1):
            earned[:, place] += discount**turn * (exchanges[:, :, place] > turn - way).sum(0)
    return earned


def _rights(course: Course, histories: Histories) -> Ints:
    """(B,): which rival is right, 0 or 1; -1 where none is, or where the tested agent could not know it.

    Up to order 1 it is the one that earns the tested agent more, whether or not later rewards count less. In order 2 it
    is the one that the third agent gains more from per step, as that one believes.
    """
    kind, knows = course.kind, histories.knows
    if kind.order == 2:
        known = histories.thirds
        gains = (known != known[:, [course.third]]).sum(-1)
        ways = np.array([steps_to_hear(course.ends[course.third], end) for end in course.ends])
        rates = gains / (ways + gains / 2).clip(1)
        first, second = rates[:, course.rivals[0]], rates[:, course.rivals[1]]
        apart = first - second
        is_clear = (np.abs(apart) > 0.01) & (rates[:, TESTED] < np.maximum(first, second))
        is_clear &= ~known[:, course.third].all(-1)
        is_clear &= (histories.believed[TESTED, course.third] == known).all((-1, -2))
    else:
        apart, discounted = (np.subtract(*worth(course, knows, discount).T) for discount in (1.0, DISCOUNT))
        is_clear = (apart * discounted > 0) & ~_could_recharge(course, knows)
    if kind.order:
        is_clear &= (histories.believed[TESTED,] == knows).all((-1, -2))
    if kind.order == 1 and kind.overhears:
        is_clear &= (histories.witnessed == knows).all((-1, -2))
    rights: Ints = np.where(is_clear & ~knows[:, TESTED].all(-1), np.where(apart > 0, 0, 1), -1)
    return rights


def _could_recharge(course: Course, knows: Bools) -> Bools:
    """(B,): True where the tested agent could learn the last piece from a rival and reach its base, which pays more.

    True everywhere if a rival stands on its base: it could recharge, and be told all again.
    """
    if any(course.ends[rival] == course.bases[rival] for rival in course.rivals):
        return np.ones(len(knows), bool)
    if manhattan(course.ends[TESTED], course.bases[TESTED]) > course.kind.turns:
        return np.zeros(len(knows), bool)
    first, second = ((knows[:, TESTED] | knows[:, rival]).all(-1) for rival in course.rivals)
    return np.asarray(first | second, bool)


def _proves(course: Course, histories: Histories, board: int, rival: int) -> bool:
    """True if an agent of the pair's order does what is right, and in order 0 also one of order 1.

    It goes to this rival, or meets the third agent on its way there.
    """
    kind, here = course.kind, course.ends[TESTED]
    known = histories.believed[TESTED,]
    if kind.order < 2:
        by_order = {0: with_own(histories.sights.first_hand, histories.sights), 1: known}
        goal = nearest_in_range(kind.settings, here, course.ends[rival])
        return all(_goal(course, histories, board, by_order[order], 1) == goal for order in {kind.order, 1})
    goal = _goal(course, histories, board, known, 2)
    moves = [(x, y) for x, y in OFFSETS.tolist() if manhattan((here[0] + x, here[1] + y), goal) < manhattan(here, goal)]
    return bool(moves) and set(moves) <= _best_moves(course, rival)


def _goal(course: Course, histories: Histories, board: int, known: Bools, order: int) -> Cell:
    """Where the tested agent goes by K (B, n, c), reasoning to an order; by orders 0 and 1 nobody else moves."""
    held = np.arange(AGENTS) != TESTED
    held[course.third] = course.kind.order < 2
    beliefs = {path: nested[[board]] for path, nested in histories.believed.items()} | {(TESTED,): known[[board]]}
    return Reasoning(replace(histories.sights.row(board), held=held[None]), beliefs).destination((TESTED,), order).cell


def _goal_below(course: Course, histories: Histories, board: int) -> Cell | None:
    """Where an agent goes that reasons less deeply; None where the marks of two histories say that it is the same."""
    return None if course.kind.overhears else _goal(course, histories, board, histories.witnessed, 1)


def _best_moves(course: Course, rival: int) -> set[tuple[int, int]]:
    """The first moves, as offsets, by which the tested agent meets the third in time on its way to a rival."""
    steps = steps_until_hearing(course.kind.settings, course.way_to(rival)[: course.kind.turns + 1])
    x, y = course.ends[TESTED]
    inside = [(dx, dy) for dx, dy in OFFSETS.tolist() if min(x + dx, y + dy) >= 0 and max(x + dx, y + dy) < WIDTH]
    return {(dx, dy) for dx, dy in inside if steps[1][x + dx, y + dy] < course.kind.turns}


def _decides_at_once(course: Course) -> bool:
    """True if, in order 2, no first move is right for both ways of the third agent."""
    if course.kind.order < 2:
        return True
    first, second = (_best_moves(course, rival) for rival in course.rivals)
    return bool(first and second) and not first & second


# Likeness


def _marks(course: Course, histories: Histories) -> Ints:
    """(B, k): what two histories must share to match.

    Which rival leads by each impression; above order 0 what the tested agent knows; for words out of hearing, how many
    pieces it could exchange with each agent by what it heard (CE); in order 2 all that it believes of others.
    """
    first, second = course.rivals
    marks = [np.sign(_impressions(course, histories, first) - _impressions(course, histories, second))]
    if course.kind.order:
        marks.append(histories.knows[:, TESTED])
    if not course.kind.overhears:
        own, theirs = histories.witnessed[:, [TESTED]], histories.witnessed
        marks += [(theirs & ~own).sum(-1), (own & ~theirs).sum(-1)]
    if course.kind.order == 2:
        marks.append(histories.believed[TESTED,].reshape(len(histories.said), -1))
    return np.concatenate(marks, 1).astype(np.int32)


def _impressions(course: Course, histories: Histories, agent: int) -> Ints:
    """(B, 7): what can be noted of an agent without keeping account of what it knows.

    How many different pieces it was heard to say, how many were said near it, both together, how many of those near it
    are the tested agent's own, how many it was the first to say, when it last said a new one, and whether the last
    piece said near it is the tested agent's own.
    """
    mine = np.isin(np.arange(PIECES), course.first_hand[TESTED])
    count = len(histories.said)
    spoke, told, known = (np.tile(pieces, (count, 1)) for pieces in (mine & ~mine, mine & ~mine, mine))
    news, last_news, last_mine = (np.zeros(count, np.int32) for _ in range(3))
    for step in range(course.kind.prelude):
        spoken = (histories.said[:, step, :, None] == np.arange(PIECES)) & histories.heard[step, :, None]
        own, near = spoken[:, agent], (spoken & histories.near[step, :, agent, None]).any(1)
        is_new = (own & ~known).any(-1)
        news, last_news = news + is_new, np.where(is_new, step, last_news)
        last_mine = np.where(near.any(-1), (near & mine).any(-1), last_mine)
        spoke, told, known = spoke | own, told | near, known | spoken.any(1)
    counts = [pieces.sum(-1) for pieces in (spoke, told, spoke | told, told & mine)]
    return np.stack([*counts, news, last_news, last_mine], -1).astype(np.int32)


# The tests


def _test(course: Course, histories: Histories, board: int, right: int) -> MindTest:
    """One board as a test of mind. After the prelude the others stay and say in turn what the tested agent lacks."""
    kind, knows = course.kind, histories.knows[board]
    goal = course.third if kind.order == 2 else right
    parts = []
    for agent in range(AGENTS):
        way, said = [course.ends[agent]] * (kind.turns + 1), histories.said[board, :, agent].tolist()
        if agent == course.third and kind.order == 2:
            way = course.way_to(right)
        known = np.flatnonzero(knows[agent]).tolist()
        useful = [piece for piece in known if not knows[TESTED, piece]] or known
        moves = [step[agent] for step in course.moves]
        if agent != TESTED:
            moves += [direction_to(way[turn], way[turn + 1]) for turn in range(kind.turns)]
            said += [useful[turn % len(useful)] for turn in range(kind.turns)]
        script = tuple(f"{DIRECTIONS[move]} {piece}" for move, piece in zip(moves, said, strict=True))
        parts.append(ScriptedPart(course.starts[agent], course.bases[agent], course.first_hand[agent], script))
    wrong = tuple(agent for agent in range(1, AGENTS) if agent != goal)
    verdict: Kind = "step" if kind.order == 2 else "reach"
    length = kind.settings.length
    return MindTest(kind.about, WIDTH, PIECES, kind.prelude, verdict, goal, tuple(parts), wrong, length=length)


# The shipped pairs


@cache
def shipped_attempts() -> Mapping[str, tuple[int, ...]]:
    """By kind, the attempts of scenarios/symmtom/pairs.toml, each of which found a pair."""
    return read_toml(data_folder("scenarios") / "symmtom" / "pairs.toml", TypeAdapter(Mapping[str, tuple[int, ...]]))


def shipped_pair(kind: str, number: int) -> MindPair:
    """A shipped pair by its number, from 0."""
    pair = find_pair(kind, shipped_attempts()[kind][number])
    assert pair is not None
    return pair


@cache
def drawn_pair(kind: str, seed: int) -> MindPair:
    """A pair that does not ship: of the first attempt that finds one, from a number on that only this seed has."""
    return next(filter(None, (find_pair(kind, attempt) for attempt in count(seed * ATTEMPTS))))
