"""The agents that answer: readers that ask a model, and weak readers without one, each with one typical blind spot."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

from hm_agent.core import Decision, Observation
from hm_agent.models.transcript import Transcript
from hm_agent.questions import Model, Usage, answer_or_none
from hm_agent.worlds.exploretom.questions.functional import (
    ActionType,
    action_choices,
    chosen_action,
    parse_asked_action,
    person_asked_about,
    tracked,
    true_value,
)
from hm_agent.worlds.exploretom.questions.story_questions import (
    DOES_NOT_KNOW,
    KNOWS,
    NO,
    YES,
    AnsweredStory,
    Asked,
    AskedProperty,
    parse_asked,
)
from hm_agent.worlds.exploretom.readers.reading import (
    AnswerFromPerspective,
    AnswerQuestion,
    TakePerspective,
    answers_in,
    read_story,
)
from hm_agent.worlds.exploretom.story.actions import StoryScript
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker, StoryError
from hm_agent.worlds.exploretom.world import StoryView


@dataclass(frozen=True, slots=True)
class ReadQuestion:
    """What the trace keeps of a turn. story: None but for the first question."""

    question: str
    choices: tuple[str, ...]
    story: str | None


def _trace_state(view: StoryView) -> ReadQuestion:
    return ReadQuestion(view.question, view.choices, view.story if view.number == 1 else None)


# Readers that ask a model


class ModelReader:
    """Answers each question with a model; if that gives no valid answer, the answer is empty, which is wrong."""

    by_steps: ClassVar[bool] = False

    def __init__(self, model: Model) -> None:
        self._transcript = Transcript(model)

    async def act(self, observation: Observation[StoryView]) -> Decision[str]:
        answer = await self.answer(self._transcript, observation.view)
        return Decision(answer or "", exchanges=self._transcript.take(), state=_trace_state(observation.view))

    async def answer(self, model: Model, view: StoryView) -> str | None:
        """Asks for the answer alone, or also for the steps that lead to it."""
        question = AnswerQuestion(view.story, view.question, view.choices, view.sees_contents, self.by_steps)
        reply = await answer_or_none(model, question)
        return answers_in(reply)[0] if reply else None

    @property
    def usage(self) -> Usage:
        return self._transcript.usage

    def metrics(self) -> Mapping[str, float]:
        return {}


class ReasoningReader(ModelReader):
    """Asks for the steps that lead to the answer, and then for the answer."""

    by_steps = True


class PerspectiveReader(ModelReader):
    """Asks what the person asked about knows, once for each, then for the answer that follows from it (SimToM)."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self._perspectives: dict[tuple[str, str], str] = {}

    async def answer(self, model: Model, view: StoryView) -> str | None:
        person = person_asked_about(view.question)
        if person is None:
            return await super().answer(model, view)
        if (view.story, person) not in self._perspectives:
            perspective = await answer_or_none(model, TakePerspective(view.story, person, view.sees_contents))
            self._perspectives[view.story, person] = perspective.perspective if perspective else "(unknown)"
        question = perspective_question(view, person, self._perspectives[view.story, person])
        reply = await answer_or_none(model, question)
        return answers_in(reply)[0] if reply else None


def perspective_question(view: StoryView, person: str, *perspectives: str) -> AnswerFromPerspective:
    """Builds the question for the answer that follows from what a person is assumed to know; from each, if several."""
    action = parse_asked_action(view.question)
    return AnswerFromPerspective(
        story=view.story,
        question=view.question,
        choices=view.choices,
        person=person,
        perspectives=perspectives,
        sees_contents=view.sees_contents,
        asks_what_is_so=action is not None and action.type is ActionType.FETCH,
    )


# Weak readers


