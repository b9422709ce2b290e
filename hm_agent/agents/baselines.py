"""The strategists of the paper's baselines, which model no other player (appendix D)."""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.core import Interaction, Strategy
from hm_agent.questions import answer_or_none
from hm_agent.theory_of_mind.mind import BasicMind, StrategyMaking
from hm_agent.theory_of_mind.strategist import BaseStrategist


class Reactive(BaseStrategist[BasicMind]):
    """Decides on nothing: every plan is made from the whole history of interactions (ReAct, appendix D.1)."""

    @property
    def history(self) -> Sequence[Interaction]:
        return self._memory.all

    async def _decide(self) -> Strategy:
        return self._mind.undecided()

    async def _on_interaction(self, interaction: Interaction) -> None:
        """The memory, which planning sees, is all that changes."""


class HighLevelPlanner(BaseStrategist[StrategyMaking]):
    """Decides on a strategy after every interaction, in one question (PlanReAct, appendix D.3)."""

    async def _decide(self) -> Strategy | None:
        answer = await answer_or_none(self._model, self._mind.ask_strategy(self._memory.all, ()))
        return self._mind.strategy(answer, informed=bool(self._memory.all)) if answer else None
