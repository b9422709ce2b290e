"""What scripted players do in place of Melting Pot's trained bots where a game's file says it in calls of plans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType

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
from hm_agent.worlds.melting_pot.simulator.substrate import actions_of

CLOSE = 5
"""The distance at which players are fled from."""
LAST = float("inf")
"""The way to what needs no place."""
OTHERS_THINGS = "others' things"
"""The word for the things that are other players' own among what actions are used on."""


Plans = Sequence[Sequence[Call]]


def nearest_plan(
    seat: OpenSeat, plans: Plans, having: Mapping[str, Plans] = MappingProxyType({})
) -> Sequence[Call]:
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
    uses = {seat.facts.having[thing] for thing in seat.has}
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

    What is done with something held is none of them: it is done at once.
    """
    players = [each for each in seat.players if not each.ago and each.name not in seat.facts.spares]
    for call, *then in plans:
        match call:
            case UseAction(at=None):
                if str(call) not in seat.facts.having.values():
                    yield LAST, [call, *then]
            case WalkTo(cell):
                if left := then if cell == seat.here else [call, *then]:
                    yield LAST, left
            case LookAround() | StandStill():
                yield LAST, [call, *then]
            case UseAction(at=str(name)) if name == PLAYER:
                ways = ((seat.steps_to(each.cell), replace(call, at=each.name)) for each in players)
                yield from ((way, [found, *then]) for way, found in ways)
            case UseAction(action, str(name)):
                kinds = {*seat.facts.owned} - {own_kind(seat)} if name == OTHERS_THINGS else {name}
                cells = [cell for cell in seat.cells_of(kinds) if not is_covered(seat, cell, action)]
                cells += (each.cell for each in players if name in (each.shows or "").split(", "))
                yield from ((seat.steps_to(cell), [replace(call, at=cell), *then]) for cell in cells)
            case UseAction(at=tuple(cell)):
                yield seat.steps_to(cell), [call, *then]
            case CollectThings(kind):
                yield from ((seat.steps_to(cell), [call, *then]) for cell in seat.cells_of((kind,)))


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
    return PlayingRule(as_words(written), partial(nearest_plan, plans=plans(written), having=instead))
