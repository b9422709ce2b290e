"""Memory of things and players: where and when each was last seen (Hypothetical Minds, appendix C.2).

An entry can be outdated; it is removed when its cell is seen again without the thing. The cells where things were ever
seen are kept apart as sites, since a collected resource regrows in its place. Places to explore are cells that have
been out of view for long.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.melting_pot.grid import Cell, Layout, distance
from hm_agent.worlds.melting_pot.memory.player_belief import PlayerBeliefMap, place_to_search
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap

STEPS_PER_CELL = 4
"""One cell of distance counts as much as this many steps out of view."""
NEVER_SEEN = -300
"""The step assumed for cells that were never in view."""
MIN_SEPARATION = 5
"""The least distance in cells between two of the places that `unseen_places` returns."""
UNSEEN_PLACES = 3
"""How many places out of view a question names at most."""


@dataclass(frozen=True, slots=True)
class PlayerSighting:
    """Where, when and with which mark another player was last seen."""

    cell: Cell
    facing: int | None
    mark: str | None
    step: int


@dataclass(frozen=True, slots=True)
class Disappearance:
    """A thing found gone that the agent did not take itself. seen: the step at which it was last seen there."""

    kind: str
    cell: Cell
    seen: int


class EntityMemory:
    """Remembers things and other players as last seen, and when each cell was last in view.

    things: (kind, step last seen) by cell; a thing that came back at a respawn counts as seen then. sites: the kind of
    thing last seen on each cell, also where it is gone now. emptied: the step at which each empty site was last seen
    empty. appeared, disappeared: the things that the latest frame shows to be new, and those it shows to be gone, taken
    by others. taken: the cells where it shows the agent to have taken one. players: by name. looked_at: the step at
    which each cell was last in view. expected_kind: the kind that the other players are expected to collect, for the
    belief about their cells; None if unknown.
    """

    def __init__(self, player_belief: PlayerBeliefMap | None = None, *, all_return: bool = False) -> None:
        """player_belief: a belief about the other players' cells, which this memory keeps up to date.

        all_return: True if no player is on the map while the own avatar is not, and all things are back after that.
        """
        self.things: dict[Cell, tuple[str, int]] = {}
        self.sites: dict[Cell, str] = {}
        self.emptied: dict[Cell, int] = {}
        self.appeared: list[Cell] = []
        self.disappeared: list[Disappearance] = []
        self.taken: list[Cell] = []
        self.players: dict[str, PlayerSighting] = {}
        self.looked_at: dict[Cell, int] = {}
        self.player_belief = player_belief
        self.expected_kind: str | None = None
        self._all_return = all_return
        self._is_away = False

    def update(self, step: int, view: TextualMap) -> None:
        """Updates the memory by one frame; nothing of what it shows is remembered while the own pose is unknown."""
        if self.player_belief:
            self.player_belief.set_sites(self.sites, self.expected_kind)
            self.player_belief.update(view)
        self.appeared, self.disappeared, self.taken = [], [], []
        if view.present and self._is_away and self._all_return:
            self._restore(step)
        self._is_away = not view.present
        if view.pose is None:
            return
        self._remember(step, view.detections)
        self.looked_at |= dict.fromkeys(view.in_view, step)
        for cell in [cell for cell in view.in_view if cell in self.sites]:
            self._check_site(step, cell, taken_by_others=cell != view.pose.cell)

    def _restore(self, step: int) -> None:
        """Remembers a thing on every site, as seen in this step, and forgets where players were."""
        self.things = {cell: (kind, step) for cell, kind in self.sites.items()}
        self.emptied.clear()
        self.players.clear()

    def forget(self, player: str) -> None:
        """Drops the sighting of a player that has left its place without being seen, e.g. by a respawn."""
        self.players.pop(player, None)

    def _check_site(self, step: int, cell: Cell, taken_by_others: bool) -> None:
        """Notes whether a site in view is empty; forgets its thing if that is gone, and notes who has taken it."""
        kind, seen = self.things.get(cell, (None, -1))
        if seen == step:
            self.emptied.pop(cell, None)
            return
        if kind is not None and taken_by_others:
            self.disappeared.append(Disappearance(kind, cell, seen))
        elif kind is not None:
            self.taken.append(cell)
        self.things.pop(cell, None)
        self.emptied[cell] = step

    def _remember(self, step: int, detections: Iterable[Detection]) -> None:
        for detection in detections:
            if detection.cell is None:
                continue
            if detection.is_player:
                self.players[detection.kind] = PlayerSighting(detection.cell, detection.facing, detection.mark, step)
            else:
                if detection.cell not in self.things:
                    self.appeared.append(detection.cell)
                self.things[detection.cell] = detection.kind, step
                self.sites[detection.cell] = detection.kind

    def kinds(self) -> Mapping[Cell, str]:
        """The kind of every remembered thing, by cell."""
        return {cell: kind for cell, (kind, _) in self.things.items()}

    def cells_of(self, kind: str) -> list[Cell]:
        """The cells of the remembered things of a kind."""
        return [cell for cell, (remembered, _) in self.things.items() if remembered == kind]

    def likely_places(self, players: Sequence[str] = ()) -> tuple[tuple[Cell, float], ...]:
        """Places with the expected number of these players in view from there; all players by default."""
        return self.player_belief.likely_places(players) if self.player_belief else ()

    def likely_place(self, here: Cell, players: Sequence[str] = ()) -> Cell | None:
        """The place to search next for one of these players, or for any; None without a belief."""
        places = self.likely_places(players)
        return place_to_search(places, here) if places else None


def stalest_cell(layout: Layout, start: Cell, looked_at: Mapping[Cell, int], step: int) -> Cell:
    """The open cell with the most steps out of view less STEPS_PER_CELL for each cell of distance from `start`."""
    # Ties go to the last cell, counted column by column.
    column_by_column = layout.open_coordinates @ (layout.height, 1)
    best = np.argmax(_staleness(layout, start, looked_at, step) * layout.width * layout.height + column_by_column)
    return layout.open_cells[int(best)]


def unseen_places(
    layout: Layout, start: Cell, looked_at: Mapping[Cell, int], step: int
) -> tuple[tuple[Cell, int | None], ...]:
    """The stalest cells out of view that lie apart, each with its latest step in view, None if it never was.

    They are UNSEEN_PLACES at most, the stalest first.
    """
    staleness = dict(zip(layout.open_cells, _staleness(layout, start, looked_at, step).tolist(), strict=True))
    hidden = (cell for cell in layout.open_cells if looked_at.get(cell) != step)
    ranked = sorted(hidden, key=lambda cell: (-staleness[cell], cell))
    chosen: list[Cell] = []
    for cell in ranked:
        if all(distance(cell, other) >= MIN_SEPARATION for other in chosen):
            chosen.append(cell)
        if len(chosen) == UNSEEN_PLACES:
            break
    return tuple((cell, looked_at.get(cell)) for cell in chosen)


def _staleness(layout: Layout, start: Cell, looked_at: Mapping[Cell, int], step: int) -> npt.NDArray[np.int64]:
    """(n,) of each open cell: its steps out of view, less STEPS_PER_CELL for each cell of distance from `start`."""
    last_seen = np.fromiter(map(looked_at.get, layout.open_cells, repeat(NEVER_SEEN)), np.int64, len(layout.open_cells))
    distances = np.abs(layout.open_coordinates - start).sum(axis=1)
    staleness: npt.NDArray[np.int64] = step - last_seen - STEPS_PER_CELL * distances
    return staleness
