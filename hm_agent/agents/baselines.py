"""The strategists of the paper's baselines, which read no minds (appendix D)."""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.core import Interaction, Strategy
from hm_agent.questions import answer_or_none
from hm_agent.theory_of_mind.by_reward import Strategising
from hm_agent.theory_of_mind.strategist import BaseStrategist, Understanding

UNDECIDED = Strategy("")
"""Planning decides for itself."""


class Reactive(BaseStrategist[Understanding]):
    """Decides on nothing: every plan is made on the whole history of interactions (ReAct, appendix D.1)."""

    @property
    def history(self) -> Sequence[Interaction]:
        return self._memory.all

    async def _think(self) -> Strategy:
        return UNDECIDED

    async def _digest(self, evidence: Interaction) -> None:
        """Is remembered, and that is all."""


class HighLevelPlanner(BaseStrategist[Strategising]):
    """Thinks of a strategy after every interaction, in one question (PlanReAct, appendix D.3)."""

    async def _think(self) -> Strategy | None:
        answer = await answer_or_none(self._model, self._game.ask_strategy(self._memory.all, ()))
        return self._game.strategy(answer, informed=bool(self._memory.all)) if answer else None
