"""What the teammate does: its activities, what it holds, its pace, and its role and tempo in each round.

Code labels the activities from what is in view and what must have happened out of view (appendix C.3, step 1). A round
goes from one delivery to the next.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hm_agent.core import Event
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.cooking.kitchen import (
    COUNTER,
    DISH,
    EVERYTHING,
    LOADS,
    PROMPTLY,
    ROLE_WINDOW,
    ROUND_LIMIT,
    SERVES,
    SLOWLY,
    SOUP,
    STANDS,
    TOMATO,
    Kitchen,
    Pot,
    Station,
    behaviour_of,
    role_in,
    tempo_in,
)
from hm_agent.worlds.melting_pot.grid import Cell, Pose
from hm_agent.worlds.melting_pot.memory.entities import PlayerSighting
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap

TOOK_TOMATO, FILLED = "took a tomato", "put a tomato into a pot"
TOOK_DISH, TOOK_SOUP, DELIVERED = "took a dish", "took soup from a pot", "delivered soup"
PUT_DOWN = "put something down"
LOADING, SERVING = (TOOK_TOMATO, FILLED), (TOOK_DISH, TOOK_SOUP, DELIVERED)
"""The activities of a cook who loads pots, and of one who serves soup."""
HELD_AFTER = {TOOK_TOMATO: TOMATO, TOOK_DISH: DISH, TOOK_SOUP: SOUP}
"""What a cook holds after an activity; nothing after the others."""

REFILL_DELAY = 5
"""A pot that will be ready more than this many steps later than expected was emptied and refilled in between."""
PACE_WINDOW = 300
"""The number of latest steps over which the teammate's pace is measured."""

OWN = "you"
"""The deliverer's name if the agent delivered a soup; otherwise it is the teammate's name."""
WORK_STEPS = 15
"""A teammate without any activity stands around if there was work in so many steps within ROLE_WINDOW."""


@dataclass(frozen=True, slots=True)
class Activity:
    """Something the teammate did. cell: where, None if unknown. seen: True if observed, False if inferred."""

    step: int
    did: str
    cell: Cell | None = None
    seen: bool = True


@dataclass(frozen=True, slots=True)
class Held:
    """What the teammate holds, None for nothing. since: the step at which this became known."""

    thing: str | None
    since: int


@dataclass(slots=True)
class PotEstimate:
    """The inferred content of a pot. ready: the step from which its soup can be taken, None if unknown."""

    tomatoes: int = 0
    ready: int | None = None


class ActivityReader:
    """Reads an episode's frames and infers the teammate's activities.

    It tracks the content of each pot: any change that is neither the agent's doing nor already observed must be the
    teammate's, if it is the only one (`is_only`).
    """

    def __init__(self, teammate: str, *, is_only: bool = True) -> None:
        self._teammate, self._is_only = teammate, is_only
        self._pots: dict[Cell, PotEstimate] = {}
        self._before: tuple[Pose, str | None] | None = None
        """The agent's pose and what it held, in the latest frame of known pose."""
        self._seen: PlayerSighting | None = None
        """The teammate as it was last in view."""
        self.held: Held | None = None
        """What the teammate holds by all that is seen and inferred; None before it was first seen."""

    def read(self, step: int, view: TextualMap, kitchen: Kitchen, delivered: int) -> tuple[Activity, ...]:
        """The activities that this frame reveals. delivered: how many soups the teammate delivered in this step."""
        activities = [Activity(step, DELIVERED, seen=False)] * delivered
        if view.pose is not None:
            if self._before is not None:  # the agent's own change of a pot
                self._update_pot(self._before[0].place(1, 0), self._before[1], view.mark)
            self._before = view.pose, view.mark
            activities += self._from_hands(step, view, kitchen)
            activities += self._from_pots(step, kitchen)
        self._update_held(step, view, activities)
        return tuple(activities)

    def _update_held(self, step: int, view: TextualMap, activities: Sequence[Activity]) -> None:
        """Updates what the teammate holds: by sight where it is in view, else by what it did last."""
        sight = next((player for player in view.players if player.kind == self._teammate), None)
        if sight is not None:
            thing = sight.mark
        elif self.held is not None and activities:
            thing = HELD_AFTER.get(activities[-1].did)
        else:
            return
        if self.held is None or self.held.thing != thing:
            self.held = Held(thing, step)

    def _update_pot(self, cell: Cell, before: str | None, after: str | None) -> str | None:
        """Updates the pot at a cell that a cook faces while its hands change; returns the activity, None if none.

        before, after: what the cook held, and what it holds now.
        """
        pot = self._pots.get(cell)
        if pot is None:
            return None
        if (before, after) == (TOMATO, None):
            pot.tomatoes += 1
            return FILLED
        if (before, after) == (DISH, SOUP):
            pot.tomatoes, pot.ready = 0, None
            return TOOK_SOUP
        return None

    def _from_hands(self, step: int, view: TextualMap, kitchen: Kitchen) -> Iterator[Activity]:
        """The activity that a change of the teammate's hands reveals; the pots reveal what it did out of view."""
        sight = next((player for player in view.players if player.kind == self._teammate), None)
        if sight is None or sight.cell is None or sight.facing is None:
            return
        former, self._seen = self._seen, PlayerSighting(sight.cell, sight.facing, sight.mark, step)
        if former is None or former.mark == sight.mark or former.facing is None:
            return
        is_watched = former.step == step - 1
        cell = Pose(*former.cell, former.facing).place(1, 0) if is_watched else None
        did = self._update_pot(cell, former.mark, sight.mark) if cell else None
        if did is None:
            did = _activity_by_hands(sight.mark, kitchen.stations.get(cell) if cell else None)
        if did is not None:
            yield Activity(step, did, cell, seen=is_watched)

    def _from_pots(self, step: int, kitchen: Kitchen) -> Iterator[Activity]:
        """The activities that explain the pots in view; corrects the estimates to what is seen."""
        for pot in kitchen.pots:
            if pot.step == step:
                estimate = self._pots.setdefault(pot.cell, PotEstimate())
                for did in _activities_between(estimate, pot) if self._is_only else ():
                    yield Activity(step, did, pot.cell, seen=False)
                estimate.tomatoes, estimate.ready = pot.tomatoes, pot.ready


