"""Vanilla Mind Prompting: all steps of the Theory of Mind in one question, nothing kept or scored (section 4.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from pydantic import BaseModel

from hm_agent.core import Clue, Hypothesis, Interaction, Strategy
from hm_agent.questions import Model, Question, answer_or_none
from hm_agent.theory_of_mind.memory import InteractionMemory
from hm_agent.theory_of_mind.module import OpponentModel
from hm_agent.theory_of_mind.strategist import BaseStrategist, Understanding


class MindPrompting(Understanding, Protocol):
    """What a game has to ask of those who think of everything at once."""

    def ask_minds(self, outlooks: Sequence[OpponentModel]) -> Question[Any]:
        """What is each player's strategy, what will it do, and what to do about it?"""
        ...

    def minds(self, answer: BaseModel) -> Mapping[str, Hypothesis]:
        """What an answer to `ask_minds` thinks of each player it speaks of, with the behaviour that predicts."""
        ...


class VanillaMind(BaseStrategist[MindPrompting]):
    """A strategist that asks one question after every event and keeps no hypothesis beyond the next."""

    def __init__(self, game: MindPrompting, model: Model, memory: InteractionMemory) -> None:
        super().__init__(game, model, memory)
        self._minds: dict[str, Hypothesis] = {}
        self._expected: dict[str, str | None] = {}
        """The behaviour that the present strategy answers, by player."""
        self._clues: dict[str, Clue] = {}

    @property
    def hypotheses(self) -> Sequence[Hypothesis]:
        """What is thought of the player met last."""
        return (self._minds[self.about],) if self.about in self._minds else ()

    async def _digest(self, evidence: Interaction) -> Strategy | None:
        self._clues.pop(evidence.partner, None)
        self._expected.pop(evidence.partner, None)
        return await self._think()

    async def _follow(self, clue: Clue) -> Strategy | None:
        """Thinks everything over where a clue speaks against what is expected."""
        self._clues[clue.partner] = clue
        if clue.suggests in (None, self._expected.get(clue.partner)):
            return None
        self._expected[clue.partner] = clue.suggests
        return await self._think()

    async def _think(self) -> Strategy | None:
        outlooks = [
            OpponentModel(each, self._memory.of(each), clue=self._clues.get(each)) for each in self._game.players
        ]
        answer = await answer_or_none(self._model, self._game.ask_minds(outlooks))
        if answer is None:
            return None
        minds = self._game.minds(answer)
        self._minds |= minds
        self._expected |= {player: mind.prediction for player, mind in minds.items()}
        return self._game.strategy(answer, informed=bool(self._memory.all or self._clues))
