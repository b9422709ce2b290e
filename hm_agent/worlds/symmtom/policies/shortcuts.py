"""Rules that keep no account of who knows what: what a matched pair of tests of mind must not be passed by.

Each rates the other agents by what meets the eye or ear, goes to the one with the highest rating as soon as it can
move, along the longer side first, and says all that it knows in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from hm_agent.worlds.symmtom.policies.orders import nearest_in_range, walk
from hm_agent.worlds.symmtom.policies.policy import Policy, next_known
from hm_agent.worlds.symmtom.rules import SILENT, Direction, GameState, Ints
from hm_agent.worlds.symmtom.sights import Sights
from hm_agent.worlds.symmtom.views import direction_to, manhattan


@dataclass
class Glance:
    """What was noted of another agent. number, owned: its number, and how many pieces it knows first-hand.

    way: the number of moves to it. met: in how many turns it was in hearing. heard, told_anything: the latest step in
    which it spoke in hearing, and in which anybody else spoke to it. said, told: the different pieces that it was heard
    to say, and that others said near it in hearing. news: the latest step in which it said a piece that was new. turns:
    how often it was told anything.
    """

    number: int
    owned: int = 0
    way: int = 0
    met: int = 0
    heard: int = -1
    told_anything: int = -1
    news: int = -1
    turns: int = 0
    said: set[int] = field(default_factory=set)
    told: set[int] = field(default_factory=set)


RATINGS: Mapping[str, Callable[[Glance], float]] = {
    "nearest": lambda glance: -glance.way,
    "farthest": lambda glance: glance.way,
    "first_named": lambda glance: -glance.number,
    "owns_most": lambda glance: glance.owned,
    "most_met": lambda glance: glance.met,
    "least_met": lambda glance: -glance.met,
    "last_speaker": lambda glance: glance.heard,
    "last_told": lambda glance: glance.told_anything,
    "last_news": lambda glance: glance.news,
    "said_most": lambda glance: len(glance.said),
    "told_least": lambda glance: -len(glance.told),
    "told_seldom": lambda glance: -glance.turns,
}
"""How each rule rates another agent; on a tie, the one of the lower number is taken."""


class ShortcutPolicy(Policy):
    """Plays one agent, in one row, by one of `RATINGS`."""

    def __init__(self, name: str) -> None:
        self._rating = RATINGS[name]
        self._glances: Mapping[int, Glance] = {}
        self._known: set[int] = set()
        self._target: int | None = None
        self._last = np.full(1, SILENT, np.int32)

    def act(self, sights: Sights, truth: GameState | None = None) -> tuple[Ints, Ints]:
        self._look(sights)
        self._last = next_known(sights.knows, self._last)
        if self._target is None and not sights.held[0, sights.me[0]]:
            self._target = max(self._glances, key=lambda agent: self._rating(self._glances[agent]))
        return self._step_to(sights, self._target), self._last

    def _look(self, sights: Sights) -> None:
        """Notes the turn before."""
        me, step, heard, near = int(sights.me[0]), int(sights.step[0]), sights.heard[0].tolist(), sights.near[0]
        cells = [(x, y) for x, y in sights.positions[0].tolist()]
        self._glances = self._glances or {other: Glance(other) for other in range(len(cells)) if other != me}
        for other, glance in self._glances.items():
            speakers = [agent for agent in range(len(cells)) if near[other, agent] and heard[agent] != SILENT]
            glance.owned, glance.way = int(sights.first_hand[0, other].sum()), manhattan(cells[me], cells[other])
            glance.met += bool(near[me, other])
            if heard[other] != SILENT:
                glance.heard = step
                glance.news = glance.news if heard[other] in self._known else step
                glance.said.add(heard[other])
            if speakers:
                glance.told_anything, glance.turns = step, glance.turns + 1
                glance.told.update(heard[agent] for agent in speakers)
        self._known = set(np.flatnonzero(sights.knows[0]).tolist())

    def _step_to(self, sights: Sights, target: int | None) -> Ints:
        (x, y), direction = sights.here[0].tolist(), Direction.STAY
        if target is not None:
            there = tuple(sights.positions[0, target].tolist())
            way = walk((x, y), nearest_in_range(sights.settings, (x, y), there))
            direction = direction_to(way[0], way[min(1, len(way) - 1)])
        return np.array([direction], np.int32)
