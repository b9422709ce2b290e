"""How calls are written: parses them from a model's text without evaluating it (appendix C.4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from hm_agent.grouping import grouped
from hm_agent.models.prompts import phrase
from hm_agent.worlds.melting_pot.grid import Cell, Layout, around
from hm_agent.worlds.melting_pot.planning.calls import (
    Aim,
    Call,
    CollectUnseen,
    FireAt,
    FireOnSight,
    Interact,
    MoveTo,
    Pause,
    Shadow,
    Show,
    Wait,
)
from hm_agent.written_calls import CallError, any_of, read_call, read_calls, shortened

_refusal = partial(phrase, "melting_pot/messages.j2")


@dataclass(frozen=True)
class Names:
    """The names that calls may take as arguments: of players, and of the kinds that players may hold."""

    players: Sequence[str] = ()
    kinds: Sequence[str] = ()


class Form(StrEnum):
    """How the calls of plans are written; each game has some of them."""

    MOVE_TO = "move_to((x, y))"
    FIRE_AT = "fire_at((x, y))"
    FIRE_ON_SIGHT = "fire_on_sight()"
    COLLECT_UNSEEN = "collect_unseen()"
    SHOW = "show((x, y))"
    SHADOW = "shadow(player)"
    PAUSE = "wait(steps)"
    INTERACT = "interact((x, y))"
    WAIT = "wait((x, y))"


Functions = Mapping[str, Form]
"""The functions that the plans of a game may call, by name."""
Arguments = tuple[list[Cell], list[int], list[str], list[str]]
"""The arguments of a call, by type: cells, numbers, players, and kinds."""

_CELL = re.compile(r"\(\s*(-?[0-9]{1,6})\s*,\s*(-?[0-9]{1,6})\s*\)|\[\s*(-?[0-9]{1,6})\s*,\s*(-?[0-9]{1,6})\s*\]")


def parse_call(text: str, layout: Layout, functions: Functions, names: Names = Names()) -> Call:
    """Parses one call such as `move_to((3, 4))`; allows any spacing, cells in any brackets and a comment after it.

    Raises CallError for an unknown function, arguments of a wrong number or form, and cells outside the map or inside
    walls.
    """
    name, form, written = read_call(text, functions, _forms(functions))
    arguments = _read_arguments(written, names)
    call = _call(form, *arguments) if arguments else None
    if call is None:
        known = names.players if form is Form.SHADOW else ()
        raise CallError(_refusal("wrong_arguments", given=shortened(written), form=form, players=known))
    if isinstance(call, MoveTo | FireAt | Show | Interact | Wait):
        _check_cell(call.target, layout, name, of_things=isinstance(call, Interact | Wait))
    return call


def _read_arguments(text: str, names: Names) -> Arguments | None:
    """Parses a call's arguments; None if any of them is neither a cell, a number nor a known name."""
    cells = [(int(a or c), int(b or d)) for a, b, c, d in _CELL.findall(text)]
    words = [word.strip(" '\"\n\t") for word in _CELL.sub("", text).split(",")]
    numbers, players, kinds = [], [], []
    for word in filter(None, words):
        if re.fullmatch(r"[0-9]{1,3}", word):
            numbers.append(int(word))
        elif word in names.players:
            players.append(word)
        elif word in names.kinds:
            kinds.append(word)
        else:
            return None
    return cells, numbers, players, kinds


