"""What was seen where, and when (Hypothetical Minds, appendix C.2).

A memory can be outdated; it is removed as soon as its cell is seen again without the thing. Where a kind of thing was
ever seen is kept apart, since what was taken may grow back in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.grid import Cell
from hm_agent.worlds.melting_pot.memory.player_belief import PlayerBeliefMap, worth_going_to
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap


@dataclass(frozen=True, slots=True)
class PlayerSighting:
    """When and where another player was last seen."""

    cell: Cell
    facing: int | None
    mark: str | None
    step: int


@dataclass(frozen=True, slots=True)
class Loss:
    """A thing found gone that one did not take oneself. seen: the step it was last seen there."""

    kind: str
    cell: Cell
    seen: int


class EntityMemory:
    """Things with the step they were last seen, other players, and when each cell was last in view."""

    def __init__(self, whereabouts: PlayerBeliefMap | None = None) -> None:
        """whereabouts: a belief to keep about where other players are."""
        self.things: dict[Cell, tuple[str, int]] = {}
        self.sites: dict[Cell, str] = {}
        self.emptied: dict[Cell, int] = {}
        """The sites that were seen empty since one is on the map, with the step: what is taken grows back with time."""
        self.lost: list[Loss] = []
        """What the latest frame has shown to be gone: others have taken it since it was last seen."""
        self.players: dict[str, PlayerSighting] = {}
        self.looked_at: dict[Cell, int] = {}
        self.whereabouts = whereabouts

    def update(self, step: int, view: TextualMap) -> None:
        """Takes in one frame; a frame of unknown pose leaves no memory."""
        if self.whereabouts:
            self.whereabouts.notice(self.sites)
            self.whereabouts.update(view)
        self.lost = []
        if not view.present:
            self.emptied.clear()
        if view.pose is None:
            return
        self._remember(step, view.sights)
        for cell in view.in_view:
            self.looked_at[cell] = step
            if cell in self.sites:
                self._check_site(step, cell, taken_by_others=cell != view.pose.cell)

    def _check_site(self, step: int, cell: Cell, taken_by_others: bool) -> None:
        """Forgets what is seen to be there no more."""
        kind, seen = self.things.get(cell, (None, -1))
        if seen == step:
            self.emptied.pop(cell, None)
            return
        if kind is not None and taken_by_others:
            self.lost.append(Loss(kind, cell, seen))
        self.things.pop(cell, None)
        self.emptied[cell] = step

    def _remember(self, step: int, sights: Iterable[Detection]) -> None:
        for sight in sights:
            if sight.cell is None:
                continue
            if sight.is_player:
                self.players[sight.kind] = PlayerSighting(sight.cell, sight.facing, sight.mark, step)
            else:
                self.things[sight.cell] = sight.kind, step
                self.sites[sight.cell] = sight.kind

    def kinds(self) -> Mapping[Cell, str]:
        """The kind of every thing believed to be there."""
        return {cell: kind for cell, (kind, _) in self.things.items()}

    def cells_of(self, kind: str) -> list[Cell]:
        """Where things of a kind are believed to be."""
        return [cell for cell, (remembered, _) in self.things.items() if remembered == kind]

    def likely_places(self, players: Sequence[str] = ()) -> tuple[tuple[Cell, float], ...]:
        """Where these players, or any, may be seen from, and how many of them to expect there."""
        return self.whereabouts.likely_places(players) if self.whereabouts else ()

    def likely_place(self, here: Cell, players: Sequence[str] = ()) -> Cell | None:
        """Where to look for one of these players, or for any, from here; None without a belief."""
        places = self.likely_places(players)
        return worth_going_to(places, here) if places else None

    def last_seen(self) -> Iterator[tuple[str, Cell, int]]:
        """Every thing and player that is known of, by kind or name, with where and at which step it was last seen."""
        for cell, (kind, step) in self.things.items():
            yield kind, cell, step
        for name, sighting in self.players.items():
            yield name, sighting.cell, sighting.step
