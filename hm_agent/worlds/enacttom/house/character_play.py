"""How characters play: each command follows from what its character believes, knows and has just been told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from hm_agent.worlds.enacttom.house.commands import (
    IDLE,
    ON,
    WITHIN,
    HouseCommand,
    close_it,
    navigate,
    open_it,
    pick,
    place,
    tell,
)
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.house.runtime import HouseRuntime
from hm_agent.worlds.enacttom.tasks.characters import RELAY, RIVAL, CharacterMind
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Is, Proposition, normalised_claim


def with_characters(runtime: HouseRuntime, commands: Sequence[HouseCommand]) -> list[HouseCommand]:
    """Returns the commands of a turn with those of the characters in their places."""
    characters = runtime.household.task.characters
    return [
        character_command(runtime, number) if agent in characters else command
        for number, (agent, command) in enumerate(zip(runtime.household.agents, commands, strict=True))
    ]


def character_command(runtime: HouseRuntime, agent: int) -> HouseCommand:
    """Returns a character's command: it passes on what it was told, else works on the first want that it can.

    In a household without claims (`deepest` is 0) no character does anything.
    """
    household = runtime.household
    name = household.agents[agent]
    mind = household.task.characters[name]
    if household.deepest == 0:
        return IDLE
    if news := _news(runtime, agent, mind):
        return tell(news, mind.tells)
    for want, cue in zip_longest(mind.wants, mind.cues):
        if runtime.memories[agent] & household.bits[want] or _is_blocked(runtime, name, mind, want):
            continue
        if cue and not runtime.memories[agent] & household.place_groups[cue]:
            continue
        if command := _step(runtime, agent, name, want):
            return command
    return IDLE


def _news(runtime: HouseRuntime, agent: int, mind: CharacterMind) -> list[Claim]:
    """The facts that it passes on now: those it was told and knows, except for what it holds back."""
    if not mind.tells or not runtime.messages_left[agent]:
        return []
    household, name = runtime.household, runtime.household.agents[agent]
    if mind.announces:
        own = [fact for fact in household.places_in_question if runtime.state & household.bits[Claim((name,), fact)]]
        return [Claim((), fact) for fact in own[runtime.turn : runtime.turn + 1]]
    said = [Claim((), claim.proposition) for message in runtime.inbox[agent] for claim in message.claims]
    told = [fact for fact in dict.fromkeys(said) if runtime.state & household.known_bit(agent, fact)]
    told = told[-1:] if mind.kind == RELAY else told
    most = household.mechanics.most_facts or len(told)
    return [fact for fact in told if not mind.unless or not _knows(runtime, (name, *mind.unless), fact.proposition)][
        :most
    ]


def _is_blocked(runtime: HouseRuntime, name: str, mind: CharacterMind, want: Proposition) -> bool:
    """True if it leaves a want aside since it knows of others that they know where the thing is."""
    if not mind.unless or mind.tells:
        return False
    return any(
        _knows(runtime, (name, *mind.unless), fact)
        for fact in runtime.household.places_in_question
        if fact.arguments[0] == want.arguments[0]
    )


def _knows(runtime: HouseRuntime, knowers: Sequence[str], fact: Proposition) -> bool:
    """True if a nested claim holds; one that is too deep to be represented counts as the household says."""
    household, claim = runtime.household, normalised_claim(knowers, fact)
    if claim.depth > household.deepest:
        return household.assumes_deeper and bool(runtime.state & household.bits.get(fact, 0))
    return bool(runtime.state & household.bits.get(claim, 0))


def _step(runtime: HouseRuntime, agent: int, name: str, want: Proposition) -> HouseCommand | None:
    """The next command towards a want; None if it knows none."""
    household, state = runtime.household, runtime.state
    if want.predicate == Is.AGENT_IN_ROOM:
        return navigate(want.arguments[1])
    thing, target = want.arguments[0], want.arguments[-1]
    if want.predicate in Is.STATES:
        turn = open_it if (want.predicate == Is.OPEN) != household.mechanics.is_inverse(thing) else close_it
        return _go_to(household, agent, state, thing) or turn(thing)
    if state & household.bits[Proposition(Is.HELD_BY, (thing, name))]:
        if want.predicate == Is.HELD_BY:
            return None
        relation = WITHIN if want.predicate == Is.INSIDE else ON
        return _reach(household, agent, state, target, is_inside=relation == WITHIN) or place(thing, relation, target)
    if not state & household.bits[Proposition(Is.HAND_EMPTY, (name,))]:
        return None
    is_rival = household.task.characters[name].kind == RIVAL
    for believed in _believed_places(runtime, agent, thing):
        if is_rival and believed.predicate != Is.INSIDE:
            continue
        furniture = believed.arguments[1]
        if not household.mechanics.may_enter(name, household.plan.furniture[furniture]):
            continue
        return _reach(household, agent, state, furniture, is_inside=believed.predicate == Is.INSIDE) or pick(thing)
    return None


def _believed_places(runtime: HouseRuntime, agent: int, thing: str) -> Iterator[Proposition]:
    """Yields the furniture on or in which it believes a thing to be; at most one."""
    household = runtime.household
    for name in household.named(runtime.memories[agent] & household.place_groups[thing]):
        if isinstance(name, Proposition) and name.predicate in Is.ON_FURNITURE:
            yield name


def _go_to(household: Household, agent: int, state: int, furniture: str) -> HouseCommand | None:
    room = household.plan.furniture[furniture]
    return None if household.room_of(agent, state) == room else navigate(room)


def _reach(household: Household, agent: int, state: int, furniture: str, *, is_inside: bool) -> HouseCommand | None:
    """The command that gets it nearer to a surface or an inside; None if it is there."""
    if step := _go_to(household, agent, state, furniture):
        return step
    if is_inside and state & household.bits[Proposition(Is.CLOSED, (furniture,))]:
        return close_it(furniture) if household.mechanics.is_inverse(furniture) else open_it(furniture)
    return None
