"""The subgoal functions of a plan, parsed from a model's text without evaluating it (appendix C.4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.grid import Cell, Layout, around


class SubgoalError(ValueError):
    """A subgoal is invalid; the message says what is wrong and what would be right."""


@dataclass(frozen=True, slots=True)
class MoveTo:
    """Walk from one cell to another by the shortest path around resources other than the target."""

    source: Cell
    target: Cell

    def __str__(self) -> str:
        return f"move_to({self.source}, {self.target})"


@dataclass(frozen=True, slots=True)
class FireAt:
    """Search for the opponent near a cell, approach it and fire the beam at it."""

    target: Cell

    def __str__(self) -> str:
        return f"fire_at({self.target})"


@dataclass(frozen=True, slots=True)
class Interact:
    """Walk up to a station and use it: take an item, put one down, fill a pot or deliver."""

    target: Cell

    def __str__(self) -> str:
        return f"interact({self.target})"


@dataclass(frozen=True, slots=True)
class Wait:
    """Walk up to a station and wait until it is ready."""

    target: Cell

    def __str__(self) -> str:
        return f"wait({self.target})"


Subgoal = MoveTo | FireAt | Interact | Wait


@dataclass(frozen=True)
class SubgoalFunction:
    """The syntax of a subgoal: an example call, its number of cells, and the class built from them.

    of_things: whether its cells hold things that nobody can enter, rather than cells to stand on.
    """

    example: str
    arity: int
    build: Callable[..., Subgoal]
    of_things: bool = False


FUNCTIONS: Mapping[str, SubgoalFunction] = {
    "move_to": SubgoalFunction("move_to((x, y), (x, y))", 2, MoveTo),
    "fire_at": SubgoalFunction("fire_at((x, y))", 1, FireAt),
    "interact": SubgoalFunction("interact((x, y))", 1, Interact, of_things=True),
    "wait": SubgoalFunction("wait((x, y))", 1, Wait, of_things=True),
}

_NUMBER = r"\s*(-?[0-9]{1,6})\s*"
_COORDINATE = re.compile(rf"\({_NUMBER},{_NUMBER}\)|\[{_NUMBER},{_NUMBER}\]")
_COMMENT = re.compile(r"\s*(?:#|//).*\Z", re.DOTALL)
_CALL = re.compile(r"\s*([A-Za-z_][A-Za-z_0-9]*)\s*\((.*)\)\s*", re.DOTALL)


def parse_subgoal(text: str, layout: Layout, names: Sequence[str]) -> Subgoal:
    """Parses one call such as `move_to((3, 4), (5, 6))`, with any spacing, round or square brackets, and a comment.

    names: the functions that the game has. Raises SubgoalError for an unknown function, a wrong number or form
    of arguments, and cells outside the map or inside walls.
    """
    call = _CALL.fullmatch(_COMMENT.sub("", text))
    if call is None:
        raise SubgoalError(f"not a function call: {_shorten(text)}; write {_forms(names)}")
    name, arguments = call.groups()
    if name not in names:
        raise SubgoalError(f"unknown function {_shorten(name)}; write {_forms(names)}")
    function = FUNCTIONS[name]
    cells = [(int(found[1] or found[3]), int(found[2] or found[4])) for found in _COORDINATE.finditer(arguments)]
    leftover = re.sub(r"\s", "", _COORDINATE.sub("#", arguments)).removesuffix(",")
    if leftover != ",".join("#" * function.arity):
        raise SubgoalError(f"wrong arguments ({_shorten(arguments)}); write {function.example} with whole numbers")
    for cell in cells:
        _check_cell(cell, layout, name)
    return function.build(*cells)


def accept(subgoal: Subgoal) -> None:
    """The default `check` of `parse_plan`, for games that bar no subgoal."""


def parse_plan(
    texts: Sequence[str], layout: Layout, names: Sequence[str], check: Callable[[Subgoal], None] = accept
) -> tuple[Subgoal, ...]:
    """Parses a whole plan; raises SubgoalError with the errors of all its subgoals if any is invalid.

    check: the game's own; raises SubgoalError for a subgoal that can't be carried out.
    """
    plan, errors = [], []
    for text in texts:
        try:
            subgoal = parse_subgoal(text, layout, names)
            check(subgoal)
            plan.append(subgoal)
        except SubgoalError as error:
            errors.append(str(error))
    if errors:
        raise SubgoalError("; ".join(errors))
    if not plan:
        raise SubgoalError(f"the plan is empty; write {_forms(names)}")
    return tuple(plan)


def _check_cell(cell: Cell, layout: Layout, name: str) -> None:
    if not layout.contains(cell):
        raise SubgoalError(
            f"{name}: {cell} is outside the map; x goes from 0 to {layout.width - 1}, y from 0 to {layout.height - 1}"
        )
    if FUNCTIONS[name].of_things:
        if not any(layout.is_open(beside) for beside in around(cell)):
            raise SubgoalError(f"{name}: nobody can stand next to {cell}")
    elif not layout.is_open(cell):
        near = sorted(beside for beside in around(cell) if layout.is_open(beside))
        raise SubgoalError(f"{name}: {cell} is a wall{f'; free next to it: {near}' if near else ''}")


def _forms(names: Sequence[str]) -> str:
    return " or ".join(FUNCTIONS[name].example for name in names)


def _shorten(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


def call_pattern(cells: Mapping[str, Sequence[Cell]]) -> str:
    """The regular expression of a call, for endpoints that keep to a schema's patterns.

    cells: those that each function takes, by its name. Groups are plain and nothing is optional, since endpoints
    translate only the simplest expressions.
    """
    calls = [
        rf"{name}\({', '.join([_any_of(known)] * FUNCTIONS[name].arity)}\)" for name, known in cells.items() if known
    ]
    return rf"^({'|'.join(calls)})$"


def _any_of(cells: Sequence[Cell]) -> str:
    """The pattern of one of these cells, with the y of each x together."""
    columns: dict[int, set[int]] = {}
    for x, y in cells:
        columns.setdefault(x, set()).add(y)
    pairs = (f"{x}, ({'|'.join(map(str, sorted(ys)))})" for x, ys in sorted(columns.items()))
    return rf"\(({'|'.join(pairs)})\)"
