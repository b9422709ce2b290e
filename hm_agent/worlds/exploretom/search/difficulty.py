"""How hard a story is for a reader: the share of its questions that the reader answers rightly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hm_agent.core import Agent, Observation
from hm_agent.worlds.exploretom.questions.grading import meaning
from hm_agent.worlds.exploretom.questions.story_questions import AnsweredStory, StoryQuestion
from hm_agent.worlds.exploretom.story.actions import StoryScript
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker
from hm_agent.worlds.exploretom.story.language import text_of
from hm_agent.worlds.exploretom.world import StoryView

FIRST_ORDER = (1,)
"""The orders of the questions that the paper's search asks."""


@dataclass(frozen=True, slots=True)
class Difficulty:
    """How many of a story's questions a reader answered rightly."""

    right: int
    questions: int

    @property
    def accuracy(self) -> float:
        """The share of right answers; 1 for a story about which nothing can be asked, since it misleads nobody."""
        return self.right / self.questions if self.questions else 1.0


def do_nothing() -> None:
    """The callback of callers that need none."""


class DifficultyMeter:
    """Measures how hard stories are for a reader, by all their questions of these orders, one call at a time.

    before_each: called before each question; an exception from it ends the measurement.
    """

    def __init__(
        self,
        reader: Agent[StoryView, str],
        orders: Sequence[int] = FIRST_ORDER,
        before_each: Callable[[], None] = do_nothing,
    ) -> None:
        self.reader = reader
        self._orders, self._before_each = orders, before_each

    async def measure(self, script: StoryScript, tracker: BeliefTracker) -> Difficulty:
        """Asks about a story, or its beginning. tracker: the one at its end; it may have people not mentioned yet."""
        questions, right = questions_about(script, tracker, self._orders), 0
        text = text_of(script)
        for number, question in enumerate(questions, 1):
            self._before_each()
            view = StoryView(text, question.asked.text, question.choices, script.sees_contents, number, len(questions))
            decision = await self.reader.act(Observation(number, view))
            right += meaning(decision.action, question.choices, question.text) == question.answer
        return Difficulty(right, len(questions))


def questions_about(script: StoryScript, tracker: BeliefTracker, orders: Sequence[int]) -> list[StoryQuestion]:
    """The questions of these orders about the people whom the story has mentioned."""
    mentioned = {None, *script.people}
    questions = AnsweredStory(script, tracker).questions(orders)
    return [
        question for question in questions if question.asked.person in mentioned and question.asked.other in mentioned
    ]
