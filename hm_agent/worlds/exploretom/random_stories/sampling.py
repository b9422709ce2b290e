"""Random stories that meet conditions, drawn action by action (section 2.2.3)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from hm_agent.config import ConfigError
from hm_agent.worlds.exploretom.questions.story_questions import AnsweredStory
from hm_agent.worlds.exploretom.random_stories.action_sets import IMPORTANT, PHYSICAL, WALKS, ActionKind, ActionSet
from hm_agent.worlds.exploretom.random_stories.candidate_actions import candidate_actions, draw_action, with_aside
from hm_agent.worlds.exploretom.random_stories.cast import CastLists, StoryCast
from hm_agent.worlds.exploretom.story.actions import StoryAction, StoryScript, is_asymmetric, people_of
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker
from hm_agent.worlds.exploretom.story.effects import perform

MAX_ACTIONS = 15
"""The most actions of a story in the paper."""


@dataclass(frozen=True, slots=True)
class StoryConditions:
    """What a story must have.

    people: how many can take part. important: how many of its actions are important ones, exactly. rooms: how many it
    may use. max_actions: the most actions. must_have: it has an action of at least one of these kinds; any will do if
    empty. is_asymmetric: someone peeks at an action or is distracted from one. needs_everyone: all people take part.
    needs_rooms: all rooms are used. false_beliefs: the least number of its first-order questions whose answer is a
    false belief. sees_contents: entering a room shows what its containers hold.
    """

    people: int
    important: int
    rooms: int = 1
    max_actions: int = MAX_ACTIONS
    must_have: tuple[ActionKind, ...] = ()
    is_asymmetric: bool = False
    sees_contents: bool = False
    needs_everyone: bool = True
    needs_rooms: bool = False
    false_beliefs: int = 0

    def __post_init__(self) -> None:
        if not (self.people >= 1 and self.important >= 0 and self.rooms >= 1 and self.max_actions >= 1):
            raise ConfigError("a story has at least one person, one room and one action")

    @property
    def as_flags(self) -> str:
        """The conditions as flags of `hm-agent generate`, without those that ask for nothing."""
        asked = {
            "people": self.people,
            "important": self.important,
            "rooms": self.rooms,
            "max_actions": self.max_actions,
            "must_have": ",".join(kind.name.lower() for kind in self.must_have),
            "false_beliefs": self.false_beliefs,
        }
        return " ".join(f"--{flag}={value}" for flag, value in asked.items() if value)


def conditions_of(rng: Random, action_set: ActionSet, *, sees_contents: bool = False) -> StoryConditions:
    """Draws one of the paper's settings (section 3): 2 to 4 people, 2 to 4 important actions, 1 or 2 rooms."""
    needs_two = ActionKind.CARRY in action_set.must_have
    return StoryConditions(
        people=rng.randint(2, 4),
        important=rng.randint(2, 4),
        rooms=2 if needs_two else rng.randint(1, 2),
        must_have=action_set.must_have,
        is_asymmetric=action_set.is_asymmetric,
        sees_contents=sees_contents,
    )


TRIES = 2_000
"""The most random stories to begin in search of one that meets the conditions."""
ASIDE_SHARE = 0.3
"""The probability that someone peeks at an action or is distracted from it, in asymmetric stories; walks have none."""


@dataclass(frozen=True, slots=True)
class DrawnStory:
    """A random story with the tracker at its end."""

    script: StoryScript
    tracker: BeliefTracker


@dataclass(slots=True)
class StoryDraft:
    """A story while it is drawn, and what it still lacks.

    state: tracks beliefs only if the kinds of actions or the conditions need them. important: the number of important
    actions so far. lacks_kind: True while it has no action of the kinds that it must have. lacks_aside: True while
    someone must peek or be distracted and nobody does. absent: the people who must still take part. unused: the rooms
    that must still be used.
    """

    state: BeliefTracker
    actions: list[StoryAction]
    important: int
    lacks_kind: bool
    lacks_aside: bool
    absent: set[str]
    unused: set[str | None]

    def copy(self) -> StoryDraft:
        return replace(
            self,
            state=self.state.copy(),
            actions=self.actions.copy(),
            absent=self.absent.copy(),
            unused=self.unused.copy(),
        )