def _activity_by_hands(hands: str | None, used: Station | None) -> str | None:
    """The activity away from pots that left the teammate with these hands, if clear. used: the station it faced."""
    if hands in (TOMATO, DISH):
        return TOOK_TOMATO if hands == TOMATO else TOOK_DISH
    is_put_down = hands is None and used is not None and used.kind == COUNTER
    return PUT_DOWN if is_put_down else None


def _activities_between(estimate: PotEstimate, pot: Pot) -> Iterator[str]:
    """The teammate's activities that turn the estimated content of a pot into the observed one."""
    is_refilled = (
        estimate.ready is not None
        and pot.ready is not None
        and not pot.is_cooked
        and pot.ready > estimate.ready + REFILL_DELAY
    )
    if pot.tomatoes >= estimate.tomatoes and not is_refilled:
        yield from [FILLED] * (pot.tomatoes - estimate.tomatoes)
    else:
        yield TOOK_SOUP
        yield from [FILLED] * pot.tomatoes


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast the teammate has worked within PACE_WINDOW.

    tomatoes: the number it put into pots. room: the steps in which a pot had room for one. soups: the number it took.
    ready: the steps in which one could be taken.
    """

    tomatoes: int = 0
    room: int = 0
    soups: int = 0
    ready: int = 0

    def __add__(self, more: Pace) -> Pace:
        return Pace(
            self.tomatoes + more.tomatoes, self.room + more.room, self.soups + more.soups, self.ready + more.ready
        )

    def __sub__(self, less: Pace) -> Pace:
        return Pace(
            self.tomatoes - less.tomatoes, self.room - less.room, self.soups - less.soups, self.ready - less.ready
        )


class PaceReader:
    """Measures the teammate's pace, one step at a time."""

    def __init__(self) -> None:
        self._steps: deque[Pace] = deque()
        self.latest = Pace()

    def read(self, step: int, kitchen: Kitchen, activities: Sequence[Activity], *, is_watched: bool = True) -> Pace:
        """Adds one step to the pace, and returns the pace of that step alone.

        is_watched: False if nobody knows what the teammate did in this step, so that no work waited for it.
        """
        pots = kitchen.pots if is_watched else ()
        done = [activity.did for activity in activities]
        now = Pace(
            tomatoes=done.count(FILLED),
            room=any(not pot.is_full for pot in pots),
            soups=done.count(TOOK_SOUP),
            ready=any(pot.is_cooked_by(step) for pot in pots),
        )
        self._steps.append(now)
        self.latest += now
        if len(self._steps) > PACE_WINDOW:
            self.latest -= self._steps.popleft()
        return now


def tempo_of(role: str | None, pace: Pace, limit: int) -> str | None:
    """The tempo of a cook in a role; None if it has no role, or if there was too little work to tell.

    limit: the largest number of steps per tomato while a pot has room, and per soup while one is ready, at which a cook
    is prompt.
    """
    done, waited = 0, 0
    if role in (LOADS, EVERYTHING):
        done, waited = pace.tomatoes, pace.room
    if role in (SERVES, EVERYTHING):
        done, waited = done + pace.soups, waited + pace.ready
    if waited > limit * max(done, 1):
        return SLOWLY
    return PROMPTLY if done else None


