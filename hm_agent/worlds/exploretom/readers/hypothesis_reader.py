"""Hypothetical Minds as a reader: hypotheses about what each person knows, scored by the answers that they predict.

The people of a story take the place of the other players: a hypothesis says what a person knows, its prediction is an
answer, and the reward after each question tells whether that answer was right. Stories with functional items tell no
grades, so no hypothesis is scored and the first one about each person answers. Questions about the world concern no
mind and are answered as `ModelReader` does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hm_agent.core import Decision, Hypothesis, Observation, Thoughts
from hm_agent.questions import Model, answer_or_none
from hm_agent.theory_of_mind.hypotheses import (
    TABLE_2,
    Bank,
    Hyperparameters,
    add,
    believed,
    ranked,
    score,
    validated,
    with_predictions,
)
from hm_agent.worlds.exploretom.questions.functional import person_asked_about
from hm_agent.worlds.exploretom.questions.grading import meaning
from hm_agent.worlds.exploretom.readers.readers import ModelReader, perspective_question
from hm_agent.worlds.exploretom.readers.reading import TakePerspective
from hm_agent.worlds.exploretom.world import StoryView

UNKNOWN = "(unknown)"
"""The hypothesis if the model proposes none."""


@dataclass(frozen=True, slots=True)
class _MindAnswer:
    """An answer predicted by a hypothesis, before its grade is known."""

    person: str
    view: StoryView
    answer: str

    def agrees(self, prediction: str) -> bool:
        """True if a prediction means the same as the answer."""
        choices = self.view.choices
        if prediction == self.answer:
            return True
        return bool(choices) and meaning(prediction, choices) == meaning(self.answer, choices) is not None


class HypothesisReader(ModelReader):
    """Keeps hypotheses about each person's knowledge; once one is validated, answers from it alone.

    Until then the newest one answers, and all predict an answer, so that each can be scored. After a wrong answer the
    model is asked for a new hypothesis, and is shown the best earlier ones with their values, and the mistake.
    """

    def __init__(self, model: Model, parameters: Hyperparameters = TABLE_2) -> None:
        super().__init__(model)
        self._parameters = parameters
        self._banks: dict[str, Bank] = {}
        self._mistakes: dict[str, _MindAnswer] = {}
        self._last: _MindAnswer | None = None

    async def act(self, observation: Observation[StoryView]) -> Decision[str]:
        if self._last is not None and self._last.view.tells_grades:
            self._learn(self._last, observation.reward > 0)
        decision = await super().act(observation)
        person = self._last.person if self._last else None
        bank = self._banks.get(person, ()) if person else ()
        thoughts = Thoughts(
            about=person,
            hypotheses=ranked(bank),
            validated=validated(bank, self._parameters),
            threshold=self._parameters.threshold,
        )
        return replace(decision, thoughts=thoughts)

    def _learn(self, last: _MindAnswer, is_correct: bool) -> None:
        """Scores the hypotheses about a person by whether the last answer was right.

        If it was wrong, hypotheses that predicted another answer are not scored: whether that was right is not known.
        """

        def is_right(prediction: str) -> bool | None:
            agrees = last.agrees(prediction)
            return agrees if is_correct else False if agrees else None

        self._banks[last.person] = score(self._banks[last.person], is_right, self._parameters)
        if not is_correct:
            self._mistakes[last.person] = last

    async def answer(self, model: Model, view: StoryView) -> str | None:
        person, self._last = person_asked_about(view.question), None
        if person is None:
            return await super().answer(model, view)
        bank = await self._hypotheses(model, view, person)
        best = validated(bank, self._parameters)
        asked_hypotheses = (best,) if best else bank
        predictions = [await self._predict(model, view, person, hypothesis) for hypothesis in asked_hypotheses]
        self._banks[person] = bank = with_predictions(bank, asked_hypotheses, predictions)
        chosen = believed(bank, self._parameters)
        answer = chosen.prediction if chosen else None
        self._last = _MindAnswer(person, view, answer or "")
        return answer

    async def _hypotheses(self, model: Model, view: StoryView, person: str) -> Bank:
        """The hypotheses about a person, with a new one if there is none or the last answer was wrong."""
        bank, mistake = self._banks.get(person, ()), self._mistakes.pop(person, None)
        if bank and (mistake is None or validated(bank, self._parameters)):
            return bank
        question = TakePerspective(view.story, person, view.sees_contents)
        if mistake:
            earlier = ranked(bank)[: self._parameters.top_k]
            question = replace(question, earlier=earlier, question=mistake.view.question, answer=mistake.answer)
        reply = await answer_or_none(model, question)
        return add(bank, reply.perspective if reply else UNKNOWN, view.number, self._parameters)

    async def _predict(self, model: Model, view: StoryView, person: str, hypothesis: Hypothesis) -> str | None:
        reply = await answer_or_none(model, perspective_question(view, person, hypothesis.words))
        return reply.answer if reply else None
