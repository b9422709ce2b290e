"""The agents that answer: readers that ask a model, and weak readers without one, each with one typical blind spot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from hm_agent.core import Agent, Decision, Observation
from hm_agent.models.transcript import Transcript
from hm_agent.questions import Model, Usage, answer_or_none
from hm_agent.worlds.exploretom.questions.asked import parse_asked
from hm_agent.worlds.exploretom.questions.functional import ActionType, parse_asked_action, person_asked_about
from hm_agent.worlds.exploretom.questions.plans import AskedMeeting, answer_at, parse_plan
from hm_agent.worlds.exploretom.questions.story_questions import AnsweredStory
from hm_agent.worlds.exploretom.readers.reading import (
    AnswerFromPerspective,
    AnswerQuestion,
    TakePerspective,
    answers_in,
    read_story,
    sees,
)
from hm_agent.worlds.exploretom.readers.shortcuts import (
    SHORTCUTS,
    first_choice,
    last_mention,
    named_in,
    people_named,
    shown_choices,
)
from hm_agent.worlds.exploretom.story.actions import StoryAction, StoryScript
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker, StoryError, steps_of
from hm_agent.worlds.exploretom.story.language import sentence_of
from hm_agent.worlds.exploretom.story.preconditions import problem_of
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


class ModelReader(Agent[StoryView, str]):
    """Answers each question with a model; if that gives no valid answer, the answer is empty, which is wrong.

    by_steps: asks also for the steps that lead to the answer.
    """

    def __init__(self, model: Model, *, by_steps: bool = False) -> None:
        self._transcript, self._by_steps = Transcript.of(model), by_steps

    async def act(self, observation: Observation[StoryView]) -> Decision[str]:
        answer = await self.answer(self._transcript, observation.view)
        return Decision(answer or "", exchanges=self._transcript.take(), state=_trace_state(observation.view))

    async def answer(self, model: Model, view: StoryView) -> str | None:
        question = AnswerQuestion(view.story, view.question, view.choices, view.sees_contents, self._by_steps)
        reply = await answer_or_none(model, question)
        return answers_in(reply)[0] if reply else None

    @property
    def usage(self) -> Usage:
        return self._transcript.usage


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


class WeakReader(Agent[StoryView, str]):
    """Answers by a rule, from the text; if it can't read the story or the question, it takes the first choice."""

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


def at_depth(depth: int) -> Callable[[StoryView], str]:
    """Returns the rule that models others to a depth, as `AnsweredStory.believed` says, and then takes what is so."""

    def rule(view: StoryView) -> str:
        story = read_story(view.story, view.sees_contents)
        answers = (answer_at(story, view.question, known) for known in (depth, 0))
        return next(filter(None, answers), None) or first_choice(view)

    return rule


def no_distraction(view: StoryView) -> str:
    """Answers as if nobody peeked or was distracted."""
    story = retold(view.story, view.sees_contents, without_asides)
    return answer_at(story, view.question) or at_depth(0)(view)


def seen_together(view: StoryView) -> str:
    """Goes by what those whom the question names saw together, and models nobody who thinks of another.

    It takes the choice that is named last in the sentences on the object that all of them saw. Of several to send to a
    meeting, it takes who last saw one of these sentences with the person to meet.
    """
    if isinstance(plan := parse_plan(view.question), AskedMeeting):
        return max(shown_choices(view), key=lambda name: max(_seen_by_all(view, (name, plan.met)), default=(-1, "")))
    sentences = [words for _, words in _seen_by_all(view, people_named(view))]
    return named_in(view, lambda story, person: sentences, asker=True, last=True)


def _seen_by_all(view: StoryView, people: Sequence[str]) -> Sequence[tuple[int, str]]:
    """The sentences, with their numbers, that name what is asked about and say what all of these people saw."""
    plan, story = parse_plan(view.question), read_story(view.story, view.sees_contents)
    thing = plan.thing if plan else parse_asked(view.question).subject
    return [
        (number, words)
        for number, (action, tracker) in enumerate(steps_of(story.script))
        if thing in (words := sentence_of(action)) and all(sees(tracker, name, action) for name in people)
    ]


MODEL_READERS: Mapping[str, Callable[[Model], ModelReader]] = {
    "reader": ModelReader,
    "reader_cot": partial(ModelReader, by_steps=True),
    "perspective": PerspectiveReader,
}
"""The readers that ask a model, by name; those of `WEAK_RULES` ask none."""
WEAK_RULES: Mapping[str, Callable[[StoryView], str]] = {
    "reality": at_depth(0),
    "last_mention": last_mention,
    "first_order": at_depth(1),
    "no_distraction": no_distraction,
    "seen_together": seen_together,
    "first_choice": first_choice,
}
"""The rules of weak readers, by the agent's name."""
LADDER: Mapping[str, Callable[[StoryView], str]] = {f"order_{depth}": at_depth(depth) for depth in range(4)}
"""The readers that differ in nothing but how deep they model others; order 0 and 1 are `reality` and `first_order`."""
RULES = {**WEAK_RULES, **LADDER, **{f"shortcut_{name}": rule for name, rule in SHORTCUTS.items()}}
"""All readers that ask no model."""


def without_asides(action: StoryAction) -> StoryAction:
    """The action with nobody peeking or distracted."""
    return replace(action, peekers=(), distracted=())


@lru_cache(maxsize=64)
def retold(text: str, sees_contents: bool, told: Callable[[StoryAction], StoryAction]) -> AnsweredStory:
    """The story with each action as `told` makes it; those that are then impossible are left out."""
    script = read_story(text, sees_contents).script
    tracker, actions = BeliefTracker(script.people, sees_contents=sees_contents), []
    for action in map(told, script.actions):
        if problem_of(tracker, action) is None:
            tracker.apply(action)
            actions.append(action)
    return AnsweredStory(StoryScript(tuple(actions), sees_contents), tracker)
