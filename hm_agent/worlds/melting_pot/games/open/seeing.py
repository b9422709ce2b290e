"""From pixels to a textual map in any substrate: what the cells of a frame show, placed by the own bearings."""

from __future__ import annotations

from collections.abc import Set
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
    grounds: the words of the ground that is told.
    unknown_patches, lost_steps: as in `Perceiver`.
    """

    def __init__(self, view: GridView, bearings: Bearings, telling: Set[str], grounds: Set[str] = frozenset()) -> None:
        self._view, self._bearings, self._telling, self._grounds = view, bearings, telling, grounds
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
        unknown = sum(cell.is_unknown for cell in cells)
        self.unknown_patches += unknown
        is_lost = own.is_own and pose is None
        self.lost_steps += is_lost
        self._lost_for = self._lost_for + 1 if is_lost else 0
        places = window.cells(pose) if pose else None
        detections, effects = [], []
        for number, shown in enumerate(cells):
            place = places[number] if places else None
            if shown.effects and place:
                effects.append((place, shown.effects[0]))
            if number != window.own_index and (shown.player or shown.things) and place not in layout.walls:
                detections.append(self._detection(shown, window.offsets[number], place, pose))
        hidden = {number for number, shown in enumerate(cells) if shown.is_unknown or shown.effects}
        solid = (offset for offset, shown in zip(window.offsets, cells, strict=True) if shown.solid)
        seen = TextualMap(
            pose,
            own.is_own or pose is not None,
            own.things[0] if own.things else None,
            tuple(detections),
            self._in_view(pose, hidden),
            unknown,
            self._lost_for,
            frozenset(solid) if is_lost else frozenset(),
        )
        ground = [(place, shown.ground) for place, shown in zip(places or (), cells, strict=False) if shown.ground]
        told = tuple((place, word) for place, word in ground if word in self._grounds)
        return Sight(seen, tuple(effects), own.things, told)

    def _detection(self, shown: CellShown, offset: tuple[int, int], place: Cell | None, pose: Pose | None) -> Detection:
        if shown.player:
            facing = (pose.facing + shown.turns) % 4 if pose else None
            return Detection(shown.player, offset, place, facing, ", ".join(shown.things) or None, is_player=True)
        kind = next((thing for thing in shown.things if thing in self._telling), shown.things[0])
        beside = [thing for thing in shown.things if thing != kind]
        return Detection(kind, offset, place, mark=", ".join(beside) or None)

    def _in_view(self, pose: Pose | None, hidden: Set[int]) -> Area:
        if pose is None:
            return NOWHERE
        window, layout = self._view.window, self._bearings.layout
        if hidden:
            return layout.area(cell for number, cell in enumerate(window.cells(pose)) if number not in hidden)
        if pose not in self._areas:
            self._areas[pose] = layout.area(window.cells(pose))
        return self._areas[pose]
