"""Reference points to measure agents against: the floor and the ceiling."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from hm_agent.core import Counts, Decision, Event, Hypothesis, Observation, Strategy, Vitals
from hm_agent.grid import Move


class NoopAgent:
    """Stands still."""

    async def act(self, observation: Observation) -> Decision:
        return Decision(int(Move.NOOP))

    def vitals(self) -> Vitals:
        return Vitals()


class RandomAgent:
    """Any move, each as likely; the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)

    async def act(self, observation: Observation) -> Decision:
        return Decision(self._rng.randrange(len(Move)))

    def vitals(self) -> Vitals:
        return Vitals()


class ToldStrategist:
    """Told at every step what the opponent is after, and plays the answer to it: marks the ceiling.

    tell: the behaviours the other players are after now. answer: the strategy against one of them, None where nothing
    is told.
    """

    hypotheses: Sequence[Hypothesis] = ()
    validated: Hypothesis | None = None
    other_inventory: Counts | None = None

    def __init__(self, tell: Callable[[], Sequence[str | None]], answer: Callable[[str | None], Strategy]) -> None:
        self._tell, self._answer = tell, answer
        self._told: str | None = None

    @property
    def outdated(self) -> bool:
        return self._hear() != self._told

    async def open(self) -> Strategy:
        self._told = self._hear()
        return self._answer(self._told)

    async def revise(self, event: Event) -> Strategy | None:
        return await self.open()

    def _hear(self) -> str | None:
        return next(iter(self._tell()), None)
