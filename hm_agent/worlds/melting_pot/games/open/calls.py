"""The calls of a plan in any substrate: what each means, and how a model writes it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from hm_agent.grouping import grouped
from hm_agent.models.prompts import phrase
from hm_agent.worlds.melting_pot.grid import Cell, Layout
from hm_agent.written_calls import CallError, WrittenCall, any_of, read_call, read_calls, shortened

_refusal = partial(phrase, "melting_pot/open/messages.j2")
MOST_TIMES = 20
"""The largest number of times that a call may ask for something."""
MOST_STEPS = 40
"""The largest number of steps of a wait, and of following or avoiding a player."""


@dataclass(frozen=True, slots=True)
class WalkTo(WrittenCall):
    """Walk to a cell."""

    function = "go_to"
    target: Cell


@dataclass(frozen=True, slots=True)
class CollectThings(WrittenCall):
    """Walk onto the nearest known thing of a kind, so many times."""

    function = "collect"
    kind: str
    times: int = 1

    @property
    def arguments(self) -> Sequence[object]:
        return self.kind, *_unless_once(self.times)


@dataclass(frozen=True, slots=True)
class UseAction(WrittenCall):
    """Take an action, so many times: here, or with a cell, a thing or a player straight ahead and within its reach."""

    function = "use"
    action: str
    at: Cell | str | None = None
    times: int = 1

    @property
    def arguments(self) -> Sequence[object]:
        return self.action, *(() if self.at is None else (self.at,)), *_unless_once(self.times)


@dataclass(frozen=True, slots=True)
class FollowPlayer(WrittenCall):
    """Stay near a player for so many steps."""

    function = "follow"
    player: str
    steps: int = MOST_STEPS


@dataclass(frozen=True, slots=True)
class KeepAway(WrittenCall):
    """Walk away from a player for so many steps."""

    function = "keep_away"
    player: str
    steps: int = MOST_STEPS


@dataclass(frozen=True, slots=True)
class StandStill(WrittenCall):
    """Stand still for so many steps."""

    function = "wait"
    steps: int


@dataclass(frozen=True, slots=True)
class LookAround(WrittenCall):
    """Turn once around."""

    function = "look_around"


Call = WalkTo | CollectThings | UseAction | FollowPlayer | KeepAway | StandStill | LookAround


def _unless_once(times: int) -> Sequence[int]:
    return () if times == 1 else (times,)


@dataclass(frozen=True)
class CallNames:
    """What calls may name. actions: those beside steps and turns. things: those that were seen, or that rules name."""

    layout: Layout
    actions: Sequence[str]
    things: Sequence[str]
    players: Sequence[str]


_FORMS: Mapping[str, str] = {
    "go_to": "go_to((x, y))",
    "collect": "collect(thing, times)",
    "use": "use(action, target, times)",
    "follow": "follow(player, steps)",
    "keep_away": "keep_away(player, steps)",
    "wait": "wait(steps)",
    "look_around": "look_around()",
}
"""How each call is written, by its function."""
_CELL = re.compile(r"[(\[]\s*(-?[0-9]{1,6})\s*,\s*(-?[0-9]{1,6})\s*[)\]]")
_NUMBER = re.compile(r"[0-9]{1,6}")


def read_plan(texts: Sequence[str], names: CallNames) -> tuple[Call, ...]:
    """Reads a plan; raises CallError with what is wrong with each of its calls, and what would be right."""
    return read_calls(texts, partial(_read, names=names), _refusal("forms"))


def _read(text: str, names: CallNames) -> Call:
    function, form, arguments = read_call(text, _FORMS, _refusal("forms"))
    call = _call(function, arguments, names)
    if call is None:
        raise CallError(_refusal("wrong_arguments", form=form))
    return call


def _call(function: str, arguments: str, names: CallNames) -> Call | None:
    """The call with these arguments, of which the last may be a number; None if they don't fit the function."""
    cells = [(int(x), int(y)) for x, y in _CELL.findall(arguments)]
    words = [word for part in _CELL.sub("", arguments).split(",") if (word := part.strip(" '\"\n\t"))]
    number = int(words.pop()) if words and _NUMBER.fullmatch(words[-1]) else None
    match function, cells, words, number:
        case "go_to", [cell], [], None:
            return WalkTo(_open_cell(cell, names))
        case "collect", [], [thing], _:
            return CollectThings(_one_of("thing", thing, names.things), _times(number))
        case "use", [] | [_], [action], _:
            action, times = _one_of("action", action, names.actions), _times(number)
            return UseAction(action, _on_map(cells[0], names) if cells else None, times)
        case "use", [], [action, target], _:
            action, times = _one_of("action", action, names.actions), _times(number)
            return UseAction(action, _one_of("target", target, [*names.things, *names.players]), times)
        case "follow", [], [player], _:
            return FollowPlayer(_one_of("player", player, names.players), _times(number, MOST_STEPS, MOST_STEPS))
        case "keep_away", [], [player], _:
            return KeepAway(_one_of("player", player, names.players), _times(number, MOST_STEPS, MOST_STEPS))
        case "wait", [], [], int():
            return StandStill(_times(number, MOST_STEPS))
        case "look_around", [], [], None:
            return LookAround()
    return None


def _times(number: int | None, most: int = MOST_TIMES, default: int = 1) -> int:
    if number is None:
        return default
    if not 1 <= number <= most:
        raise CallError(_refusal("wrong_number", given=number, most=most))
    return number


def _one_of(what: str, word: str, known: Sequence[str]) -> str:
    if word not in known:
        raise CallError(_refusal("unknown", what=what, given=shortened(word), known=known))
    return word


def _on_map(cell: Cell, names: CallNames) -> Cell:
    if not names.layout.contains(cell):
        last_x, last_y = names.layout.width - 1, names.layout.height - 1
        raise CallError(_refusal("outside_the_map", cell=cell, last_x=last_x, last_y=last_y))
    return cell


def _open_cell(cell: Cell, names: CallNames) -> Cell:
    if not names.layout.is_open(_on_map(cell, names)):
        raise CallError(_refusal("wall", cell=cell))
    return cell


def call_pattern(names: CallNames) -> str:
    """The regular expression of the calls that `read_plan` accepts, for endpoints that enforce it.

    Groups are plain and nothing is optional, since endpoints translate only the simplest expressions.
    """
    xs, ys = any_of(range(names.layout.width)), any_of(range(names.layout.height))
    cell = rf"\({xs}, {ys}\)"
    calls = [rf"go_to\({_open_cells(names.layout)}\)", r"wait\((5|10|20)\)", r"look_around\(\)"]
    if names.things:
        things = any_of(names.things)
        calls += [rf"collect\({things}\)", rf"collect\({things}, (2|3|5|10)\)"]
    if names.actions:
        actions, targets = any_of(names.actions), any_of([cell, *names.things, *names.players])
        calls += [rf"use\({actions}\)", rf"use\({actions}, {targets}\)"]
        calls += [rf"use\({actions}, (2|3|5|10)\)", rf"use\({actions}, {targets}, (2|3|5|10)\)"]
    if names.players:
        calls.append(rf"(follow|keep_away)\({any_of(names.players)}, (5|10|20|40)\)")
    return f"^{any_of(calls)}$"


@lru_cache(100)
def _open_cells(layout: Layout) -> str:
    """The regular expression of all cells that are no walls: rows with walls in the same columns share a part of it."""
    columns = grouped((y, x) for x, y in layout.open_cells)
    rows = grouped((tuple(xs), y) for y, xs in columns.items())
    return any_of(rf"\({any_of(xs)}, {any_of(ys)}\)" for xs, ys in rows.items())
