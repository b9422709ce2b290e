"""The calls of a SymmToM plan: what each means, and how a model writes it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial

from hm_agent.models.prompts import phrase
from hm_agent.worlds.symmtom.views import Cell, Pieces
from hm_agent.written_calls import CallError, WrittenCall, any_of, read_call, read_calls, shortened

_refusal = partial(phrase, "symmtom/messages.j2")


@dataclass(frozen=True, slots=True)
class GoTo(WrittenCall):
    """Walk to a cell."""

    function = "go_to"
    target: Cell


@dataclass(frozen=True, slots=True)
class Meet(WrittenCall):
    """Walk until another agent is in hearing range, then stay until each piece of the plan was said to it."""

    function = "meet"
    player: str


@dataclass(frozen=True, slots=True)
class Recharge(WrittenCall):
    """Walk to the own base, as soon as all pieces are known, and recharge."""

    function = "recharge"


@dataclass(frozen=True, slots=True)
class Say(WrittenCall):
    """Say a piece in its turn, while the walks go on."""

    function = "say"
    piece: int


Walk = GoTo | Meet | Recharge
Call = Walk | Say

_CELL = re.compile(r"\s*[(\[]?\s*(-?[0-9]{1,6})\s*,\s*(-?[0-9]{1,6})\s*[)\]]?\s*")
_NUMBER = re.compile(r"\s*[\"']?([0-9]{1,6})[\"']?\s*")


@dataclass(frozen=True)
class CallContext:
    """What calls may refer to: cells of a board of this width, the other players, and the pieces that are known."""

    width: int
    players: Sequence[str]
    knows: Pieces


def parse_calls(texts: Sequence[str], context: CallContext) -> tuple[Call, ...]:
    """Parses a plan; raises CallError if it is empty, or with the errors of all its calls if any is invalid."""
    return read_calls(texts, lambda text: parse_call(text, context), _refusal("forms"))


def parse_call(text: str, context: CallContext) -> Call:
    """Parses one call such as `go_to((3, 4))`, with any spacing and an optional comment after it."""
    _, build, argument = read_call(text, _BUILDERS, _refusal("forms"))
    return build(argument, context)


def _go_to(argument: str, context: CallContext) -> GoTo:
    inner = argument.strip()
    match = _CELL.fullmatch(inner[1:-1] if inner.startswith("((") else inner)
    if match is None:
        raise CallError(_refusal("no_cell", given=shortened(argument)))
    cell = int(match[1]), int(match[2])
    if not all(0 <= part < context.width for part in cell):
        raise CallError(_refusal("off_the_board", cell=cell, last=context.width - 1))
    return GoTo(cell)


def _meet(argument: str, context: CallContext) -> Meet:
    name = argument.strip(" '\"\n\t")
    if name not in context.players:
        raise CallError(_refusal("no_player", given=shortened(argument), players=context.players))
    return Meet(name)


def _recharge(argument: str, context: CallContext) -> Recharge:
    if argument.strip():
        raise CallError(_refusal("no_argument", given=shortened(argument)))
    return Recharge()


def _say(argument: str, context: CallContext) -> Say:
    match = _NUMBER.fullmatch(argument)
    if match is None:
        raise CallError(_refusal("no_piece", given=shortened(argument), known=_joined(context.knows)))
    if int(match[1]) not in context.knows:
        raise CallError(_refusal("unknown_piece", piece=match[1], known=_joined(context.knows)))
    return Say(int(match[1]))


_BUILDERS: dict[str, Callable[[str, CallContext], Call]] = {
    "go_to": _go_to,
    "meet": _meet,
    "recharge": _recharge,
    "say": _say,
}


def call_pattern(context: CallContext) -> str:
    """A regular expression of calls that `parse_call` accepts, for endpoints that enforce a schema's patterns."""
    axis = any_of(range(context.width))
    calls = [rf"go_to\(\({axis}, {axis}\)\)", rf"meet\({any_of(context.players)}\)", r"recharge\(\)"]
    calls += [rf"say\({any_of(context.knows)}\)"] if context.knows else []
    return f"^{any_of(calls)}$"


def walk_pattern(context: CallContext, barred: Collection[Call]) -> str:
    """A regular expression of all walks but the barred ones."""
    axis = range(context.width)
    rows = [f"{x}, {any_of([y for y in axis if GoTo((x, y)) not in barred])}" for x in axis]
    walks = [rf"go_to\(\({any_of(rows)}\)\)"]
    players = [player for player in context.players if Meet(player) not in barred]
    walks += [rf"meet\({any_of(players)}\)"] if players else []
    walks += [r"recharge\(\)"] if Recharge() not in barred else []
    return f"^{any_of(walks)}$"


def check_plan(plan: Sequence[Call], most_walks: int, lacking: Pieces, barred: Call | None) -> None:
    """Raises CallError for too many walks, and for a first walk that has no effect now.

    lacking: the pieces that the agent does not know. barred: the walk that has just failed.
    """
    walks = [call for call in plan if not isinstance(call, Say)]
    if len(walks) > most_walks:
        raise CallError(_refusal("too_many_walks", given=len(walks), most=most_walks))
    if walks and isinstance(walks[0], Recharge) and lacking:
        raise CallError(_refusal("recharge_first", lacking=_joined(lacking)))
    if walks and walks[0] == barred:
        raise CallError(phrase("agent/messages.j2", "just_failed", call=str(barred)))


def _joined(pieces: Pieces) -> str:
    """The pieces with commas between them, or `nothing`."""
    return ", ".join(map(str, pieces)) or "nothing"
