"""A household in numbers: every proposition and claim of a task as a bit, every action as masks over them.

This is the one description of what actions do, what can be seen from where, and what messages teach. The runtime
(`runtime.py`) and the verifier's compiler (`verification/compiler.py`) both read it, and neither adds to it.
A state is an integer: bit n is set if `names[n]` holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from hm_agent.worlds.enacttom.house.commands import (
    CLOSE_IT,
    ON,
    OPEN_IT,
    WITHIN,
    HouseCommand,
    close_it,
    navigate,
    open_it,
    pick,
    place,
)
from hm_agent.worlds.enacttom.house.knowledge import common, follows_among, needed_claims
from hm_agent.worlds.enacttom.tasks.mechanics import OPEN
from hm_agent.worlds.enacttom.tasks.propositions import (
    AGENT_IN_ROOM,
    HAND_EMPTY,
    IS_CLOSED,
    IS_HELD_BY,
    IS_IN_ROOM,
    IS_INSIDE,
    IS_ON_FLOOR,
    IS_ON_TOP,
    IS_OPEN,
    Claim,
    Proposition,
    normalised_claim,
)
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask

Name = Proposition | Claim


@dataclass(frozen=True, slots=True)
class Operator:
    """One way in which an agent's command can succeed.

    needs: all must hold before. After it the deleted bits are 0, then the added ones 1.
    """

    agent: int
    command: HouseCommand
    needs: int
    adds: int
    deletes: int


@dataclass(frozen=True, slots=True)
class Sighting:
    """A proposition can be seen by whoever is in a room while certain others hold."""

    room: str
    while_true: tuple[Proposition, ...]


@dataclass(frozen=True, slots=True)
class SightRule:
    """A claim that comes true as soon as all needed bits are set: its knowers see its proposition together."""

    needs: int
    adds: int
    claim: Claim


@dataclass(frozen=True, slots=True)
class TellRule:
    """What a message teaches that says one claim: nothing unless the sender knows it, i.e. `needs` is set."""

    needs: int
    adds: int
    claim: Claim


class Household:
    """The ground form of a task."""

    def __init__(self, task: HouseholdTask) -> None:
        self.task, self.plan, self.mechanics = task, task.plan, task.mechanics
        self.agents = task.plan.agents
        owned = [one for claims in task.private_goals.values() for one in claims]
        told = [Claim((agent,), fact) for fact in sorted(task.goal_facts, key=str) for agent in self.agents]
        self.claims = tuple(dict.fromkeys((*needed_claims((*task.goal, *owned), self.agents), *told)))
        self.physical = tuple(self._propositions())
        self.names: Sequence[Name] = (*self.physical, *self.claims)
        self.bits: Mapping[Name, int] = {name: 1 << number for number, name in enumerate(self.names)}
        self.operators: Mapping[tuple[int, str, tuple[str, ...]], tuple[Operator, ...]] = self._grounded()
        self.all_bits = (1 << len(self.names)) - 1
        self._tell_rules: dict[tuple[int, int, Claim], TellRule | None] = {}

    # Bits

    def mask(self, names: Iterable[Name]) -> int:
        """The bits of several names together."""
        found = 0
        for name in names:
            found |= self.bits[name]
        return found

    def named(self, mask: int) -> Iterator[Name]:
        """The names of a mask's bits, in order."""
        while mask:
            low = mask & -mask
            yield self.names[low.bit_length() - 1]
            mask ^= low

    def known_bit(self, agent: int, what: Claim) -> int:
        """The bit that says that an agent knows a claim; 0 if it is not tracked, as it can't matter to the goal."""
        return self.bits.get(normalised_claim((self.agents[agent], *what.knowers), what.proposition), 0)

    @cached_property
    def start(self) -> int:
        """The state before anyone acts or looks: what is so, and what agents are told beforehand."""
        state = self.mask(self.task.init)
        for fact in self.task.public_facts:
            state |= self.mask(common(self.agents, fact, self.claims))
        for agent, facts in self.task.known.items():
            for fact in facts:
                state |= self.bits.get(Claim((agent,), fact), 0)
        return state

    def goal_mask(self, goal: Iterable[Claim]) -> int:
        """The bits of conjuncts, with or without K."""
        return self.mask(one if one.depth else one.proposition for one in goal)

    @cached_property
    def functional_mask(self) -> int:
        """The bits of the shared conjuncts without K."""
        return self.mask(self.task.physical_goal)

    @cached_property
    def rooms(self) -> Sequence[Mapping[int, str]]:
        """For each agent, the room of each of its position bits."""
        return [
            {self.bits[Proposition(AGENT_IN_ROOM, (agent, room))]: room for room in self.plan.rooms}
            for agent in self.agents
        ]

    @cached_property
    def position_masks(self) -> Sequence[int]:
        """For each agent, all its position bits."""
        return [sum(by_bit) for by_bit in self.rooms]

    def room_of(self, agent: int, state: int) -> str:
        return self.rooms[agent][state & self.position_masks[agent]]

    # Propositions

    def _propositions(self) -> Iterator[Proposition]:
        plan = self.plan
        for agent in plan.agents:
            yield from (Proposition(AGENT_IN_ROOM, (agent, room)) for room in plan.rooms)
            yield Proposition(HAND_EMPTY, (agent,))
        for one in plan.openable:
            yield Proposition(IS_OPEN, (one,))
            yield Proposition(IS_CLOSED, (one,))
        for thing in plan.objects:
            yield from self.places(thing)
            yield from (Proposition(IS_IN_ROOM, (thing, room)) for room in plan.rooms)

    def places(self, thing: str) -> Iterator[Proposition]:
        """The propositions of which exactly one says where an object is."""
        plan = self.plan
        yield from (Proposition(IS_ON_TOP, (thing, one)) for one in plan.furniture)
        yield from (Proposition(IS_INSIDE, (thing, one)) for one in plan.openable)
        yield Proposition(IS_ON_FLOOR, (thing,))
        yield from (Proposition(IS_HELD_BY, (thing, agent)) for agent in plan.agents)

    # Actions

    def _grounded(self) -> dict[tuple[int, str, tuple[str, ...]], tuple[Operator, ...]]:
        found: dict[tuple[int, str, tuple[str, ...]], list[Operator]] = {}
        for number, agent in enumerate(self.agents):
            for one in (*self._moves(number, agent), *self._carries(number, agent), *self._turns(number, agent)):
                found.setdefault((number, one.command.verb, one.command.arguments), []).append(one)
                if one.command.verb == "Navigate":
                    for furniture in self.plan.furniture_by_room[one.command.arguments[0]]:
                        found.setdefault((number, "Navigate", (furniture,)), []).append(one)
        return {key: tuple(operators) for key, operators in found.items()}

    def _moves(self, number: int, agent: str) -> Iterator[Operator]:
        for room in self.plan.rooms:
            if not self.mechanics.may_enter(agent, room):
                continue
            for left in self.plan.rooms:
                if left != room:
                    here = Proposition(AGENT_IN_ROOM, (agent, left))
                    there = Proposition(AGENT_IN_ROOM, (agent, room))
                    yield self._operator(number, navigate(room), [here], [there], [here])

    def _carries(self, number: int, agent: str) -> Iterator[Operator]:
        """Pick and Place: on top of furniture, within furniture that is open, and from the floor."""
        empty = Proposition(HAND_EMPTY, (agent,))
        for thing in self.plan.objects:
            held = Proposition(IS_HELD_BY, (thing, agent))
            for relation, furniture, room, where, opened in self._surfaces(thing):
                here, lying = Proposition(AGENT_IN_ROOM, (agent, room)), Proposition(IS_IN_ROOM, (thing, room))
                taken = [empty, where, lying]
                yield self._operator(number, pick(thing), [here, *opened, *taken], [held], taken)
                put = place(thing, relation, furniture)
                yield self._operator(number, put, [here, *opened, held], taken, [held])
            for room in self.plan.rooms:
                here, lying = Proposition(AGENT_IN_ROOM, (agent, room)), Proposition(IS_IN_ROOM, (thing, room))
                taken = [empty, Proposition(IS_ON_FLOOR, (thing,)), lying]
                yield self._operator(number, pick(thing), [here, *taken], [held], taken)

    def _surfaces(self, thing: str) -> Iterator[tuple[str, str, str, Proposition, list[Proposition]]]:
        """Relation, furniture, its room, the proposition that a thing is there, and what must be so to reach it."""
        for furniture, room in self.plan.furniture.items():
            yield ON, furniture, room, Proposition(IS_ON_TOP, (thing, furniture)), []
            if furniture in self.plan.openable:
                opened = [Proposition(IS_OPEN, (furniture,))]
                yield WITHIN, furniture, room, Proposition(IS_INSIDE, (thing, furniture)), opened

    def _turns(self, number: int, agent: str) -> Iterator[Operator]:
        """Open and Close, with all that mirrors and remote controls set in turn. They need something to change."""
        for furniture in self.plan.openable:
            here = Proposition(AGENT_IN_ROOM, (agent, self.plan.furniture[furniture]))
            for verb, command in ((OPEN_IT, open_it(furniture)), (CLOSE_IT, close_it(furniture))):
                settings = self.mechanics.settings(furniture, self.mechanics.state_after(verb, furniture))
                after = [_state(one, state) for one, state in settings.items()]
                before = [_opposite(one) for one in after]
                yield self._operator(number, command, [here, before[0]], after, before)

    def _operator(
        self,
        number: int,
        command: HouseCommand,
        needs: Iterable[Proposition],
        adds: Iterable[Proposition],
        deletes: Sequence[Proposition],
    ) -> Operator:
        """With a proposition, an operator deletes all knowledge of it."""
        gone = set(deletes)
        lost = (one for one in self.claims if one.proposition in gone)
        return Operator(number, command, self.mask(needs), self.mask(adds), self.mask((*deletes, *lost)))

    # Seeing

    def sightings(self, seen: Proposition) -> Iterator[Sighting]:
        """All ways to see that a proposition holds, apart from its being so."""
        plan, what = self.plan, seen.arguments
        if seen.predicate == AGENT_IN_ROOM:
            yield Sighting(what[1], ())
        elif seen.predicate in (IS_OPEN, IS_CLOSED):
            yield Sighting(plan.furniture[what[0]], ())
        elif seen.predicate == IS_ON_TOP:
            yield Sighting(plan.furniture[what[1]], ())
        elif seen.predicate == IS_INSIDE:
            yield Sighting(plan.furniture[what[1]], (Proposition(IS_OPEN, (what[1],)),))
        elif seen.predicate == IS_HELD_BY:
            yield from (Sighting(room, (Proposition(AGENT_IN_ROOM, (what[1], room)),)) for room in plan.rooms)
        elif seen.predicate == IS_ON_FLOOR:
            yield from (Sighting(room, (Proposition(IS_IN_ROOM, (what[0], room)),)) for room in plan.rooms)
        elif seen.predicate == IS_IN_ROOM:
            yield from self._sightings_in_room(*what)

    def _sightings_in_room(self, thing: str, room: str) -> Iterator[Sighting]:
        yield Sighting(room, (Proposition(IS_ON_FLOOR, (thing,)),))
        for _, _, at, where, opened in self._surfaces(thing):
            if at == room:
                yield Sighting(room, (where, *opened))

    @cached_property
    def sight_rules(self) -> tuple[SightRule, ...]:
        """For each claim, every way in which all its knowers see its proposition together."""
        found = []
        for one in self.claims:
            for sighting in self.sightings(one.proposition):
                present = (Proposition(AGENT_IN_ROOM, (agent, sighting.room)) for agent in set(one.knowers))
                needs = self.mask((one.proposition, *sighting.while_true, *present))
                found.append(SightRule(needs, self.bits[one], one))
        return tuple(found)

    def look(self, state: int) -> int:
        """The state once everyone has looked around."""
        for rule in self.sight_rules:
            if state & rule.needs == rule.needs:
                state |= rule.adds
        return state

    @cached_property
    def seen_in(self) -> Mapping[str, Sequence[tuple[int, int]]]:
        """For each room, pairs of masks: who is there sees whether the second's bits hold while the first's do.

        Where an object lies, its furniture says; `is_in_room` of objects is among them only for those on the floor.
        """
        found: dict[str, dict[int, int]] = {room: {} for room in self.plan.rooms}
        for seen in self.physical:
            for sighting in self.sightings(seen):
                floor = [Proposition(IS_ON_FLOOR, seen.arguments[:1])]
                if seen.predicate == IS_IN_ROOM and list(sighting.while_true) != floor:
                    continue
                condition = self.mask(sighting.while_true)
                rules = found[sighting.room]
                rules[condition] = rules.get(condition, 0) | self.bits[seen]
        return {room: tuple(rules.items()) for room, rules in found.items()}

    # Telling

    def group(self, sender: int, addressees: Iterable[str]) -> int:
        """A message's sender and addressees as bits, one for each agent."""
        return sum(1 << number for number, agent in enumerate(self.agents) if agent in addressees) | 1 << sender

    def tell_rule(self, sender: int, group: int, said: Claim) -> TellRule | None:
        """What saying a claim to a group teaches; None if nothing of it can matter to the goal."""
        key = (sender, group, said)
        if key not in self._tell_rules:
            members = {agent for number, agent in enumerate(self.agents) if group >> number & 1}
            taught = self.mask(one for one in self.claims if follows_among(members, said, one))
            needs = self.known_bit(sender, said)
            self._tell_rules[key] = TellRule(needs, taught, said) if needs and taught & ~needs else None
        return self._tell_rules[key]

    @cached_property
    def sayable(self) -> tuple[Claim, ...]:
        """Every claim that it can matter to say: what some tracked claim says that its first knower knows."""
        return tuple(dict.fromkeys(Claim(one.knowers[1:], one.proposition) for one in self.claims))

    def gate(self, operator: Operator, goals: Iterable[Proposition]) -> list[int]:
        """Masks of which one must be set for an agent to act knowingly; none if the operator reaches no goal.

        Whoever brings about what is wanted has to know that something is wanted of what its action sets, unless all of
        that is so already. goals: those that are asked about, as `wanted(...)`.
        """
        agent = self.agents[operator.agent]
        reached = [fact for fact in goals if operator.adds & self.bits[fact.goal]]
        reasons = [self.bits[Claim((agent,), fact)] for fact in reached]
        if reached and all(self._may_be_so(fact.goal, operator) for fact in reached):
            reasons.append(self.mask(fact.goal for fact in reached))
        return reasons

    def _may_be_so(self, goal: Proposition, operator: Operator) -> bool:
        """True if a goal that an operator adds may hold before it: only mirrors and remote controls set what is so."""
        return goal.predicate in (IS_OPEN, IS_CLOSED) and not operator.needs & self.bits[_opposite(goal)]


def _state(furniture: str, state: str) -> Proposition:
    return Proposition(IS_OPEN if state == OPEN else IS_CLOSED, (furniture,))


def _opposite(state: Proposition) -> Proposition:
    return Proposition(IS_CLOSED if state.predicate == IS_OPEN else IS_OPEN, state.arguments)
