"""Memory of things and players: where and when each was last seen (Hypothetical Minds, appendix C.2).

An entry can be outdated; it is removed when its cell is seen again without the thing. The cells where things were ever
seen are kept apart as sites, since a collected resource regrows in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hm_agent.worlds.melting_pot.grid import Area, Cell, Layout
from hm_agent.worlds.melting_pot.memory.player_belief import PlayerBeliefMap, place_to_search
from hm_agent.worlds.melting_pot.memory.view_times import ViewTimes
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap


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

    def __init__(
        self, layout: Layout, player_belief: PlayerBeliefMap | None = None, *, all_return: bool = False
    ) -> None:
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
        self.looked_at = ViewTimes(layout)
        self.player_belief = player_belief
        self.expected_kind: str | None = None
        self._layout, self._all_return = layout, all_return
        self._is_site = np.zeros(layout.width * layout.height, np.bool_)
        """True for the number of each cell that is a site."""
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
        self.looked_at.update(step, view.in_view)
        for cell in self._sites_in(view.in_view):
            self._check_site(step, cell, taken_by_others=cell != view.pose.cell)

    def _sites_in(self, area: Area) -> list[Cell]:
        """The sites that lie in an area, in its order."""
        return [self._layout.cell(number) for number in area.numbers[self._is_site[area.numbers]].tolist()]

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
                if detection.cell not in self.sites and self._layout.contains(detection.cell):
                    self._is_site[self._layout.number(detection.cell)] = True
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
