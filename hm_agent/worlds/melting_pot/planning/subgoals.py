"""The subgoal functions of a plan, parsed from a model's text without evaluating it (appendix C.4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hm_agent.worlds.melting_pot.grid import Cell, Layout, around
from hm_agent.written_calls import CallError, WrittenCall, read_call, read_calls, shortened


@dataclass(frozen=True, slots=True)
class MoveTo(WrittenCall):
    """Walk to a cell by the shortest path around resources other than the target."""

    target: Cell

    def __str__(self) -> str:
        return f"move_to({self.target})"


@dataclass(frozen=True, slots=True)
class FireAt(WrittenCall):
    """Search near a cell, approach a player and fire the beam at it.

    players: the only ones to fire at; any that the strategy seeks if empty. holding: the kind that the player must have
    been seen to take most of; anything if None.
    """

    target: Cell
    players: tuple[str, ...] = ()
    holding: str | None = None

    def __str__(self) -> str:
        return f"fire_at({', '.join(str(part) for part in (self.target, *self.players, self.holding) if part)})"


@dataclass(frozen=True, slots=True)
class FireOnSight(WrittenCall):
    """From here on in the plan, fire at a sought player as soon as it is near and ready. players: as in `FireAt`."""

    players: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"fire_on_sight({', '.join(self.players)})"


@dataclass(frozen=True, slots=True)
class CollectUnseen(WrittenCall):
    """From here on in the plan, wait before a thing is collected while another player may be watching."""

    def __str__(self) -> str:
        return "collect_unseen()"


@dataclass(frozen=True, slots=True)
class Shadow(WrittenCall):
    """Keep a player in view without firing, to see what it takes."""

    player: str

    def __str__(self) -> str:
        return f"shadow({self.player})"


@dataclass(frozen=True, slots=True)
class Pause(WrittenCall):
    """Stay where one is and look around for a number of steps, or until a player comes into view."""

    steps: int

    def __str__(self) -> str:
        return f"wait({self.steps})"


@dataclass(frozen=True, slots=True)
class Interact(WrittenCall):
    """Walk up to a station and use it: take an item, put one down, fill a pot or deliver."""

    target: Cell

    def __str__(self) -> str:
        return f"interact({self.target})"


@dataclass(frozen=True, slots=True)
class Wait(WrittenCall):
    """Walk up to a station and wait until it is ready."""

    target: Cell

    def __str__(self) -> str:
        return f"wait({self.target})"


Subgoal = MoveTo | FireAt | FireOnSight | CollectUnseen | Shadow | Pause | Interact | Wait


USED_UP = "the plan is used up"
"""Why a plan is over that nothing has cut short."""
HIT_NOBODY = "has hit nobody in"
"""In the words why a plan is over whose last call has looked for a player in vain."""


@dataclass(frozen=True, slots=True)
class PreviousPlan:
    """A plan that is over, as it was made.

    done: how many of its calls were carried out. skipped: those whose thing was gone. shot: the call that was carried
    out in place of the rest, because the plan fires on sight; None if nobody was fired at on sight. went_on: whether
    the agent went on by itself after it, with a plan that nobody was asked for.
    """

    calls: tuple[Subgoal, ...]
    done: int
    skipped: tuple[Subgoal, ...] = ()
    shot: Subgoal | None = None
    went_on: bool = False


@dataclass(frozen=True)
class Names:
    """The names that calls may hold: of players, and of the kinds they may hold."""

    players: Sequence[str] = ()
    kinds: Sequence[str] = ()


@dataclass(frozen=True)
class Arguments:
    """The arguments of a call, by what they are."""

    cells: Sequence[Cell] = ()
    numbers: Sequence[int] = ()
    players: Sequence[str] = ()
    kinds: Sequence[str] = ()


def _one(values: Sequence[Any]) -> Any | None:
    return values[0] if values else None


@dataclass(frozen=True)
class SubgoalFunction:
    """The syntax of a subgoal. form: an example call. takes: whether arguments fit. build: the subgoal from those.

    patterns: the regular expressions of its arguments, from that of a cell and the names that exist. of_things: whether
    its cells hold things that nobody can enter, rather than cells to stand on.
    """

    form: str
    takes: Callable[[Arguments], bool]
    build: Callable[[Arguments], Subgoal]
    patterns: Callable[[str, Names], Sequence[str]] = lambda cell, names: (cell,)
    of_things: bool = False


def _any_name(names: Sequence[str]) -> str:
    return f"({'|'.join(names)})"


def _only_cells(count: int) -> Callable[[Arguments], bool]:
    return lambda said: len(said.cells) == count and not (said.numbers or said.players or said.kinds)


MOVE_TO = SubgoalFunction(
    "move_to((x, y))",
    # The paper's form names the start, too, which is where the avatar is by then.
    lambda said: _only_cells(1)(said) or _only_cells(2)(said),
    lambda said: MoveTo(said.cells[-1]),
)
FIRE_AT = SubgoalFunction(
    "fire_at((x, y))",
    lambda said: len(said.cells) == 1 and not said.numbers and len(said.kinds) < 2,
    lambda said: FireAt(said.cells[0], tuple(said.players), _one(said.kinds)),
    lambda cell, names: (cell, *(f"{cell}, {_any_name(known)}" for known in (names.players, names.kinds) if known)),
)
FIRE_ON_SIGHT = SubgoalFunction(
    "fire_on_sight()",
    lambda said: not (said.cells or said.numbers or said.kinds),
    lambda said: FireOnSight(tuple(said.players)),
    lambda cell, names: ("", _any_name(names.players)) if names.players else ("",),
)
COLLECT_UNSEEN = SubgoalFunction(
    "collect_unseen()", _only_cells(0), lambda said: CollectUnseen(), lambda cell, names: ("",)
)
SHADOW = SubgoalFunction(
    "shadow(player)",
    lambda said: len(said.players) == 1 and not (said.cells or said.numbers or said.kinds),
    lambda said: Shadow(said.players[0]),
    lambda cell, names: (_any_name(names.players),) if names.players else (),
)
PAUSE = SubgoalFunction(
    "wait(steps)",
    lambda said: len(said.numbers) == 1 and not (said.cells or said.players or said.kinds),
    lambda said: Pause(said.numbers[0]),
    lambda cell, names: ("(5|10|20|30)",),
)
INTERACT = SubgoalFunction("interact((x, y))", _only_cells(1), lambda said: Interact(said.cells[0]), of_things=True)
WAIT = SubgoalFunction("wait((x, y))", _only_cells(1), lambda said: Wait(said.cells[0]), of_things=True)

Functions = Mapping[str, SubgoalFunction]
"""The functions that the plans of a game may call, by name."""

_CELL = re.compile(r"\(\s*(-?[0-9]{1,6})\s*,\s*(-?[0-9]{1,6})\s*\)|\[\s*(-?[0-9]{1,6})\s*,\s*(-?[0-9]{1,6})\s*\]")


def parse_subgoal(text: str, layout: Layout, functions: Functions, names: Names = Names()) -> Subgoal:
    """Parses one call such as `move_to((3, 4))`, with any spacing, with cells in any brackets, with a comment after it.

    Raises CallError for an unknown function, a wrong number or form of arguments, and cells outside the map or
    inside walls.
    """
    name, function, written = read_call(text, functions, _forms(functions))
    said = _read_arguments(written, names)
    if said is None or not function.takes(said):
        known = f"; players: {', '.join(names.players)}" if "player" in function.form and names.players else ""
        raise CallError(f"wrong arguments ({shortened(written)}); write {function.form} with whole numbers{known}")
    for cell in said.cells[-1:] if function is MOVE_TO else said.cells:
        _check_cell(cell, layout, name, of_things=function.of_things)
    return function.build(said)


def _read_arguments(text: str, names: Names) -> Arguments | None:
    """The arguments in a text; None if something in it is none."""
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


def accept(subgoal: Subgoal) -> None:
    """The default `check` of `parse_plan`, for games that bar no subgoal."""


def parse_plan(
    texts: Sequence[str],
    layout: Layout,
    functions: Functions,
    names: Names = Names(),
    check: Callable[[Subgoal], None] = accept,
) -> tuple[Subgoal, ...]:
    """Parses a whole plan; raises CallError with the errors of all its subgoals if any is invalid.

    check: the game's own; raises CallError for a subgoal that can't be carried out.
    """

    def read(text: str) -> Subgoal:
        subgoal = parse_subgoal(text, layout, functions, names)
        check(subgoal)
        return subgoal

    return read_calls(texts, read, _forms(functions))


def _check_cell(cell: Cell, layout: Layout, name: str, *, of_things: bool) -> None:
    if not layout.contains(cell):
        raise CallError(
            f"{name}: {cell} is outside the map; x goes from 0 to {layout.width - 1}, y from 0 to {layout.height - 1}"
        )
    if of_things:
        if not any(layout.is_open(beside) for beside in around(cell)):
            raise CallError(f"{name}: nobody can stand next to {cell}")
    elif not layout.is_open(cell):
        near = sorted(beside for beside in around(cell) if layout.is_open(beside))
        raise CallError(f"{name}: {cell} is a wall{f'; free next to it: {near}' if near else ''}")


def _forms(functions: Functions) -> str:
    return " or ".join(function.form for function in functions.values())


def call_pattern(functions: Functions, cells: Mapping[str, Sequence[Cell]], names: Names = Names()) -> str:
    """The regular expression of a call, for endpoints that keep to a schema's patterns.

    cells: those that each function takes, by its name; a function without any is left out. Groups are plain and nothing
    is optional, since endpoints translate only the simplest expressions.
    """
    calls = [
        rf"{name}\({arguments}\)"
        for name, known in cells.items()
        if known
        for arguments in functions[name].patterns(_any_of(known), names)
    ]
    return rf"^({'|'.join(calls)})$"


def _any_of(cells: Sequence[Cell]) -> str:
    """The pattern of one of these cells, with the y of each x together."""
    columns: dict[int, set[int]] = {}
    for x, y in cells:
        columns.setdefault(x, set()).add(y)
    pairs = (f"{x}, ({'|'.join(map(str, sorted(ys)))})" for x, ys in sorted(columns.items()))
    return rf"\(({'|'.join(pairs)})\)"
