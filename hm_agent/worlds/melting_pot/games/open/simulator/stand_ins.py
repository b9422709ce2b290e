"""What scripted players do in place of Melting Pot's trained bots where a game's file says it in calls of plans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from hm_agent.worlds.melting_pot.games.open.calls import Call, CollectThings, UseAction, read_plan
from hm_agent.worlds.melting_pot.games.open.open_facts import PLAYER
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat, PlayingRule


def nearest_call(seat: OpenSeat, written: Sequence[str]) -> Sequence[Call]:
    """Of these calls the one whose thing or player is nearest, else one that needs neither; empty if there is none."""
    found = list(_with_ways(seat, read_plan(written, replace(seat.names, players=(PLAYER,)))))
    return [min(found, key=lambda each: each[0])[1]] if found else []


def _with_ways(seat: OpenSeat, calls: Sequence[Call]) -> Iterator[tuple[float, Call]]:
    """The calls that can be carried out now, with the way to what each names; those that name nothing come last."""
    for call in calls:
        match call:
            case UseAction(at=None):
                yield float("inf"), call
            case UseAction(at=str(name)) if name == PLAYER:
                yield from (
                    (seat.steps_to(each.cell), replace(call, at=each.name)) for each in seat.players if not each.ago
                )
            case UseAction(at=str(name)) | CollectThings(kind=name):
                yield from ((seat.steps_to(cell), call) for cell in seat.cells_of((name,)))


def written_rule(calls: Sequence[str]) -> PlayingRule:
    """The rule of a player that carries out the nearest of these calls, time and again."""
    return PlayingRule(", ".join(calls), partial(nearest_call, written=calls))
