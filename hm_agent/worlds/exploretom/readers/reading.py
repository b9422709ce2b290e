"""The questions that readers ask a model, and the built-in reasoner's answers, found by tracking the story's text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from pydantic import BaseModel

from hm_agent.core import Hypothesis
from hm_agent.models.builtin import ReasonerTable
from hm_agent.models.prompts import phrase
from hm_agent.questions import Forms, Question, Unanswered, Words, one_of
from hm_agent.theory_of_mind.odds_questions import Percent
from hm_agent.theory_of_mind.player_odds import ToldOdds
from hm_agent.theory_of_mind.seat_question import check_one_for_each, one_for_each
from hm_agent.worlds.exploretom.questions.grading import meaning
from hm_agent.worlds.exploretom.questions.plans import answer_at
from hm_agent.worlds.exploretom.questions.story_questions import AnsweredStory
from hm_agent.worlds.exploretom.story.actions import StoryAction, StoryScript, people_of
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker, StoryError, steps_of
from hm_agent.worlds.exploretom.story.language import parse_story, sentence_of

MOST_WEIGHED = 4
"""How many answers are weighed where no choices are shown."""
MAX_PERSPECTIVE = 1_500
"""The longest perspective that the built-in reasoner gives, in characters."""


class ChosenAnswer(BaseModel):
    """An answer: one of the choices, or free words where none are shown."""

    answer: Words


class ReasonedAnswer(BaseModel):
    """An answer, after the steps that led to it."""

    reasoning: str = ""
    answer: Words


class AnswersInOrder(BaseModel):
    """An answer from each of several perspectives."""

    answers: list[Words]


class LikelyAnswer(BaseModel):
    """An answer and its chance, in percent."""

    answer: Words
    chance: Percent


class WeighedAnswers(BaseModel):
    """The answers that may be right, each with its chance."""

    reasoning: str = ""
    chances: list[LikelyAnswer]

    @property
    def odds(self) -> ToldOdds:
        """Each answer as what the person may believe; their chances are divided by their sum."""
        total = sum(each.chance for each in self.chances)
        return ToldOdds([(each.answer, each.chance / total, {each.answer: 1.0}) for each in self.chances])


StoryAnswer: TypeAlias = ChosenAnswer | ReasonedAnswer | AnswersInOrder | WeighedAnswers


def answers_in(reply: StoryAnswer) -> Sequence[str]:
    match reply:
        case AnswersInOrder():
            return reply.answers
        case WeighedAnswers():
            return [each.answer for each in reply.chances]
    return [reply.answer]


class Perspective(BaseModel):
    """What one person knows of a story."""

    perspective: str


@dataclass(frozen=True, slots=True)
class AnswerQuestion(Question[StoryAnswer]):
    """What is the answer?

    sees_contents: whether entering a room shows what its containers hold. by_steps: whether the answer also tells the
    steps that lead to it.
    """

    template = "exploretom/answer.j2"
    story: str
    question: str
    choices: tuple[str, ...]
    sees_contents: bool = False
    by_steps: bool = False

    @property
    def schema(self) -> type[BaseModel]:
        return ReasonedAnswer if self.by_steps else ChosenAnswer

    @property
    def forms(self) -> Forms:
        return {"answer": one_of(self.choices)} if self.choices else {}

    def check(self, answer: StoryAnswer) -> None:
        for given in answers_in(answer):
            if self.choices and meaning(given, self.choices) is None:
                choices = list(map(repr, self.choices))
                raise ValueError(phrase("exploretom/messages.j2", "no_choice", given=repr(given[:60]), choices=choices))


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFromPerspective(AnswerQuestion):
    """What is the answer, given what the person asked about knows? (the second step of SimToM)

    perspectives: what it may know; each gives an answer. asks_what_is_so: whether the answer also depends on the state
    of the world, which the person may not know.
    """

    person: str
    perspectives: tuple[str, ...]
    asks_what_is_so: bool = False

    @property
    def schema(self) -> type[BaseModel]:
        return ChosenAnswer if len(self.perspectives) == 1 else AnswersInOrder

    @property
    def forms(self) -> Forms:
        choice = one_of(self.choices) if self.choices else {}
        return {"answer": choice, "answers": {"items": choice, **one_for_each(self.perspectives)}}

    def check(self, answer: StoryAnswer) -> None:
        check_one_for_each("answers", answers_in(answer), self.perspectives)
        AnswerQuestion.check(self, answer)  # the dataclass with slots is another class than `super()` looks up


@dataclass(frozen=True, slots=True)
class WeighAnswers(AnswerQuestion):
    """How likely is each answer?"""

    template = "exploretom/weigh_answers.j2"
    most: int = MOST_WEIGHED

    @property
    def schema(self) -> type[BaseModel]:
        return WeighedAnswers

    @property
    def forms(self) -> Forms:
        most = len(self.choices) or self.most
        return {"answer": one_of(self.choices) if self.choices else {}, "chances": {"minItems": 1, "maxItems": most}}

    def check(self, answer: StoryAnswer) -> None:
        AnswerQuestion.check(self, answer)
        assert isinstance(answer, WeighedAnswers)
        given = answers_in(answer)
        if len(set(given)) < len(given) or not any(each.chance for each in answer.chances):
            raise ValueError(phrase("exploretom/messages.j2", "no_chances"))


@dataclass(frozen=True, slots=True)
class TakePerspective(Question[Perspective]):
    """What does a person know of the story? (the first step of SimToM)

    best: earlier perspectives that answered best, best first. mistaken: the latest one, if no right answer followed
    from it; None if there is none. question, answer: what was answered from it; empty if there was no answer.
    """

    template = "exploretom/take_perspective.j2"
    schema = Perspective
    story: str
    person: str
    sees_contents: bool = False
    best: tuple[Hypothesis, ...] = ()
    mistaken: str | None = None
    question: str = ""
    answer: str = ""


@lru_cache(maxsize=64)
def read_story(text: str, sees_contents: bool) -> AnsweredStory:
    """Reads a story from its text, cached; raises StoryError if it can't be read."""
    return AnsweredStory(parse_story(text, sees_contents=sees_contents))


