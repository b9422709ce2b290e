"""Finds what a running plan relies on and the teammate has taken: room in a pot, soup, or a thing on a counter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from hm_agent.models.prompts import phrase
from hm_agent.worlds.melting_pot.games.cooking.kitchen import COUNTER, DISH, DISPENSED, POT, SOUP, TOMATO, Station
from hm_agent.worlds.melting_pot.grid import Cell
from hm_agent.worlds.melting_pot.planning.calls import Call, Interact, Wait

_reason = partial(phrase, "melting_pot/cooking/messages.j2")

Stations = Mapping[Cell, Station]


@dataclass(slots=True)
class Needs:
    """What the rest of a plan relies on.

    room: the pots that it puts a tomato into before it waits there or takes soup. soup: the pots whose soup it waits
    for or takes without adding a tomato. things: the counters that it takes something from.
    """

    room: set[Cell] = field(default_factory=set)
    soup: set[Cell] = field(default_factory=set)
    things: set[Cell] = field(default_factory=set)


def needs_of(rest: Sequence[Call], hands: str | None, stations: Stations) -> Needs:
    """What the rest of a plan relies on, if it is carried out from these hands and stations."""
    needs, settled = Needs(), set[Cell]()
    for call in rest:
        if not isinstance(call, Interact | Wait):
            continue
        station = stations.get(call.target)
        kind = station.kind if station else None
        if kind is not None and kind.startswith(POT):
            if isinstance(call, Interact) and hands == TOMATO:
                hands = None
                if call.target not in settled:
                    needs.room.add(call.target)
                continue
            if hands != TOMATO and call.target not in settled | needs.room:
                needs.soup.add(call.target)
            settled.add(call.target)
            hands = SOUP if isinstance(call, Interact) and hands == DISH else hands
        elif isinstance(call, Interact):
            if kind == COUNTER and hands is None:
                needs.things.add(call.target)
            thing = station.mark if station and kind == COUNTER else DISPENSED.get(kind or "")
            hands = thing if hands is None else None
    return needs


def what_is_gone(
    rest: Sequence[Call], hands: str | None, before: Stations, now: Stations, full: int, own: Cell | None = None
) -> str | None:
    """Says what the rest of a plan relies on and has gone since the previous frame; None if nothing has.

    hands: what the agent holds now. before, now: the stations known in the previous frame and in this one. full: how
    many tomatoes fill a pot. own: the station that the agent has just used.
    """
    needs = needs_of(rest, hands, before)
    for cell in sorted(needs.room):
        if _tomatoes(before.get(cell)) < full <= _tomatoes(now.get(cell)):
            return _reason("no_room", cell=cell)
    for cell in sorted(needs.soup - {own}):
        if _tomatoes(before.get(cell)) >= full > _tomatoes(now.get(cell)):
            return _reason("soup_taken", cell=cell)
    for cell in sorted(needs.things - {own}):
        if cell in before and cell not in now:
            return _reason("thing_gone", thing=before[cell].mark, cell=cell)
    return None


def what_was_awaited(rest: Sequence[Call], before: Stations, now: Stations) -> str | None:
    """Says what has come to lie on a counter since the previous frame, where the plan was to wait; None if nothing."""
    if not any(isinstance(call, Wait) and not _is_pot(now.get(call.target)) for call in rest[:1]):
        return None
    new = [cell for cell in sorted(now) if now[cell].kind == COUNTER and cell not in before]
    return _reason("thing_there_now", thing=now[new[0]].mark, cell=new[0]) if new else None


def _is_pot(station: Station | None) -> bool:
    return station is not None and station.kind.startswith(POT)


def _tomatoes(pot: Station | None) -> int:
    """The tomatoes in a pot; 0 if it was never seen."""
    return int(pot.kind.removeprefix(POT)) if pot and pot.kind.startswith(POT) else 0
