"""What a player of a matrix game gives away before it is met: things are gone that it must have taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hm_agent.core import Clue, Counts
from hm_agent.facts import INTERACTING
from hm_agent.games.matrix.payoff import argmax
from hm_agent.grid import Cell
from hm_agent.memory.entities import Loss
from hm_agent.perception.textual_map import TextualMap


@dataclass(frozen=True, slots=True)
class Gathering(Clue):
    """How much of each resource a player has taken since it was last met, as far as one has noticed.

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
        self._brought: dict[str, dict[str, int]] = {player: {} for player in players}

    def met(self, partner: str, step: int, held: Counts) -> None:
        """Starts the count anew after an interaction. held: what the partner had then."""
        self._taken[partner].clear()
        brought = (kind for kind, count in zip(self._things, held, strict=True) if count > self._initial)
        self._brought[partner] |= dict.fromkeys(brought, step)

    def read(self, step: int, view: TextualMap, lost: Sequence[Loss], own: Counts) -> tuple[Gathering, ...]:
        """The count so far of everybody who took what it has not brought to a meeting since."""
        self._forget_who_interacts(view)
        standing = {player.cell: player.kind for player in view.players}
        takers = {}
        for loss in lost:
            taker = self._taker(loss, standing)
            if taker is not None and loss.seen >= self._brought[taker].get(loss.kind, 0):
                self._taken[taker][loss.kind] += 1
                takers[taker] = True
        return tuple(self._clue(step, taker, own) for taker in takers)

    def _forget_who_interacts(self, view: TextualMap) -> None:
        """Whoever interacts with somebody starts over with nothing."""
        for player in view.players:
            if player.mark == INTERACTING and player.kind in self._taken:
                self._taken[player.kind].clear()

    def _taker(self, loss: Loss, standing: Mapping[Cell | None, str]) -> str | None:
        """The one other player there is; among many, who is seen in the place of what is gone."""
        taker = next(iter(self._taken)) if len(self._taken) == 1 else standing.get(loss.cell)
        return taker if taker in self._taken else None

    def _clue(self, step: int, taker: str, own: Counts) -> Gathering:
        taken = tuple(self._taken[taker][kind] for kind in self._things)
        main = argmax(taken)
        suggests = None if main is None else self._behaviours[main]
        return Gathering(step, taker, suggests, taken, own)
