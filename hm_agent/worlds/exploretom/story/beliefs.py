"""The belief tracker: applies a story's actions and keeps everyone's beliefs of the first and second order.

`StoryState` holds the world and the beliefs, `preconditions` tells which actions are possible, `effects` applies them.
"""

from __future__ import annotations

from collections.abc import Iterator

from hm_agent.worlds.exploretom.story.actions import StoryAction, StoryScript
from hm_agent.worlds.exploretom.story.effects import perform
from hm_agent.worlds.exploretom.story.preconditions import problem_of
from hm_agent.worlds.exploretom.story.story_state import StoryState


class StoryError(ValueError):
    """Raised if an action is impossible or a story can't be read; the message says why, in one line."""


class BeliefTracker(StoryState):
    """The state of a story, to which further actions can be applied."""

    __slots__ = ()

    def apply(self, action: StoryAction) -> None:
        """Applies an action; raises StoryError, and changes nothing, if it is impossible."""
        if problem := problem_of(self, action):
            raise StoryError(problem)
        perform(self, action)


def track(script: StoryScript, after: BeliefTracker | None = None) -> BeliefTracker:
    """The tracker at the end of a story; raises StoryError, with the number of the action, for an impossible action.

    after: the tracker after some of its first actions; stays as it is, and is used if its people are in the same order.
    """
    people = script.people
    if after is not None and after.people == people:
        tracker = after.copy()
    else:
        tracker = BeliefTracker(people, sees_contents=script.sees_contents)
    for number, action in enumerate(script.actions[tracker.time :], tracker.time + 1):
        _apply(tracker, number, action)
    return tracker


def steps_of(script: StoryScript) -> Iterator[tuple[StoryAction, BeliefTracker]]:
    """Yields each action with the tracker before it, which then goes on; raises StoryError as `track` does."""
    tracker = BeliefTracker(script.people, sees_contents=script.sees_contents)
    for number, action in enumerate(script.actions, 1):
        yield action, tracker
        _apply(tracker, number, action)


def _apply(tracker: BeliefTracker, number: int, action: StoryAction) -> None:
    try:
        tracker.apply(action)
    except StoryError as error:
        raise StoryError(f"action {number}: {error}") from error
