"""The strategists of the paper's baselines, which read no minds (appendix D)."""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.asking import Model, answer_or_none
from hm_agent.core import Counts, Event, Evidence, Hypothesis, Strategy
from hm_agent.memory.interactions import InteractionMemory
from hm_agent.theory_of_mind.by_reward import Strategising

UNDECIDED = Strategy("")
"""Planning decides for itself."""


class Reactive:
    """Decides on nothing: every plan is made on the whole history of interactions (ReAct, appendix D.1)."""

    outdated = False
    about: str | None = None
    hypotheses: Sequence[Hypothesis] = ()
    validated: Hypothesis | None = None

    def __init__(self, game: Strategising, model: Model, memory: InteractionMemory) -> None:
        self._game, self._model, self._memory = game, model, memory

    @property
    def history(self) -> Sequence[Evidence]:
        return self._memory.all

    @property
    def other_inventory(self) -> Counts | None:
        return self._memory.latest.other if self._memory.latest else None

    async def open(self) -> Strategy:
        return UNDECIDED

    async def revise(self, event: Event) -> None:
        evidence = await self._game.understand(event, self._model)
        if evidence is not None:
            self._memory.add(evidence)


class HighLevelPlanner:
    """Thinks of a strategy after every interaction, in one question (PlanReAct, appendix D.3)."""

    outdated = False
    about: str | None = None
    hypotheses: Sequence[Hypothesis] = ()
    validated: Hypothesis | None = None
    history: Sequence[Evidence] = ()

    def __init__(self, game: Strategising, model: Model, memory: InteractionMemory) -> None:
        self._game, self._model, self._memory = game, model, memory

    @property
    def other_inventory(self) -> Counts | None:
        return self._memory.latest.other if self._memory.latest else None

    async def open(self) -> Strategy:
        return await self._think() or self._game.answer_to({})

    async def revise(self, event: Event) -> Strategy | None:
        evidence = await self._game.understand(event, self._model)
        if evidence is None:
            return None
        self._memory.add(evidence)
        return await self._think()

    async def _think(self) -> Strategy | None:
        answer = await answer_or_none(self._model, self._game.ask_strategy(self._memory.all, ()))
        return self._game.strategy(answer, informed=bool(self._memory.all)) if answer else None
