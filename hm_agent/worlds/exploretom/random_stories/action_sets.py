"""The kinds of actions of stories, and the paper's eighteen sets of them (table 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import Enum
from fnmatch import fnmatchcase

from hm_agent.config import ConfigError


class ActionKind(Enum):
    """A kind of action; telling one person and telling everyone in the room are different kinds."""

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
"""The kinds that bring people into rooms and out of them."""
PHYSICAL = frozenset({*WALKS, ActionKind.MOVE, ActionKind.CARRY, ActionKind.CHANGE})
"""The kinds whose actions are possible or not whatever anybody believes."""
_TELLS = (ActionKind.TELL, ActionKind.ANNOUNCE)
_TALKS = (ActionKind.CHAT, ActionKind.DISCUSS)
IMPORTANT = frozenset({ActionKind.MOVE, ActionKind.CARRY, ActionKind.CHANGE, *_TALKS})
"""The kinds that add knowledge of the world, and count as important actions (section 3)."""


@dataclass(frozen=True, slots=True)
class ActionSet:
    """The kinds of actions that stories may have.

    name: as in table 5. must_have: each story has an action of one of these kinds. is_asymmetric: True if someone peeks
    or is distracted.
    """

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
"""The paper's nine sets, each without and with people who peek or are distracted, by name."""


def find_action_sets(patterns: Sequence[str]) -> tuple[str, ...]:
    """The action sets that names, globs or `all` match, by name, each once; raises ConfigError if one matches none."""
    names: dict[str, None] = {}
    for pattern in patterns:
        matching = [name for name in ACTION_SETS if pattern == "all" or fnmatchcase(name, pattern)]
        if not matching:
            near = get_close_matches(pattern, ACTION_SETS, 3) or ["a1 to a9", "a1_asymmetric to a9_asymmetric", "all"]
            raise ConfigError(f"unknown action set {pattern!r}: say {', '.join(near)}")
        names |= dict.fromkeys(matching)
    return tuple(names)
