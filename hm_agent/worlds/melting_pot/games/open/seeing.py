"""From pixels to a textual map in any substrate: what the cells of a frame show, placed by the own bearings."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.games.open.bearings import Bearings
from hm_agent.worlds.melting_pot.games.open.grid_view import CellShown, GridView
from hm_agent.worlds.melting_pot.grid import Cell, Move
from hm_agent.worlds.melting_pot.perception.atlas import UNKNOWN, Labels
from hm_agent.worlds.melting_pot.perception.placing import CellContent, Contents, MapMaker
from hm_agent.worlds.melting_pot.perception.sprites import Pixels
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap


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


class Seeing(MapMaker):
    """One player's perception in one episode.

    telling: the things that matter most: a cell that holds several is known by the first of these, else by the top one.
    What is scenery on a known map, and none of them, is left out. grounds: the words of the ground that is told.
    """

    def __init__(self, view: GridView, bearings: Bearings, telling: Set[str], grounds: Set[str] = frozenset()) -> None:
        super().__init__(bearings.areas)
        self._view, self._bearings, self._telling, self._grounds = view, bearings, telling, grounds
        self._scenery = frozenset(view.words[sprite] for sprite in bearings.scenery) - telling
        self._known: list[CellContent | None] = []
        """What is told of a cell by its label, None if nothing is, as far as labels were seen."""

    def see(self, rgb: Pixels, move: Move) -> FrameSeen:
        """Perceives one frame. move: the own step or turn since the frame before, NOOP for anything else."""
        labels, own_index = self._view.atlas.label(rgb), self._view.window.own_index
        contents = self._contents(rgb, labels)
        own = self._view.shown(labels[own_index])
        pose = self._bearings.update(labels, move)
        area, walls = self._areas[pose] if pose else None, self._bearings.layout.walls
        seen = self._placed(
            pose,
            [(n, each) for n, each in contents if n != own_index and not (area and area.cells[n] in walls)],
            {n for n, each in contents if each.is_hidden},
            is_present=own.is_own or pose is not None,
            mark=own.things[0] if own.things else None,
            unknown=sum(each.is_unknown for _, each in contents),
            walls=lambda: self._solid(labels),
        )
        placed = [(area.cells[n], each) for n, each in contents] if area else []
        return FrameSeen(
            seen,
            tuple((cell, each.effect) for cell, each in placed if each.effect),
            tuple(thing for thing in own.things if thing not in self._scenery),
            tuple((cell, each.ground) for cell, each in placed if each.ground),
        )

    def _contents(self, rgb: Pixels, labels: Labels) -> Contents:
        """The cells of which something is told; what nothing explains is guessed."""
        known, atlas = self._known, self._view.atlas
        if len(known) < len(atlas.labels):
            known += (self._told_of(self._view.shown(label)) for label in range(len(known), len(atlas.labels)))
        contents = [(number, told) for number, label in enumerate(labels) if (told := known[label]) is not None]
        if UNKNOWN in labels:
            return [(number, self._guessed(rgb, number) if told.is_unknown else told) for number, told in contents]
        return contents

    def _guessed(self, rgb: Pixels, number: int) -> CellContent:
        """What is told of a cell that nothing explains."""
        told = self._told_of(self._view.guessed(rgb, number))
        assert told is not None, "that it is unknown is told"
        return told

    def _told_of(self, shown: CellShown) -> CellContent | None:
        """What is told of a cell; None if nothing is."""
        things = [thing for thing in shown.things if thing not in self._scenery]
        kind = shown.player or next((thing for thing in things if thing in self._telling), next(iter(things), None))
        effect, ground = next(iter(shown.effects), None), shown.ground if shown.ground in self._grounds else None
        if not (kind or effect or ground or shown.is_unknown):
            return None
        beside = shown.things if shown.player else [thing for thing in things if thing != kind]
        return CellContent(
            kind or "",
            ", ".join(beside) or None,
            shown.player is not None,
            shown.turns,
            is_hidden=shown.is_unknown or effect is not None,
            is_unknown=shown.is_unknown,
            effect=effect,
            ground=ground,
        )

    def _solid(self, labels: Labels) -> Iterator[tuple[int, int]]:
        """The offsets of the cells that something blocks."""
        cells = zip(self._view.window.offsets, labels, strict=True)
        return (offset for offset, label in cells if self._view.shown(label).solid)
