"""What a strategist hands to planning in Melting Pot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.facts import FELLOW


@dataclass(frozen=True, slots=True)
class SubstrateStrategy:
    """What planning needs to know of any game's strategy; each game adds its own fields.

    seek: the players to meet: anybody if None, nobody yet if empty. covert: True if no other player is to see what the
    agent collects.
    """

    words: str
    seek: tuple[str, ...] | None = None
    covert: bool = False

    @property
    def aims(self) -> object:
        """What a plan serves, by default all that is said: one made for a strategy with equal aims goes on."""
        return self


def is_sought(player: str, seek: Sequence[str] | None) -> bool:
    """True if a strategy with this `seek` wants to meet a player; nobody can meet one of the own side."""
    return player != FELLOW if seek is None else player in seek
