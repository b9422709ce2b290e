"""The rounds of a kitchen, from one delivery to the next: the teammate's pace, role and tempo in each."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hm_agent.core import Event
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.cooking.activities import (
    DELIVERED,
    FILLED,
    TOOK_DISH,
    TOOK_SOUP,
    TOOK_TOMATO,
    Activity,
    Held,
)
from hm_agent.worlds.melting_pot.games.cooking.kitchen import ROLE_WINDOW, ROUND_LIMIT, Kitchen, Pot
from hm_agent.worlds.melting_pot.games.cooking.roles import (
    EVERYTHING,
    LOADS,
    PROMPTLY,
    SERVES,
    SLOWLY,
    STANDS,
    behaviour_of,
    role_in,
    tempo_in,
)

LOADING, SERVING = (TOOK_TOMATO, FILLED), (TOOK_DISH, TOOK_SOUP, DELIVERED)
"""The activities of a cook who loads pots, and of one who serves soup."""
PACE_WINDOW = 300
"""The number of latest steps over which the teammate's pace is measured."""
OWN = "you"
"""The deliverer's name if the agent delivered a soup; otherwise it is the teammate's name."""
WORK_STEPS = 15
"""A teammate without any activity stands around if there was work in so many steps within ROLE_WINDOW."""


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
