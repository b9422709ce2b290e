"""A cook's next errands by looking ahead: what to use in which order, so that most soups are delivered soonest."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from hm_agent.worlds.melting_pot.games.cooking.kitchen import (
    DELIVERY,
    DISH,
    DISHES,
    LOADS,
    SERVES,
    SOUP,
    TOMATO,
    TOMATOES,
)
from hm_agent.worlds.melting_pot.games.cooking.questions.plans import PlanCooking
from hm_agent.worlds.melting_pot.games.cooking.reasoner.cook import NEVER, Contents, expected_cook, replaced
from hm_agent.worlds.melting_pot.games.cooking.ways import approach
from hm_agent.worlds.melting_pot.grid import Cell, Pose
from hm_agent.worlds.melting_pot.planning.subgoals import Interact, Subgoal, Wait

HORIZON = 100
"""How many steps are looked ahead."""
WIDTH = 8
"""How many courses are followed up at each step."""
PATIENCE = 24
"""How long a plan waits for one pot at most."""
DISCOUNT = 0.995
"""What a soup is worth one step later."""
LEGS = 10
"""How many subgoals a plan has at most: then it is thought over, for much may have changed."""
STRANGE = 0.03
"""What it costs, in soups, to begin work that is the teammate's."""

COOKING, POURED = 0.05, 0.9
"""What it is worth that a full pot is cooked, and a soup in one's hands."""
LOADING, SERVING = 8, 12
"""What work is taken to cost, in steps, while it is not known where things stand."""
FREELY = {LOADS: TOMATO, SERVES: DISH}


class Shares(NamedTuple):
    """What a tomato in a pot and a dish in one's hands are worth, in soups: by how much of the work is done with it."""

    tomato: float
    dish: float

    @classmethod
    def of(cls, question: PlanCooking) -> Shares:
        loading, serving = question.own.loading or LOADING, question.own.serving or SERVING
        work = question.rules.tomatoes * loading + serving
        return cls(loading / work, serving / work / 3)

    def held(self, hands: str | None) -> float:
        """What the own hands are worth; a tomato is half way to its pot."""
        return {TOMATO: self.tomato / 2, DISH: self.dish, SOUP: POURED}.get(hands or "", 0.0)


class Course(NamedTuple):
    """A possible future. time: the steps from now. free: when the teammate can act next. soups: discounted."""

    time: int
    pose: Pose
    hands: str | None
    pots: Contents
    free: int
    soups: float
    before: Course | None = None
    subgoals: tuple[Subgoal, ...] = ()
    is_open: bool = False
    """Whether what comes next is to be decided only then."""


State = tuple[Pose, str | None, Contents, int]
"""What decides how a course can go on."""


