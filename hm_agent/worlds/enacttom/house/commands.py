"""What agents do, as data and as text, e.g. Navigate[kitchen_1] or Communicate["The bowl is in place", agent_1]."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from hm_agent.worlds.enacttom.tasks.propositions import Claim
from hm_agent.written_calls import shortened

NAVIGATE, PICK, PLACE, OPEN_IT, CLOSE_IT = "Navigate", "Pick", "Place", "Open", "Close"
WAIT, COMMUNICATE, FIND = "Wait", "Communicate", "Find"
ON, WITHIN = "on", "within"
EVERYONE = "all"
MOST_CHARACTERS = 500
"""How long a message may be."""

_ARGUMENTS = {
    NAVIGATE: "room or furniture",
    PICK: "object",
    PLACE: "object, on|within, furniture",
    OPEN_IT: "furniture",
    CLOSE_IT: "furniture",
    WAIT: "",
    COMMUNICATE: '"text", agent, ... or all',
    FIND: "anything",
}
USAGE = ", ".join(f"{verb}[{arguments}]" for verb, arguments in _ARGUMENTS.items())


class CommandError(ValueError):
    """A text that is no command; the message says what would be."""


@dataclass(frozen=True, slots=True)
class HouseCommand:
    """One agent's action of a turn.

    arguments: as in the text; the addressees of a message, `all` for everyone. text: of a message. claims: what a
    message says, as data, for agents that read no English; the verifier's plans and the replay use it, too.
    """

    verb: str
    arguments: tuple[str, ...] = ()
    text: str = ""
    claims: tuple[Claim, ...] = ()

    def __str__(self) -> str:
        said = (json.dumps(self.text, ensure_ascii=False),) if self.verb == COMMUNICATE else ()
        return f"{self.verb}[{', '.join((*said, *self.arguments))}]"

    def to_json(self) -> str:
        """What traces and replays show: the command as it is written; the text of `tell` says its claims."""
        return str(self)


IDLE = HouseCommand(WAIT)


def navigate(target: str) -> HouseCommand:
    return HouseCommand(NAVIGATE, (target,))


def pick(thing: str) -> HouseCommand:
    return HouseCommand(PICK, (thing,))


def place(thing: str, relation: str, furniture: str) -> HouseCommand:
    return HouseCommand(PLACE, (thing, relation, furniture))


def open_it(furniture: str) -> HouseCommand:
    return HouseCommand(OPEN_IT, (furniture,))


def close_it(furniture: str) -> HouseCommand:
    return HouseCommand(CLOSE_IT, (furniture,))


def find(thing: str) -> HouseCommand:
    return HouseCommand(FIND, (thing,))


def communicate(text: str, to: Iterable[str], claims: Iterable[Claim] = ()) -> HouseCommand:
    return HouseCommand(COMMUNICATE, tuple(to), text, tuple(claims))


def tell(claims: Iterable[Claim], to: Iterable[str]) -> HouseCommand:
    """A message that says claims, in words and as data."""
    told = tuple(claims)
    return communicate(". ".join(one.words for one in told) + ".", to, told)


def parse_command(text: str) -> HouseCommand:
    """The command of a text; raises CommandError for any other text."""
    stripped = text.strip()
    verb, bracket, rest = stripped.partition("[")
    verb = next((known for known in _ARGUMENTS if known.lower() == verb.strip().lower()), "")
    if not verb or (bracket and not rest.endswith("]")):
        raise CommandError(f"{shortened(stripped)} is no command; there are {USAGE}")
    inner = rest[:-1].strip()
    if verb == COMMUNICATE:
        said, inner = _message(inner)
        return communicate(said, _names(inner))
    if len(names := _names(inner)) != (0 if verb == WAIT else 3 if verb == PLACE else 1):
        raise CommandError(f"{shortened(stripped)}: {verb} is written {verb}[{_ARGUMENTS[verb]}]")
    return HouseCommand(verb, names)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(",") if (name := part.strip()))


def _message(inner: str) -> tuple[str, str]:
    """The quoted text at the beginning, and what follows it; quotes within it may be escaped or not."""
    wrong = f"{shortened(inner)}: {COMMUNICATE} is written {COMMUNICATE}[{_ARGUMENTS[COMMUNICATE]}]"
    if not inner.startswith('"') or (last := inner.rfind('"')) == 0:
        raise CommandError(wrong)
    try:
        said, end = json.JSONDecoder(strict=False).raw_decode(inner)
    except json.JSONDecodeError:
        said, end = inner[1:last], last + 1
    if inner[end:].strip()[:1] not in (",", ""):
        said, end = inner[1:last], last + 1
    if not inner[end:].strip(" ,"):
        raise CommandError(wrong)
    return str(said), inner[end:]


def message_fault(text: str) -> str | None:
    """What forbids to send a text; None for one that can be sent."""
    if not text.strip():
        return "the message is empty"
    if len(text) > MOST_CHARACTERS:
        return f"the message has {len(text)} characters: at most {MOST_CHARACTERS} are allowed"
    return None


def plain(text: str) -> str:
    """A message's text on one line, without control characters, so that it can't pass for anything else."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
