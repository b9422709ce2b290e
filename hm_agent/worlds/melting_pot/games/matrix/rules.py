"""A matrix game as its players know it: its rules, and what an interaction was."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hm_agent.core import Counts
from hm_agent.worlds.melting_pot.facts import Length
from hm_agent.worlds.melting_pot.games.matrix.payoff import Payoff

MOST_HELD = 40
"""Nobody holds more of one kind."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The game as its players know it. payoff: row the own pure strategy, column the other's. players: how many."""

    behaviours: tuple[str, ...]
    things: tuple[str, ...]
    payoff: Payoff
    initial_inventory: int
    width: int
    height: int
    length: Length
    players: int = 2

    @property
    def is_zero_sum(self) -> bool:
        """Whether one's gain is always the other's loss."""
        kinds = range(len(self.payoff))
        return all(self.payoff[mine][theirs] == -self.payoff[theirs][mine] for mine in kinds for theirs in kinds)

    def check(self, name: str, inventory: Mapping[str, int]) -> None:
        """Raises ValueError where nobody can hold this. name: of the inventory, for the error."""
        for kind, count in inventory.items():
            self.check_behaviour(name, kind)
            if not self.initial_inventory <= count <= MOST_HELD:
                raise ValueError(f"{name}: {kind} {count} is not between {self.initial_inventory} and {MOST_HELD}")

    def check_behaviour(self, name: str, kind: str) -> None:
        """Raises ValueError for what is no behaviour. name: of the field, for the error."""
        if kind not in self.behaviours:
            raise ValueError(f"{name}: unknown kind {kind[:20]!r}; there are {', '.join(self.behaviours)}")

    def counts(self, inventory: Mapping[str, int]) -> Counts:
        """An answer's inventory in the order of behaviours; what it leaves out is what everybody starts with."""
        return tuple(inventory.get(name, self.initial_inventory) for name in self.behaviours)

    def by_name(self, counts: Counts) -> dict[str, int]:
        """An inventory as answers have it."""
        return dict(zip(self.behaviours, counts, strict=True))


def check_players(name: str, said: Iterable[str], known: Sequence[str]) -> None:
    """Raises ValueError for a player that is not there. name: of the field, for the error."""
    unknown = next((player for player in said if player not in known), None)
    if unknown is not None:
        raise ValueError(f"{name}: unknown player {unknown[:20]!r}; there are {', '.join(known)}")


@dataclass(frozen=True, slots=True)
class MatrixInteraction:
    """An interaction as understood: both inventories, the other's by inference.

    behaviour: the pure strategy the other played, None where that can't be told. own_behaviour: the same of oneself.
    shown: how much of each resource one was seen to collect by the other before.
    """

    step: int
    partner: str
    own: Counts
    reward: float
    other: Counts
    behaviour: str | None
    own_behaviour: str | None
    shown: Counts
