"""A strategist that models nobody: one strategy in words, throughout."""

from __future__ import annotations

from hm_agent.core import Strategy
from hm_agent.questions import Model
from hm_agent.theory_of_mind.strategist import BaseStrategist
from hm_agent.theory_of_mind.written_mind import WrittenMind, WrittenStrategy


class ConstantStrategist(BaseStrategist[WrittenMind]):
    """Keeps to one strategy, whatever others do."""

    def __init__(self, mind: WrittenMind, model: Model, words: str) -> None:
        super().__init__(mind, model)
        self._words = words

    async def _decide(self) -> Strategy:
        return WrittenStrategy(self._words)
