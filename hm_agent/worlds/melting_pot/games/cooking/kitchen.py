"""A kitchen as one cook knows it: its stations and rooms, what the cook holds, and the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType

from hm_agent.models.prompts import phrase
from hm_agent.worlds.melting_pot.games.cooking.facts import Rooms, SoupRecipe
from hm_agent.worlds.melting_pot.games.cooking.roles import BEHAVIOURS, ROLES
from hm_agent.worlds.melting_pot.games.options import Hints
from hm_agent.worlds.melting_pot.grid import Cell, Layout, around
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.planning.walking import steps_from

_reason = partial(phrase, "melting_pot/cooking/messages.j2")

ROUND_LIMIT = 60
"""The steps without a delivery after which a round ends all the same, so that a useless teammate is recognised."""
ROLE_WINDOW = 45
"""The least number of latest steps that determine a role: about the time to fill a pot, cook and deliver."""

TOMATO, DISH, SOUP = "tomato", "dish", "soup"
"""What a cook can hold."""
TOMATOES, DISHES, DELIVERY, COUNTER = "tomato_dispenser", "dish_dispenser", "delivery", "counter"
"""The kinds of stations other than pots; a counter is a station only while something lies on it."""
POT = "pot_"
"""The prefix of a pot's kind, which ends with the number of tomatoes in it."""
APART: Rooms = "apart"
HANDOVER: Rooms = "handover"
SHARED: Rooms = "shared"
EMPTY_POT = f"{POT}0"
DISPENSED = {TOMATOES: TOMATO, DISHES: DISH}
"""What a dispenser gives."""
COOKED = "cooked"
"""The mark of a pot whose progress bar is full; until then its mark is a share such as `40%`."""


@dataclass(frozen=True, slots=True)
class Station:
    """Something a cook can use, as last seen. mark: what lies on it, or a pot's progress. step: when it was seen."""

    kind: str
    cell: Cell
    mark: str | None
    step: int


@dataclass(frozen=True, slots=True)
class Pot:
    """A pot as last seen. mark: its progress. ready: the step from which a dish takes its soup, None until it is full.

    The progress bar moves every other step, so the soup may be ready one step earlier.
    """

    cell: Cell
    tomatoes: int
    mark: str | None
    step: int
    is_full: bool
    ready: int | None

    @property
    def is_cooked(self) -> bool:
        """True if it was cooked when last seen."""
        return self.mark == COOKED

    def is_cooked_by(self, step: int) -> bool:
        """True if its soup can be taken at a step, extrapolated from when it was last seen."""
        return self.ready is not None and self.ready <= step

    def why_useless(self, hands: str | None, step: int) -> str | None:
        """Why using the pot at a step would do nothing unless it changes, in words; None if it may work.

        hands: what the cook holds at that step.
        """
        if hands == TOMATO:
            return _reason("pot_full") if self.is_full else None
        if hands == DISH and not self.is_full:
            return _reason("pot_not_full", tomatoes=self.tomatoes)
        if hands == DISH:
            return None if self.is_cooked or self.is_cooked_by(step + 1) else _reason("soup_not_cooked")
        return _reason("takes_no_soup" if hands == SOUP else "gives_nothing")


def count(thing: str, number: int) -> str:
    """`1 tomato`, `2 tomatoes`."""
    return f"{number} {thing}{'' if number == 1 else 'es' if thing.endswith('o') else 's'}"