def answer_from_text(story: str, question: str, sees_contents: bool) -> str:
    """The answer that the tracker gives to a question; empty if the story or the question can't be read."""
    try:
        return answer_at(read_story(story, sees_contents), question) or ""
    except StoryError:
        return ""


def _tracked(question: AnswerQuestion) -> str:
    """The answer that follows from the text; raises Unanswered if the text can't be read, or leaves it open."""
    answer = answer_from_text(question.story, question.question, question.sees_contents)
    if not answer:
        raise Unanswered("the built-in reasoner can't read this story or question, or the story leaves the answer open")
    return answer


def _answer(question: AnswerQuestion) -> StoryAnswer:
    answer = _tracked(question)
    if question.by_steps:
        return ReasonedAnswer(reasoning="tracked action by action", answer=answer)
    if isinstance(question, AnswerFromPerspective) and len(question.perspectives) > 1:
        return AnswersInOrder(answers=[answer] * len(question.perspectives))
    return ChosenAnswer(answer=answer)


def _weigh_answers(question: WeighAnswers) -> WeighedAnswers:
    """Is certain of the answer that follows from the text."""
    return WeighedAnswers(chances=[LikelyAnswer(answer=_tracked(question), chance=100)])


def _take_perspective(question: TakePerspective) -> Perspective:
    try:
        script = read_story(question.story, question.sees_contents).script
    except StoryError:
        return Perspective(perspective="")
    return Perspective(perspective="\n".join(seen_by(script, question.person))[:MAX_PERSPECTIVE])


def seen_by(script: StoryScript, person: str) -> list[str]:
    """The sentences of the actions that a person took part in or saw."""
    return [sentence_of(action) for action, tracker in steps_of(script) if sees(tracker, person, action)]


def sees(tracker: BeliefTracker, person: str, action: StoryAction) -> bool:
    """True if a person takes part in an action that is about to happen, or sees it."""
    if person in action.distracted or person not in tracker.people:
        return False
    return person in people_of(action) or tracker.would_witness(person, action)


ANSWERS: ReasonerTable = {
    AnswerQuestion: _answer,
    TakePerspective: _take_perspective,
    WeighAnswers: _weigh_answers,
    AnswerFromPerspective: _answer,
}
