"""What may differ between the agents of one experiment, whoever they are: how they infer, and what they are told."""

from __future__ import annotations

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
    """The same for all agents. clues: whether they notice what others take from the map between interactions."""

    inference: Inference = Inference.EXACT
    clues: bool = True
    hints: Hints = Hints.GENERIC


DEFAULT = AgentOptions()
