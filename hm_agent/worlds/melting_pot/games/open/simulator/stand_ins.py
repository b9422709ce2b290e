"""What scripted players do in place of Melting Pot's trained bots where a game's file says it in calls of plans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from hm_agent.worlds.melting_pot.games.open.calls import (
    Call,
    CallNames,
    CollectThings,
    KeepAway,
    StandStill,
    UseAction,
    read_plan,
)
from hm_agent.worlds.melting_pot.games.open.greedy import REST, is_covered, own_kind
from hm_agent.worlds.melting_pot.games.open.grid_view import SEVERAL, GridView
from hm_agent.worlds.melting_pot.games.open.open_facts import PLAYER, SubstrateFacts
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat, PlayingRule
from hm_agent.worlds.melting_pot.grid import Layout
from hm_agent.worlds.melting_pot.simulator.substrate import actions_of

CLOSE = 5
"""The distance at which players are fled from."""
OTHERS_THINGS = "others' things"
"""The word for the things that are other players' own among what actions are used on."""


def nearest_call(seat: OpenSeat, calls: Sequence[Call]) -> Sequence[Call]:
    """Of these calls the one whose thing or player is nearest, else one that needs neither; empty if there is none.

    Before all else comes a flight from a player that is close, then a rest, then the use of what it holds.
    """
    if first := next(_at_once(seat, calls), None):
        return [first]
    found = list(_with_ways(seat, calls))
    return [min(found, key=lambda each: each[0])[1]] if found else []


def _at_once(seat: OpenSeat, calls: Sequence[Call]) -> Iterator[Call]:
    """What comes before all else, in its order."""
    close = {each.name for each in seat.players if not each.ago and seat.steps_to(each.cell) <= CLOSE}
    yield from (call for call in calls if isinstance(call, KeepAway) and call.player in close)
    if seat.is_tired:
        yield StandStill(REST)
    uses = {seat.facts.having[thing] for thing in seat.has}
    yield from (call for call in calls if str(call) in uses)


def _with_ways(seat: OpenSeat, calls: Sequence[Call]) -> Iterator[tuple[float, Call]]:
    """The calls that can be carried out now, with the way to what each names; those that name nothing come last.

    What is done with something held is none of them: it is done at once.
    """
    players = [each for each in seat.players if not each.ago and each.name not in seat.facts.spares]
    for call in calls:
        match call:
            case UseAction(at=None):
                if str(call) not in seat.facts.having.values():
                    yield float("inf"), call
            case UseAction(at=str(name)) if name == PLAYER:
                yield from ((seat.steps_to(each.cell), replace(call, at=each.name)) for each in players)
            case UseAction(action, str(name)):
                kinds = {*seat.facts.owned} - {own_kind(seat)} if name == OTHERS_THINGS else {name}
                cells = (cell for cell in seat.cells_of(kinds) if not is_covered(seat, cell, action))
                yield from ((seat.steps_to(cell), replace(call, at=cell)) for cell in cells)
            case CollectThings(kind):
                yield from ((seat.steps_to(cell), call) for cell in seat.cells_of((kind,)))


def written_rule(game: SubstrateFacts, written: Sequence[str]) -> PlayingRule:
    """The rule of a player that carries out the nearest of these calls, time and again.

    They may name whatever can be seen in the game, PLAYER for any other player, SEVERAL for those that look alike, and
    OTHERS_THINGS; raises CallError for all else.
    """
    view = GridView.of(game.substrate, 0).naming(game.names)
    actions = [name.lower() for name in actions_of(game.substrate).__members__]
    names = CallNames(Layout(1, 1, frozenset()), actions, [*sorted(view.things), OTHERS_THINGS], (PLAYER, SEVERAL))
    return PlayingRule(", ".join(written), partial(nearest_call, calls=read_plan(written, names)))
