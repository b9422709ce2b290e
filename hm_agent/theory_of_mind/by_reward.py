"""Hypotheses without mind prompting: high-level strategies of one's own, evaluated by reward (HE + HR, appendix E)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any, Protocol

from pydantic import BaseModel

from hm_agent.core import Hypothesis, Interaction, Strategy
from hm_agent.questions import Model, Question, answer_or_none, together
from hm_agent.theory_of_mind.hypotheses import Bank, Hyperparameters, add, best_earlier, towards, validated
from hm_agent.theory_of_mind.memory import InteractionMemory
from hm_agent.theory_of_mind.strategist import BaseStrategist, Understanding

TABLE_3 = Hyperparameters(reward=3.0, threshold=3.0)
"""The paper's, for hypotheses that are evaluated by reward; `reward` is the counterfactual one."""


class Outcome(StrEnum):
    """What something would have brought."""

    POSITIVE = "positive"
    NEUTRAL = "neutral"
    NEGATIVE = "negative"


SIGNS: Mapping[Outcome, float] = {Outcome.POSITIVE: 1.0, Outcome.NEUTRAL: 0.0, Outcome.NEGATIVE: -1.0}


class HindsightAnswer(BaseModel):
    """Whether something would have paid."""

    reasoning: str = ""
    outcome: Outcome


class Strategising(Understanding, Protocol):
    """What a game has to ask of those who think of their own strategy, and of nobody's mind."""

    def ask_strategy(self, history: Sequence[Interaction], best: Bank) -> Question[Any]:
        """By which strategy to go on? best: earlier ones that paid, to be refined."""
        ...

    def ask_course(self, history: Sequence[Interaction], strategy: str) -> Question[Any]:
        """What does a strategy come to in the present situation?"""
        ...

    def ask_hindsight(self, evidence: Interaction, instead: Strategy) -> Question[HindsightAnswer]:
        """What would an interaction have paid by another strategy?"""
        ...


class EvaluatedStrategies(BaseStrategist[Strategising]):
    """A strategist that keeps several strategies and goes by the one that has paid best, once that is proven.

    The one in use is valued by the reward, the others by what they would have paid.
    """

    def __init__(
        self, parameters: Hyperparameters, game: Strategising, model: Model, memory: InteractionMemory
    ) -> None:
        super().__init__(game, model, memory)
        self._parameters = parameters
        self._bank: Bank = ()
        self._courses: dict[str, Strategy] = {}
        """What strategies come to in the present situation, by their words."""
        self._used: str | None = None

    @property
    def hypotheses(self) -> Bank:
        return self._bank

    @property
    def validated(self) -> Hypothesis | None:
        return validated(self._bank, self._parameters)

    async def _digest(self, evidence: Interaction) -> Strategy | None:
        self._bank = tuple(await together(self._valued(each, evidence) for each in self._bank))
        self._courses.clear()
        if self.validated is not None:
            return await self._used_again(self.validated)
        return await self._think()

    async def _valued(self, hypothesis: Hypothesis, evidence: Interaction) -> Hypothesis:
        """With its value after an interaction; as it is where nothing can be said of it."""
        course = self._courses.get(hypothesis.words)
        if hypothesis.words == self._used:
            paid: float | None = evidence.reward
        else:
            paid = await self._imagined(course, evidence) if course else None
        if paid is None:
            return hypothesis
        return replace(hypothesis, value=towards(hypothesis.value, paid, self._parameters.learning_rate))

    async def _imagined(self, course: Strategy, evidence: Interaction) -> float | None:
        answer = await answer_or_none(self._model, self._game.ask_hindsight(evidence, course))
        return SIGNS[answer.outcome] * self._parameters.reward if answer else None

    async def _used_again(self, proven: Hypothesis) -> Strategy | None:
        """The present strategy goes on, and gets the credit, where nothing was said of what the proven one comes to."""
        await self._lay_out([proven])
        course = self._courses.get(proven.words)
        if course is not None:
            self._used = proven.words
        return course

    async def _think(self) -> Strategy | None:
        """A new strategy, or a better form of an old one, to be used next; None where none came."""
        best = best_earlier(self._bank, self._parameters)
        answer = await answer_or_none(self._model, self._game.ask_strategy(self._memory.all, best))
        if answer is None:
            return None
        made = self._game.strategy(answer, informed=bool(self._memory.all))
        self._bank = add(self._bank, made.words, len(self._memory.all), self._parameters)
        self._used = made.words
        await self._lay_out([hypothesis for hypothesis in self._bank if hypothesis.words != made.words])
        self._courses[made.words] = made
        return made

    async def _lay_out(self, hypotheses: Sequence[Hypothesis]) -> None:
        """Asks of each strategy what it comes to now."""
        questions = [self._game.ask_course(self._memory.all, hypothesis.words) for hypothesis in hypotheses]
        answers = await together(answer_or_none(self._model, question) for question in questions)
        for hypothesis, answer in zip(hypotheses, answers, strict=True):
            if answer is not None:
                course = self._game.strategy(answer, informed=True)
                self._courses[hypothesis.words] = replace(course, words=hypothesis.words)
