"""What stories are made of: the kinds of actions, and the paper's eighteen sets of them (table 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum


class ActionKind(Enum):
    """What an action set is made of; told to one or to all in a room is told apart."""

    __hash__ = object.__hash__  # Enum's own is slow

    ENTER = "enters"
    LEAVE = "leaves"
    MOVE = "moves an object into a container"
    CARRY = "moves an object to another room"
    CHANGE = "changes an object"
    TELL = "tells one person about the object"
    ANNOUNCE = "tells everyone in the room about the object"
    CHAT = "talks to one person about a topic"
    DISCUSS = "talks to everyone in the room about a topic"


WALKS = (ActionKind.ENTER, ActionKind.LEAVE)
"""Those by which people are where they are."""
PHYSICAL = frozenset({*WALKS, ActionKind.MOVE, ActionKind.CARRY, ActionKind.CHANGE})
"""Those that can happen or not whatever anybody believes."""
_TELLS = (ActionKind.TELL, ActionKind.ANNOUNCE)
_TALKS = (ActionKind.CHAT, ActionKind.DISCUSS)
IMPORTANT = frozenset({ActionKind.MOVE, ActionKind.CARRY, ActionKind.CHANGE, *_TALKS})
"""The actions that add knowledge of the world: those that are counted (section 3)."""


@dataclass(frozen=True, slots=True)
class ActionSet:
    """The actions of a story. name: the paper's (table 5). must_have: a story has at least one of these."""

    name: str
    about: str
    kinds: tuple[ActionKind, ...]
    must_have: tuple[ActionKind, ...]
    is_asymmetric: bool = False


def _action_sets() -> Mapping[str, ActionSet]:
    move, carry, change = ActionKind.MOVE, ActionKind.CARRY, ActionKind.CHANGE
    symmetric = (
        ActionSet("a1", "moves into containers", (*WALKS, move), (move,)),
        ActionSet("a2", "changes of objects", (*WALKS, change), (change,)),
        ActionSet("a3", "moves and changes", (*WALKS, move, change), (change,)),
        ActionSet("a4", "moves, also between rooms", (*WALKS, move, carry), (carry,)),
        ActionSet("a5", "moves, told about", (*WALKS, move, *_TELLS), _TELLS),
        ActionSet("a6", "moves, also between rooms, told about", (*WALKS, move, carry, *_TELLS), _TELLS),
        ActionSet("a7", "moves, told about, and talk", (*WALKS, move, carry, *_TALKS, *_TELLS), _TALKS),
        ActionSet("a8", "private talk", (*WALKS, ActionKind.CHAT), (ActionKind.CHAT,)),
        ActionSet("a9", "public talk", (*WALKS, ActionKind.DISCUSS), (ActionKind.DISCUSS,)),
    )
    return {
        found.name: found
        for plain in symmetric
        for found in (
            plain,
            replace(plain, name=f"{plain.name}_asymmetric", about=f"{plain.about}, seen askew", is_asymmetric=True),
        )
    }


ACTION_SETS = _action_sets()
"""The paper's nine, each without and with people who peek or are distracted, by name."""