class StorySampler:
    """Draws stories of a cast action by action, each uniformly from those that are possible next.

    kinds: the kinds of actions to draw. conditions: what stories must have; they never get more important actions than
    these ask for.
    """

    def __init__(self, cast: StoryCast, kinds: tuple[ActionKind, ...], conditions: StoryConditions) -> None:
        self._people, self._place, self._conditions = cast.people, cast.place, conditions
        self._all = candidate_actions(cast.place, len(cast.people), kinds)
        plain = tuple(kind for kind in kinds if kind not in IMPORTANT)
        self._plain = candidate_actions(cast.place, len(cast.people), plain)
        # True if a story that has all its important actions can't get an action that it must have any more.
        self._must_be_important = IMPORTANT.issuperset(conditions.must_have)
        self._only_walks = frozenset(WALKS).issuperset(plain)
        self._needs_beliefs = bool(conditions.false_beliefs) or not PHYSICAL.issuperset(kinds)

    def draw(self, rng: Random) -> DrawnStory | None:
        """Draws stories until one meets the conditions; None if none of `TRIES` does."""
        draft = self.draw_draft(rng)
        return DrawnStory(self.script(draft), self.tracked(draft)) if draft else None

    def draw_draft(self, rng: Random) -> StoryDraft | None:
        """Like `draw`, but returns the draft; it ends as soon as it meets the conditions."""
        tries = (self.begin() for _ in range(TRIES))
        return next((draft for draft in tries if self.complete(draft, rng)), None)

    def begin(self) -> StoryDraft:
        """A draft without actions."""
        conditions = self._conditions
        return StoryDraft(
            BeliefTracker(self._people, sees_contents=conditions.sees_contents, follows_beliefs=self._needs_beliefs),
            [],
            0,
            bool(conditions.must_have),
            conditions.is_asymmetric,
            set(self._people if conditions.needs_everyone else ()),
            set(self._place.rooms if conditions.needs_rooms else ()),
        )

    def script(self, draft: StoryDraft) -> StoryScript:
        """The story as far as it is drawn."""
        return StoryScript(tuple(draft.actions), self._conditions.sees_contents)

    def tracked(self, draft: StoryDraft) -> BeliefTracker:
        """The tracker, with beliefs, at the end of the story as far as it is drawn."""
        if draft.state.follows_beliefs:
            return draft.state
        tracker = BeliefTracker(self._people, sees_contents=self._conditions.sees_contents)
        for action in draft.actions:
            perform(tracker, action)
        return tracker

    def is_full(self, draft: StoryDraft) -> bool:
        """True if the story has as many actions as it may have."""
        return len(draft.actions) >= self._conditions.max_actions

    def complete(self, draft: StoryDraft, rng: Random) -> bool:
        """Adds one action or more until the conditions are met; False if the story gets stuck or too long before."""
        while not self.is_full(draft):
            if not self.add(draft, rng):
                return False
            if self.is_met(draft):
                return True
        return False

    def add(self, draft: StoryDraft, rng: Random) -> bool:
        """Adds an action, at times with someone who peeks or is distracted; False if no possible one is found."""
        conditions, state = self._conditions, draft.state
        candidates = self._all if draft.important < conditions.important else self._plain
        drawn = draw_action(state, rng, self._people, candidates)
        if drawn is None:
            return False
        kind, action = drawn
        if conditions.is_asymmetric and kind not in WALKS and rng.random() < ASIDE_SHARE:
            action = with_aside(state, rng, self._people, action)
            draft.lacks_aside = draft.lacks_aside and not is_asymmetric(action)
        perform(state, action)
        draft.actions.append(action)
        if draft.absent:
            draft.absent.difference_update(people_of(action))
        if draft.unused:
            draft.unused.discard(getattr(action, "room", None))
        draft.important += kind in IMPORTANT
        draft.lacks_kind = draft.lacks_kind and kind not in conditions.must_have
        return True

    def is_met(self, draft: StoryDraft) -> bool:
        conditions = self._conditions
        if draft.important != conditions.important or draft.lacks_kind or draft.lacks_aside:
            return False
        if draft.absent or draft.unused:
            return False
        return not conditions.false_beliefs or self._false_beliefs(draft) >= conditions.false_beliefs

    def can_complete(self, draft: StoryDraft, rng: Random) -> bool:
        """Like `complete`, but gives up as soon as the conditions can't be met any more."""
        while self.can_be_met(draft) and self.add(draft, rng):
            if self.is_met(draft):
                return True
        return False

    def can_be_met(self, draft: StoryDraft) -> bool:
        """False if the conditions certainly can't be met any more; True does not promise that they can."""
        conditions = self._conditions
        left = conditions.max_actions - len(draft.actions)
        missing = conditions.important - draft.important
        if left <= 0 or missing > left:
            return False
        return missing > 0 or not (
            (draft.lacks_kind and self._must_be_important) or (draft.lacks_aside and self._only_walks)
        )

    def _false_beliefs(self, draft: StoryDraft) -> int:
        questions = AnsweredStory(self.script(draft), draft.state).questions((1,))
        return sum(question.is_false_belief for question in questions)


def draw_story(rng: Random, lists: CastLists, kinds: tuple[ActionKind, ...], conditions: StoryConditions) -> DrawnStory:
    """Draws a cast and a story; raises ConfigError if none of `TRIES` stories meets the conditions."""
    cast = lists.draw(rng, conditions.people, conditions.rooms)
    found = StorySampler(cast, kinds, conditions).draw(rng)
    if found is None:
        less = "--false_beliefs" if conditions.false_beliefs else "--people and --important"
        raise ConfigError(
            f"none of {TRIES} random stories meets {conditions.as_flags}: lower {less}, or raise --max_actions"
        )
    return found


def story_of(seed: int, action_set: ActionSet, lists: CastLists, *, sees_contents: bool = False) -> DrawnStory:
    """The story of a seed in one of the paper's settings; the same seed always gives exactly the same story."""
    rng = Random(f"{action_set.name}/{seed}")
    return draw_story(rng, lists, action_set.kinds, conditions_of(rng, action_set, sees_contents=sees_contents))
