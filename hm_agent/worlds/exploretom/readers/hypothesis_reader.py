"""Strategists as readers, to whom the people of a story are the other players: Hypothetical Minds, and chances.

A hypothesis says what a person knows, its prediction is an answer, and the reward after each question tells whether
that answer was right. Stories with functional items tell no grades, so no hypothesis is scored and the first one about
each person answers. Who asks for chances gives the likeliest answer; they hold for one question. Questions about the
world concern no mind and are answered as `ModelReader` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hm_agent.core import Decision, Event, Interaction, Observation, Thoughts
from hm_agent.questions import Asking, Model, asking
from hm_agent.theory_of_mind.hypotheses import Bank, ranked
from hm_agent.theory_of_mind.mind import Foreseen, MindReading, OddsReading, PlayerModel
from hm_agent.theory_of_mind.player_odds import PlayerOdds
from hm_agent.theory_of_mind.predictions import PredictionRecord
from hm_agent.theory_of_mind.strategist import BaseStrategist
from hm_agent.theory_of_mind.written_mind import WrittenStrategy
from hm_agent.worlds.exploretom.questions.functional import person_asked_about
from hm_agent.worlds.exploretom.questions.grading import meaning
from hm_agent.worlds.exploretom.readers.readers import ModelReader, perspective_question
from hm_agent.worlds.exploretom.readers.reading import TakePerspective, WeighAnswers, WeighedAnswers, answers_in
from hm_agent.worlds.exploretom.world import GradedAnswer, StoryView


@dataclass(frozen=True, slots=True)
class AskedAbout(Event):
    """A question about a person, as an interaction with it.

    previous: the question about it before, None at first. hypothesis, answer: from what this one was answered, and how.
    is_right: None if that is not told.
    """

    partner: str
    view: StoryView
    previous: AskedAbout | None
    hypothesis: str = ""
    answer: str = ""
    is_right: bool | None = None
    behaviour: str | None = None
    reward: float = 0.0

    def shows(self, prediction: str) -> bool | None:
        """True if a prediction was right; None if that is not known, as for all but one answer if that was wrong."""
        choices = self.view.choices
        meant = meaning(prediction, choices) if choices else None
        agrees = prediction == self.answer or (meant is not None and meant == meaning(self.answer, choices))
        return agrees if self.is_right else False if agrees and self.is_right is False else None


class StoryMind(MindReading, OddsReading):
    """What strategists ask about the people of a story; no strategy follows from the answers."""

    players: Sequence[str] = ()
    asks_at_first = False

    def understand(self, event: Event) -> AskedAbout:
        return _asked(event)

    def is_right(self, prediction: str, interaction: Interaction) -> bool | None:
        previous = _asked(interaction).previous
        return previous.shows(prediction) if previous else None

    def explains(self, hypotheses: Bank, history: Sequence[Interaction]) -> bool:
        """True unless the previous answer was wrong."""
        previous = _asked(history[-1]).previous
        return bool(hypotheses) and (previous is None or previous.is_right is not False)

    def ask_hypothesis(self, history: Sequence[Interaction], best: Bank) -> Asking[str]:
        asked = _asked(history[-1])
        question = TakePerspective(asked.view.story, asked.partner, asked.view.sees_contents, best)
        if (last := asked.previous) is not None:
            question = replace(question, mistaken=last.hypothesis, question=last.view.question, answer=last.answer)
        return asking(question, lambda answer: answer.perspective)

    def ask_prediction(self, history: Sequence[Interaction], hypotheses: Bank, **_: Any) -> Asking[Foreseen]:
        asked = _asked(history[-1])
        question = perspective_question(asked.view, asked.partner, *(each.words for each in hypotheses))
        return asking(question, lambda answer: Foreseen(answers_in(answer), None))

    def ask_odds(self, other: PlayerModel) -> Asking[PlayerOdds]:
        view = _asked(other.history[-1]).view
        question = WeighAnswers(view.story, view.question, view.choices, view.sees_contents)
        return asking(question, _odds_in)

    def respond(self, odds: Mapping[str, PlayerOdds]) -> WrittenStrategy:
        return self.undecided()

    def undecided(self) -> WrittenStrategy:
        return WrittenStrategy("")

    def best_response(self, behaviours: Mapping[str, str | None], *, hidden: bool = False) -> WrittenStrategy:
        return self.undecided()


def _asked(event: object) -> AskedAbout:
    assert isinstance(event, AskedAbout)
    return event


def _odds_in(answer: object) -> PlayerOdds:
    assert isinstance(answer, WeighedAnswers)
    return answer.odds


class HypothesisReader(ModelReader):
    """Answers a question about a person by what a strategist believes; if that is nothing, as `ModelReader` does.

    strategist: builds it. graded: all answers so far with the right ones, for the metrics alone.
    """

    def __init__(
        self,
        model: Model,
        strategist: Callable[[StoryMind, Model], BaseStrategist[Any]],
        graded: Callable[[], Sequence[GradedAnswer]] = tuple,
    ) -> None:
        super().__init__(model)
        self._module, self._graded = strategist(StoryMind(), self._transcript), graded
        self._asked: dict[str, AskedAbout] = {}
        """The latest question about each person that was answered from a belief about it."""
        self._believed: list[tuple[AskedAbout, Mapping[str, float] | None]] = []
        """All of them, with the chances of the answers if there were any."""
        self._about: str | None = None
        """The person from whose mind the latest question was answered."""

    async def act(self, observation: Observation[StoryView]) -> Decision[str]:
        if self._about and observation.view.tells_grades:
            self._asked[self._about] = replace(self._asked[self._about], is_right=observation.reward > 0)
        decision = await super().act(observation)
        thoughts = Thoughts(threshold=self._module.threshold)
        if self._about:
            hypotheses, validated = ranked(tuple(self._module.hypotheses)), self._module.validated
            thoughts = replace(thoughts, about=self._about, hypotheses=hypotheses, validated=validated)
        return replace(decision, thoughts=thoughts)

    async def answer(self, model: Model, view: StoryView) -> str | None:
        person, self._about = person_asked_about(view.question), None
        if person is None:
            return await super().answer(model, view)
        asked = AskedAbout(view.number, person, view, self._asked.get(person))
        await self._module.revise([asked])
        believed = self._module.believed_about(person)
        if believed is None:
            return await super().answer(model, view)
        self._about = person
        self._asked[person] = replace(asked, hypothesis=believed.words, answer=believed.prediction or "")
        self._believed.append((self._asked[person], self._module.chances_of(person)))
        return believed.prediction

    def metrics(self) -> Mapping[str, float]:
        """How well the answers about people were predicted, by the right ones."""
        graded, record = self._graded(), PredictionRecord(lambda answer, asked: answer == asked.behaviour)
        for asked, chances in self._believed:
            if asked.view.number <= len(graded):
                question = graded[asked.view.number - 1].question
                told = {asked.answer: 1.0} if chances is None else chances
                meant = {meaning(answer, question.choices) or answer: chance for answer, chance in told.items()}
                record.judge(max(meant, key=meant.__getitem__), replace(asked, behaviour=question.answer), meant)
        return record.metrics()
