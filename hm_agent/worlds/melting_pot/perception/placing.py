"""Puts what the cells of a frame show on the map: the part of perception that all kinds of games share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from typing import NamedTuple

from hm_agent.worlds.melting_pot.grid import NOWHERE, Area, Layout, Pose, Window
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap


class CellContent(NamedTuple):
    """What a cell of a frame shows.

    kind: the player there or else the thing that matters most; empty for floor, bare walls and the own avatar. mark:
    what shows besides. turns: the quarter turns of its picture, which tell a player's facing on the frame. is_unknown:
    True if nothing explains the picture. is_hidden: True if that or a beam hides what lies there. effect: a beam or
    hand there, and ground: what the ground is, where they are told.
    """

    kind: str = ""
    mark: str | None = None
    is_player: bool = False
    turns: int = 0
    is_wall: bool = False
    is_hidden: bool = False
    is_unknown: bool = False
    effect: str | None = None
    ground: str | None = None


Contents = Sequence[tuple[int, CellContent]]
"""Cells of the window, by number, with what they show."""


class Areas(dict[Pose, Area]):
    """The cells in view at each pose on a map, in the order of the window; found out when first asked for."""

    def __init__(self, layout: Layout, window: Window) -> None:
        self.layout, self.window = layout, window

    def __missing__(self, pose: Pose) -> Area:
        self[pose] = area = self.layout.area(map(self.layout.wrapped, self.window.cells(pose)))
        return area


class MapMaker:
    """Makes the textual maps of one player in one episode.

    unknown_patches: cells with a picture that nothing explains, over all frames. lost_steps: frames in which the avatar
    was on the map and its pose unknown.
    """

    def __init__(self, areas: Areas) -> None:
        self._areas = areas
        self.unknown_patches = self.lost_steps = self._lost_for = 0

    def _placed(
        self,
        pose: Pose | None,
        told: Contents,
        hidden: Set[int],
        *,
        is_present: bool,
        mark: str | None,
        unknown: int,
        walls: Callable[[], Iterable[tuple[int, int]]],
    ) -> TextualMap:
        """The map of a frame. told: the contents that become detections, if they have a kind.

        hidden: the numbers of the cells whose content the frame doesn't show. is_present: True if the own avatar is on
        the map, with mark over its head. unknown: how many cells show a picture that nothing explains. walls: finds
        the offsets of walls in view.
        """
        is_lost = is_present and pose is None
        self.unknown_patches += unknown
        self.lost_steps += is_lost
        self._lost_for = self._lost_for + 1 if is_lost else 0
        in_view = area = self._areas[pose] if pose else NOWHERE
        if hidden:
            in_view = self._areas.layout.area([cell for n, cell in enumerate(area.cells) if n not in hidden])
        offsets, cells = self._areas.window.offsets, area.cells
        detections = tuple(
            Detection(
                each.kind,
                offsets[number],
                cells[number] if cells else None,
                (pose.facing + each.turns) % 4 if pose and each.is_player else None,
                each.mark,
                each.is_player,
            )
            for number, each in told
            if each.kind
        )
        in_sight = frozenset(walls()) if is_lost else frozenset()
        return TextualMap(pose, is_present, mark, detections, in_view, unknown, self._lost_for, in_sight)
