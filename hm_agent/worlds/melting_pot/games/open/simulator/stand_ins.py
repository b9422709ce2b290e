"""What scripted players do in place of Melting Pot's trained bots where a game's file says it in calls of plans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from hm_agent.worlds.melting_pot.games.open.calls import Call, CallNames, CollectThings, UseAction, read_plan
from hm_agent.worlds.melting_pot.games.open.grid_view import GridView
from hm_agent.worlds.melting_pot.games.open.open_facts import PLAYER, SubstrateFacts
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat, PlayingRule
from hm_agent.worlds.melting_pot.grid import Layout
from hm_agent.worlds.melting_pot.simulator.substrate import actions_of


def nearest_call(seat: OpenSeat, calls: Sequence[Call]) -> Sequence[Call]:
    """Of these calls the one whose thing or player is nearest, else one that needs neither; empty if there is none."""
    found = list(_with_ways(seat, calls))
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


def written_rule(game: SubstrateFacts, written: Sequence[str]) -> PlayingRule:
    """The rule of a player that carries out the nearest of these calls, time and again.

    They may name whatever can be seen in the game, and PLAYER for any other player; raises CallError for all else.
    """
    view = GridView.of(game.substrate, 0).naming(game.names)
    actions = [name.lower() for name in actions_of(game.substrate).__members__]
    names = CallNames(Layout(1, 1, frozenset()), actions, sorted(view.things), (PLAYER,))
    return PlayingRule(", ".join(written), partial(nearest_call, calls=read_plan(written, names)))
