"""Reads the commands that a model writes for a plan, and checks them before a turn is spent on them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from hm_agent.models.prompts import phrase
from hm_agent.worlds.enacttom.house.commands import (
    EVERYONE,
    HANDLING,
    ON,
    WITHIN,
    CommandError,
    HouseCommand,
    Verb,
    communicate,
    length_fault,
    message_fault,
    navigate,
    parse_command,
    plain,
)
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.written_calls import CallError, any_of, read_calls, shortened

_refusal = partial(phrase, "enacttom/messages.j2")

LONGEST_MESSAGE = 400
"""The most characters of a message that a schema's pattern allows."""

_WAIT = r"Wait\[\]"

_QUOTED = re.compile(r"\s*Communicate\s*\[\s*'(?P<text>.*)'\s*(?:,(?P<to>[^']*))?\]\s*", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class CommandContext:
    """The names that commands may use. places: rooms that the agent may enter, and the furniture in them.

    targets: the agents that it can message. most_facts: how many sentences a message may have; None for any number.
    """

    places: Sequence[str]
    furniture: Sequence[str]
    openable: Sequence[str]
    objects: Sequence[str]
    targets: Sequence[str]
    messages_left: int
    most_facts: int | None = None


def context_of(view: HouseView, objects: Sequence[str]) -> CommandContext:
    """Collects the names that commands may use. objects: those that the agent knows of."""
    briefing = view.briefing
    floor_plan = briefing.plan
    rooms = [room for room in floor_plan.rooms if room not in briefing.barred]
    furniture = [piece for piece, room in floor_plan.furniture.items() if room in rooms]
    return CommandContext(
        (*rooms, *furniture),
        furniture,
        [piece for piece in furniture if piece in floor_plan.openable],
        objects,
        briefing.targets,
        view.messages_left,
        briefing.most_facts,
    )


def read_commands(texts: Sequence[str], context: CommandContext) -> tuple[HouseCommand, ...]:
    """Reads a whole plan; raises CallError with the errors of all its commands if any is invalid, or if it is empty."""
    return read_calls(texts, lambda text: read_command(text, context), _refusal("forms"))


def read_command(text: str, context: CommandContext) -> HouseCommand:
    """Reads one command such as `Open[cabinet_3]`; a message may stand in single or double quotes."""
    quoted = _QUOTED.fullmatch(text)
    if quoted:
        addressees = tuple(name for part in (quoted["to"] or "").split(",") if (name := part.strip()))
        command = communicate(quoted["text"], addressees)
    else:
        try:
            command = parse_command(text)
        except CommandError:
            raise CallError(_refusal("no_command", given=shortened(text))) from None
    if command.verb == Verb.COMMUNICATE:
        return _message(command, context)
    _check_names(command, context)
    return command


def _message(command: HouseCommand, context: CommandContext) -> HouseCommand:
    """Returns the message in one line; raises CallError if it can't be sent, or not to its addressees."""
    text = plain(command.text)
    if fault := message_fault(text) or length_fault(text, context.most_facts):
        raise CallError(_refusal("unsendable", fault=fault))
    unknown = [name for name in command.arguments if name != EVERYONE and name not in context.targets]
    if unknown or not command.arguments or not context.targets:
        raise CallError(_refusal("no_addressee", given=shortened(", ".join(unknown)), targets=context.targets))
    return communicate(text, command.arguments)


def _check_names(command: HouseCommand, context: CommandContext) -> None:
    """Raises CallError for Find, and for a command with a name that it can't use."""
    verb, names = command.verb, command.arguments
    if verb == Verb.FIND:
        raise CallError(_refusal("no_find"))
    if verb == Verb.NAVIGATE:
        _check_name(verb, names[0], context.places, "no_place")
    elif verb == Verb.PICK:
        _check_name(verb, names[0], context.objects, "no_object")
    elif verb == Verb.PLACE:
        _check_name(verb, names[0], context.objects, "no_object")
        _check_name(verb, names[2], context.furniture, "no_furniture")
        if names[1] not in (ON, WITHIN):
            raise CallError(_refusal("no_relation", given=shortened(names[1])))
    elif verb in (Verb.OPEN, Verb.CLOSE):
        _check_name(verb, names[0], context.openable, "no_opening_furniture")


def _check_name(verb: str, name: str, known: Sequence[str], refusal: str) -> None:
    if name not in known:
        raise CallError(_refusal(refusal, verb=verb, given=shortened(name), known=known))


def check_plan(commands: Sequence[HouseCommand], view: HouseView, barred: HouseCommand | None) -> None:
    """Raises CallError for a plan with more messages than are left, or whose first command can't succeed now.

    barred: the command that has just failed.
    """
    sent = sum(command.verb == Verb.COMMUNICATE for command in commands)
    if sent > view.messages_left:
        raise CallError(_refusal("messages_left", sent=sent, left=view.messages_left))
    first = commands[0]
    if first.verb == Verb.NAVIGATE and _target_room(first, view) == view.room:
        raise CallError(_refusal("there_already", command=str(first), room=view.room))
    if first.verb in HANDLING and first not in view.commands():
        possible = list(map(str, view.commands()[1:])) or [Verb.WAIT]
        raise CallError(_refusal("cannot_succeed", command=str(first), possible=possible))
    if first == barred:
        raise CallError(phrase("agent/messages.j2", "just_failed", call=str(first)))


def _target_room(command: HouseCommand, view: HouseView) -> str:
    target = command.arguments[0]
    return view.briefing.plan.furniture.get(target, target)


def command_pattern(context: CommandContext) -> str:
    """The regular expression of the commands that `read_command` accepts, for endpoints that enforce patterns."""
    places, furniture, openable, objects = map(
        _plain_names, (context.places, context.furniture, context.openable, context.objects)
    )
    commands = [_WAIT]
    if places:
        commands.append(rf"Navigate\[{any_of(places)}\]")
    if objects:
        commands.append(rf"Pick\[{any_of(objects)}\]")
    if objects and furniture:
        commands.append(rf"Place\[{any_of(objects)}, (on|within), {any_of(furniture)}\]")
    if openable:
        commands.append(rf"(Open|Close)\[{any_of(openable)}\]")
    return f"^{any_of([*commands, *_message_patterns(context)])}$"


def first_command_pattern(context: CommandContext, view: HouseView, barred: HouseCommand | None) -> str:
    """The regular expression of a plan's first command: those that `check_plan` accepts, except for the barred one."""
    moves = [command for command in map(navigate, context.places) if _target_room(command, view) != view.room]
    handling = [command for command in view.commands() if command.verb in HANDLING]
    names: dict[str, list[str]] = {}
    for command in (*moves, *handling):
        if command != barred and len(_plain_names(command.arguments)) == len(command.arguments):
            names.setdefault(command.verb, []).append(", ".join(command.arguments))
    written = (rf"{verb}\[{any_of(arguments)}\]" for verb, arguments in names.items())
    return f"^{any_of([_WAIT, *written, *_message_patterns(context)])}$"


def _message_patterns(context: CommandContext) -> list[str]:
    """A list with the regular expression of a message; empty if no message can be sent."""
    targets = _plain_names(context.targets)
    if not (targets and context.messages_left):
        return []
    groups = [", ".join(names) for count in range(1, 4) for names in combinations(targets, count)]
    addressees = any_of([EVERYONE, *groups])
    return [rf"Communicate\['[A-Za-z0-9][^'\"\\\n\r\t]{{0,{LONGEST_MESSAGE - 1}}}', {addressees}\]"]


def _plain_names(names: Sequence[str]) -> list[str]:
    """Those of the names that a pattern can hold as they are; the others are dropped."""
    return [name for name in names if re.fullmatch(r"[\w-]+", name)]
