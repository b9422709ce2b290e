"""Reference points to measure agents against: the floor and the ceiling."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from hm_agent.asking import Model, answer_or_none
from hm_agent.core import Clue, Counts, Decision, Event, Evidence, Hypothesis, Observation, Strategy, Told, Vitals
from hm_agent.grid import Move
from hm_agent.memory.interactions import InteractionMemory
from hm_agent.theory_of_mind.module import Mindreading


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
    """Told at every step what the others are after, or by which rule one goes, and plays the answer to it."""

    about: str | None = None
    hypotheses: Sequence[Hypothesis] = ()
    validated: Hypothesis | None = None
    history: Sequence[Evidence] = ()
    other_inventory: Counts | None = None

    def __init__(
        self, tell: Callable[[], Sequence[Told]], game: Mindreading, model: Model, memory: InteractionMemory
    ) -> None:
        self._tell, self._game, self._model, self._memory = tell, game, model, memory
        self._told: Mapping[str, Told] = {}

    @property
    def outdated(self) -> bool:
        """Who goes by a rule changes only with what happens; others may change at any time."""
        return any(_has_turned(self._told.get(player), told) for player, told in self._hear().items())

    async def open(self) -> Strategy:
        self._told = self._hear()
        for player, told in self._told.items():
            if told.rule is not None:
                question = self._game.ask_prediction(self._memory.of(player), told.rule, certain=True)
                answer = await answer_or_none(self._model, question)
                if answer is not None:
                    return self._game.strategy(answer, informed=True)
        return self._game.answer_to({player: told.behaviour for player, told in self._told.items()})

    async def revise(self, event: Event) -> Strategy | None:
        if isinstance(event, Clue):
            return None
        evidence = await self._game.understand(event, self._model)
        if evidence is not None:
            self._memory.add(evidence)
        return await self.open()

    def _hear(self) -> Mapping[str, Told]:
        return dict(zip(self._game.players, self._tell(), strict=False))


def _has_turned(before: Told | None, now: Told) -> bool:
    if before is None or now.rule is not None:
        return before is None or before.rule != now.rule
    return before != now