def _call(form: Form, cells: list[Cell], numbers: list[int], players: list[str], kinds: list[str]) -> Call | None:
    """The call with these arguments; None if they don't fit its form."""
    aim = Aim(tuple(players), next(iter(kinds), None), next(iter(numbers), 0))
    match form, cells, numbers, players, kinds:
        case Form.MOVE_TO, [cell] | [_, cell], [], [], []:  # the paper names the start, too, where the avatar then is
            return MoveTo(cell)
        case Form.FIRE_AT, [cell], [] | [_], _, [] | [_]:
            return FireAt(cell, aim)
        case Form.FIRE_ON_SIGHT, [], [] | [_], _, [] | [_]:
            return FireOnSight(aim)
        case Form.COLLECT_UNSEEN, [], [], [], []:
            return CollectUnseen()
        case Form.SHOW, [cell], [], [], []:
            return Show(cell)
        case Form.SHADOW, [], [], [player], []:
            return Shadow(player)
        case Form.PAUSE, [], [steps], [], []:
            return Pause(steps)
        case Form.INTERACT, [cell], [], [], []:
            return Interact(cell)
        case Form.WAIT, [cell], [], [], []:
            return Wait(cell)
    return None


def parse_plan(
    texts: Sequence[str],
    layout: Layout,
    functions: Functions,
    names: Names = Names(),
    check: Callable[[Call], None] | None = None,
) -> tuple[Call, ...]:
    """Parses a whole plan; raises CallError with the errors of all its calls if any is invalid.

    check: the game's own; raises CallError for a call that can't be carried out. None in games that bar no call.
    """

    def read(text: str) -> Call:
        call = parse_call(text, layout, functions, names)
        if check:
            check(call)
        return call

    return read_calls(texts, read, _forms(functions))


def _check_cell(cell: Cell, layout: Layout, name: str, *, of_things: bool) -> None:
    if not layout.contains(cell):
        last_x, last_y = layout.width - 1, layout.height - 1
        raise CallError(_refusal("outside_the_map", function=name, cell=cell, last_x=last_x, last_y=last_y))
    if of_things:
        if not any(layout.is_open(beside) for beside in around(cell)):
            raise CallError(_refusal("nobody_stands_there", function=name, cell=cell))
    elif not layout.is_open(cell):
        near = sorted(beside for beside in around(cell) if layout.is_open(beside))
        raise CallError(_refusal("wall", function=name, cell=cell, near=near))


def _forms(functions: Functions) -> str:
    return " or ".join(functions.values())


COUNT = "(2|3|4|6|8)"
"""The pattern of how many things a player must have taken: a few choices, since a schema lists all that fits."""


def call_pattern(functions: Functions, cells: Mapping[str, Sequence[Cell]], names: Names = Names()) -> str:
    """The regular expression of a call, for endpoints that keep to a schema's patterns.

    cells: the ones that each function may take, by its name; a function without any is left out. Groups are plain and
    nothing is optional, since endpoints translate only the simplest expressions.
    """
    calls = [
        rf"{name}\({arguments}\)"
        for name, known in cells.items()
        if known
        for arguments in _argument_patterns(functions[name], _any_cell(known), names)
    ]
    return f"^{any_of(calls)}$"


def _argument_patterns(form: Form, cell: str, names: Names) -> Sequence[str]:
    """The regular expressions of a call's arguments. cell: that of the cells that it may take."""
    match form:
        case Form.FIRE_AT:
            return cell, *(f"{cell}, {condition}" for condition in _conditions(names))
        case Form.FIRE_ON_SIGHT:
            return "", *_conditions(names)
        case Form.COLLECT_UNSEEN:
            return ("",)
        case Form.SHADOW:
            return (any_of(names.players),) if names.players else ()
        case Form.PAUSE:
            return ("(5|10|20|30)",)
    return (cell,)


def _conditions(names: Names) -> Sequence[str]:
    """The patterns of what a call to fire may say of the player: its name, or what it must have taken."""
    named = [any_of(known) for known in (names.players, names.kinds) if known]
    counted = [f"{any_of(names.kinds)}, {COUNT}"] if names.kinds else []
    return *named, *counted, COUNT


def _any_cell(cells: Sequence[Cell]) -> str:
    """The pattern that matches any of these cells; those with the same x form one group."""
    pairs = (f"{x}, {any_of(ys)}" for x, ys in grouped(sorted({*cells})).items())
    return rf"\({any_of(pairs)}\)"
