"""The questions that readers ask a model, and the built-in reasoner's answers, found by tracking the story's text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from pydantic import BaseModel

from hm_agent.core import Hypothesis
from hm_agent.models.builtin import ReasonerTable
from hm_agent.models.prompts import phrase
from hm_agent.questions import Forms, Question, Words, one_of
from hm_agent.worlds.exploretom.questions.functional import chosen_action, parse_asked_action, tracked
from hm_agent.worlds.exploretom.questions.grading import meaning
from hm_agent.worlds.exploretom.questions.story_questions import AnsweredStory, parse_asked
from hm_agent.worlds.exploretom.story.actions import StoryAction, StoryScript, people_of
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker, StoryError
from hm_agent.worlds.exploretom.story.language import parse_story, sentence_of

MAX_PERSPECTIVE = 1_500
"""The longest perspective that the built-in reasoner gives, in characters."""


class ChosenAnswer(BaseModel):
    """An answer: one of the choices, or free words where none are shown."""

    answer: Words


class ReasonedAnswer(BaseModel):
    """An answer, after the steps that led to it."""

    reasoning: str = ""
    answer: Words


class Perspective(BaseModel):
    """What one person knows of a story."""

    perspective: str


@dataclass(frozen=True, slots=True)
class AnswerQuestion(Question[ChosenAnswer | ReasonedAnswer]):
    """What is the answer? It is one of the choices, if there are any.

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

    def check(self, answer: ChosenAnswer | ReasonedAnswer) -> None:
        if self.choices and meaning(answer.answer, self.choices) is None:
            given, choices = repr(answer.answer[:60]), list(map(repr, self.choices))
            raise ValueError(phrase("exploretom/messages.j2", "no_choice", given=given, choices=choices))


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFromPerspective(AnswerQuestion):
    """What is the answer, given what the person asked about knows? (the second step of SimToM)

    asks_what_is_so: whether the answer also depends on the state of the world, which the person may not know.
    """

    person: str
    perspective: str
    asks_what_is_so: bool = False


@dataclass(frozen=True, slots=True)
class TakePerspective(Question[Perspective]):
    """What does a person know of the story? (the first step of SimToM)

    earlier: the perspectives taken so far, best first, after an answer from them was wrong. question, answer: that one;
    the answer is empty if there was none.
    """

    template = "exploretom/take_perspective.j2"
    schema = Perspective
    story: str
    person: str
    sees_contents: bool = False
    earlier: tuple[Hypothesis, ...] = ()
    question: str = ""
    answer: str = ""


@lru_cache(maxsize=64)
def read_story(text: str, sees_contents: bool) -> AnsweredStory:
    """Reads a story from its text, cached; raises StoryError if it can't be read."""
    return AnsweredStory(parse_story(text, sees_contents=sees_contents))


def answer_from_text(story: str, question: str, sees_contents: bool) -> str:
    """The answer that the tracker gives to a question; empty if the story or the question can't be read."""
    try:
        read = read_story(story, sees_contents)
        if action := parse_asked_action(question):
            return chosen_action(read, action, tracked(read))
        return read.answer(parse_asked(question)) or ""
    except StoryError:
        return ""


def _answer(question: AnswerQuestion) -> ChosenAnswer | ReasonedAnswer:
    answer = answer_from_text(question.story, question.question, question.sees_contents) or "unknown"
    if question.by_steps:
        return ReasonedAnswer(reasoning="tracked action by action", answer=answer)
    return ChosenAnswer(answer=answer)


def _take_perspective(question: TakePerspective) -> Perspective:
    try:
        script = read_story(question.story, question.sees_contents).script
    except StoryError:
        return Perspective(perspective="")
    return Perspective(perspective="\n".join(seen_by(script, question.person))[:MAX_PERSPECTIVE])


def seen_by(script: StoryScript, person: str) -> list[str]:
    """The sentences of the actions that a person took part in or saw."""
    tracker, seen = BeliefTracker(script.people, sees_contents=script.sees_contents), []
    for action in script.actions:
        if sees(tracker, person, action):
            seen.append(sentence_of(action))
        tracker.apply(action)
    return seen


def sees(tracker: BeliefTracker, person: str, action: StoryAction) -> bool:
    """True if a person takes part in an action that is about to happen, or sees it."""
    if person in action.distracted or person not in tracker.people:
        return False
    return person in people_of(action) or tracker.would_witness(person, action)


ANSWERS: ReasonerTable = {
    AnswerQuestion: _answer,
    TakePerspective: _take_perspective,
    AnswerFromPerspective: _answer,
}
