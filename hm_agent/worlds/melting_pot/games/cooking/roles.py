"""The rules of a kitchen as its cooks know them, and the agent's role given the teammate's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.games.cooking.kitchen import EVERYTHING, LOADS, ROLES, SERVES, STANDS
from hm_agent.worlds.melting_pot.strategy import SubstrateStrategy

COMPLEMENT: Mapping[str | None, str] = {
    LOADS: SERVES,
    SERVES: LOADS,
    EVERYTHING: EVERYTHING,
    STANDS: EVERYTHING,
    None: EVERYTHING,
}
"""The agent's role by the teammate's, None while that is unknown: cooks who share the work deliver most."""

OWN_PART: Mapping[str, str] = {
    LOADS: "keep all pots full of tomatoes",
    SERVES: "fetch dishes, take soup as soon as it is cooked, and deliver it",
    EVERYTHING: "fill pots, fetch a dish while they cook, and deliver, whatever is missing most",
    STANDS: "keep out of the way",
}
"""The agent's strategy for each role, in words."""


@dataclass(frozen=True, slots=True)
class KitchenRules:
    """The facts of a kitchen that every cook knows. steps: the length of an episode."""

    width: int
    height: int
    tomatoes: int
    cooking_steps: int
    reward: float
    steps: int
    roles: tuple[str, ...] = ROLES

    def check(self, name: str, role: str) -> None:
        """Raises ValueError for an unknown role. name: the answer's field, for the error text."""
        if role not in self.roles:
            raise ValueError(f"{name}: unknown role {role[:20]!r}; there are {', '.join(map(repr, self.roles))}")


@dataclass(frozen=True, slots=True)
class KitchenStrategy(SubstrateStrategy):
    """role: the agent's role. expected_role: the role that the teammate is expected to play, None if unknown."""

    role: str | None = None
    expected_role: str | None = None


def strategy_for(teammate: str | None) -> KitchenStrategy:
    """The strategy that complements the teammate's role, None if that is unknown."""
    role = COMPLEMENT[teammate]
    expecting = "not knowing yet what the teammate does" if teammate is None else f"since the teammate {teammate}"
    return KitchenStrategy(f"{OWN_PART[role]}, {expecting}", role=role, expected_role=teammate)
