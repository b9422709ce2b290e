"""The belief tracker: a story that goes on action by action, with everyone's beliefs of the first and second order.

`StoryState` says what is so and what is believed, `preconditions` what can happen, `effects` what comes of it.
"""

from __future__ import annotations

from hm_agent.worlds.exploretom.story.actions import StoryAction, StoryScript
from hm_agent.worlds.exploretom.story.effects import perform
from hm_agent.worlds.exploretom.story.preconditions import problem_of
from hm_agent.worlds.exploretom.story.story_state import StoryState


class StoryError(ValueError):
    """An action can't happen, or a story can't be read; one line that says why."""


class BeliefTracker(StoryState):
    """A story as it stands after some actions, to which actions can happen."""

    __slots__ = ()

    def apply(self, action: StoryAction) -> None:
        """Lets an action happen; raises StoryError, and changes nothing, if it can't."""
        problem = self.problem(action)
        if problem:
            raise StoryError(problem)
        perform(self, action)

    def perform(self, action: StoryAction) -> None:
        """Lets an action happen that is known to be possible."""
        perform(self, action)

    def problem(self, action: StoryAction) -> str | None:
        """Why an action can't happen now, in one line; None if it can."""
        return problem_of(self, action)


def track(script: StoryScript) -> BeliefTracker:
    """The end of a story; raises StoryError, with the number of the action, if one can't happen."""
    tracker = BeliefTracker(script.people, sees_contents=script.sees_contents)
    for number, action in enumerate(script.actions, 1):
        try:
            tracker.apply(action)
        except StoryError as error:
            raise StoryError(f"action {number}: {error}") from error
    return tracker
