"""From pixels to a textual map in any substrate: what the cells of a frame show, placed by the own bearings."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from hm_agent.worlds.melting_pot.games.open.bearings import Bearings
from hm_agent.worlds.melting_pot.games.open.grid_view import CellShown, GridView
from hm_agent.worlds.melting_pot.grid import NOWHERE, Area, Cell, Move, Pose
from hm_agent.worlds.melting_pot.perception.atlas import UNKNOWN, Labels
from hm_agent.worlds.melting_pot.perception.sprites import Pixels
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap


@dataclass(frozen=True, slots=True)
class FrameSeen:
    """What a frame shows.

    effects: the beams and hands in view. own: what shows together with the own avatar. ground: that of each cell in
    view whose ground is told.
    """

    map: TextualMap
    effects: tuple[tuple[Cell, str], ...]
    own: tuple[str, ...]
    ground: tuple[tuple[Cell, str], ...] = ()


class CellNews(NamedTuple):
    """What is told of a cell. kind: the player there or else the thing that matters most; None if there is neither.

    mark: what shows besides. turns: a player's facing on the frame. effect: a beam or hand there. ground: if it is
    told.
    """

    kind: str | None
    mark: str | None
    is_player: bool
    turns: int
    effect: str | None
    ground: str | None
    is_unknown: bool


class Seeing:
    """One player's perception in one episode.

    telling: the things that matter most: a cell that holds several is known by the first of these, else by the top one.
    What is scenery on a known map, and none of them, is left out. grounds: the words of the ground that is told.
    unknown_patches, lost_steps: as in `Perceiver`.
    """

    def __init__(self, view: GridView, bearings: Bearings, telling: Set[str], grounds: Set[str] = frozenset()) -> None:
        self._view, self._bearings, self._telling, self._grounds = view, bearings, telling, grounds
        self._scenery = frozenset(view.words[sprite] for sprite in bearings.scenery) - telling
        self._news: list[CellNews | None] = []
        """What is told of a cell by its label, None if nothing is, as far as labels were seen."""
        self._areas: dict[Pose, Area] = {}
        self.unknown_patches = self.lost_steps = 0
        self._lost_for = 0

    def see(self, rgb: Pixels, move: Move) -> FrameSeen:
        """Perceives one frame. move: the own step or turn since the frame before, NOOP for anything else."""
        window = self._view.window
        labels = self._view.atlas.label(rgb)
        news = self._news
        if len(news) < len(self._view.atlas.labels):
            news += map(self._told, range(len(news), len(self._view.atlas.labels)))
        found = [(number, told) for number, label in enumerate(labels) if (told := news[label]) is not None]
        if UNKNOWN in labels:
            found = [(number, self._guessed(rgb, number) if told.is_unknown else told) for number, told in found]
        own = self._view.shown(labels[window.own_index])
        pose = self._bearings.update(labels, move)
        is_present = own.is_own or pose is not None
        is_lost = is_present and pose is None
        unknown = sum(told.is_unknown for _, told in found)
        self.unknown_patches += unknown
        self.lost_steps += is_lost
        self._lost_for = self._lost_for + 1 if is_lost else 0
        area = self._area(pose) if pose else None
        seen = TextualMap(
            pose,
            is_present,
            own.things[0] if own.things else None,
            self._detections(found, area, pose),
            self._in_view(found, area),
            unknown,
            self._lost_for,
            self._solid(labels) if is_lost else frozenset(),
        )
        placed = [(area.cells[number], told) for number, told in found] if area else []
        return FrameSeen(
            seen,
            tuple((cell, told.effect) for cell, told in placed if told.effect),
            tuple(thing for thing in own.things if thing not in self._scenery),
            tuple((cell, told.ground) for cell, told in placed if told.ground),
        )

    def _guessed(self, rgb: Pixels, number: int) -> CellNews:
        """What is told of a cell that nothing explains."""
        told = self._told_of(self._view.guessed(rgb, number))
        assert told is not None, "that it is unknown is told"
        return told

    def _told(self, label: int) -> CellNews | None:
        """What is told of a cell with a label; None if nothing is."""
        return self._told_of(self._view.shown(label))

    def _told_of(self, shown: CellShown) -> CellNews | None:
        things = [thing for thing in shown.things if thing not in self._scenery]
        kind = shown.player or next((thing for thing in things if thing in self._telling), next(iter(things), None))
        effect, ground = next(iter(shown.effects), None), shown.ground if shown.ground in self._grounds else None
        if not (kind or effect or ground or shown.is_unknown):
            return None
        beside = shown.things if shown.player else [thing for thing in things if thing != kind]
        mark, is_player = ", ".join(beside) or None, shown.player is not None
        return CellNews(kind, mark, is_player, shown.turns, effect, ground, shown.is_unknown)

    def _detections(
        self, found: Sequence[tuple[int, CellNews]], area: Area | None, pose: Pose | None
    ) -> tuple[Detection, ...]:
        window, walls = self._view.window, self._bearings.layout.walls
        detections = []
        for number, told in found:
            cell = area.cells[number] if area else None
            if told.kind is not None and number != window.own_index and cell not in walls:
                facing = (pose.facing + told.turns) % 4 if pose and told.is_player else None
                offset = window.offsets[number]
                detections.append(Detection(told.kind, offset, cell, facing, told.mark, told.is_player))
        return tuple(detections)

    def _in_view(self, found: Sequence[tuple[int, CellNews]], area: Area | None) -> Area:
        """The cells whose content the frame shows."""
        hidden = {number for number, told in found if told.is_unknown or told.effect}
        if area is None or not hidden:
            return area or NOWHERE
        return self._bearings.layout.area(cell for number, cell in enumerate(area.cells) if number not in hidden)

    def _solid(self, labels: Labels) -> frozenset[tuple[int, int]]:
        """The offsets of the cells that something blocks."""
        cells = zip(self._view.window.offsets, labels, strict=True)
        return frozenset(offset for offset, label in cells if self._view.shown(label).solid)

    def _area(self, pose: Pose) -> Area:
        """The cells in view at a pose, in the order of the window."""
        if pose not in self._areas:
            layout = self._bearings.layout
            self._areas[pose] = layout.area(map(layout.wrapped, self._view.window.cells(pose)))
        return self._areas[pose]
