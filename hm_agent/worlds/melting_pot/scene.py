"""A step of Melting Pot as only a viewer may see it, and what the reference agent `oracle` is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hm_agent.core import Seat
from hm_agent.worlds.melting_pot.facts import Counts


@dataclass(frozen=True, slots=True)
class OpponentIntent:
    """What only `oracle` is told of another player.

    behaviour: the one it aims for now. rule: in words, how it answers what is done to it, if it rewards and punishes.
    None if that is unknown.
    """

    behaviour: str | None
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class OpponentState:
    """What a player is and has. policy: a bot's name, None in a seat. The rest: None if unknown or absent."""

    policy: str | None
    behaviour: str | None = None
    rule: str | None = None
    inventory: Counts | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """The state that the latest actions were decided on.

    frame: (H, W, 3) uint8, the whole map. players: by slot. held: the inventories (own, other's) in the interaction
    that the step began, by the seat that took part.
    """

    frame: npt.NDArray[np.uint8]
    players: tuple[OpponentState, ...]
    held: Mapping[Seat, tuple[Counts, Counts]]
