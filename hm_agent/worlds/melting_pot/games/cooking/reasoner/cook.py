"""What a teammate is expected to do to the pots within the next steps, as far as a plan has to reckon with it."""

from __future__ import annotations

from dataclasses import dataclass

from hm_agent.worlds.melting_pot.games.cooking.kitchen import DISH, EVERYTHING, LOADS, SERVES, TOMATO
from hm_agent.worlds.melting_pot.games.cooking.questions.plans import PlanCooking

NEVER = 1_000_000
LOADING, SERVING = 10, 10
"""How many steps it takes a teammate to put a tomato where there is room, and to take soup that is ready.

So much is believed before anything is known, as if IMAGINED tomatoes and soups had been seen.
"""
IMAGINED = 2
BRIEF = 3
"""For how many steps a teammate is busy that has in its hands what it needs."""

Content = tuple[int, int]
"""The tomatoes in a pot, and from which step its soup can be taken; NEVER while it isn't full."""
Contents = tuple[Content, ...]


@dataclass(frozen=True, slots=True)
class Cook:
    """A teammate of a certain role and pace.

    loading: how many steps a tomato takes it. serving: how many steps a soup that is ready waits for it.
    """

    role: str | None
    loading: int
    serving: int
    tomatoes: int
    cooking_steps: int

    def advance(self, pots: Contents, free: int, until: int) -> tuple[Contents, int, tuple[int, ...]]:
        """What it does up to a step. free: when it has the next tomato.

        Returns the pots, when it has the next tomato, and when it takes soups.
        """
        soups: tuple[int, ...] = ()
        if self.role in (SERVES, EVERYTHING):
            for n, (_, ready) in enumerate(pots):
                taken = max(ready, 0) + self.serving
                if taken <= until:
                    pots, soups = replaced(pots, n, (0, NEVER)), (*soups, taken)
        if self.role in (LOADS, EVERYTHING):
            while free <= until:
                room = [n for n, (count, _) in enumerate(pots) if count < self.tomatoes]
                if not room:
                    return pots, until, soups
                n = max(room, key=lambda n: pots[n][0])
                pots, free = self.filled(pots, n, free), free + self.loading
        return pots, free, soups

    def filled(self, pots: Contents, n: int, now: int) -> Contents:
        """The pots with a tomato more in one of them."""
        count = pots[n][0] + 1
        return replaced(pots, n, (count, now + self.cooking_steps if count >= self.tomatoes else NEVER))


def replaced(pots: Contents, n: int, content: Content) -> Contents:
    return (*pots[:n], content, *pots[n + 1 :])


def expected_cook(question: PlanCooking) -> tuple[Cook, int]:
    """The teammate as it is expected to be, and in how many steps it has its next tomato."""
    rules, pace, hands = question.rules, question.pace, _hands(question)
    loading = _steps_each(pace.room, pace.tomatoes, LOADING)
    serving = _steps_each(pace.ready, pace.soups, SERVING)
    if hands == DISH:
        serving = max(BRIEF, serving // 2)
    cook = Cook(question.expected, loading, serving, rules.tomatoes, rules.cooking_steps)
    return cook, max(BRIEF, loading // 2) if hands == TOMATO else loading


def _steps_each(steps: int, times: int, before: int) -> int:
    return round((steps + IMAGINED * before) / (times + IMAGINED))


def _hands(question: PlanCooking) -> str | None:
    seen = question.teammate
    return seen.hands if seen and question.step - seen.step <= BRIEF else None
