"""Many histories of who said what on one course: what is then true, and what agents then believe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.knowledge.k_matrix import (
    KMatrix,
    NestedKnowledge,
    Path,
    could_hear,
    greedy_unheard,
    nothing_unheard,
)
from hm_agent.worlds.symmtom.pairs.courses import TALK, TESTED, Course
from hm_agent.worlds.symmtom.pairs.kinds import AGENTS, PIECES
from hm_agent.worlds.symmtom.rules import Bools, GameState, Ints
from hm_agent.worlds.symmtom.sights import Sights, sights_of


@dataclass(frozen=True)
class Histories:
    """B histories of one course at the decision.

    said: (B, L, n), the piece that each agent said at each step. heard: (L, n), True where the tested agent could hear
    it. near: (L, n, n), who was within hearing of whom. knows: (B, n, c), the truth. witnessed: (B, n, c), what the
    tested agent knows to be known by what it heard (CE). believed: (B, n, c) by path, its nested beliefs (GE). thirds:
    (B, n, c), what the third agent itself believes, in order 2. sights: the tested agent's, at the decision.
    """

    said: Ints
    heard: Bools
    near: Bools
    knows: Bools
    witnessed: Bools
    believed: Mapping[Path, Bools]
    thirds: Bools
    sights: Sights


def play_histories(course: Course, count: int, rng: np.random.Generator) -> Histories:
    """Plays a course `count` times with different words.

    Where the tested agent can hear it, an agent says a piece by its wishes; elsewhere the one that the fewest near it
    know, which is what all assume of those that they can't hear (GE).
    """
    settings, state, wishes, minds = (
        course.kind.settings,
        _initial_state(course, count),
        _Wishes(count, rng),
        _Minds(course),
    )
    keys, said, heard, near = np.zeros((count, AGENTS), np.uint32), [], [], []
    sights = minds.look(sights_of(settings, state, None, keys))
    for step, moves in enumerate(course.moves):
        directions = np.tile(np.array(moves, np.int32), (count, 1))
        there = replace(sights, positions=rules.move(settings, state.positions, directions, keys))
        is_heard = could_hear(there)
        pieces = np.where(is_heard, wishes.pieces(state.knows, step), greedy_unheard(state.knows, there))
        state, effects = rules.step(settings, state, directions, pieces, keys)
        said.append(effects.said)
        heard.append(is_heard[0])
        near.append(there.near[0])
        sights = minds.look(sights_of(settings, state, effects, keys))
    return Histories(
        said=np.stack(said, 1),
        heard=np.stack(heard),
        near=np.stack(near),
        knows=state.knows,
        witnessed=minds.witnessed,
        believed=minds.believed,
        thirds=minds.thirds,
        sights=sights,
    )


class _Minds:
    """What the tested agent and, in order 2, the third believe; see `Histories`."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._nested, self._witness = NestedKnowledge(max(1, course.kind.order)), KMatrix(nothing_unheard)
        self._third = NestedKnowledge(1)
        self.believed: Mapping[Path, Bools]
        self.witnessed: Bools
        self.thirds: Bools

    def look(self, everyones: Sights) -> Sights:
        """Takes in what all agents see; returns what the tested one sees."""
        sights, third = everyones.taken(slice(TESTED, None, AGENTS)), self._course.third
        self.believed, self.witnessed = self._nested.update(sights), self._witness.update(sights)
        self.thirds = self.believed[TESTED,]
        if self._course.kind.order == 2:
            self.thirds = self._third.update(everyones.taken(slice(third, None, AGENTS)))[third,]
        return sights


class _Wishes:
    """How much each agent wishes to say each piece at each step.

    Most agents' wishes have another order in another history, so that many histories end alike.
    """

    def __init__(self, count: int, rng: np.random.Generator) -> None:
        self._weights = rng.random((TALK, AGENTS, PIECES))
        self._order = np.tile(np.arange(TALK), (count, AGENTS, 1))
        changes = rng.random((count, AGENTS)) < 0.6
        self._order[changes] = rng.permuted(self._order[changes], axis=-1)

    def pieces(self, knows: Bools, step: int) -> Ints:
        """(B, n): the piece that each agent most wishes to say of those that it knows."""
        weights = self._weights[self._order[:, :, min(step, TALK - 1)], np.arange(AGENTS)]
        pieces: Ints = np.where(knows, weights, -1.0).argmax(-1).astype(np.int32)
        return pieces


def _initial_state(course: Course, count: int) -> GameState:
    first_hand = np.zeros((count, AGENTS, PIECES), bool)
    for agent, pieces in enumerate(course.first_hand):
        first_hand[:, agent, list(pieces)] = True
    starts, bases = (np.tile(np.array(cells, np.int32), (count, 1, 1)) for cells in (course.starts, course.bases))
    none, nothing = np.zeros(count, np.int32), np.zeros_like(first_hand)
    recharges = np.zeros((count, AGENTS), np.int32)
    return GameState(none.astype(np.uint32), none, starts, bases, first_hand, nothing, recharges, nothing)
