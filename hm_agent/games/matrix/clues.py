"""What a player of a matrix game gives away before it is met: things are gone that it must have taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from hm_agent.core import Clue, Counts
from hm_agent.games.matrix.payoff import argmax
from hm_agent.memory.entities import Loss


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
    """Keeps count of what the opponent takes from one interaction to the next.

    things, behaviours: the kinds and what each stands for, in the game's order. initial: what everybody starts with.
    """

    def __init__(self, things: Sequence[str], behaviours: Sequence[str], initial: int, partner: str) -> None:
        self._things, self._behaviours, self._initial, self._partner = things, behaviours, initial, partner
        self._taken: Counter[str] = Counter()
        self._brought: dict[str, int] = {}

    def met(self, step: int, held: Counts) -> None:
        """Starts the count anew after an interaction. held: what the opponent had then."""
        self._taken.clear()
        brought = (kind for kind, count in zip(self._things, held, strict=True) if count > self._initial)
        self._brought |= dict.fromkeys(brought, step)

    def read(self, step: int, lost: Sequence[Loss], own: Counts) -> tuple[Gathering, ...]:
        """The count so far, where something was found gone that the opponent has not brought to a meeting since."""
        fresh = [loss.kind for loss in lost if loss.seen >= self._brought.get(loss.kind, 0)]
        self._taken.update(fresh)
        return (self._clue(step, own),) if fresh else ()

    def _clue(self, step: int, own: Counts) -> Gathering:
        taken = tuple(self._taken[kind] for kind in self._things)
        main = argmax(taken)
        suggests = None if main is None else self._behaviours[main]
        return Gathering(step, self._partner, suggests, taken, own)
