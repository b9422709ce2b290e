"""Which role goes with which: cooks who share the work do best."""

from __future__ import annotations

from collections.abc import Mapping

from hm_agent.core import Strategy
from hm_agent.worlds.melting_pot.games.cooking.kitchen import EVERYTHING, LOADS, SERVES, STANDS

COMPLEMENT: Mapping[str | None, str] = {
    LOADS: SERVES,
    SERVES: LOADS,
    EVERYTHING: EVERYTHING,
    STANDS: EVERYTHING,
    None: EVERYTHING,
}
"""The own role by the teammate's; None while that is not known."""

OWN_PART: Mapping[str, str] = {
    LOADS: "keep all pots full of tomatoes",
    SERVES: "fetch dishes, take soup as soon as it is cooked, and deliver it",
    EVERYTHING: "fill pots, fetch a dish while they cook, and deliver, whatever is missing most",
    STANDS: "keep out of the way",
}


def strategy_for(teammate: str | None) -> Strategy:
    """The part that goes with the teammate's."""
    role = COMPLEMENT[teammate]
    return Strategy(words_for(role, teammate), role=role, expected_role=teammate)


def words_for(role: str, teammate: str | None) -> str:
    expecting = "not knowing yet what the teammate does" if teammate is None else f"since the teammate {teammate}"
    return f"{OWN_PART[role]}, {expecting}"
