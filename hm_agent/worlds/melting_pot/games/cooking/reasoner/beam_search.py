"""Plans a cook's work by beam search: which stations to use in which order, so that soups are delivered soonest.

Where cooks have rooms of their own, the search takes the teammate to do nothing: simulating what it does to the pots by
its role and pace earned no more. Elsewhere it counts on what teammates are expected to do (`teamwork.py`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from operator import attrgetter

from hm_agent.worlds.melting_pot.games.cooking.kitchen import APART, DELIVERY, DISH, DISPENSED, SOUP, TOMATO
from hm_agent.worlds.melting_pot.games.cooking.reasoner.search_states import (
    COOKING,
    Errand,
    Node,
    State,
    UnfinishedValue,
)
from hm_agent.worlds.melting_pot.games.cooking.reasoner.teamwork import NEVER, Contents, Teamwork, replaced
from hm_agent.worlds.melting_pot.games.cooking.roles import LOADS, SERVES
from hm_agent.worlds.melting_pot.games.cooking.room_seat import KitchenRoomSeat
from hm_agent.worlds.melting_pot.games.cooking.work_costs import Approach, approaches_from
from hm_agent.worlds.melting_pot.grid import Cell, Layout, Pose
from hm_agent.worlds.melting_pot.planning.calls import Call, Interact, Wait
from hm_agent.worlds.melting_pot.planning.passing import STANDING

HORIZON = 100
"""The number of steps to search ahead."""
WIDTH = 8
"""The number of nodes that are expanded at each step."""
PATIENCE = 24
"""The largest number of steps to approach one pot and wait there."""
MOST_PLANNED = 10
"""The largest number of calls in a plan; much may have changed by then, so the rest is left to the next plan."""
COUNTERS_TRIED = 2
"""The number of nearest bare counters on which the agent may put down what it holds."""
OTHERS_WORK_COST = 0.03
"""The cost, in soups, of fetching what the role of others needs rather than the agent's, for each teammate there is."""

OWN_THING = {LOADS: TOMATO, SERVES: DISH}
"""What a cook of a specialised role fetches."""

BY_VALUE = attrgetter("value")


