"""The roles of cooks, and the strategy that goes with those of the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.strategy import SubstrateStrategy

LOADS, SERVES, EVERYTHING, STANDS = "loads pots", "serves soup", "does everything", "stands around"
ROLES = (LOADS, SERVES, EVERYTHING, STANDS)
"""The roles of a cook."""
PROMPTLY, SLOWLY = "promptly", "slowly"
"""The tempo of a cook that works: prompt if each piece of work waits at most as long as a soup cooks, else slow."""
BEHAVIOURS = (*(f"{role} {tempo}" for role in ROLES if role != STANDS for tempo in (PROMPTLY, SLOWLY)), STANDS)
"""The behaviours to predict: a role, and the tempo of one that works."""
COMPLEMENT: Mapping[str | None, str] = {
    LOADS: SERVES,
    SERVES: LOADS,
    EVERYTHING: EVERYTHING,
    STANDS: EVERYTHING,
    None: EVERYTHING,
}
"""The agent's role by the teammate's, None while that is unknown: cooks who share the work deliver most."""
OWN_PART: Mapping[str, str] = {
    LOADS: "Keep all pots full of tomatoes",
    SERVES: "Fetch dishes, take each soup as soon as it is cooked, and deliver it",
    EVERYTHING: "Fill the pots, fetch a dish while they cook, and deliver the soup",
    STANDS: "Keep out of the way",
}
"""The agent's strategy for each role, in words."""


def behaviour_of(role: str | None, tempo: str | None) -> str | None:
    """A role with its tempo, as predictions name it; the role alone if it has no tempo."""
    return role if role in (None, STANDS) or tempo is None else f"{role} {tempo}"


def role_in(behaviour: str) -> str:
    """The role of a behaviour, with or without a tempo."""
    return behaviour.removesuffix(f" {PROMPTLY}").removesuffix(f" {SLOWLY}")


def tempo_in(behaviour: str) -> str | None:
    """The tempo of a behaviour; None if it has none."""
    return next((tempo for tempo in (PROMPTLY, SLOWLY) if behaviour.endswith(f" {tempo}")), None)


@dataclass(frozen=True, slots=True)
class KitchenStrategy(SubstrateStrategy):
    """A strategy in a kitchen.

    role: the agent's role. expected_role, expected_tempo: those expected of an only teammate, None if unknown. parts:
    the behaviours that are expected of several teammates, by name.
    """

    role: str | None = None
    expected_role: str | None = None
    expected_tempo: str | None = None
    parts: tuple[tuple[str, str], ...] = ()

    @property
    def expected(self) -> str | None:
        """The behaviour that is expected of an only teammate."""
        return behaviour_of(self.expected_role, self.expected_tempo)


def strategy_for(teammate: str | None) -> KitchenStrategy:
    """The strategy that complements the teammate's behaviour, None if that is unknown."""
    expected = None if teammate is None else role_in(teammate)
    role = COMPLEMENT[expected]
    because = "" if teammate is None else f", since the teammate {teammate}"
    tempo = tempo_in(teammate) if teammate else None
    return KitchenStrategy(f"{OWN_PART[role]}{because}.", role=role, expected_role=expected, expected_tempo=tempo)


SLOW_SHARE = 0.5
"""The work of a slow cook, relative to that of a prompt one."""
BALANCED = 0.8
"""One part of the work is short of cooks if it has less than this share of what the other has, by its size."""


def team_strategy(parts: Mapping[str, str], loading_share: float) -> KitchenStrategy:
    """The strategy beside several teammates of whom these behaviours are expected: the part that is short of cooks.

    loading_share: the part of all work that is loading pots.
    """
    loads = serves = 0.0
    for behaviour in parts.values():
        work = SLOW_SHARE if tempo_in(behaviour) == SLOWLY else 1.0
        role = role_in(behaviour)
        loads += work * {LOADS: 1.0, EVERYTHING: loading_share}.get(role, 0.0)
        serves += work * {SERVES: 1.0, EVERYTHING: 1 - loading_share}.get(role, 0.0)
    loaded, served = loads / loading_share, serves / (1 - loading_share)
    role = LOADS if loaded < BALANCED * served else SERVES if served < BALANCED * loaded else EVERYTHING
    return KitchenStrategy(f"{OWN_PART[role]}.", role=role, parts=tuple(sorted(parts.items())))
