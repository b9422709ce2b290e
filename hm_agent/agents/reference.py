"""Reference points to measure agents against: the floor and the ceiling."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from hm_agent.core import Clue, Decision, EpisodeStats, Event, Observation, OpponentIntent, Strategy
from hm_agent.questions import Model, answer_or_none
from hm_agent.theory_of_mind.memory import InteractionMemory
from hm_agent.theory_of_mind.module import Mindreading
from hm_agent.theory_of_mind.strategist import BaseStrategist
from hm_agent.worlds.melting_pot.grid import Move


class NoopAgent:
    """Stands still."""

    async def act(self, observation: Observation) -> Decision:
        return Decision(int(Move.NOOP))

    def vitals(self) -> EpisodeStats:
        return EpisodeStats()


class RandomAgent:
    """Any move, each as likely; the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)

    async def act(self, observation: Observation) -> Decision:
        return Decision(self._rng.randrange(len(Move)))

    def vitals(self) -> EpisodeStats:
        return EpisodeStats()


class ToldStrategist(BaseStrategist[Mindreading]):
    """OpponentIntent at every step what the others are after, or by which rule one goes, and plays the answer to it."""

    def __init__(
        self, tell: Callable[[], Sequence[OpponentIntent]], game: Mindreading, model: Model, memory: InteractionMemory
    ) -> None:
        super().__init__(game, model, memory)
        self._tell = tell
        self._told: Mapping[str, OpponentIntent] = {}

    @property
    def outdated(self) -> bool:
        """Who goes by a rule changes only with what happens; others may change at any time."""
        return any(_has_turned(self._told.get(player), told) for player, told in self._hear().items())

    async def _think(self) -> Strategy:
        self._told = self._hear()
        for player, told in self._told.items():
            if told.rule is not None:
                question = self._game.ask_prediction(self._memory.of(player), told.rule, certain=True)
                answer = await answer_or_none(self._model, question)
                if answer is not None:
                    return self._game.strategy(answer, informed=True)
        return self._game.answer_to({player: told.behaviour for player, told in self._told.items()})

    async def revise(self, event: Event) -> Strategy | None:
        """Thinks it over after every interaction, also with somebody unknown: one holds something else then."""
        return await super().revise(event) or (None if isinstance(event, Clue) else await self._think())

    def _hear(self) -> Mapping[str, OpponentIntent]:
        return dict(zip(self._game.players, self._tell(), strict=False))


def _has_turned(before: OpponentIntent | None, now: OpponentIntent) -> bool:
    if before is None or now.rule is not None:
        return before is None or before.rule != now.rule
    return before != now
