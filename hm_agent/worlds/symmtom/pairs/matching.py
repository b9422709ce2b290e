"""Matches two histories of one course: alike in all that a shallower mind goes by, opposite in the right action."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from random import Random

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.symmtom.knowledge.k_matrix import with_own
from hm_agent.worlds.symmtom.mind_facts import DIRECTIONS, MindTest, ScriptedPart
from hm_agent.worlds.symmtom.mind_world import steps_until_hearing
from hm_agent.worlds.symmtom.pairs.courses import (
    AGENTS,
    KINDS,
    PIECES,
    TESTED,
    WIDTH,
    Course,
    draw_course,
    steps_to_hear,
)
from hm_agent.worlds.symmtom.pairs.histories import Histories, play_histories
from hm_agent.worlds.symmtom.policies.planner import DISCOUNT
from hm_agent.worlds.symmtom.policies.orders import Reasoning, nearest_in_range
from hm_agent.worlds.symmtom.rules import OFFSETS, Bools, Ints
from hm_agent.worlds.symmtom.views import Cell

HISTORIES = 256
"""How many histories of a course are compared."""
HALVES = ("even", "odd")
"""The halves of all pairs: anything may be chosen on the even ones, nothing on the odd ones."""


@dataclass(frozen=True)
class MindPair:
    """Two tests that differ in their words alone. rights: the agent to go to, or in order 2 the one that is gone to."""

    tests: tuple[MindTest, MindTest]
    rights: tuple[int, int]


@lru_cache(maxsize=1024)
def find_pair(kind: str, number: int) -> MindPair:
    """Draws courses and histories until two match; the same for the same kind and number."""
    rng = Random(f"{kind}/{number}")
    while True:
        course = draw_course(KINDS[kind], rng)
        if course is None or not _decides_at_once(course):
            continue
        histories = play_histories(course, HISTORIES, np.random.default_rng(rng.randrange(2**32)))
        matches = list(_matches(course, histories))
        if matches:
            first, second = rng.choice(matches)
            boards = [(first, 0), (second, 1)] if rng.random() < 0.5 else [(second, 1), (first, 0)]
            rights = [course.rivals[place] for _, place in boards]
            tests = [_test(course, histories, board, right) for (board, _), right in zip(boards, rights, strict=True)]
            return MindPair((tests[0], tests[1]), (rights[0], rights[1]))


def _matches(course: Course, histories: Histories) -> Iterator[tuple[int, int]]:
    """Pairs of histories in which the first and the second rival is the right one, one pair for each kind of likeness."""
    likes: dict[object, list[list[int]]] = defaultdict(lambda: [[], []])
    marks, rights = _marks(course, histories), _rights(course, histories)
    for board in np.flatnonzero(rights >= 0):
        likes[marks[board].tobytes()][rights[board]].append(int(board))
    for groups in likes.values():
        proved = ([board for board in group if _proves(course, histories, board, place)] for place, group in enumerate(groups)) if all(groups) else ()
        for one, other in product(*proved) if groups[0] and groups[1] else ():
            if _below(course, histories, one) == _below(course, histories, other):
                yield one, other
                break


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
    """(B,): which rival is right, 0 or 1; -1 where none is, or where the tested agent believes what is not true."""
    knows = histories.knows
    if course.kind.order == 2:
        known = histories.thirds
        gains = (known != known[:, [course.third]]).sum(-1)
        ways = np.array([steps_to_hear(course.ends[course.third], end) for end in course.ends])
        rates = gains / (ways + gains / 2).clip(0.1)
        apart = rates[:, course.rivals[0]] - rates[:, course.rivals[1]]
        is_clear = (rates[:, [TESTED]] < rates[:, list(course.rivals)]).any(-1) & (np.abs(apart) > 0.01)
        is_clear &= ~known[:, course.third].all(-1) & (knows[:, course.third] != knows[:, TESTED]).any(-1)
        is_clear &= (histories.believed[TESTED, course.third] == known).all((-1, -2))
    else:
        apart, later = (np.subtract(*worth(course, knows, discount).T) for discount in (1.0, DISCOUNT))
        is_clear = apart * later > 0
    if course.kind.order:
        known = histories.witnessed if course.kind.overhears and course.kind.order == 1 else histories.believed[TESTED,]
        is_clear &= (known == knows).all((-1, -2))
    is_clear &= ~knows[:, TESTED].all(-1)
    return np.where(is_clear, np.where(apart > 0, 0, 1), -1)


def _reasoning(course: Course, histories: Histories, board: int, known: Bools) -> Reasoning:
    beliefs = {path: K[[board]] for path, K in histories.believed.items()}
    held = np.array([[agent not in (TESTED, course.third) or course.kind.order < 2 and agent != TESTED for agent in range(AGENTS)]])
    from dataclasses import replace
    return Reasoning(replace(histories.sights.row(board), held=held), {**beliefs, (TESTED,): known[[board]]})


def _proves(course: Course, histories: Histories, board: int, place: int) -> bool:
    """True if an agent of the pair's order goes where it is right."""
    order = course.kind.order
    known = with_own(histories.sights.first_hand, histories.sights) if order == 0 else histories.believed[TESTED,]
    goal = _reasoning(course, histories, board, known).destination((TESTED,), order).cell
    rival = course.rivals[place]
    if order < 2:
        return goal == nearest_in_range(course.kind.settings, course.ends[TESTED], course.ends[rival])
    here = course.ends[TESTED]
    way = course.way_to(rival)
    towards = {(x, y) for x, y in _best_steps(course, rival)}
    leading = {(int(dx), int(dy)) for dx, dy in OFFSETS.tolist() if abs(here[0]+dx-goal[0])+abs(here[1]+dy-goal[1]) < abs(here[0]-goal[0])+abs(here[1]-goal[1])}
    return leading <= towards and len(leading) > 0


