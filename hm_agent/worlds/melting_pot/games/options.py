"""The options by which agents differ besides their strategists: inference, clues, hints, and the order of rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Inference(StrEnum):
    """How the other player's inventory is found: by exact calculation, or by asking the model as the paper does."""

    EXACT = "exact"
    MODEL = "model"


class Hints(StrEnum):
    """What prompts say of the rules that other players may follow: nothing, that there may be some, or which kinds."""

    NONE = "none"
    GENERIC = "generic"
    FAMILIES = "families"


@dataclass(frozen=True)
class AgentOptions:
    """The options of one agent.

    clues: True if the agent notices what others take from the map between interactions. order: the highest order of the
    rules that the built-in reasoner considers in matrix games; None for all. opponent_plays: the truth by which answers
    to the literal question of matched pairs are scored; None where it is not asked.
    """

    inference: Inference = Inference.EXACT
    clues: bool = True
    hints: Hints = Hints.GENERIC
    order: int | None = None
    opponent_plays: Callable[[], str] | None = None


DEFAULT = AgentOptions()
