"""What a player of a matrix game gives away before it is met: things are gone that it must have taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hm_agent.core import Clue, Counts
from hm_agent.worlds.melting_pot.facts import INTERACTING, READY
from hm_agent.worlds.melting_pot.games.matrix.payoff import argmax
from hm_agent.worlds.melting_pot.grid import Cell
from hm_agent.worlds.melting_pot.memory.entities import Loss
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap

LULL = 60
"""Who takes something after so many steps is in another life: an interaction puts both players off the map for long."""


@dataclass(frozen=True, slots=True)
class Life:
    """What a player was seen to take from one of its interactions to the next. step: when it was seen to last."""

    step: int
    taken: Counts


@dataclass(frozen=True, slots=True)
class Gathering(Clue):
    """How much of each resource a player has taken in its present life, as far as one has noticed.

    own: what one holds oneself by then.
    """

    taken: Counts
    own: Counts

    def describe(self) -> str:
        return f"{self.partner} has taken {self.taken}"


class GatheringReader:
    """Keeps count of what each other player takes from one interaction to the next.

    things, behaviours: the kinds and what each stands for, in the game's order. initial: what everybody starts with.
    """

    def __init__(self, things: Sequence[str], behaviours: Sequence[str], initial: int, players: Sequence[str]) -> None:
        self._things, self._behaviours, self._initial = things, behaviours, initial
        self._taken: dict[str, Counter[str]] = {player: Counter() for player in players}
        self._latest: dict[str, int] = {}
        self._former: dict[str, tuple[Life, ...]] = dict.fromkeys(players, ())
        self._brought: dict[str, dict[str, int]] = {player: {} for player in players}

    def met(self, partner: str, step: int, held: Counts) -> None:
        """Starts the count anew after an interaction. held: what the partner had then."""
        self._taken[partner].clear()
        brought = (kind for kind, count in zip(self._things, held, strict=True) if count > self._initial)
        self._brought[partner] |= dict.fromkeys(brought, step)

    def former(self, player: str) -> tuple[Life, ...]:
        """Its earlier lives, as far as seen, but for those in which one met it oneself."""
        return self._former[player]

    def read(self, step: int, view: TextualMap, lost: Sequence[Loss], own: Counts) -> tuple[Gathering, ...]:
        """The count so far of everybody who took what it has not brought to a meeting since, or starts over."""
        news = dict.fromkeys(self._starting_over(view))
        standing = {player.cell: player.kind for player in view.players}
        for loss in lost:
            taker = self._taker(loss, standing)
            if taker is not None and loss.seen >= self._brought[taker].get(loss.kind, 0):
                self._count(step, taker, loss.kind)
                news[taker] = None
        return tuple(self._clue(step, player, own) for player in news)

    def _starting_over(self, view: TextualMap) -> list[str]:
        """Whoever has nothing to interact with, or is interacting, is in another life than when it took things."""
        if view.mark == INTERACTING:
            return []  # with whom one interacts oneself is told by `met`
        over = [player.kind for player in view.players if player.mark != READY and self._taken.get(player.kind)]
        for player in over:
            self._close(player)
        return over

    def _count(self, step: int, taker: str, kind: str) -> None:
        if len(self._taken) > 1 and step - self._latest.get(taker, step) >= LULL:
            self._close(taker)
        self._taken[taker][kind] += 1
        self._latest[taker] = step

    def _close(self, player: str) -> None:
        """The end of a life that one has seen something of."""
        if any(taken := self._counts(player)):
            self._former[player] += (Life(self._latest[player], taken),)
        self._taken[player].clear()

    def _counts(self, player: str) -> Counts:
        return tuple(self._taken[player][kind] for kind in self._things)

    def _taker(self, loss: Loss, standing: Mapping[Cell | None, str]) -> str | None:
        """The one other player there is; among many, who is seen in the place of what is gone."""
        taker = next(iter(self._taken)) if len(self._taken) == 1 else standing.get(loss.cell)
        return taker if taker in self._taken else None

    def _clue(self, step: int, taker: str, own: Counts) -> Gathering:
        taken = self._counts(taker)
        main = argmax(taken)
        suggests = None if main is None else self._behaviours[main]
        return Gathering(step, taker, suggests, taken, own)
