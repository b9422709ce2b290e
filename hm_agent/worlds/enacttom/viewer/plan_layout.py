"""Lays out rooms and furniture on a drawn floor plan. A unit of length is about a pixel of a page."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from hm_agent.worlds.enacttom.tasks.floor_plan import FloorPlan

WIDE, NARROW = 600.0, 340.0
"""The widths of a plan on a desktop and on a phone."""
GAP, PAD = 8.0, 8.0
"""The distance between rooms, and from a room's wall to what stands in it."""
TITLE, FLOOR, STRIP = 24.0, 20.0, 46.0
"""The heights of a room's name, of the row for things on its floor, and of the strip for agents."""
CARD, CARD_GAP = 40.0, 5.0
"""The height of a piece of furniture, and the distance to the next."""
LEAST_CARD = 130.0
"""The least width of a card at which a room's furniture stands in two columns."""


class Rect(NamedTuple):
    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2


@dataclass(frozen=True)
class PlanLayout:
    """The places of everything on a plan. rooms, furniture: by name.

    floors: where things lie on the floor, by room, for rooms in which some lie there at first. strips: where agents
    stand, by room.
    """

    width: float
    height: float
    rooms: Mapping[str, Rect]
    furniture: Mapping[str, Rect]
    floors: Mapping[str, Rect]
    strips: Mapping[str, Rect]


def lay_out(plan: FloorPlan, width: float, floors: Collection[str]) -> PlanLayout:
    """Lays out rooms in rows, each as high as its fullest room needs. floors: the rooms with things on their floor."""
    columns = _columns(len(plan.rooms), width)
    room_width = (width - GAP * (columns - 1)) / columns
    cards = 2 if (room_width - 2 * PAD - CARD_GAP) / 2 >= LEAST_CARD else 1
    rooms, furniture = dict[str, Rect](), dict[str, Rect]()
    floor_rects, strips = dict[str, Rect](), dict[str, Rect]()
    top = 0.0
    for first in range(0, len(plan.rooms), columns):
        row = plan.rooms[first : first + columns]
        lines = max(ceil(len(plan.furniture_by_room[room]) / cards) for room in row)
        floor = FLOOR if any(room in floors for room in row) else 0.0
        height = TITLE + lines * (CARD + CARD_GAP) + floor + STRIP + PAD
        for column, room in enumerate(row):
            area = Rect(column * (room_width + GAP), top, room_width, height)
            rooms[room] = area
            furniture |= _furniture_rects(plan.furniture_by_room[room], area, cards)
            inner = area.x + PAD, area.width - 2 * PAD
            strips[room] = Rect(inner[0], top + height - STRIP - PAD / 2, inner[1], STRIP)
            if room in floors:
                floor_rects[room] = Rect(inner[0], strips[room].y - FLOOR, inner[1], FLOOR)
        top += height + GAP
    return PlanLayout(width, top - GAP, rooms, furniture, floor_rects, strips)


def _columns(rooms: int, width: float) -> int:
    """How many rooms stand in a row."""
    if width < WIDE:
        return min(rooms, 2)
    return rooms if rooms <= 3 else {4: 2, 5: 3, 6: 3, 9: 3}.get(rooms, 4)


def _furniture_rects(pieces: Sequence[str], room: Rect, cards: int) -> dict[str, Rect]:
    width = (room.width - 2 * PAD - CARD_GAP * (cards - 1)) / cards
    return {
        piece: Rect(
            room.x + PAD + number % cards * (width + CARD_GAP),
            room.y + TITLE + number // cards * (CARD + CARD_GAP),
            width,
            CARD,
        )
        for number, piece in enumerate(pieces)
    }
