"""Plans a cook's work by beam search: which stations to use in which order, so that soups are delivered soonest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from hm_agent.worlds.melting_pot.games.cooking.kitchen import (
    DELIVERY,
    DISH,
    LOADS,
    SERVES,
    SOUP,
    TOMATO,
)
from hm_agent.worlds.melting_pot.games.cooking.plan_questions import PlanCooking
from hm_agent.worlds.melting_pot.games.cooking.reasoner.teammate_model import (
    NEVER,
    Contents,
    replaced,
    simulated_teammate,
)
from hm_agent.worlds.melting_pot.games.cooking.rehearsal import DISPENSED
from hm_agent.worlds.melting_pot.games.cooking.work_costs import shortest_approach
from hm_agent.worlds.melting_pot.grid import Cell, Pose
from hm_agent.worlds.melting_pot.planning.subgoals import Interact, Subgoal, Wait

HORIZON = 100
"""The number of steps to search ahead."""
WIDTH = 8
"""The number of nodes that are expanded at each step."""
PATIENCE = 24
"""The largest number of steps to approach one pot and wait there."""
DISCOUNT = 0.995
"""The value of a soup one step later, relative to now."""
MOST_PLANNED = 10
"""The largest number of subgoals in a plan; much may have changed by then, so the rest is left to the next plan."""
OTHERS_WORK_COST = 0.03
"""The cost, in soups, of fetching something that the teammate's role needs rather than the agent's."""

COOKING, POURED = 0.05, 0.9
"""The value, in soups, of a pot that is cooked, and of a soup in hand."""
LOADING, SERVING = 8, 12
"""The assumed cost of work, in steps, while the stations are unknown."""
OWN_THING = {LOADS: TOMATO, SERVES: DISH}
"""What a cook of a specialised role fetches."""


class UnfinishedValue(NamedTuple):
    """The value, in soups, of a tomato in a pot and of a dish in hand: by the share of the work done."""

    tomato: float
    dish: float

    @classmethod
    def of(cls, question: PlanCooking) -> UnfinishedValue:
        loading, serving = question.own.loading or LOADING, question.own.serving or SERVING
        work = question.rules.tomatoes * loading + serving
        return cls(loading / work, serving / work / 3)

    def held(self, hands: str | None) -> float:
        """The value of what the agent holds; a tomato in hand counts half of one in a pot."""
        return {TOMATO: self.tomato / 2, DISH: self.dish, SOUP: POURED}.get(hands or "", 0.0)


class Node(NamedTuple):
    """A simulated state of the kitchen.

    time: in steps from now. free: the time at which the teammate has its next tomato. soups: the discounted number of
    soups delivered. parent, subgoals: the node before, and the subgoals that lead from it to this one. is_open: True if
    the plan ends here, because what follows depends on what is seen then.
    """

    time: int
    pose: Pose
    hands: str | None
    pots: Contents
    free: int
    soups: float
    parent: Node | None = None
    subgoals: tuple[Subgoal, ...] = ()
    is_open: bool = False


class BeamSearch:
    """Searches for the best plan of one question: at each step it expands the most valuable nodes up to the horizon."""

    def __init__(self, question: PlanCooking) -> None:
        self._question, self._layout = question, question.layout
        self._teammate, free = simulated_teammate(question)
        now = question.step
        self._pots = [pot.cell for pot in question.pots]
        contents = tuple((p.tomatoes, NEVER if p.ready is None else p.ready - now) for p in question.pots)
        self._start = Node(0, question.pose, question.hands, contents, free, 0.0)
        left = question.rules.steps - now
        self._horizon, self._is_end = max(1, min(HORIZON, left)), left <= HORIZON
        self._unfinished = UnfinishedValue.of(question)
        self._barred = {barred.cell for barred in question.barred}

    def best_plan(self) -> list[Subgoal]:
        """The first subgoals on the way to the best node at the horizon."""
        layers: list[list[Node]] = [[] for _ in range(self._horizon)]
        layers[0].append(self._start)
        ends = [self._start]
        for layer in layers:
            expanded = self._most_valuable(layer)
            for node in expanded:
                for after in self._successors(node):
                    if after.time < self._horizon:
                        layers[after.time].append(after)
                    elif not self._is_end:
                        ends.append(after)
            if self._is_end:
                ends += expanded
        # Work on a soup that is not delivered before the episode ends earns nothing.
        return _plan_to(max(ends, key=lambda node: node.soups if self._is_end else self._value(node)))

    def _most_valuable(self, layer: list[Node]) -> list[Node]:
        """The WIDTH most valuable nodes of one time with different states."""
        best: dict[tuple[Pose, str | None, Contents, int], Node] = {}
        for node in sorted(layer, key=self._value, reverse=True):
            best.setdefault((node.pose, node.hands, node.pots, node.free), node)
            if len(best) == WIDTH:
                break
        return list(best.values())

    def _value(self, node: Node) -> float:
        """The soups delivered, and the value of the unfinished work."""
        unfinished, now = self._unfinished, node.time
        pots = sum(unfinished.tomato * n + COOKING * (ready <= now) for n, ready in node.pots)
        return node.soups + float(DISCOUNT**now) * (pots + unfinished.held(node.hands))

    def _successors(self, node: Node) -> Iterator[Node]:
        match node.hands:
            case None:
                yield from self._fetch(node)
            case "tomato":
                yield from self._fill(node)
                yield from self._put_down(node)
            case "dish":
                yield from self._take_soup(node)
                yield from self._put_down(node)
            case "soup":
                yield from self._deliver(node)
        if node.hands in (None, DISH):
            yield from self._wait(node)

    def _fetch(self, node: Node) -> Iterator[Node]:
        """Takes a tomato, a dish, or what lies on a counter."""
        for station in self._question.stations:
            thing = DISPENSED.get(station.kind, station.mark)
            is_left = station.kind in DISPENSED or station.cell not in _used_before(node)
            if thing is not None and is_left and (there := self._at(node, station.cell)):
                is_others_work = OWN_THING.get(self._question.role or "", thing) != thing
                cost = OTHERS_WORK_COST * DISCOUNT**there.time if is_others_work else 0.0
                yield self._used(there, station.cell, thing, there.pots, there.soups - cost)

    def _fill(self, node: Node) -> Iterator[Node]:
        """Puts a tomato into a pot that has room; waits there first if it has none yet."""
        full = self._question.rules.tomatoes
        for n, cell in enumerate(self._pots):
            there = self._at(node, cell)
            if there and there.pots[n][0] < full:
                used = self._used(there, cell, None, self._teammate.filled(there.pots, n, there.time), there.soups)
                is_free = node.pots[n][0] < full
                yield used if is_free else used._replace(subgoals=(Wait(cell), Interact(cell)))

    def _take_soup(self, node: Node) -> Iterator[Node]:
        """Takes soup from a pot, and waits until it is cooked where necessary."""
        for n, cell in enumerate(self._pots):
            there = self._at(node, cell)
            if not there:
                continue
            ready = there.pots[n][1]
            if ready >= NEVER:
                continue
            if ready > there.time:
                there = self._advance(there, ready)
            if there.pots[n][1] <= there.time <= node.time + PATIENCE:
                pots = replaced(there.pots, n, (0, NEVER))
                taken = self._used(there, cell, SOUP, pots, there.soups)
                yield taken._replace(subgoals=(Wait(cell), Interact(cell)))

    def _deliver(self, node: Node) -> Iterator[Node]:
        for station in self._question.stations:
            if station.kind == DELIVERY and (there := self._at(node, station.cell)):
                soups = there.soups + DISCOUNT**there.time
                yield self._used(there, station.cell, None, there.pots, soups)

    def _put_down(self, node: Node) -> Iterator[Node]:
        """Puts what the agent holds on the nearest bare counter."""
        bare = set(self._question.spare) - _used_before(node)
        paths = ((self._at(node, cell), cell) for cell in sorted(bare))
        there, cell = min(((t, cell) for t, cell in paths if t), default=(None, None), key=lambda path: path[0].time)
        if there is not None and cell is not None:
            yield self._used(there, cell, None, there.pots, there.soups)

    def _wait(self, node: Node) -> Iterator[Node]:
        """Waits at the pot that is ready next, and leaves open what follows."""
        cooking = [(ready, n) for n, (_, ready) in enumerate(node.pots) if node.time < ready < NEVER]
        if not cooking:
            return
        ready, n = min(cooking)
        there = self._at(node, self._pots[n])
        if there and there.time <= ready <= node.time + PATIENCE:
            later = self._advance(there, ready + 1)
            yield later._replace(parent=node, subgoals=(Wait(self._pots[n]),), is_open=True)

    def _at(self, node: Node, cell: Cell) -> Node | None:
        """The node when the agent faces a cell, by the shortest path.

        None if no path leads there, or if using the cell as the first subgoal is barred.
        """
        path = shortest_approach(self._layout, node.pose, cell)
        if path is None or (node.parent is None and cell in self._barred):
            return None
        moves = max(path.moves, 1) if node.parent else path.moves
        return self._advance(node._replace(pose=path.pose), node.time + moves)._replace(parent=node)

    def _advance(self, node: Node, until: int) -> Node:
        """Simulates the teammate up to a time."""
        pots, free, delivered = self._teammate.advance(node.pots, node.free, until)
        soups = node.soups + sum(DISCOUNT**step for step in delivered)
        return node._replace(time=until, pots=pots, free=free, soups=soups)

    def _used(self, there: Node, cell: Cell, hands: str | None, pots: Contents, soups: float) -> Node:
        """The node after one step that uses a cell."""
        return there._replace(
            time=there.time + 1, hands=hands, pots=pots, soups=soups, subgoals=(Interact(cell),), is_open=False
        )


def _path_to(node: Node | None) -> list[Node]:
    """The nodes from the start to this one, the last first."""
    path: list[Node] = []
    while node is not None:
        path.append(node)
        node = node.parent
    return path


def _used_before(node: Node) -> set[Cell]:
    """The cells that were used on the way to a node."""
    subgoals = (subgoal for each in _path_to(node) for subgoal in each.subgoals)
    return {subgoal.target for subgoal in subgoals if isinstance(subgoal, Interact)}


def _plan_to(node: Node) -> list[Subgoal]:
    """The subgoals from the start to a node, up to MOST_PLANNED or an open node."""
    plan: list[Subgoal] = []
    for after in _path_to(node)[-2::-1]:
        if len(plan) + len(after.subgoals) > MOST_PLANNED:
            break
        plan += after.subgoals
        if after.is_open:
            break
    return plan