class BeamSearch:
    """Searches for the best plan of one cook: at each step it expands the most valuable nodes up to the horizon.

    It expands many hundred nodes, about half of which have the same state as a node at another time.
    """

    def __init__(self, seat: KitchenRoomSeat) -> None:
        self._seat, now = seat, seat.step
        self._standing = frozenset(mate.cell for mate in seat.teammates if mate.stood >= STANDING)
        self._layout = replace(seat.layout, walls=seat.layout.walls | self._standing) if self._standing else seat.layout
        self._pots = [pot.cell for pot in seat.pots]
        self._deliveries = [station.cell for station in seat.stations if station.kind == DELIVERY]
        self._unfinished = UnfinishedValue.of(seat)
        self._barred = {barred.cell for barred in seat.barred}
        left = seat.rules.steps - now
        self._horizon, self._is_end = max(1, min(HORIZON, left)), left <= HORIZON
        self._team, self._counts_on_others = Teamwork.of(seat), seat.rules.rooms != APART
        self._things = list(_things_to_fetch(seat, self._team.counters))
        kitchen = tuple(self._pots), tuple(self._deliveries), tuple(self._things), seat.spare, seat.rules, self._team
        self._states = _states_in(self._layout, kitchen, self._unfinished)
        contents = self._team.foresee(
            [(p.tomatoes, NEVER if p.ready is None else max(0, p.ready - now)) for p in seat.pots]
        )
        self._start = Node(0, self._state_at(0, seat.pose, seat.hands, contents), 0.0)

    def best_plan(self) -> list[Call]:
        """The first calls on the way to the best node at the horizon."""
        layers: list[dict[State, Node]] = [{} for _ in range(self._horizon)]
        layers[0][self._start.state] = self._start
        ends = [self._start]
        for layer in layers:
            expanded = sorted(layer.values(), key=BY_VALUE, reverse=True)[:WIDTH]
            for node in expanded:
                for option in self._options(node):
                    if option.counter in node.counters:
                        continue
                    time = node.time + option.steps
                    if time < self._horizon:
                        _keep(node, option, layers[time])
                    elif not self._is_end:
                        ends.append(node.after(option))
            if self._is_end or self._counts_on_others:  # what can be done then may end before the horizon
                ends += expanded
        # Work on a soup that is not delivered before the episode ends earns nothing.
        return _plan_to(max(ends, key=lambda node: node.soups) if self._is_end else max(ends, key=BY_VALUE))

    def _options(self, node: Node) -> list[Errand]:
        """What the agent can do next.

        Only at the start are cells barred, and can it use what it faces without a step in between.
        """
        state = node.state
        if node.parent is None:
            ways = self._ways(state.pose)
            return list(self._options_by({cell: way for cell, way in ways.items() if cell not in self._barred}, state))
        if state.options is None:
            state.options = list(self._options_by(_between_uses(self._ways(state.pose)), state))
        return state.options

    def _ways(self, start: Pose) -> Ways:
        """The shortest ways past those who stand around; where there is none, through them, since they may leave."""
        ways = approaches_from(self._layout, start)
        if not self._standing:
            return ways
        through = approaches_from(self._seat.layout, start)
        late = {cell: Approach(way.moves + PATIENCE, way.pose) for cell, way in through.items() if cell not in ways}
        return {**ways, **late}

    def _options_by(self, ways: Ways, state: State) -> Iterator[Errand]:
        match state.hands:
            case None:
                yield from self._fetch(ways, state)
            case "tomato":
                yield from self._fill(ways, state)
                yield from self._hand_over(ways, state)
                yield from self._put_down(ways, state)
            case "dish":
                yield from self._take_soup(ways, state)
                yield from self._hand_over(ways, state)
                yield from self._put_down(ways, state)
            case "soup":
                yield from self._deliver(ways, state)
        if state.hands in (None, DISH):
            yield from self._wait(ways, state)

    def _fetch(self, ways: Ways, state: State) -> Iterator[Errand]:
        """Takes a tomato, a dish, or what lies on a counter."""
        for cell, thing, cost, counter in self._things:
            if cell in ways:
                yield self._errand(ways[cell], cell, thing, state.pots, gain=-cost, counter=counter)

    def _fill(self, ways: Ways, state: State) -> Iterator[Errand]:
        """Puts a tomato into a pot that has room."""
        for n, cell in enumerate(self._pots):
            count, ready = state.pots[n]
            if cell not in ways or count >= self._seat.rules.tomatoes:
                continue
            way, is_in_use = ways[cell], ready < NEVER  # teammates use an empty pot until it is ready
            if is_in_use and max(ready, way.moves) > PATIENCE:
                continue
            there = way._replace(moves=max(ready, way.moves)) if is_in_use else way
            content, gain = self._team.filled(state.pots[n], there.moves)
            after = replaced(state.pots, n, content)
            yield self._errand(there, cell, None, after, gain=gain, waits=is_in_use)

    def _hand_over(self, ways: Ways, state: State) -> Iterator[Errand]:
        """Puts a tomato or a dish where the teammate can take it, who then uses it at a pot."""
        counters = [cell for cell in self._team.counters if cell in ways and cell in self._seat.spare]
        for cell in sorted(counters, key=lambda cell: ways[cell].moves)[:COUNTERS_TRIED]:
            after = self._team.handed(state.hands, state.pots, ways[cell].moves)
            if after is not None:
                gain = 1.0 if state.hands == DISH else 0.0
                yield self._errand(ways[cell], cell, None, after, gain=gain, counter=cell)

    def _take_soup(self, ways: Ways, state: State) -> Iterator[Errand]:
        """Takes soup from a pot, and waits until it is cooked where necessary."""
        for n, cell in enumerate(self._pots):
            count, ready = state.pots[n]
            if cell in ways and count and (begins := max(ready, ways[cell].moves)) <= PATIENCE:
                there = ways[cell]._replace(moves=begins)
                yield self._errand(there, cell, SOUP, replaced(state.pots, n, (0, NEVER)), waits=True)

    def _deliver(self, ways: Ways, state: State) -> Iterator[Errand]:
        for cell in self._deliveries:
            if cell in ways:
                yield self._errand(ways[cell], cell, None, state.pots, gain=1.0)

    def _put_down(self, ways: Ways, state: State) -> Iterator[Errand]:
        """Puts what the agent holds on one of the nearest bare counters."""
        spare = [cell for cell in self._seat.spare if cell in ways]
        for cell in sorted(spare, key=lambda cell: ways[cell].moves)[:COUNTERS_TRIED]:
            yield self._errand(ways[cell], cell, None, state.pots, counter=cell)

    def _wait(self, ways: Ways, state: State) -> Iterator[Errand]:
        """Waits at the pot that is ready next, and leaves open what follows."""
        cooking = [(ready, n) for n, (count, ready) in enumerate(state.pots) if count and 0 < ready < NEVER]
        ready, n = min(cooking, default=(NEVER, 0))
        if ready > PATIENCE or self._pots[n] not in ways:
            return
        way = ways[self._pots[n]]
        if way.moves <= ready:
            after = self._state_at(ready + 1, way.pose, state.hands, state.pots)
            yield Errand(ready + 1, after, (Wait(self._pots[n]),), is_open=True)

    def _errand(
        self,
        there: Approach,
        cell: Cell,
        hands: str | None,
        pots: Contents,
        *,
        gain: float = 0.0,
        waits: bool = False,
        counter: Cell | None = None,
    ) -> Errand:
        """The errand of using a cell, which takes a step.

        there: the way to it. waits: True if the agent waits there before the use. Other arguments: as in `Errand`.
        """
        steps, uses = there.moves + 1, _uses(cell, waits=waits)
        after = self._state_at(steps, there.pose, hands, pots)
        return Errand(steps, after, uses, gain, there.moves, counter=counter)

    def _state_at(self, step: int, pose: Pose, hands: str | None, pots: Contents) -> State:
        """The state with these contents, one object per kitchen. step: its time on the clock of `pots`.

        How long a soup has been ready makes no difference.
        """
        pots = tuple([(count, ready if ready >= NEVER else _left(count, ready - step)) for count, ready in pots])
        key = pose, hands, pots
        state = self._states.get(key)
        if state is None:
            worth = sum([self._unfinished.tomato * count + COOKING * (not ready) for count, ready in pots])
            worth += self._unfinished.held(hands)
            state = self._states[key] = State(*key, worth)
        return state


