"""The reference agents of Melting Pot: the ceiling `oracle`, and the floors `random` and `noop`."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum

from hm_agent.core import Agent, Clue, Decision, Event, Hypothesis, Observation, Strategy
from hm_agent.metrics import TOLD_SHARE
from hm_agent.questions import Model, ask
from hm_agent.theory_of_mind.mind import MindReading
from hm_agent.theory_of_mind.strategist import BaseStrategist
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.grid import Move
from hm_agent.worlds.melting_pot.scene import PlayerIntent


class InformedStrategist(BaseStrategist[MindReading]):
    """Is told at every step what each other player aims for, or its rule, and plays the best response to that."""

    def __init__(self, mind: MindReading, model: Model, intents: Callable[[], Sequence[PlayerIntent]]) -> None:
        super().__init__(mind, model)
        self._read_intents = intents
        self._intents: Mapping[str, PlayerIntent] = {}
        self._intents_asked, self._intents_known = 0, 0
        """How many intents were asked for, one per step and player, and how many of these were known."""

    def metrics(self) -> Mapping[str, float]:
        return {TOLD_SHARE: self._intents_known / self._intents_asked} if self._intents_asked else {}

    async def revise(self, events: Sequence[Event]) -> Strategy:
        self._intents_asked += len(self._mind.players)
        self._intents_known += sum(intent.is_known for intent in self._current_intents().values())
        return await super().revise(events)

    @property
    def is_outdated(self) -> bool:
        """True if an intent has changed since the last decision; of a player with a rule, if the rule has."""
        return any(
            _has_changed(self._intents.get(player), intent) for player, intent in self._current_intents().items()
        )

    async def _decide(self) -> Strategy:
        self._intents = self._current_intents()
        rules = Counter(intent.rule for intent in self._intents.values() if intent.rule is not None)
        if rules:
            # The commonest rule stands for all others, as if they were one player. Only interactions with players that
            # follow it count, since each bot counts or copies only what it met itself.
            (rule, _), *_ = rules.most_common(1)
            history = [past for past in self._memory.all if self._intents[past.partner].rule == rule]
            asked = self._mind.ask_prediction(history, (Hypothesis(rule),), certain=True)
            foreseen = await ask(self._model, asked)
            if foreseen is not None and foreseen.strategy is not None:
                return foreseen.strategy
        aims = {player: intent.behaviour for player, intent in self._intents.items()}
        return self._mind.best_response(aims, hidden=any(intent.watches for intent in self._intents.values()))

    async def consider(self, event: Event) -> Strategy | None:
        """Decides again after every event but clues, also with an unknown player: the own inventory has changed."""
        return await super().consider(event) or (None if isinstance(event, Clue) else await self._decide())

    def _current_intents(self) -> Mapping[str, PlayerIntent]:
        """The present intents by player; if several players share one name, the commonest of the known ones."""
        intents = self._read_intents()
        if len(self._mind.players) == 1 < len(intents):
            known = [intent for intent in intents if intent.is_known] or intents
            intents = (Counter(known).most_common(1)[0][0],)
        return dict(zip(self._mind.players, intents, strict=False))


def _has_changed(before: PlayerIntent | None, now: PlayerIntent) -> bool:
    if before is None or now.rule is not None:
        return before is None or before.rule != now.rule
    return before != now


class NoopAgent(Agent[View, Move]):
    """Stands still."""

    async def act(self, observation: Observation[View]) -> Decision[Move]:
        return Decision(Move.NOOP)


class RandomAgent(Agent[View, IntEnum]):
    """Draws every action uniformly; the same ones for the same seed. actions: those that there are, from 0 on."""

    def __init__(self, seed: int, actions: type[IntEnum]) -> None:
        self._rng, self._actions = random.Random(seed), actions

    async def act(self, observation: Observation[View]) -> Decision[IntEnum]:
        return Decision(self._actions(self._rng.randrange(len(self._actions))))