def _below(course: Course, histories: Histories, board: int) -> object:
    """Where an agent goes that reasons less deeply."""
    if course.kind.overhears:
        return None
    return _reasoning(course, histories, board, histories.witnessed).destination((TESTED,), 1).cell


def _best_steps(course: Course, rival: int) -> set[Cell]:
    """The first steps by which the tested agent can still meet the third agent on its way to a rival."""
    steps = steps_until_hearing(course.kind.settings, course.way_to(rival)[: course.kind.turns + 1])
    x, y = course.ends[TESTED]
    cells = {(dx, dy): (x + dx, y + dy) for dx, dy in OFFSETS.tolist()}
    return {
        move
        for move, cell in cells.items()
        if min(cell) >= 0 and max(cell) < WIDTH and steps[1][cell] < course.kind.turns
    }


def _decides_at_once(course: Course) -> bool:
    """True if, in order 2, no first step is right for both ways of the third agent."""
    if course.kind.order < 2:
        return True
    first, second = (_best_steps(course, rival) for rival in course.rivals)
    return bool(first and second) and not first & second


# Likeness


def _marks(course: Course, histories: Histories) -> Ints:
    """(B, k): what two matched histories have in common: the order of both rivals by each impression, and, above
    order 0, what the tested agent knows; in order 2 also all that it believes others to know."""
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
    """(B, 6): what can be noted of an agent without keeping account of what it knows.

    How many different pieces it was heard to say, how many were said near it, how many of these are the tested agent's
    own, how many it was the first to say, when it last said a new one, and whether the last said near it is one's own.
    """
    count = len(histories.said)
    mine = np.isin(np.arange(PIECES), course.first_hand[TESTED])
    spoke, told = np.zeros((2, count, PIECES), bool)
    known = np.tile(mine, (count, 1))
    news, last_news, last_mine = np.zeros((3, count), np.int32)
    for step in range(course.kind.prelude):
        spoken = (histories.said[:, step, :, None] == np.arange(PIECES)) & histories.heard[step, :, None]
        own = spoken[:, agent]
        is_new = (own & ~known).any(-1)
        news, last_news = news + is_new, np.where(is_new, step, last_news)
        spoke |= own
        near = (spoken & histories.near[step, :, agent, None]).any(1)
        told |= near
        last_mine = np.where(near.any(-1), (near & mine).any(-1), last_mine)
        known = known | spoken.any(1)
    return np.stack([spoke.sum(-1), told.sum(-1), (told & mine).sum(-1), news, last_news, last_mine], -1)


# The tests


def _test(course: Course, histories: Histories, board: int, right: int) -> MindTest:
    """One board as a test of mind."""
    kind, knows = course.kind, histories.knows[board]
    goal = course.third if kind.order == 2 else right
    parts = []
    for agent in range(AGENTS):
        said = histories.said[board, :, agent].tolist()
        script = [f"{DIRECTIONS[moves[agent]]} {piece}" for moves, piece in zip(course.moves, said, strict=True)]
        if agent != TESTED:
            order = np.argsort(~(knows[agent] & ~knows[TESTED]) + ~knows[agent] * 2, kind="stable").tolist()
            spoken = [piece for piece in order if knows[agent, piece]]
            way = course.way_to(right) if agent == goal and kind.order == 2 else [course.ends[agent]] * (kind.turns + 1)
            script += [f"{_name(way[turn], way[turn + 1])} {spoken[turn % len(spoken)]}" for turn in range(kind.turns)]
        parts.append(ScriptedPart(course.starts[agent], course.bases[agent], course.first_hand[agent], tuple(script)))
    wrong = tuple(agent for agent in range(1, AGENTS) if agent != goal)
    return MindTest(kind.about, WIDTH, PIECES, kind.prelude, "step" if kind.order == 2 else "reach", goal, tuple(parts), wrong, length=kind.settings.length)


def _name(here: Cell, there: Cell) -> str:
    return DIRECTIONS[OFFSETS.tolist().index([there[0] - here[0], there[1] - here[1]])]


def pair_of(kind: str, half: str, number: int) -> MindPair:
    return find_pair(kind, 2 * number + HALVES.index(half))
