"""The facts of daycare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hm_agent.worlds.melting_pot.games.open.open_facts import SubstrateFacts

CHILD, PARENT = "player_0", "player_1"
APPLE, BANANA = "apple", "banana"
LOOSE = (APPLE, BANANA)
"""Fruit that is held, or lies on the ground."""
GROWING = ("apple in tree", "apple in shrub", "banana in shrub")
"""Fruit that hangs in its tree or shrub, in the words of the parent's view and of the child's."""


@dataclass(frozen=True, kw_only=True)
class DaycareFacts(SubstrateFacts):
    """A parent and a child among fruit: only bananas pay the child, and only the child can tell which these are."""

    game: Literal["daycare"]