@dataclass(frozen=True, slots=True)
class RoundEnd(Event):
    """The end of a round.

    activities, pace: the teammate's in this round. role: the teammate's by these activities, None if unclear.
    """

    partner: str
    activities: tuple[Activity, ...]
    role: str | None
    pace: Pace


@dataclass(frozen=True, slots=True)
class Delivery(RoundEnd):
    """The end of a round by a delivery. by: who delivered the soup, OWN or the teammate's name."""

    by: str

    def describe(self) -> str:
        return f"soup delivered by {self.by}; {self.partner} {self.role or 'unclear'}"


@dataclass(frozen=True, slots=True)
class Lull(RoundEnd):
    """The end of a round after ROUND_LIMIT steps without a delivery."""

    def describe(self) -> str:
        return f"no delivery for {ROUND_LIMIT} steps; {self.partner} {self.role or 'unclear'}"


@dataclass(frozen=True, slots=True)
class KitchenInteraction:
    """One round. behaviour: the teammate's role in it, None if unclear. own: what the agent held at its end.

    by: who delivered, None after a lull. tempo: the teammate's, None if unclear. held: by the teammate at its end.
    other: None, since this game has no inventories.
    """

    step: int
    partner: str
    behaviour: str | None
    own: Counts
    reward: float
    activities: tuple[Activity, ...]
    by: str | None
    tempo: str | None = None
    held: Held | None = None
    other: Counts | None = None

    @property
    def conduct(self) -> str | None:
        """The teammate's role with its tempo."""
        return behaviour_of(self.behaviour, self.tempo)

    @property
    def is_informative(self) -> bool:
        """False if the teammate's role is unclear, or if it did nothing and had too little to do."""
        return self.behaviour is not None and bool(self.activities or self.tempo or self.behaviour == STANDS)

    @property
    def outline(self) -> KitchenInteraction:
        """The round without the teammate's activities and what it held."""
        return replace(self, activities=(), held=None)

    def shows(self, prediction: str) -> bool | None:
        """True if role and tempo are as predicted; a tempo counts only if both are known."""
        if not self.is_informative:
            return None
        has_tempo = self.tempo is None or tempo_in(prediction) in (None, self.tempo)
        return role_in(prediction) == self.behaviour and has_tempo


class RoundReader:
    """Detects the ends of rounds, one step at a time."""

    def __init__(self, teammate: str) -> None:
        self._teammate = teammate
        self._start = 0
        self._activities: deque[Activity] = deque()
        self._work_steps: deque[int] = deque()
        self._pace = Pace()

    @property
    def latest(self) -> tuple[Activity, ...]:
        """The teammate's activities in this round or within ROLE_WINDOW, whichever is longer."""
        return tuple(self._activities)

    def read(
        self,
        step: int,
        kitchen: Kitchen,
        activities: Sequence[Activity],
        deliverers: Sequence[str],
        pace: Pace,
        *,
        is_watched: bool = True,
    ) -> tuple[RoundEnd, ...]:
        """Returns the rounds that end with this step.

        activities, pace: the teammate's in this step. deliverers: who delivered each soup of this step. is_watched: as
        in `PaceReader`.
        """
        self._remember(step, kitchen.pots if is_watched else (), activities)
        self._pace += pace
        if deliverers:
            return tuple(Delivery(step, self._teammate, *self._end_round(step), by) for by in deliverers)
        if step - self._start < ROUND_LIMIT:
            return ()
        return (Lull(step, self._teammate, *self._end_round(step)),)

    def _remember(self, step: int, pots: Sequence[Pot], activities: Sequence[Activity]) -> None:
        """Adds a step; drops activities older than both the round and ROLE_WINDOW, and work older than the latter."""
        self._activities.extend(activities)
        if any(pot.step == step and (not pot.is_full or pot.is_cooked) for pot in pots):
            self._work_steps.append(step)
        oldest = min(self._start, step - ROLE_WINDOW)
        while self._activities and self._activities[0].step <= oldest:
            self._activities.popleft()
        while self._work_steps and self._work_steps[0] <= step - ROLE_WINDOW:
            self._work_steps.popleft()

    def _end_round(self, step: int) -> tuple[tuple[Activity, ...], str | None, Pace]:
        """Begins a new round; returns the teammate's activities, role and pace in the one that ends."""
        activities = tuple(activity for activity in self._activities if activity.step > self._start)
        pace, self._start, self._pace = self._pace, step, Pace()
        return activities, role_of(self._activities, had_work=len(self._work_steps) >= WORK_STEPS), pace


def role_of(activities: Sequence[Activity], *, had_work: bool) -> str | None:
    """The role of a cook with these activities; without any, STANDS if it had work to do, else None (unclear)."""
    loads = any(activity.did in LOADING for activity in activities)
    serves = any(activity.did in SERVING for activity in activities)
    if loads or serves:
        return EVERYTHING if loads and serves else LOADS if loads else SERVES
    return STANDS if had_work else None