def _left(count: int, ready: int) -> int:
    """In how many steps a soup is ready; NEVER for an empty pot that is free again."""
    return ready if ready > 0 else 0 if count else NEVER


States = dict[tuple[Pose, str | None, Contents], State]


@lru_cache(maxsize=8)
def _states_in(layout: Layout, kitchen: Hashable, unfinished: UnfinishedValue) -> States:
    """The states met so far by searches that share all of these, on which a state's worth and options depend.

    kitchen: the stations in use, what lies where, and what others are expected to do. A later search finds half of its
    states among them.
    """
    return {}


Ways = Mapping[Cell, Approach]
"""The shortest path to each cell that may be used next."""


def _between_uses(ways: Ways) -> Ways:
    """The ways from where a station has just been used: at least one step lies between two uses."""
    return {cell: Approach(max(way.moves, 1), way.pose) for cell, way in ways.items()}


@lru_cache(maxsize=1_000)
def _uses(cell: Cell, *, waits: bool) -> tuple[Call, ...]:
    return (Wait(cell), Interact(cell)) if waits else (Interact(cell),)


def _things_to_fetch(seat: KitchenRoomSeat, handed: Collection[Cell]) -> Iterator[tuple[Cell, str, float, Cell | None]]:
    """Where something can be taken: the cell, the thing, its cost in soups, and the counter if it lies on one.

    handed: the counters on which the agent hands things over. A thing costs something only if to fetch it is the
    teammate's work. A counter holds only one thing, but dispensers never run out.
    """
    for station in seat.stations:
        thing = None if station.cell in handed else DISPENSED.get(station.kind, station.mark)
        if thing is not None:
            is_others_work = OWN_THING.get(seat.role or "", thing) != thing
            counter = None if station.kind in DISPENSED else station.cell
            cost = OTHERS_WORK_COST * (seat.rules.cooks - 1) if is_others_work else 0.0
            yield station.cell, thing, cost, counter


def _keep(before: Node, option: Errand, layer: dict[State, Node]) -> None:
    """Adds the node after an errand to its layer, unless the node there with the same state is at least as valuable."""
    known = layer.get(option.state)
    if known is None:
        layer[option.state] = before.after(option)
    elif before.soups_after(option) > known.soups:
        node = before.after(option)
        if node.value > known.value:  # rounding may hide what lies between the soups
            del layer[node.state]  # of equally valuable nodes the one found first is expanded first
            layer[node.state] = node


def _plan_to(node: Node) -> list[Call]:
    """The calls from the start to a node, at most MOST_PLANNED, and none after an open errand."""
    errands, plan = deque[Errand](), list[Call]()
    while node.parent and node.option:
        errands.appendleft(node.option)
        node = node.parent
    for errand in errands:
        if len(plan) + len(errand.calls) > MOST_PLANNED:
            break
        plan += errand.calls
        if errand.is_open:
            break
    return plan
