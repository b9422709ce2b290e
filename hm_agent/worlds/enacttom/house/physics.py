"""What is possible in a house, as propositions: what can hold, what commands need and change, what can be seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hm_agent.worlds.enacttom.house.commands import (
    ON,
    WITHIN,
    HouseCommand,
    Verb,
    close_it,
    navigate,
    open_it,
    pick,
    place,
)
from hm_agent.worlds.enacttom.tasks.floor_plan import FloorPlan
from hm_agent.worlds.enacttom.tasks.mechanics import OPEN, HouseMechanics
from hm_agent.worlds.enacttom.tasks.propositions import Is, Proposition


@dataclass(frozen=True, slots=True)
class Action:
    """One way in which an agent's command can succeed: what has to hold, and what then begins and ceases to hold."""

    command: HouseCommand
    needs: Sequence[Proposition]
    adds: Sequence[Proposition]
    deletes: Sequence[Proposition]


@dataclass(frozen=True, slots=True)
class Sighting:
    """A way to observe a proposition: from a room, while certain other propositions hold."""

    room: str
    while_true: tuple[Proposition, ...]


def propositions(plan: FloorPlan) -> Iterator[Proposition]:
    """Yields all propositions that can hold in a house."""
    for agent in plan.agents:
        yield from (Proposition(Is.AGENT_IN_ROOM, (agent, room)) for room in plan.rooms)
        yield Proposition(Is.HAND_EMPTY, (agent,))
    for piece in plan.openable:
        yield Proposition(Is.OPEN, (piece,))
        yield Proposition(Is.CLOSED, (piece,))
    for thing in plan.objects:
        yield from places(plan, thing)
        yield from (Proposition(Is.IN_ROOM, (thing, room)) for room in plan.rooms)


def places(plan: FloorPlan, thing: str) -> Iterator[Proposition]:
    """Yields all propositions on an object's place; exactly one of them holds."""
    yield from (Proposition(Is.ON_TOP, (thing, piece)) for piece in plan.furniture)
    yield from (Proposition(Is.INSIDE, (thing, piece)) for piece in plan.openable)
    yield Proposition(Is.ON_FLOOR, (thing,))
    yield from (Proposition(Is.HELD_BY, (thing, agent)) for agent in plan.agents)


def actions(plan: FloorPlan, mechanics: HouseMechanics, agent: str) -> Iterator[Action]:
    """Yields all ways in which an agent's commands can succeed."""
    yield from _moves(plan, mechanics, agent)
    yield from _carries(plan, agent)
    yield from _handles(plan, mechanics, agent)


def _moves(plan: FloorPlan, mechanics: HouseMechanics, agent: str) -> Iterator[Action]:
    for room in plan.rooms:
        if not mechanics.may_enter(agent, room):
            continue
        for other in plan.rooms:
            if other != room:
                before = Proposition(Is.AGENT_IN_ROOM, (agent, other))
                after = Proposition(Is.AGENT_IN_ROOM, (agent, room))
                yield Action(navigate(room), [before], [after], [before])


def _carries(plan: FloorPlan, agent: str) -> Iterator[Action]:
    """Pick and Place: on top of furniture, within furniture that is open, and from the floor."""
    empty = Proposition(Is.HAND_EMPTY, (agent,))
    for thing in plan.objects:
        held = Proposition(Is.HELD_BY, (thing, agent))
        for relation, furniture, room, at_spot, opened in _surfaces(plan, thing):
            in_room, in_its_room = Proposition(Is.AGENT_IN_ROOM, (agent, room)), Proposition(Is.IN_ROOM, (thing, room))
            at_rest = [empty, at_spot, in_its_room]
            yield Action(pick(thing), [in_room, *opened, *at_rest], [held], at_rest)
            put_down = place(thing, relation, furniture)
            yield Action(put_down, [in_room, *opened, held], at_rest, [held])
        for room in plan.rooms:
            in_room, in_its_room = Proposition(Is.AGENT_IN_ROOM, (agent, room)), Proposition(Is.IN_ROOM, (thing, room))
            at_rest = [empty, Proposition(Is.ON_FLOOR, (thing,)), in_its_room]
            yield Action(pick(thing), [in_room, *at_rest], [held], at_rest)


def _surfaces(plan: FloorPlan, thing: str) -> Iterator[tuple[str, str, str, Proposition, list[Proposition]]]:
    """Yields relation, furniture, its room, the proposition that a thing is there, and what access to it needs."""
    for furniture, room in plan.furniture.items():
        yield ON, furniture, room, Proposition(Is.ON_TOP, (thing, furniture)), []
        if furniture in plan.openable:
            opened = [Proposition(Is.OPEN, (furniture,))]
            yield WITHIN, furniture, room, Proposition(Is.INSIDE, (thing, furniture)), opened


def _handles(plan: FloorPlan, mechanics: HouseMechanics, agent: str) -> Iterator[Action]:
    """Open and Close, with the effects of mirrors and remote controls. The furniture itself has to change."""
    for furniture in plan.openable:
        in_room = Proposition(Is.AGENT_IN_ROOM, (agent, plan.furniture[furniture]))
        for command in (open_it(furniture), close_it(furniture)):
            settings = set_by(mechanics, command)
            after = [_state_proposition(piece, state) for piece, state in settings.items()]
            before = [setting.opposite for setting in after]
            yield Action(command, [in_room, before[0]], after, before)


def set_by(mechanics: HouseMechanics, command: HouseCommand) -> Mapping[str, str]:
    """What an Open or Close that succeeds sets, by furniture, its own first; empty for other commands."""
    if command.verb not in (Verb.OPEN, Verb.CLOSE):
        return {}
    (furniture,) = command.arguments
    return mechanics.settings(furniture, mechanics.state_after(furniture, opens=command.verb == Verb.OPEN))


def _state_proposition(furniture: str, state: str) -> Proposition:
    return Proposition(Is.OPEN if state == OPEN else Is.CLOSED, (furniture,))


def sightings(plan: FloorPlan, proposition: Proposition) -> Iterator[Sighting]:
    """Yields every way to observe a proposition that holds: the room to stand in and what else must hold."""
    arguments = proposition.arguments
    if proposition.predicate == Is.AGENT_IN_ROOM:
        yield Sighting(arguments[1], ())
    elif proposition.predicate in (Is.OPEN, Is.CLOSED, Is.ON_TOP):
        yield Sighting(plan.furniture[arguments[-1]], ())
    elif proposition.predicate == Is.INSIDE:
        yield Sighting(plan.furniture[arguments[1]], (Proposition(Is.OPEN, (arguments[1],)),))
    elif proposition.predicate == Is.HELD_BY:
        yield from (Sighting(room, (Proposition(Is.AGENT_IN_ROOM, (arguments[1], room)),)) for room in plan.rooms)
    elif proposition.predicate == Is.ON_FLOOR:
        yield from (Sighting(room, (Proposition(Is.IN_ROOM, (arguments[0], room)),)) for room in plan.rooms)
    elif proposition.predicate == Is.IN_ROOM:
        yield from _sightings_in_room(plan, *arguments)


def _sightings_in_room(plan: FloorPlan, thing: str, room: str) -> Iterator[Sighting]:
    yield Sighting(room, (Proposition(Is.ON_FLOOR, (thing,)),))
    for _, _, furniture_room, at_spot, opened in _surfaces(plan, thing):
        if furniture_room == room:
            yield Sighting(room, (at_spot, *opened))
