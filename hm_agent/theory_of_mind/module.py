"""The Theory of Mind module: five steps after every event (Hypothetical Minds, appendix C.3).

It is generic over games: what a behaviour is, and how the questions read, is the game's business (`Mindreading`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Protocol

from pydantic import BaseModel

from hm_agent.core import Counts, Event, Hypothesis, Model, Question, Strategy, Unanswered
from hm_agent.theory_of_mind.hypotheses import (
    Bank,
    Hyperparameters,
    add,
    best_earlier,
    ranked,
    score,
    validated,
    with_predictions,
)


class Evidence(Protocol):
    """One event as understood: what the other did in it. behaviour is None where that can't be told."""

    @property
    def partner(self) -> str: ...

    @property
    def behaviour(self) -> str | None: ...

    @property
    def other(self) -> Counts | None:
        """What the other held, where the game has inventories."""
        ...


class HypothesisAnswer(BaseModel):
    """A belief about another player's strategy."""

    reasoning: str = ""
    hypothesis: str


class Mindreading(Protocol):
    """What a game tells the Theory of Mind."""

    async def understand(self, event: Event, model: Model) -> Evidence | None:
        """Step 1: what the other did; None for events that say nothing of anybody."""
        ...

    def ask_hypothesis(self, history: Sequence[Evidence], best: Bank) -> Question[HypothesisAnswer]: ...

    def ask_prediction(self, history: Sequence[Evidence], hypothesis: str | None) -> Question[Any]: ...

    def predicted(self, answer: BaseModel) -> str | None:
        """The behaviour that an answer to `ask_prediction` predicts."""
        ...

    def strategy(self, answer: BaseModel, hypothesis: str | None) -> Strategy:
        """What an answer to `ask_prediction` decides to do."""
        ...


class Stream:
    """All that is thought about one other player."""

    def __init__(self) -> None:
        self.history: list[Evidence] = []
        self.bank: Bank = ()


class TheoryOfMind:
    """A strategist that hypothesises about the others, one stream for each of them."""

    def __init__(self, game: Mindreading, model: Model, parameters: Hyperparameters) -> None:
        self._game, self._model, self._parameters = game, model, parameters
        self._streams: dict[str, Stream] = {}
        self._latest = Stream()

    outdated = False

    @property
    def hypotheses(self) -> Bank:
        """What is thought about the player met last."""
        return self._latest.bank

    @property
    def validated(self) -> Hypothesis | None:
        return validated(self._latest.bank, self._parameters)

    @property
    def other_inventory(self) -> Counts | None:
        """What the player met last is thought to have held."""
        return self._latest.history[-1].other if self._latest.history else None

    async def open(self) -> Strategy:
        """A first strategy, before anything is known of anybody."""
        answer = await self._model.answer(self._game.ask_prediction((), None))
        return self._game.strategy(answer, None)

    async def revise(self, event: Event) -> Strategy | None:
        """Takes in an event; returns the new strategy, or None where there is no reason for one."""
        evidence = await self._game.understand(event, self._model)
        if evidence is None:
            return None
        stream = self._latest = self._streams.setdefault(evidence.partner, Stream())
        stream.history.append(evidence)
        stream.bank = score(stream.bank, evidence.behaviour, self._parameters)
        if validated(stream.bank, self._parameters) is None:
            stream.bank = await self._refined(stream)
        return await self._predict(stream)

    async def _refined(self, stream: Stream) -> Bank:
        """Step 3: a new hypothesis, or a better form of an old one; the bank as it is where none came."""
        question = self._game.ask_hypothesis(stream.history, best_earlier(stream.bank, self._parameters))
        try:
            answer = await self._model.answer(question)
        except Unanswered:
            return stream.bank
        return add(stream.bank, answer.hypothesis, len(stream.history), self._parameters)

    async def _predict(self, stream: Stream) -> Strategy | None:
        """Steps 4 and 5: what each hypothesis in play predicts, and the answer to the one that is believed."""
        believed = self._believed(stream.bank)
        asked = self._in_play(stream.bank, believed)
        answers = await asyncio.gather(*(self._ask(stream, hypothesis) for hypothesis in asked))
        predictions = [self._game.predicted(answer) if answer else None for answer in answers]
        stream.bank = with_predictions(stream.bank, asked, predictions)
        if believed is None or (answer := answers[asked.index(believed)]) is None:
            return None
        return self._game.strategy(answer, believed.words)

    def _believed(self, bank: Bank) -> Hypothesis | None:
        """The validated hypothesis, else the newest (section 3.2)."""
        return validated(bank, self._parameters) or (bank[-1] if bank else None)

    def _in_play(self, bank: Bank, believed: Hypothesis | None) -> Bank:
        """A validated hypothesis is asked alone; else the top k and the newest."""
        if validated(bank, self._parameters) is not None:
            return (believed,) if believed else ()
        kept = {hypothesis.words for hypothesis in (*ranked(bank)[: self._parameters.top_k], *bank[-1:])}
        return tuple(hypothesis for hypothesis in bank if hypothesis.words in kept)

    async def _ask(self, stream: Stream, hypothesis: Hypothesis) -> BaseModel | None:
        question: Question[BaseModel] = self._game.ask_prediction(stream.history, hypothesis.words)
        try:
            return await self._model.answer(question)
        except Unanswered:
            return None
