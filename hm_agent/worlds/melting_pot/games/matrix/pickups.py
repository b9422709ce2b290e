"""Infers which resources other players have collected from the resources that have disappeared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from hm_agent.core import Clue
from hm_agent.worlds.melting_pot.facts import INTERACTING, READY, Counts
from hm_agent.worlds.melting_pot.games.matrix.rules import argmax
from hm_agent.worlds.melting_pot.memory.entities import Disappearance
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap

RESPAWN_GAP = 60
"""A gap of this many steps between pickups means that the player respawned in between.

An interaction takes both players off the map for long.
"""


@dataclass(frozen=True, slots=True)
class PickupRecord:
    """What a player was seen to collect between two respawns. step: of the last pickup seen."""

    step: int
    taken: Counts


@dataclass(frozen=True, slots=True)
class Gathering(Clue):
    """How much of each resource a player is known to have taken since it respawned. own: the agent's inventory."""

    taken: Counts
    own: Counts

    def describe(self) -> str:
        return f"{self.partner} has taken {self.taken}"


class GatheringReader:
    """Counts what each other player takes between its respawns.

    things, behaviours: the resources and the pure strategy of each, in the game's order. initial: the count of each
    resource with which every player starts.
    """

    def __init__(self, things: Sequence[str], behaviours: Sequence[str], initial: int, players: Sequence[str]) -> None:
        self._things, self._behaviours, self._initial = things, behaviours, initial
        self._taken: dict[str, Counter[str]] = {player: Counter() for player in players}
        self._latest: dict[str, int] = {}
        self._former: dict[str, tuple[PickupRecord, ...]] = dict.fromkeys(players, ())
        self._spent: dict[str, dict[str, int]] = {player: {} for player in players}
        """By player and resource, the step of the latest interaction in which the player held that resource."""

    def met(self, partner: str, step: int, held: Counts) -> None:
        """Resets a player's count after an interaction with the agent. held: the partner's inventory in it."""
        self._taken[partner].clear()
        spent = (kind for kind, count in zip(self._things, held, strict=True) if count > self._initial)
        self._spent[partner] |= dict.fromkeys(spent, step)

    def former(self, player: str) -> tuple[PickupRecord, ...]:
        """What was seen of a player between earlier respawns, except before its interactions with the agent."""
        return self._former[player]

    def read(self, step: int, view: TextualMap, lost: Sequence[Disappearance], own: Counts) -> tuple[Gathering, ...]:
        """The counts of the players whose count changes with this frame.

        The taker of a lost resource is the only other player, or the one seen on its cell. A resource last seen before
        a player's interaction may have been part of the inventory it held there, so its
        loss does not count.
        """
        changed = dict.fromkeys(self._respawned(view))
        standing = {player.cell: player.kind for player in view.players}
        only = next(iter(self._taken)) if len(self._taken) == 1 else None
        for loss in lost:
            taker = only or standing.get(loss.cell)
            if taker in self._taken and loss.seen >= self._spent[taker].get(loss.kind, 0):
                self._count(step, taker, loss.kind)
                changed[taker] = None
        return tuple(self._clue(step, player, own) for player in changed)

    def _respawned(self, view: TextualMap) -> list[str]:
        """Closes the records of players in view that are interacting or not ready to: their inventory is reset."""
        if view.mark == INTERACTING:
            return []  # `met` handles the agent's own interactions
        respawned = [player.kind for player in view.players if player.mark != READY and self._taken.get(player.kind)]
        for player in respawned:
            self._close(player)
        return respawned

    def _count(self, step: int, taker: str, kind: str) -> None:
        # A single opponent can interact with the agent alone, which `met` handles.
        if len(self._taken) > 1 and step - self._latest.get(taker, step) >= RESPAWN_GAP:
            self._close(taker)
        self._taken[taker][kind] += 1
        self._latest[taker] = step

    def _close(self, player: str) -> None:
        """Moves a player's count to its former records."""
        if any(taken := self._counts(player)):
            self._former[player] += (PickupRecord(self._latest[player], taken),)
        self._taken[player].clear()

    def _counts(self, player: str) -> Counts:
        return tuple(self._taken[player][kind] for kind in self._things)

    def _clue(self, step: int, taker: str, own: Counts) -> Gathering:
        taken = self._counts(taker)
        main = argmax(taken)
        suggests = None if main is None else self._behaviours[main]
        return Gathering(step, taker, suggests, taken, own)
