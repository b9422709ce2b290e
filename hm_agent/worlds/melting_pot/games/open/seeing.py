"""From pixels to a textual map in any substrate: what the cells of a frame show, placed by the own bearings."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.games.open.bearings import Bearings
from hm_agent.worlds.melting_pot.games.open.grid_view import CellShown, GridView
from hm_agent.worlds.melting_pot.grid import NOWHERE, Area, Cell, Move, Pose
from hm_agent.worlds.melting_pot.perception.sprites import Pixels
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap


@dataclass(frozen=True, slots=True)
class Sight:
    """What a frame shows.

    effects: the beams and hands in view. own: what shows together with the own avatar. ground: that of each cell in
    view whose ground is told.
    """

    map: TextualMap
    effects: tuple[tuple[Cell, str], ...]
    own: tuple[str, ...]
    ground: tuple[tuple[Cell, str], ...] = ()


class Seeing:
    """One player's perception in one episode.

    telling: the things that matter most: a cell that holds several is known by the first of these, else by the top one.
    What is scenery on a known map, and none of them, is left out. grounds: the words of the ground that is told.
    unknown_patches, lost_steps: as in `Perceiver`.
    """

    def __init__(self, view: GridView, bearings: Bearings, telling: Set[str], grounds: Set[str] = frozenset()) -> None:
        self._view, self._bearings, self._telling, self._grounds = view, bearings, telling, grounds
        self._scenery = frozenset(view.words[sprite] for sprite in bearings.scenery) - telling
        self._areas: dict[Pose, Area] = {}
        self.unknown_patches = self.lost_steps = 0
        self._lost_for = 0

    def see(self, rgb: Pixels, move: Move) -> Sight:
        """Perceives one frame. move: the own step or turn since the frame before, NOOP for anything else."""
        window, layout = self._view.window, self._bearings.layout
        labels = self._view.atlas.label(rgb)
        cells = [self._view.shown(label) for label in labels]
        own = cells[window.own_index]
        pose = self._bearings.update(labels, move)
        is_present = own.is_own or pose is not None
        is_lost = is_present and pose is None
        unknown = sum(cell.is_unknown for cell in cells)
        self.unknown_patches += unknown
        self.lost_steps += is_lost
        self._lost_for = self._lost_for + 1 if is_lost else 0
        area = self._area(pose) if pose else None
        detections: list[Detection] = []
        effects: list[tuple[Cell, str]] = []
        for number, shown in enumerate(cells):
            place = area.cells[number] if area else None
            if shown.effects and place:
                effects.append((place, shown.effects[0]))
            if number != window.own_index and place not in layout.walls:
                detections += self._detected(shown, window.offsets[number], place, pose)
        ground = self._ground(cells, area) if area and self._grounds else ()
        hidden = {number for number, shown in enumerate(cells) if shown.is_unknown or shown.effects}
        if area and hidden:
            area = layout.area(cell for number, cell in enumerate(area.cells) if number not in hidden)
        solid = [offset for offset, shown in zip(window.offsets, cells, strict=True) if shown.solid] if is_lost else ()
        seen = TextualMap(
            pose,
            is_present,
            own.things[0] if own.things else None,
            tuple(detections),
            area or NOWHERE,
            unknown,
            self._lost_for,
            frozenset(solid),
        )
        own_things = tuple(thing for thing in own.things if thing not in self._scenery)
        return Sight(seen, tuple(effects), own_things, ground)

    def _detected(
        self, shown: CellShown, offset: tuple[int, int], place: Cell | None, pose: Pose | None
    ) -> Sequence[Detection]:
        """The player in a cell or else the thing that matters most, if either is there."""
        if shown.player:
            facing = (pose.facing + shown.turns) % 4 if pose else None
            return [Detection(shown.player, offset, place, facing, ", ".join(shown.things) or None, is_player=True)]
        things = [thing for thing in shown.things if thing not in self._scenery]
        if not things:
            return ()
        kind = next((thing for thing in things if thing in self._telling), things[0])
        return [Detection(kind, offset, place, mark=", ".join(thing for thing in things if thing != kind) or None)]

    def _ground(self, cells: Sequence[CellShown], area: Area) -> tuple[tuple[Cell, str], ...]:
        """The cells whose ground is told, as far as it shows."""
        told = ((place, shown.ground) for place, shown in zip(area.cells, cells, strict=True))
        return tuple((place, word) for place, word in told if word and word in self._grounds)

    def _area(self, pose: Pose) -> Area:
        """The cells in view at a pose, in the order of the window."""
        if pose not in self._areas:
            layout, cells = self._bearings.layout, self._view.window.cells(pose)
            if self._bearings.is_torus:
                cells = tuple((x % layout.width, y % layout.height) for x, y in cells)
            self._areas[pose] = layout.area(cells)
        return self._areas[pose]
