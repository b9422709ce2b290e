"""What a question about a plan in a matrix game shows of one seat: what is known of the map, and what plans may say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jinja2 import Environment, pass_environment
from jinja2.filters import make_attrgetter

from hm_agent.models.prompts import register_filter
from hm_agent.questions import UNSHOWN
from hm_agent.worlds.melting_pot.facts import Counts, argmax
from hm_agent.worlds.melting_pot.games.game import PlanContext, shared_fields
from hm_agent.worlds.melting_pot.games.matrix.seat import MatrixSeat
from hm_agent.worlds.melting_pot.grid import Cell, Layout, Pose, distance
from hm_agent.worlds.melting_pot.planning.calls import Call
from hm_agent.worlds.melting_pot.planning.written_calls import Form, Functions, Names, call_pattern, parse_plan
from hm_agent.worlds.melting_pot.strategy import is_sought

CALLS: Functions = {
    "move_to": Form.MOVE_TO,
    "fire_at": Form.FIRE_AT,
    "fire_on_sight": Form.FIRE_ON_SIGHT,
    "collect_unseen": Form.COLLECT_UNSEEN,
    "show": Form.SHOW,
    "shadow": Form.SHADOW,
    "wait": Form.PAUSE,
}
"""The functions a plan may call."""
MOST_CALLS = 12
"""The largest number of calls in a plan; a longer one would be outdated long before its end."""


@dataclass(frozen=True, slots=True)
class Place:
    """A resource on the map. step: when it was last seen. in_view: True if its cell is in view now."""

    kind: str
    cell: Cell
    step: int
    in_view: bool


@dataclass(frozen=True, slots=True)
class Site:
    """A cell where a resource was seen earlier and is not known to be now.

    emptied: the step at which the cell was last seen empty, None if the agent has not seen it empty since it respawned.
    """

    kind: str
    cell: Cell
    emptied: int | None


@dataclass(frozen=True, slots=True)
class Seen:
    """Where and when another player was last seen. sought: True if the strategy is to interact with it.

    mark: over its head, which tells whether it is ready to interact. taken: what it is known to have taken since its
    respawn; taken_until: the step of the last of these pickups, None if there is none.
    """

    player: str
    cell: Cell
    step: int
    sought: bool
    mark: str | None = None
    taken: Counts = ()
    taken_until: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixMapSeat(MatrixSeat):
    """What one player knows of the map at a step, and what its strategy is after.

    target, expected: the inventories to reach and to expect; None for an agent that plans without a strategist.
    is_watching: True if the strategy is to meet nobody yet. things: the resources as last seen. sites: where resources
    were seen earlier and may have grown back. sightings: the other players as last seen. missing: the players to seek
    who are not among them. likely: cells where the sought players may be, each with the expected number of them in view
    from there. unseen: the cells that were out of view for longest, each with the step it was last seen, None for
    never.
    """

    blocks = "melting_pot/matrix/map_blocks.j2"
    most_calls = MOST_CALLS

    pose: Pose
    target: Counts | None = None
    expected: Counts | None = None
    is_watching: bool = False
    things: tuple[Place, ...] = ()
    sites: tuple[Site, ...] = ()
    sightings: tuple[Seen, ...] = ()
    missing: tuple[str, ...] = ()
    likely: tuple[tuple[Cell, float], ...] = ()
    unseen: tuple[tuple[Cell, int | None], ...] = ()
    layout: Layout = field(metadata=UNSHOWN)

    def to_json(self) -> Mapping[str, Any]:
        seen = {"pose": self.pose, "things": self.things, "sightings": self.sightings, "likely": self.likely}
        return {**super(MatrixMapSeat, self).to_json(), **seen}

    @property
    def names(self) -> Names:
        """The names that calls may hold."""
        return Names(self.players, self.rules.behaviours)

    def call_patterns(self, barred: Any) -> tuple[str, str]:
        """Allows calls with the agent's own cell and the cells that the prompt names, any open one if it names none."""
        named = {place.cell for place in self.things} | {site.cell for site in self.sites}
        named |= {seen.cell for seen in self.sightings} | {cell for cell, _ in (*self.likely, *self.unseen)}
        cells = sorted(filter(self.layout.is_open, {self.pose.cell, *(named or self.layout.open_cells)}))
        calls = call_pattern(CALLS, dict.fromkeys(CALLS, cells), self.names)
        return calls, calls

    def read_plan(self, texts: Sequence[str], barred: Any) -> tuple[Call, ...]:
        return parse_plan(texts, self.layout, CALLS, self.names)


def map_seat(seat: MatrixSeat, context: PlanContext, layout: Layout) -> MatrixMapSeat:
    """What the agent knows of the map, and what its strategy is after."""
    view, memory, strategy = context.view, context.memory, context.strategy
    assert view.pose is not None, "plans start from a known pose"
    in_view, seek = set(view.in_view), strategy.seek or ()
    if seat.witnessed is None:
        likely = memory.likely_places(seek)
    else:  # the opponent of a pair stands still where it was last
        likely = tuple((sight.cell, 1.0) for sight in memory.players.values())
    return MatrixMapSeat(
        **shared_fields(seat),
        pose=view.pose,
        target=strategy.target,
        expected=strategy.expected,
        is_watching=strategy.seek == (),
        things=tuple(Place(kind, cell, at, cell in in_view) for cell, (kind, at) in memory.things.items()),
        sites=tuple(
            Site(kind, cell, memory.emptied.get(cell))
            for cell, kind in memory.sites.items()
            if cell not in memory.things
        ),
        sightings=_sightings(seat, context),
        missing=tuple(player for player in seek if player not in memory.players),
        likely=likely,
        unseen=memory.looked_at.unseen_places(view.pose.cell, context.observation.step),
        layout=layout,
    )


def _sightings(seat: MatrixSeat, context: PlanContext) -> tuple[Seen, ...]:
    """The other players as last seen, with what each is known to have taken since its respawn."""
    records = {other.player: other.present for other in seat.others}
    return tuple(
        Seen(
            player=player,
            cell=seen.cell,
            step=seen.step,
            sought=is_sought(player, context.strategy.seek),
            mark=seen.mark,
            taken=record.taken if (record := records[player]) else (),
            taken_until=record.step if record else None,
        )
        for player, seen in context.memory.players.items()
        if player in records
    )


@pass_environment
def nearest(environment: Environment, items: Iterable[Any], start: Cell, attribute: str | int) -> list[Any]:
    """Sorts items by their distance from a start, then by cell.

    attribute: where an item holds its cell, as in Jinja2's `sort`.
    """
    cell_of = make_attrgetter(environment, attribute)
    return sorted(items, key=lambda item: (distance(start, cell_of(item)), cell_of(item)))


register_filter("nearest", nearest)
register_filter("argmax", argmax)
