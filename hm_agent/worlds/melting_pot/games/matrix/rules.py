"""The rules of a matrix game as every player knows them, and the record of one interaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.facts import Counts, Length
from hm_agent.worlds.melting_pot.games.matrix.payoff import Payoff

MOST_HELD = 40
"""The largest count of one resource that an answer may name."""


@dataclass(frozen=True, slots=True)
class MatrixRules:
    """The facts of a matrix game that every player knows.

    behaviours: the pure strategies, by name. things: the resource that stands for each, in the same order. payoff: row
    the player's own pure strategy, column the other's. players: the number of players, the agent included.
    """

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
        """True if one player's gain is always the other's loss."""
        kinds = range(len(self.payoff))
        return all(self.payoff[mine][theirs] == -self.payoff[theirs][mine] for mine in kinds for theirs in kinds)

    def check(self, name: str, inventory: Mapping[str, int]) -> None:
        """Raises ValueError for an inventory that no player can hold. name: the answer's field, for the error text."""
        for kind, count in inventory.items():
            self.check_behaviour(name, kind)
            if not self.initial_inventory <= count <= MOST_HELD:
                raise ValueError(f"{name}: {kind} {count} is not between {self.initial_inventory} and {MOST_HELD}")

    def check_behaviour(self, name: str, kind: str) -> None:
        """Raises ValueError for an unknown behaviour. name: the answer's field, for the error text."""
        if kind not in self.behaviours:
            raise ValueError(f"{name}: unknown kind {kind[:20]!r}; there are {', '.join(self.behaviours)}")

    def counts(self, inventory: Mapping[str, int]) -> Counts:
        """An answer's inventory in the order of behaviours; the initial count for each behaviour it omits."""
        return tuple(inventory.get(name, self.initial_inventory) for name in self.behaviours)

    def by_name(self, counts: Counts) -> dict[str, int]:
        """An inventory by behaviour, the form in which answers give it."""
        return dict(zip(self.behaviours, counts, strict=True))


def check_players(name: str, said: Iterable[str], known: Sequence[str]) -> None:
    """Raises ValueError for a player who does not exist. name: the answer's field, for the error text."""
    unknown = next((player for player in said if player not in known), None)
    if unknown is not None:
        raise ValueError(f"{name}: unknown player {unknown[:20]!r}; there are {', '.join(known)}")


@dataclass(frozen=True, slots=True)
class MatrixInteraction:
    """One interaction with the partner's inventory inferred.

    behaviour: the pure strategy that the partner played, None if the inference is ambiguous. own_behaviour: the agent's
    own, None if no resource led. shown: the count of each resource that the partner saw the agent collect beforehand.
    """

    step: int
    partner: str
    own: Counts
    reward: float
    other: Counts
    behaviour: str | None
    own_behaviour: str | None
    shown: Counts