class Kitchen:
    """What one cook has seen of a kitchen so far.

    places: where its stations are known to be before that, by the beginning of their kind; if any, nothing has to be
    looked for.
    """

    def __init__(
        self, layout: Layout, recipe: SoupRecipe, places: Mapping[str, Set[Cell]] = MappingProxyType({})
    ) -> None:
        self._layout, self._recipe = layout, recipe
        self.stations: dict[Cell, Station] = {
            cell: Station(EMPTY_POT if kind == POT else kind, cell, DISPENSED.get(kind), 0)
            for kind, cells in places.items()
            for cell in cells
        }
        self.hands: str | None = None
        """What the cook holds."""
        self.looked_at: dict[Cell, int] = dict.fromkeys(layout.walls if places else (), 0)
        """The step at which each cell was last in view."""
        self._pots: tuple[Pot, ...] | None = None
        """The pots as of the latest frame; None until asked for."""

    def update(self, step: int, view: TextualMap) -> None:
        """Updates the kitchen with one frame; with a frame of unknown pose, only what the cook holds."""
        self.hands = view.mark
        if view.pose is None:
            return
        seen = {
            sight.cell: Station(sight.kind, sight.cell, sight.mark, step)
            for sight in view.things
            if sight.cell is not None
        }
        for cell in view.in_view:
            self.looked_at[cell] = step
            self.stations.pop(cell, None)
        self.stations |= seen
        self._pots = None

    @property
    def pots(self) -> tuple[Pot, ...]:
        """The pots seen so far, sorted by cell."""
        if self._pots is None:
            stations = (station for _, station in sorted(self.stations.items()) if station.kind.startswith(POT))
            self._pots = tuple(map(self.as_pot, stations))
        return self._pots

    def as_pot(self, station: Station) -> Pot:
        """The pot that a station of kind `pot_<tomatoes>` shows."""
        tomatoes = int(station.kind.removeprefix(POT))
        is_full = tomatoes >= self._recipe.tomatoes
        ready = None
        if is_full:
            whole = self._recipe.cooking_steps - 1  # the frame that shows it full is one step old
            share = 100 if station.mark == COOKED else int((station.mark or "0").removesuffix("%"))
            ready = station.step + whole - share * whole // 100
        return Pot(station.cell, tomatoes, station.mark, station.step, is_full, ready)

    def reachable(self, here: Cell) -> dict[Cell, Station]:
        """The stations seen so far that can be used from the room with this cell; pots can be used from both rooms."""
        within = self.within_reach(here)
        return {cell: station for cell, station in self.stations.items() if cell in within}

    def within_reach(self, here: Cell) -> frozenset[Cell]:
        """All wall cells, stations or bare counters, that can be used from the room with this cell."""
        return self._reach.get(here, frozenset())

    def room(self, here: Cell) -> frozenset[Cell]:
        """All cells that a cook can walk to from this one."""
        return next((room for room in self.rooms if here in room), frozenset({here}))

    @cached_property
    def rooms(self) -> Sequence[frozenset[Cell]]:
        """The connected components of the floor, from the west."""
        return rooms(self._layout)

    @cached_property
    def between(self) -> frozenset[Cell]:
        """The wall cells that can be used from two rooms: pots, or counters on which things are handed over."""
        west, *others = ({*self._reach[min(room)]} for room in self.rooms)
        return frozenset(cell for other in others for cell in other & west)

    @property
    def handover(self) -> tuple[Cell, ...]:
        """The counters over which things can be handed to the other room, sorted."""
        return tuple(sorted(self.between - {pot.cell for pot in self.pots}))

    @cached_property
    def _reach(self) -> dict[Cell, frozenset[Cell]]:
        """For each open cell the wall cells next to its room."""
        walls = self._layout.walls
        reach = [(room, walls & {cell for place in room for cell in around(place)}) for room in self.rooms]
        return {here: within for room, within in reach for here in room}


def rooms(layout: Layout) -> list[frozenset[Cell]]:
    """The connected components of a map's open cells, from the west, but for those outside: on the map's edge."""
    components: list[frozenset[Cell]] = []
    for cell in sorted(layout.open_cells):
        if not any(cell in room for room in components):
            components.append(frozenset(steps_from(layout, cell)))
    return [room for room in components if not any(map(layout.is_at_edge, room))]


@dataclass(frozen=True, slots=True)
class KitchenRules:
    """The facts of a kitchen that every cook knows.

    steps: the length of an episode. hints: what prompts say of rules that teammates may follow. round_limit: the
    largest number of steps of a round. role_window: the smallest number of latest steps that determine a role. rooms:
    as in `KitchenFacts`. cooks: how many there are.
    """

    width: int
    height: int
    tomatoes: int
    cooking_steps: int
    reward: float
    steps: int
    roles: tuple[str, ...] = ROLES
    behaviours: tuple[str, ...] = BEHAVIOURS
    hints: Hints = Hints.GENERIC
    round_limit: int = ROUND_LIMIT
    role_window: int = ROLE_WINDOW
    rooms: Rooms = APART
    cooks: int = 2

    def check_role(self, role: str) -> None:
        """Raises ValueError for an unknown role."""
        _check_known("unknown_role", "role", role, self.roles)

    def check_behaviour(self, name: str, behaviour: str) -> None:
        """Raises ValueError for an unknown behaviour. name: the answer's field, for the error text."""
        _check_known("unknown_behaviour", name, behaviour, self.behaviours)


def _check_known(refusal: str, field: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        given, names = repr(value[:20]), list(map(repr, known))
        raise ValueError(phrase("melting_pot/cooking/messages.j2", refusal, field=field, given=given, known=names))