class Lookahead:
    """Follows the most promising courses up to the horizon."""

    def __init__(self, question: PlanCooking) -> None:
        self._question, self._layout = question, question.layout
        self._cook, free = expected_cook(question)
        now = question.step
        self._pots = [pot.cell for pot in question.pots]
        contents = tuple((p.tomatoes, NEVER if p.ready is None else p.ready - now) for p in question.pots)
        self._start = Course(0, question.pose, question.hands, contents, free, 0.0)
        left = question.rules.steps - now
        self._horizon, self._is_end = max(1, min(HORIZON, left)), left <= HORIZON
        self._shares = Shares.of(question)
        self._barred = {barred.cell for barred in question.barred}

    def best(self) -> list[Subgoal]:
        """The first subgoals of the best course."""
        layers: list[list[Course]] = [[] for _ in range(self._horizon)]
        layers[0].append(self._start)
        ends = [self._start]
        for layer in layers:
            followed = self._most_promising(layer)
            for course in followed:
                for after in self._options(course):
                    if after.time < self._horizon:
                        layers[after.time].append(after)
                    elif not self._is_end:
                        ends.append(after)
            if self._is_end:
                ends += followed
        # What is not delivered at the end of an episode has been for nothing.
        return _beginning(max(ends, key=_soups if self._is_end else self._worth))

    def _most_promising(self, layer: list[Course]) -> list[Course]:
        """A few courses of one time, each leading to another state."""
        best: dict[State, Course] = {}
        for course in sorted(layer, key=self._worth, reverse=True):
            best.setdefault((course.pose, course.hands, course.pots, course.free), course)
            if len(best) == WIDTH:
                break
        return list(best.values())

    def _worth(self, course: Course) -> float:
        """The soups delivered, and those yet to come of what has been done for them."""
        shares, now = self._shares, course.time
        pots = sum(shares.tomato * n + COOKING * (ready <= now) for n, ready in course.pots)
        return course.soups + float(DISCOUNT**now) * (pots + shares.held(course.hands))

    def _options(self, course: Course) -> Iterator[Course]:
        match course.hands:
            case None:
                yield from self._fetch(course)
            case "tomato":
                yield from self._fill(course)
                yield from self._put_down(course)
            case "dish":
                yield from self._take_soup(course)
                yield from self._put_down(course)
            case "soup":
                yield from self._deliver(course)
        yield from self._rest(course)

    def _fetch(self, course: Course) -> Iterator[Course]:
        """Takes something from where there is some."""
        for station in self._question.stations:
            thing = {TOMATOES: TOMATO, DISHES: DISH}.get(station.kind, station.mark)
            if thing is not None and (there := self._at(course, station.cell)):
                is_strange = FREELY.get(self._question.role or "", thing) != thing
                cost = STRANGE * DISCOUNT**there.time if is_strange else 0.0
                yield self._used(there, station.cell, thing, there.pots, there.soups - cost)

    def _fill(self, course: Course) -> Iterator[Course]:
        for n, cell in enumerate(self._pots):
            there = self._at(course, cell)
            if there and there.pots[n][0] < self._question.rules.tomatoes:
                yield self._used(there, cell, None, self._cook.filled(there.pots, n, there.time), there.soups)

    def _take_soup(self, course: Course) -> Iterator[Course]:
        """Takes soup from a pot, waiting for it to be cooked if need be."""
        for n, cell in enumerate(self._pots):
            there = self._at(course, cell)
            if not there:
                continue
            ready = there.pots[n][1]
            if ready >= NEVER:
                continue
            if ready > there.time:
                there = self._pass(there, ready)
            if there.pots[n][1] <= there.time <= course.time + PATIENCE:
                pots = replaced(there.pots, n, (0, NEVER))
                taken = self._used(there, cell, SOUP, pots, there.soups)
                yield taken._replace(subgoals=(Wait(cell), Interact(cell)))

    def _deliver(self, course: Course) -> Iterator[Course]:
        for station in self._question.stations:
            if station.kind == DELIVERY and (there := self._at(course, station.cell)):
                soups = there.soups + DISCOUNT**there.time
                yield self._used(there, station.cell, None, there.pots, soups)

    def _put_down(self, course: Course) -> Iterator[Course]:
        """Frees the hands at the nearest counter."""
        ways = ((self._at(course, cell), cell) for cell in self._question.spare)
        there, cell = min(((t, cell) for t, cell in ways if t), default=(None, None), key=lambda way: way[0].time)
        if there is not None and cell is not None:
            yield self._used(there, cell, None, there.pots, there.soups)

    def _rest(self, course: Course) -> Iterator[Course]:
        """Waits by the pot that is ready next, to see what has become of things by then."""
        cooking = [(ready, n) for n, (_, ready) in enumerate(course.pots) if course.time < ready < NEVER]
        if not cooking:
            return
        ready, n = min(cooking)
        there = self._at(course, self._pots[n])
        if there and there.time <= ready <= course.time + PATIENCE:
            later = self._pass(there, ready + 1)
            yield later._replace(before=course, subgoals=(Wait(self._pots[n]),), is_open=True)

    def _at(self, course: Course, cell: Cell) -> Course | None:
        """The course at the moment of using something; None where one can't, or knows better."""
        way = approach(self._layout, course.pose, cell)
        if way is None or (course.before is None and cell in self._barred):
            return None
        moves = max(way.moves, 1) if course.before else way.moves
        return self._pass(course._replace(pose=way.pose), course.time + moves)._replace(before=course)

    def _pass(self, course: Course, until: int) -> Course:
        """Time goes by, and the teammate does its part."""
        pots, free, delivered = self._cook.advance(course.pots, course.free, until)
        soups = course.soups + sum(DISCOUNT**step for step in delivered)
        return course._replace(time=until, pots=pots, free=free, soups=soups)

    def _used(self, there: Course, cell: Cell, hands: str | None, pots: Contents, soups: float) -> Course:
        return there._replace(
            time=there.time + 1, hands=hands, pots=pots, soups=soups, subgoals=(Interact(cell),), is_open=False
        )


def _beginning(course: Course | None) -> list[Subgoal]:
    """The subgoals of a course as far as they can be planned: up to a delivery, or to where it is open."""
    courses: list[Course] = []
    while course is not None:
        courses.append(course)
        course = course.before
    plan: list[Subgoal] = []
    for before, after in pairwise(reversed(courses)):
        if len(plan) + len(after.subgoals) > LEGS:
            break
        plan += after.subgoals
        if after.is_open or (before.hands == SOUP and after.hands is None):
            break
    return plan


def _soups(course: Course) -> float:
    return course.soups
