"""How calls are written: parses them from a model's text without evaluating it (appendix C.4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

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


@dataclass(frozen=True)
class Arguments:
    """The arguments of a call, by type."""

    cells: Sequence[Cell] = ()
    numbers: Sequence[int] = ()
    players: Sequence[str] = ()
    kinds: Sequence[str] = ()


@dataclass(frozen=True)
class CallFunction:
    """The syntax of a call and how to build it.

    form: how the call is written, e.g. `wait(steps)`. takes: True if the arguments fit. build: makes the call from
    its arguments. patterns: makes the regular expressions of its arguments from that of a cell and the known names.
    of_things: True if its cells hold stations, which nobody can enter; else they are cells to stand on.
    """

    form: str
    takes: Callable[[Arguments], bool]
    build: Callable[[Arguments], Call]
    patterns: Callable[[str, Names], Sequence[str]] = lambda cell, names: (cell,)
    of_things: bool = False


COUNT = "(2|3|4|6|8)"
"""The pattern of how many things a player must have taken: a few choices, since a schema lists all that fits."""


def _aim(given: Arguments) -> Aim:
    return Aim(tuple(given.players), next(iter(given.kinds), None), next(iter(given.numbers), 0))


def _conditions(names: Names) -> Sequence[str]:
    """The patterns of what a call to fire may say of the player: its name, or what it must have taken."""
    named = [any_of(known) for known in (names.players, names.kinds) if known]
    counted = [f"{any_of(names.kinds)}, {COUNT}"] if names.kinds else []
    return *named, *counted, COUNT


def _only_cells(count: int) -> Callable[[Arguments], bool]:
    return lambda given: len(given.cells) == count and not (given.numbers or given.players or given.kinds)


MOVE_TO = CallFunction(
    "move_to((x, y))",
    # The paper's form also names the start, which is where the avatar is by then.
    lambda given: _only_cells(1)(given) or _only_cells(2)(given),
    lambda given: MoveTo(given.cells[-1]),
)
FIRE_AT = CallFunction(
    "fire_at((x, y))",
    lambda given: len(given.cells) == 1 and len(given.kinds) < 2 and len(given.numbers) < 2,
    lambda given: FireAt(given.cells[0], _aim(given)),
    lambda cell, names: (cell, *(f"{cell}, {condition}" for condition in _conditions(names))),
)
FIRE_ON_SIGHT = CallFunction(
    "fire_on_sight()",
    lambda given: not given.cells and len(given.kinds) < 2 and len(given.numbers) < 2,
    lambda given: FireOnSight(_aim(given)),
    lambda cell, names: ("", *_conditions(names)),
)
COLLECT_UNSEEN = CallFunction(
    "collect_unseen()", _only_cells(0), lambda given: CollectUnseen(), lambda cell, names: ("",)
)
SHOW = CallFunction("show((x, y))", _only_cells(1), lambda given: Show(given.cells[0]))
SHADOW = CallFunction(
    "shadow(player)",
    lambda given: len(given.players) == 1 and not (given.cells or given.numbers or given.kinds),
    lambda given: Shadow(given.players[0]),
    lambda cell, names: (any_of(names.players),) if names.players else (),
)
PAUSE = CallFunction(
    "wait(steps)",
    lambda given: len(given.numbers) == 1 and not (given.cells or given.players or given.kinds),
    lambda given: Pause(given.numbers[0]),
    lambda cell, names: ("(5|10|20|30)",),
)
INTERACT = CallFunction("interact((x, y))", _only_cells(1), lambda given: Interact(given.cells[0]), of_things=True)
WAIT = CallFunction("wait((x, y))", _only_cells(1), lambda given: Wait(given.cells[0]), of_things=True)

Functions = Mapping[str, CallFunction]
"""The functions that the plans of a game may call, by name."""

_CELL = re.compile(r"\(\s*(-?[0-9]{1,6})\s*,\s*(-?[0-9]{1,6})\s*\)|\[\s*(-?[0-9]{1,6})\s*,\s*(-?[0-9]{1,6})\s*\]")


def parse_call(text: str, layout: Layout, functions: Functions, names: Names = Names()) -> Call:
    """Parses one call such as `move_to((3, 4))`; allows any spacing, cells in any brackets and a comment after it.

    Raises CallError for an unknown function, arguments of a wrong number or form, and cells outside the map or inside
    walls.
    """
    name, function, written = read_call(text, functions, _forms(functions))
    arguments = _read_arguments(written, names)
    if arguments is None or not function.takes(arguments):
        known = names.players if "player" in function.form else ()
        raise CallError(_refusal("wrong_arguments", given=shortened(written), form=function.form, players=known))
    for cell in arguments.cells[-1:] if function is MOVE_TO else arguments.cells:
        _check_cell(cell, layout, name, of_things=function.of_things)
    return function.build(arguments)


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
    return Arguments(cells, numbers, players, kinds)


def accept(call: Call) -> None:
    """The default `check` of `parse_plan`, for games that bar no call."""


def parse_plan(
    texts: Sequence[str],
    layout: Layout,
    functions: Functions,
    names: Names = Names(),
    check: Callable[[Call], None] = accept,
) -> tuple[Call, ...]:
    """Parses a whole plan; raises CallError with the errors of all its calls if any is invalid.

    check: the game's own; raises CallError for a call that can't be carried out.
    """

    def read(text: str) -> Call:
        call = parse_call(text, layout, functions, names)
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
    return " or ".join(function.form for function in functions.values())


def call_pattern(functions: Functions, cells: Mapping[str, Sequence[Cell]], names: Names = Names()) -> str:
    """The regular expression of a call, for endpoints that keep to a schema's patterns.

    cells: the ones that each function may take, by its name; a function without any is left out. Groups are plain and
    nothing is optional, since endpoints translate only the simplest expressions.
    """
    calls = [
        rf"{name}\({arguments}\)"
        for name, known in cells.items()
        if known
        for arguments in functions[name].patterns(_any_cell(known), names)
    ]
    return f"^{any_of(calls)}$"


def _any_cell(cells: Sequence[Cell]) -> str:
    """The pattern that matches any of these cells; those with the same x form one group."""
    columns: dict[int, set[int]] = {}
    for x, y in cells:
        columns.setdefault(x, set()).add(y)
    pairs = (f"{x}, {any_of(sorted(ys))}" for x, ys in sorted(columns.items()))
    return rf"\({any_of(pairs)}\)"
