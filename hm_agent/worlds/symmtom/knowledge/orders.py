"""Nested belief: what one agent believes that a second believes that a third knows.

A path of agents tells whose belief it is: K of `(me,)` is what I believe of who knows what, K of `(me, j)` what I
believe that j believes. Each is updated by the rule of K with greedy encounters, from what the agent at the end of the
path could hear, as far as the agents before it on the path heard or guess it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from hm_agent.worlds.symmtom.knowledge.k_matrix import (
    believed_speech,
    could_hear,
    greedy_unheard,
    next_k,
    with_own,
)
from hm_agent.worlds.symmtom.rules import SILENT, Bools, Ints
from hm_agent.worlds.symmtom.sights import Sights

Path = tuple[int, ...]


class NestedKnowledge:
    """One agent's beliefs along all paths up to a depth in which no agent follows itself. Takes sights of one row."""

    def __init__(self, depth: int) -> None:
        self._depth = depth
        self._known: Mapping[Path, Bools] = {}

    def update(self, sights: Sights) -> Mapping[Path, Bools]:
        """Takes in the agent's next sight; returns its beliefs, (1, n, c) by path."""
        beliefs: dict[Path, Bools] = {}
        self._extend(beliefs, (int(sights.me[0]),), sights)
        self._known = beliefs
        return beliefs

    def _extend(self, beliefs: dict[Path, Bools], path: Path, sights: Sights) -> None:
        """Adds the beliefs along a path, and along all longer ones, to `beliefs`. sights: of the agent at its end."""
        before = self._known.get(path)
        if before is None:
            beliefs[path], said = with_own(sights.first_hand, sights), sights.heard
        else:
            said = believed_speech(before, sights, greedy_unheard)
            beliefs[path] = next_k(before, sights, said)
        if len(path) < self._depth:
            for other in range(sights.settings.agents):
                if other != path[-1]:
                    self._extend(beliefs, (*path, other), _sight_of_other(sights, other, beliefs[path], said))


def _sight_of_other(sights: Sights, other: int, known: Bools, said: Ints) -> Sights:
    """The sight that an agent believes another one had. known: its own K. said: what it believes each agent said.

    While first-hand knowledge is private, the other one sees none but its own, which is part of `knows`.
    """
    first_hand = sights.first_hand if sights.settings.has_public_first_hand else np.zeros_like(sights.first_hand)
    seen = replace(sights, me=np.full_like(sights.me, other), first_hand=first_hand, knows=known[:, other])
    return replace(seen, heard=np.where(could_hear(seen), said, SILENT))
