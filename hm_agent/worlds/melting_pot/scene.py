"""A step of Melting Pot as only a viewer may see it, and what the reference agent `oracle` is told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from hm_agent.core import Seat
from hm_agent.worlds.melting_pot.facts import Counts, seat_of, slot_of

PlayerT = TypeVar("PlayerT")


@dataclass(frozen=True, slots=True)
class PlayerIntent:
    """What only `oracle` is told of another player.

    behaviour: the one that it aims for now; None if unknown. rule: in words, how it rewards and punishes; None if it
    doesn't or if that is unknown. watches: True if it answers what it sees others collect.
    """

    behaviour: str | None
    rule: str | None = None
    watches: bool = False

    @property
    def is_known(self) -> bool:
        return self.behaviour is not None or self.rule is not None


@dataclass(frozen=True, slots=True)
class PlayerState:
    """A player as only viewers see it. policy: a bot's name; None for a player in a seat.

    behaviour, rule: as in PlayerIntent. inventory: None in a game without inventories.
    """

    policy: str | None
    behaviour: str | None = None
    rule: str | None = None
    inventory: Counts | None = None


Bot = tuple[str, str | None, str | None]
"""A bot's policy, the behaviour it aims for now, and its rule, as in PlayerState."""


def by_slot(seats: Sequence[Seat], of_seats: PlayerT, of_bots: Iterable[PlayerT]) -> Sequence[PlayerT]:
    """What is known of all players, by slot.

    of_seats: of each in a seat, and of bots of which nothing is known yet. of_bots: of the bots, by their slots.
    """
    of_bots = tuple(of_bots)
    players, slots = iter(of_bots), set(map(slot_of, seats))
    count = max(len(slots) + len(of_bots), 1 + max(slots))
    return [of_seats if slot in slots else next(players, of_seats) for slot in range(count)]


@dataclass(frozen=True)
class Scene:
    """A step as all players see it; its properties are worked out when a viewer reads them.

    before, after: each player's full observation when the latest actions were decided on, and after them. bots: by
    their slots, which are those without a seat.
    """

    seats: Sequence[Seat]
    before: Sequence[Mapping[str, Any]]
    after: Sequence[Mapping[str, Any]]
    bots: Sequence[Bot] = ()

    @property
    def frame(self) -> npt.NDArray[np.uint8]:
        """(H, W, 3) picture of the whole map when the latest actions were decided on."""
        picture: npt.NDArray[np.uint8] = self.before[0]["WORLD.RGB"]
        return picture

    def cell(self, seat: Seat) -> tuple[int, int] | None:
        """Where a seat's player truly was then, as (column, row); None off the map, and if the engine wasn't asked."""
        seen = self.before[slot_of(seat)]
        # Of a player off the map, the engine tells the latest cell, and its view is black.
        if "POSITION" not in seen or not seen["RGB"].any():
            return None
        column, row = map(int, seen["POSITION"])
        return column, row

    @cached_property
    def players(self) -> Sequence[PlayerState]:
        """All players by slot, with what each held when the latest actions were decided on."""
        seated: tuple[str | None, str | None, str | None] = (None, None, None)
        described = zip(by_slot(self.seats, seated, self.bots), self.before, strict=False)
        return tuple(
            PlayerState(*bot, inventory=_counts(observation["INVENTORY"]) if "INVENTORY" in observation else None)
            for bot, observation in described
        )

    @cached_property
    def held(self) -> Mapping[Seat, tuple[Counts, Counts]]:
        """The inventories (own, other's) in the interaction that the step began, by the seat that took part."""
        now = ((seat_of(slot), held_in_interaction(seen)) for slot, seen in enumerate(self.after))
        return {seat: pair for seat, pair in now if pair is not None and seat in self.seats}


def held_in_interaction(observation: Mapping[str, Any]) -> tuple[Counts, Counts] | None:
    """A player's and its partner's inventory in the interaction that the latest step began; None if it began none."""
    if "INTERACTION_INVENTORIES" not in observation:
        return None
    own, other = map(_counts, observation["INTERACTION_INVENTORIES"])
    return (own, other) if min(own) > 0 else None


def _counts(held: npt.NDArray[np.float64]) -> Counts:
    return tuple(map(int, held.tolist()))
