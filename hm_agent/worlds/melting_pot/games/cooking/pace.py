"""How quickly the teammate has worked where there was work."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.games.cooking.activities import FILLED, TOOK_SOUP, Activity
from hm_agent.worlds.melting_pot.games.cooking.kitchen import Kitchen

SPAN = 300
"""Over so many steps it is measured."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The teammate's tomatoes put into pots and soups taken lately.

    room: in how many steps a pot had room for a tomato. ready: in how many a soup was ready to be taken.
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
    """Follows one episode, a step at a time."""

    def __init__(self) -> None:
        self._steps: deque[Pace] = deque()
        self.latest = Pace()

    def read(self, step: int, kitchen: Kitchen, activities: Sequence[Activity]) -> None:
        pots = kitchen.pots
        done = [activity.did for activity in activities]
        now = Pace(
            tomatoes=done.count(FILLED),
            room=any(not pot.is_full for pot in pots),
            soups=done.count(TOOK_SOUP),
            ready=any(pot.is_cooked_by(step) for pot in pots),
        )
        self._steps.append(now)
        self.latest += now
        if len(self._steps) > SPAN:
            self.latest -= self._steps.popleft()
