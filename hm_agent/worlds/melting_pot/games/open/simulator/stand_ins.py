"""What scripted players do in place of Melting Pot's trained bots where a game's file says it in calls of plans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

from hm_agent.worlds.melting_pot.games.open.bearings import Bearings
from hm_agent.worlds.melting_pot.games.open.calls import (
    Call,
    CallNames,
    CollectThings,
    KeepAway,
    LookAround,
    StandStill,
    UseAction,
    WalkTo,
    read_plan,
)
from hm_agent.worlds.melting_pot.games.open.greedy import REST, is_covered, own_kind
from hm_agent.worlds.melting_pot.games.open.grid_view import SEVERAL, GridView
from hm_agent.worlds.melting_pot.games.open.open_facts import PLAYER, SubstrateFacts
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat, PlayingRule
from hm_agent.worlds.melting_pot.grid import Cell
from hm_agent.worlds.melting_pot.simulator.substrate import actions_of

CLOSE = 5
"""The distance at which players are fled from."""
LAST = float("inf")
"""The way to what needs no place."""
OTHERS_THINGS = "others' things"
"""The word for the things that are other players' own among what actions are used on."""
Plans: TypeAlias = Sequence[Sequence[Call]]


def nearest_plan(seat: OpenSeat, plans: Plans, having: Mapping[str, Plans]) -> Sequence[Call]:
    """Of these plans the one whose first call is nearest to do, else one that needs no place; empty if there is none.

    having: other plans, for a player that has a thing. Before all else comes a flight from a player that is close, then
    a rest, then the use of what it holds.
    """
    plans = next((instead for thing, instead in having.items() if thing in seat.has), plans)
    if first := next(_at_once(seat, plans), None):
        return first
    found = list(_with_ways(seat, plans))
    return min(found, key=lambda each: each[0])[1] if found else ()


def _at_once(seat: OpenSeat, plans: Plans) -> Iterator[Sequence[Call]]:
    """What comes before all else, in its order."""
    close = {each.name for each in seat.players if not each.ago and seat.steps_to(each.cell) <= CLOSE}
    yield from (plan for plan in plans if isinstance(plan[0], KeepAway) and plan[0].player in close)
    if seat.is_tired:
        yield [StandStill(REST)]
    uses = {seat.facts.having.get(thing) for thing in seat.has}
    for plan in plans:
        if str(plan[0]) in uses:
            yield [StandStill(1)] if _waits_for_another(seat, plan[0]) else plan


def _waits_for_another(seat: OpenSeat, call: Call) -> bool:
    """True for an action that takes two, while nobody beside the player has a thing for it too."""
    together = seat.facts.stand_ins.together if seat.facts.stand_ins else ()
    beside = [each.shows for each in seat.players if not each.ago and seat.steps_to(each.cell) == 1]
    takes_two = isinstance(call, UseAction) and call.action in together
    return takes_two and not seat.facts.having.keys() & {*beside}


def _with_ways(seat: OpenSeat, plans: Plans) -> Iterator[tuple[float, Sequence[Call]]]:
    """The plans that can be carried out now, with the way to what each begins with; those that need no place come last.

    A walk to where the player is has been done. What is done with something held is done at once.
    """
    for first, *then in plans:
        if first == WalkTo(seat.here) and then:
            yield LAST, then
        yield from ((way, [found, *then]) for way, found in _ways_of(seat, first))


def _ways_of(seat: OpenSeat, call: Call) -> Iterator[tuple[float, Call]]:
    """The calls for each place where a call can be carried out now, with the way there."""
    match call:
        case UseAction(at=str(name)):
            found = _targets(seat, call.action, name)
            yield from ((seat.steps_to(cell), replace(call, at=target)) for cell, target in found)
        case UseAction(at=tuple(cell)):
            yield seat.steps_to(cell), call
        case CollectThings(kind):
            yield from ((seat.steps_to(cell), call) for cell in seat.cells_of((kind,)))
        case UseAction() | WalkTo() | LookAround() | StandStill():
            if str(call) not in seat.facts.having.values() and call != WalkTo(seat.here):
                yield LAST, call


def _targets(seat: OpenSeat, action: str, name: str) -> Iterator[tuple[Cell, Cell | str]]:
    """The cells of what an action is to be used on, and what a call names there: a player, or else the cell."""
    players = [each for each in seat.players if not each.ago and each.name not in seat.facts.spares]
    if name == PLAYER:
        yield from ((each.cell, each.name) for each in players)
        return
    kinds = {*seat.facts.owned} - {own_kind(seat)} if name == OTHERS_THINGS else {name}
    yield from ((cell, cell) for cell in seat.cells_of(kinds) if not is_covered(seat, cell, action))
    yield from ((each.cell, each.cell) for each in players if name in (each.shows or "").split(", "))


def as_words(written: Sequence[str]) -> str:
    """The rule of these plans, as agents say it."""
    return ", ".join(written)


def written_rule(
    game: SubstrateFacts, written: Sequence[str], having: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> PlayingRule:
    """The rule of a player that carries out the nearest of these plans, time and again.

    written: a call each, or several with `;` between them. having: those while it has a thing. They may name cells of a
    known map, whatever can be seen in the game, PLAYER for any other player, SEVERAL for those that look alike, and
    OTHERS_THINGS; raises CallError for all else.
    """
    view = GridView.of(game.substrate, 0).naming(game.names)
    actions = [name.lower() for name in actions_of(game.substrate).__members__]
    layout, things = Bearings.of(game.substrate, 0).layout, [*sorted(view.things), OTHERS_THINGS]
    names = CallNames(layout, actions, things, (PLAYER, SEVERAL))

    def plans(written: Sequence[str]) -> Plans:
        return [read_plan(plan.split(";"), names) for plan in written]

    instead = {thing: plans(calls) for thing, calls in having.items()}
    find = partial(nearest_plan, plans=plans(written), having=instead)
    return PlayingRule(as_words(written), find, instead.keys())
