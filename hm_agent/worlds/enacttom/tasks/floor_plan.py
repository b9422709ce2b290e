"""The floor plan of a household: rooms and furniture. It never changes, and agents know it from the start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class FloorPlan:
    """The agents, rooms, furniture and objects of a household.

    furniture: the room of each piece. openable: the pieces that open and close. objects: the names of all objects;
    agents have to discover them, so `public` leaves them out.
    """

    agents: tuple[str, ...]
    rooms: tuple[str, ...]
    furniture: Mapping[str, str]
    openable: tuple[str, ...]
    objects: tuple[str, ...] = ()

    @cached_property
    def public(self) -> FloorPlan:
        """The plan as agents see it, without objects."""
        return FloorPlan(self.agents, self.rooms, self.furniture, self.openable)

    @cached_property
    def furniture_by_room(self) -> Mapping[str, tuple[str, ...]]:
        return {
            room: tuple(piece for piece, its_room in self.furniture.items() if its_room == room) for room in self.rooms
        }

    @cached_property
    def words(self) -> str:
        """The rooms with their furniture, a line each."""
        lines = []
        for room, furniture in self.furniture_by_room.items():
            pieces = [f"{piece} (opens)" if piece in self.openable else piece for piece in furniture]
            lines.append(f"{room}: {', '.join(pieces) or 'no furniture'}")
        return "\n".join(lines)