class WeakReader:
    """Answers by a rule, from the text; if it can't read the story or the question, it takes the first choice."""

    usage = Usage()

    def __init__(self, rule: Callable[[StoryView], str]) -> None:
        self._rule = rule
        self._unread = 0

    async def act(self, observation: Observation[StoryView]) -> Decision[str]:
        view = observation.view
        try:
            answer = self._rule(view)
        except StoryError:
            self._unread += 1
            answer = view.choices[0] if view.choices else ""
        return Decision(answer, state=_trace_state(view))

    def metrics(self) -> Mapping[str, float]:
        """unread: the number of questions to which the rule could not be applied."""
        return {"unread": self._unread}


def first_choice(view: StoryView) -> str:
    """Takes the first choice."""
    return _choices_of(view)[0]


def reality(view: StoryView) -> str:
    """Answers by the state of the world, whoever's belief is asked for."""
    story = read_story(view.story, view.sees_contents)
    if action := parse_asked_action(view.question):
        return chosen_action(story, action, lambda person, other, key: true_value(story, key))
    return story.reality(parse_asked(view.question)) or first_choice(view)


def last_mention(view: StoryView) -> str:
    """Takes the choice that the story names last; of choices such as yes and no, the affirmative one."""
    choices = _choices_of(view)
    affirmative = next((choice for choice in choices if choice in (YES, KNOWS)), None)
    return affirmative or max(choices, key=lambda choice: _last_named(view.story, choice))


def _last_named(story: str, choice: str) -> int:
    """Where a story last names a choice; of several names, as in `box in the hall`, the first one counts."""
    name = re.split(r" in the | and |, ", choice)[0]
    return story.rfind(name if name[0].isupper() else f"the {name}")


def first_order(view: StoryView) -> str:
    """Answers as if everyone knew what everyone else believes."""
    story = read_story(view.story, view.sees_contents)
    if action := parse_asked_action(view.question):
        belief = tracked(story)
        return chosen_action(story, action, lambda person, other, key: belief(other, other, key))
    asked = parse_asked(view.question)
    if asked.other is not None:
        asked = replace(asked, person=asked.other, other=None)
    return _answer(story, asked, view)


def no_distraction(view: StoryView) -> str:
    """Answers as if nobody peeked or was distracted."""
    story = _without_asides(view.story, view.sees_contents)
    if action := parse_asked_action(view.question):
        return chosen_action(story, action, tracked(story))
    return _answer(story, parse_asked(view.question), view)


MODEL_READERS: Mapping[str, type[ModelReader]] = {
    "reader": ModelReader,
    "reader_cot": ReasoningReader,
    "perspective": PerspectiveReader,
}
"""The readers that ask a model, by name; those of `WEAK_RULES` ask none."""
WEAK_RULES: Mapping[str, Callable[[StoryView], str]] = {
    "reality": reality,
    "last_mention": last_mention,
    "first_order": first_order,
    "no_distraction": no_distraction,
    "first_choice": first_choice,
}
"""The rules of weak readers, by the agent's name."""


def _choices_of(view: StoryView) -> Sequence[str]:
    """The choices of a question, also if the view does not show them."""
    if view.choices:
        return view.choices
    story = read_story(view.story, view.sees_contents)
    if action := parse_asked_action(view.question):
        return action_choices(story, action)
    return story.choices(parse_asked(view.question))


def _answer(story: AnsweredStory, asked: Asked, view: StoryView) -> str:
    """The story's answer in the words of the view's choices; what is true of the world if the story has none."""
    answer = story.answer(asked)
    if asked.about is AskedProperty.TOPIC and KNOWS in _choices_of(view):
        answer = {YES: KNOWS, NO: DOES_NOT_KNOW}.get(answer or "", answer)
    return answer or reality(view)


@lru_cache(maxsize=64)
def _without_asides(text: str, sees_contents: bool) -> AnsweredStory:
    """The story with nobody peeking or distracted; actions that are then impossible are left out."""
    script = read_story(text, sees_contents).script
    tracker, actions = BeliefTracker(script.people, sees_contents=sees_contents), []
    for action in script.actions:
        plain = replace(action, peekers=(), distracted=())
        if tracker.problem(plain) is None:
            tracker.apply(plain)
            actions.append(plain)
    return AnsweredStory(StoryScript(tuple(actions), sees_contents), tracker)
