"""Agents' commands as data and as text, e.g. Navigate[kitchen_1] or Communicate["The bowl is in place", agent_1]."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from hm_agent.wording import counted
from hm_agent.worlds.enacttom.tasks.propositions import Claim
from hm_agent.worlds.enacttom.tasks.sentences import SENTENCE_END
from hm_agent.written_calls import shortened


class Verb:
    """What a command does, as it is written."""

    NAVIGATE, PICK, PLACE, OPEN, CLOSE = "Navigate", "Pick", "Place", "Open", "Close"
    WAIT, COMMUNICATE, FIND = "Wait", "Communicate", "Find"


HANDLING = (Verb.PICK, Verb.PLACE, Verb.OPEN, Verb.CLOSE)
"""What changes a thing in the room, whose name the command gives first."""

ON, WITHIN = "on", "within"
EVERYONE = "all"
MOST_CHARACTERS = 500
"""The greatest length of a message."""

_ARGUMENTS = {
    Verb.NAVIGATE: "room or furniture",
    Verb.PICK: "object",
    Verb.PLACE: "object, on|within, furniture",
    Verb.OPEN: "furniture",
    Verb.CLOSE: "furniture",
    Verb.WAIT: "",
    Verb.COMMUNICATE: '"text", agent, ... or all',
    Verb.FIND: "anything",
}
USAGE = ", ".join(f"{verb}[{arguments}]" for verb, arguments in _ARGUMENTS.items())


class CommandError(ValueError):
    """A text that is no command; the error message shows the right form."""


@dataclass(frozen=True, slots=True)
class HouseCommand:
    """One agent's action of a turn.

    arguments: those in the brackets; for a message, its addressees, `all` for everyone. text: the words of a message.
    claims: what a message says, as data, for agents that read no English, the verifier's plans and replays.
    """

    verb: str
    arguments: tuple[str, ...] = ()
    text: str = ""
    claims: tuple[Claim, ...] = ()

    def __str__(self) -> str:
        quoted_text = (json.dumps(self.text, ensure_ascii=False),) if self.verb == Verb.COMMUNICATE else ()
        return f"{self.verb}[{', '.join((*quoted_text, *self.arguments))}]"

    def to_json(self) -> str:
        """Returns the command as text, for traces and replays, without its claims, which the text of `tell` says."""
        return str(self)


IDLE = HouseCommand(Verb.WAIT)


def navigate(target: str) -> HouseCommand:
    return HouseCommand(Verb.NAVIGATE, (target,))


def pick(thing: str) -> HouseCommand:
    return HouseCommand(Verb.PICK, (thing,))


def place(thing: str, relation: str, furniture: str) -> HouseCommand:
    return HouseCommand(Verb.PLACE, (thing, relation, furniture))


def open_it(furniture: str) -> HouseCommand:
    return HouseCommand(Verb.OPEN, (furniture,))


def close_it(furniture: str) -> HouseCommand:
    return HouseCommand(Verb.CLOSE, (furniture,))


def communicate(text: str, to: Iterable[str], claims: Iterable[Claim] = ()) -> HouseCommand:
    return HouseCommand(Verb.COMMUNICATE, tuple(to), text, tuple(claims))


def tell(claims: Iterable[Claim], to: Iterable[str]) -> HouseCommand:
    """Makes a message that says claims in words and as data."""
    stated = tuple(claims)
    return communicate(". ".join(claim.words for claim in stated) + ".", to, stated)


def parse_command(text: str) -> HouseCommand:
    """Parses a command; raises CommandError for a text that is none."""
    stripped = text.strip()
    verb, bracket, rest = stripped.partition("[")
    verb = next((known for known in _ARGUMENTS if known.lower() == verb.strip().lower()), "")
    if not verb or (bracket and not rest.endswith("]")):
        raise CommandError(f"{shortened(stripped)} is no command; there are {USAGE}")
    inner = rest[:-1].strip()
    if verb == Verb.COMMUNICATE:
        message, inner = _split_message(inner)
        return communicate(message, _names(inner))
    if len(names := _names(inner)) != (0 if verb == Verb.WAIT else 3 if verb == Verb.PLACE else 1):
        raise CommandError(f"{shortened(stripped)}: {verb} is written {verb}[{_ARGUMENTS[verb]}]")
    return HouseCommand(verb, names)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(",") if (name := part.strip()))


def _split_message(inner: str) -> tuple[str, str]:
    """Splits the arguments of Communicate into its text and the rest; quotes in the text may be escaped or not."""
    wrong = f"{shortened(inner)}: {Verb.COMMUNICATE} is written {Verb.COMMUNICATE}[{_ARGUMENTS[Verb.COMMUNICATE]}]"
    if not inner.startswith('"') or (last := inner.rfind('"')) == 0:
        raise CommandError(wrong)
    try:
        content, end = json.JSONDecoder(strict=False).raw_decode(inner)
    except json.JSONDecodeError:
        content, end = inner[1:last], last + 1
    if inner[end:].strip()[:1] not in (",", ""):
        content, end = inner[1:last], last + 1
    if not inner[end:].strip(" ,"):
        raise CommandError(wrong)
    return str(content), inner[end:]


_REMEMBERED = 4_096
"""Texts whose form is not examined again: a search for plans sends the same message from many states."""


def message_fault(text: str) -> str | None:
    """Says why a text can't be sent as a message; None if it can."""
    if not text.strip():
        return "the message is empty"
    if len(text) > MOST_CHARACTERS:
        return f"the message has {len(text)} characters: at most {MOST_CHARACTERS} are allowed"
    return None


@lru_cache(_REMEMBERED)
def length_fault(text: str, most_facts: int | None) -> str | None:
    """Says why a message is too long for a household with short messages; None if it is not."""
    count = len([sentence for sentence in SENTENCE_END.split(text) if sentence.strip()])
    if most_facts is None or count <= most_facts:
        return None
    return f"the message has {counted(count, 'sentence')}: at most {most_facts} allowed"


@lru_cache(_REMEMBERED)
def plain(text: str) -> str:
    """Puts a message's text on one line without control characters, so that it can't imitate other lines of a view."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
