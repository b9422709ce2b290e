"""Where rooms and furniture stand on a drawn floor plan. Lengths are about the pixels of a page."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from hm_agent.worlds.enacttom.tasks.floor_plan import FloorPlan

WIDE, NARROW = 600.0, 340.0
"""The widths of a plan on a desk and on a phone."""
GAP, PAD = 8.0, 8.0
"""Between rooms, and from a room's wall to what stands in it."""
TITLE, FLOOR, STRIP = 24.0, 20.0, 46.0
"""The heights of a room's name, of its floor where things lie there, and of the place for agents."""
CARD, CARD_GAP = 40.0, 5.0
"""The height of a piece of furniture, and the distance to the next."""
LEAST_CARD = 130.0
"""A room is furnished in two columns once each is so wide."""


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
    """rooms, furniture: their places. floors: where things lie on a room's floor, for rooms where some begin there.

    strips: where agents stand in a room.
    """

    width: float
    height: float
    rooms: Mapping[str, Rect]
    furniture: Mapping[str, Rect]
    floors: Mapping[str, Rect]
    strips: Mapping[str, Rect]


def lay_out(plan: FloorPlan, width: float, floors: Collection[str] = ()) -> PlanLayout:
    """Rooms in rows, each as high as its fullest room needs. floors: the rooms in which things lie on the floor."""
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
            whole = Rect(column * (room_width + GAP), top, room_width, height)
            rooms[room] = whole
            furniture |= _furnished(plan.furniture_by_room[room], whole, cards)
            inner = whole.x + PAD, whole.width - 2 * PAD
            strips[room] = Rect(inner[0], top + height - STRIP - PAD / 2, inner[1], STRIP)
            if room in floors:
                floor_rects[room] = Rect(inner[0], strips[room].y - FLOOR, inner[1], FLOOR)
        top += height + GAP
    return PlanLayout(width, top - GAP, rooms, furniture, floor_rects, strips)


def _columns(rooms: int, width: float) -> int:
    """How many rooms stand beside each other."""
    if width < WIDE:
        return min(rooms, 2)
    return rooms if rooms <= 3 else {4: 2, 5: 3, 6: 3, 9: 3}.get(rooms, 4)


def _furnished(pieces: Sequence[str], room: Rect, cards: int) -> dict[str, Rect]:
    wide = (room.width - 2 * PAD - CARD_GAP * (cards - 1)) / cards
    return {
        one: Rect(
            room.x + PAD + number % cards * (wide + CARD_GAP),
            room.y + TITLE + number // cards * (CARD + CARD_GAP),
            wide,
            CARD,
        )
        for number, one in enumerate(pieces)
    }
