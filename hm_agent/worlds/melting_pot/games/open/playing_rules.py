"""What a rule of a player of an open game is: what minds take others to follow, and scripted players do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hm_agent.worlds.melting_pot.games.open.calls import Call


@dataclass(frozen=True)
class PlayingRule:
    """A rule of a player. words: as agents say it of others. next: what it does now, by the seat of its player."""

    words: str
    next: Callable[[Any], Sequence[Call]]
