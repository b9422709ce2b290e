"""Rules that go round the partners of a mixed table and keep no account of who was told what: its shortcuts.

Each goes to the nearest agent but the last, tells it one piece a turn, none twice in a visit, and leaves after
`PATIENCE` turns that pay nothing. It goes to its base when it knows all pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from hm_agent.worlds.symmtom.policies.policy import Policy, approach, cell_in_range
from hm_agent.worlds.symmtom.rules import SILENT, GameState, Ints
from hm_agent.worlds.symmtom.sights import Sights

PATIENCE = 2


@dataclass
class Hearsay:
    """What was noted of a piece. number: of the piece. times: how often it was said in hearing, by anybody.

    first, last: the steps in which it was first and last heard. by: those who said it.
    """

    number: int
    times: int = 0
    first: int = -1
    last: int = -1
    by: set[int] = field(default_factory=set)


WORDS: Mapping[str, Callable[[Hearsay], int]] = {
    "in_turn": lambda hearsay: hearsay.number,
    "rarest": lambda hearsay: hearsay.times,
    "commonest": lambda hearsay: -hearsay.times,
    "latest": lambda hearsay: -hearsay.last,
    "earliest": lambda hearsay: hearsay.last,
    "newest": lambda hearsay: -hearsay.first,
}
"""By rule, how pieces that the agent in front did not say itself are rated; the least comes first."""


class PeddlerPolicy(Policy):
    """Plays one agent, in one row, by one of `WORDS`.

    hushes: True if it is silent in a turn after it was told something new.
    """

    def __init__(self, rule: str, *, hushes: bool = False) -> None:
        self._rating, self._hushes = WORDS[rule], hushes
        self._known = 0
        self._heard: dict[int, Hearsay] = {}
        self._target: int | None = None
        self._told: set[int] = set()
        self._idle = 0

    def act(self, sights: Sights, truth: GameState | None = None) -> tuple[Ints, Ints]:
        self._listen(sights)
        target = self._choose(sights)
        known = [self._heard.setdefault(piece, Hearsay(piece)) for piece in np.flatnonzero(sights.knows[0]).tolist()]
        ranked = sorted(known, key=lambda one: (one.number in self._told, target in one.by, self._rating(one)))
        is_told, self._known = len(known) > self._known, len(known)
        is_hushed = not ranked or (self._hushes and is_told)
        piece = int(sights.knows[0].argmin()) if is_hushed else ranked[0].number
        directions = approach(sights, sights.own_base if sights.knows[0].all() else cell_in_range(sights, target))
        if sights.near[0, sights.me[0], target]:
            self._told.add(piece)
        return directions, np.array([piece], np.int32)

    def _listen(self, sights: Sights) -> None:
        """Notes what was said in the turn before."""
        step = int(sights.step[0])
        for agent, piece in enumerate(sights.heard[0].tolist()):
            if piece != SILENT:
                hearsay = self._heard.setdefault(piece, Hearsay(piece, first=step))
                hearsay.times, hearsay.last = hearsay.times + 1, step
                hearsay.by.add(agent)

    def _choose(self, sights: Sights) -> int:
        """The agent to visit: the one visited now, unless nothing comes of it."""
        me, target = int(sights.me[0]), self._target
        if target is not None and sights.near[0, me, target]:
            self._idle = 0 if sights.reward[0] > 0 else self._idle + 1
        if target is None or self._idle >= PATIENCE:
            ways = np.abs(sights.positions[0] - sights.here[0]).sum(-1)
            others = [agent for agent in range(len(ways)) if agent not in (me, target)]
            target = min(others or [target or 0], key=lambda agent: int(ways[agent]))
            self._target, self._told, self._idle = target, set(), 0
        return target
