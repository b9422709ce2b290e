"""K matrices: for each agent, who knows what as it believes (the paper's section 6).

K' = F or ((S or K) and not (on_base and knows_all)): F is first-hand knowledge; S is which pieces each agent was told
in the turn; an agent that was on its base and knew all before the turn has lost the rest. S has three parts. S0: all
within my range know what I said. S1: all within a speaker's range know what I heard it say. S2 is about speech that I
could not hear; the kinds of K differ in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol

import numpy as np

from hm_agent.worlds.symmtom.rules import SILENT, Bools, GameState, Ints
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.sights import Sights


class Knowledge(Protocol):
    """Estimates who knows what from what agents see, one agent a row.

    `update` takes every sight of an episode in turn, the first one too, and returns (R, n, c), True where the agent of
    the row believes that an agent knows a piece. truth: the true states of the games, for estimates that are told them.
    """

    def update(self, sights: Sights, truth: GameState | None = None) -> Bools: ...


UnheardSpeech = Callable[[Bools, Sights], Ints]
"""(K before the turn, sights) → (R, n): the piece that each agent is believed to have said where it could not be heard,
SILENT for none."""


class KMatrix(Knowledge):
    """K with one rule for speech that could not be heard (S2)."""

    def __init__(self, unheard: UnheardSpeech) -> None:
        self._unheard = unheard
        self._known: Bools | None = None

    def update(self, sights: Sights, truth: GameState | None = None) -> Bools:
        if self._known is None:
            self._known = with_own(sights.first_hand, sights)
        else:
            self._known = next_k(self._known, sights, believed_speech(self._known, sights, self._unheard))
        return self._known


class FirstHandOnly(Knowledge):
    """Believes that all others know only their first-hand pieces."""

    def update(self, sights: Sights, truth: GameState | None = None) -> Bools:
        return with_own(sights.first_hand, sights)


class OracleKnowledge(Knowledge):
    """Returns who truly knows what; needs `truth`."""

    def update(self, sights: Sights, truth: GameState | None = None) -> Bools:
        if truth is None:
            raise ValueError("the oracle's K needs to be told the truth")
        return np.repeat(truth.knows, len(sights.me) // len(truth.step), axis=0)


def believed_speech(known: Bools, sights: Sights, unheard: UnheardSpeech) -> Ints:
    """(R, n): the piece that each agent heard, or else believes by a rule, that each one said. known: K before it."""
    return np.where(could_hear(sights), sights.heard, unheard(known, sights))


def next_k(known: Bools, sights: Sights, said: Ints) -> Bools:
    """Returns K after a turn, (R, n, c). known: K before it. said: (R, n), by `believed_speech`."""
    spoken = said[..., None] == np.arange(known.shape[-1])
    listeners = sights.near | np.eye(known.shape[1], dtype=bool)
    told = (listeners[..., None] & spoken[:, None]).any(2)
    recharged = known.all(-1) & (sights.positions == sights.bases).all(-1)
    return with_own(sights.first_hand | ((told | known) & ~recharged[..., None]), sights)


def could_hear(sights: Sights) -> Bools:
    """(R, n): True for the agents whose speech, or silence, the agent of the row heard: itself and those near it."""
    near: Bools = sights.near[sights.rows, sights.me]
    near[sights.rows, sights.me] = True
    return near


def nothing_unheard(known: Bools, sights: Sights) -> Ints:
    """CE, conservative encounters: what could not be heard was not said."""
    return np.full(known.shape[:2], SILENT, np.int32)


def greedy_unheard(known: Bools, sights: Sights) -> Ints:
    """GE, greedy encounters: every unheard agent said, of the pieces it knows, the one that the fewest in range know.

    On a tie, it said the first of these in its own order.
    """
    counts = np.einsum("rlj,rjc->rlc", sights.near.astype(np.float64), known.astype(np.float64))
    counts = np.where(known, counts + 1e-3 * spoken_order(sights.settings), known.shape[1] + 1)
    return np.where(known.any(-1), counts.argmin(-1), SILENT).astype(np.int32)


def spoken_order(settings: GameSettings) -> Ints:
    """(n, c): the place of each piece in each agent's own order, which starts at another piece for each agent.

    Thus agents that know the same pieces and choose by the same rule say different ones.
    """
    starts = np.arange(settings.agents)[:, None] * settings.pieces // settings.agents
    order: Ints = ((np.arange(settings.pieces) - starts) % settings.pieces).astype(np.int32)
    return order


def with_own(known: Bools, sights: Sights) -> Bools:
    """Returns K with each row's own knowledge, of which the agent is certain, filled in."""
    known = known.copy()
    known[sights.rows, sights.me] = sights.knows
    return known


KINDS: Mapping[str, Callable[[], Knowledge]] = {
    "first_hand": FirstHandOnly,
    "ce": lambda: KMatrix(nothing_unheard),
    "ge": lambda: KMatrix(greedy_unheard),
    "oracle": OracleKnowledge,
}
"""Every kind of K by its name."""


# Nested belief


Path = tuple[int, ...]


class NestedKnowledge:
    """What one agent believes that a second believes that a third knows, by path. Takes sights of one row.

    A path of agents, up to a depth and without one that follows itself, tells whose belief it is: K of `(me,)` is what
    I believe of who knows what, K of `(me, j)` what I believe that j believes. Each is updated by the rule of K with
    greedy encounters, from what the agent at the end of the path could hear, as far as those before it heard or guess
    it.
    """

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
