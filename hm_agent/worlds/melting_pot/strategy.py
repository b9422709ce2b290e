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
        """The part of the strategy that a plan depends on, by default all: the plan goes on while it stays equal."""
        return self


def is_sought(player: str, seek: Sequence[str] | None) -> bool:
    """True if a player is to be met. seek: the players to meet; all but fellows, who can't be met, if None."""
    return player != FELLOW if seek is None else player in seek
