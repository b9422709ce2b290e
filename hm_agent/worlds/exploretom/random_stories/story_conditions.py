"""What a random story must have (ExploreToM, section 2.2.3), and the settings of the paper's stories (section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from hm_agent.config import ConfigError
from hm_agent.worlds.exploretom.random_stories.action_sets import ActionKind, ActionSet

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
