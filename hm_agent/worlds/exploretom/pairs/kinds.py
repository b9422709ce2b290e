"""The kinds of matched pairs of stories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hm_agent.matched_pairs import in_halves

SEATS = ("story_0", "story_1")
BOTH = "both_stories"
"""The metric of a pair: 1 if both stories were answered rightly, else 0."""


@dataclass(frozen=True)
class StoryPairKind:
    """One kind of pairs.

    order: the order of mind that they need. is_plan: True if they ask for an action. action_sets: the paper's, of which
    stories are drawn, with people who peek or are distracted. people: the range of their number. important: how many
    important actions they have; None for 2 to 4, as in the paper. Those of order 3 are such that pairs take seconds.
    """

    about: str
    order: int
    is_plan: bool = False
    action_sets: tuple[str, ...] = ("a1", "a3", "a5", "a6")
    people: tuple[int, int] = (3, 4)
    important: int | None = None


ALL = tuple(f"a{number}" for number in range(1, 10))
KINDS: Mapping[str, StoryPairKind] = {
    "order_0": StoryPairKind("where a thing is or was", 0, people=(2, 4)),
    "order_1": StoryPairKind("what someone believes", 1, action_sets=ALL, people=(2, 4)),
    "order_2": StoryPairKind("what someone thinks that another believes", 2, action_sets=ALL),
    "order_3": StoryPairKind(
        "what someone thinks that another thinks that a third believes",
        3,
        action_sets=("a5",),
        people=(3, 3),
        important=5,
    ),
    "message": StoryPairKind("which message makes one look in the right place, and another not", 1, is_plan=True),
    "meet": StoryPairKind("whom to send to meet someone, by where they think that one will look", 2, is_plan=True),
    "join": StoryPairKind(
        "which message makes one meet another, by where they think that one will look", 2, is_plan=True
    ),
}
PAIR_SCENARIOS = in_halves("exploretom_pairs_", KINDS)
