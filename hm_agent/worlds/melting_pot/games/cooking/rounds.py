"""The rounds of a kitchen: what happens from one delivery to the next, and the role the teammate played."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from hm_agent.core import Counts, Event
from hm_agent.worlds.melting_pot.games.cooking.activities import LOADING, SERVING, Activity
from hm_agent.worlds.melting_pot.games.cooking.kitchen import EVERYTHING, LOADS, SERVES, STANDS, Kitchen

OWN = "you"
"""Who delivered, where one did oneself; else it is the teammate's name."""
LONG = 60
"""After so many steps without a delivery a round ends all the same, so that a useless teammate is recognised."""
MEMORY = 45
"""A role is judged by the latest so many steps at least: about the time it takes to fill a pot, cook and deliver."""
CHANCES = 15
"""In so many of them there must have been something to do, for who did nothing to be idle."""


@dataclass(frozen=True, slots=True)
class RoundEnd(Event):
    """The end of a round. activities: the teammate's within it. role: what they amount to, None if unclear."""

    partner: str
    activities: tuple[Activity, ...]
    role: str | None


@dataclass(frozen=True, slots=True)
class Delivery(RoundEnd):
    """A soup was delivered and paid. by: whose it was."""

    is_interaction = True
    by: str

    def describe(self) -> str:
        return f"soup delivered by {self.by}; {self.partner} {self.role or 'unclear'}"


@dataclass(frozen=True, slots=True)
class Lull(RoundEnd):
    """No soup has been delivered for long."""

    def describe(self) -> str:
        return f"no delivery for {LONG} steps; {self.partner} {self.role or 'unclear'}"


@dataclass(frozen=True, slots=True)
class KitchenInteraction:
    """A round as understood. behaviour: the teammate's role in it. by: who delivered; None where nobody did.

    own: what one held oneself at its end. other: nothing, in a game without inventories.
    """

    step: int
    partner: str
    behaviour: str | None
    own: Counts
    reward: float
    activities: tuple[Activity, ...]
    by: str | None
    other: Counts | None = None


class RoundReader:
    """Follows one episode and says when a round is over."""

    def __init__(self, teammate: str) -> None:
        self._teammate = teammate
        self._begun = 0
        self._activities: deque[Activity] = deque()
        self._chances: deque[int] = deque()

    @property
    def latest(self) -> tuple[Activity, ...]:
        """What the teammate has done lately."""
        return tuple(self._activities)

    def read(
        self, step: int, kitchen: Kitchen, activities: Sequence[Activity], deliverers: Sequence[str]
    ) -> tuple[RoundEnd, ...]:
        """activities: what the teammate has just done. deliverers: by whom soups were just delivered."""
        self._remember(step, kitchen, activities)
        if deliverers:
            return tuple(self._delivery(step, by) for by in deliverers)
        if step - self._begun < LONG:
            return ()
        lull = Lull(step, self._teammate, self._since(self._begun), self._role())
        self._begun = step
        return (lull,)

    def _remember(self, step: int, kitchen: Kitchen, activities: Sequence[Activity]) -> None:
        self._activities.extend(activities)
        if any(pot.step == step and (not pot.is_full or pot.is_cooked) for pot in kitchen.pots):
            self._chances.append(step)
        oldest = min(self._begun, step - MEMORY)
        while self._activities and self._activities[0].step <= oldest:
            self._activities.popleft()
        while self._chances and self._chances[0] <= step - MEMORY:
            self._chances.popleft()

    def _delivery(self, step: int, by: str) -> Delivery:
        delivery = Delivery(step, self._teammate, self._since(self._begun), self._role(), by)
        self._begun = step
        return delivery

    def _since(self, step: int) -> tuple[Activity, ...]:
        return tuple(activity for activity in self._activities if activity.step > step)

    def _role(self) -> str | None:
        return role_of(self._activities, idle=len(self._chances) >= CHANCES)


def role_of(activities: Sequence[Activity], *, idle: bool) -> str | None:
    """The role that activities amount to; who did nothing stands around if it was idle, and can't be judged if not."""
    loads = any(activity.did in LOADING for activity in activities)
    serves = any(activity.did in SERVING for activity in activities)
    if loads or serves:
        return EVERYTHING if loads and serves else LOADS if loads else SERVES
    return STANDS if idle else None
