"""A household as bit masks: every proposition and claim of a task is a bit, every action is masks over these bits.

`physics.py` defines what actions do and what can be seen from where, this module what messages teach. The runtime
(`runtime.py`) and the verifier's compiler (`verification/compiler.py`) both use it, and neither adds to it.
A state is an integer: bit n is set if `names[n]` holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_

from hm_agent.worlds.enacttom.house.commands import HouseCommand, Verb
from hm_agent.worlds.enacttom.house.knowledge import common_knowledge, follows_among, needed_claims, weaker
from hm_agent.worlds.enacttom.house.physics import Action, actions, places, propositions, sightings
from hm_agent.worlds.enacttom.tasks.propositions import MOST_DEPTH, Claim, Is, Proposition, normalised_claim
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask

Name = Proposition | Claim


@dataclass(frozen=True, slots=True)
class Operator:
    """One way in which an agent's command can succeed.

    needs: the bits that must all be set before. Then the bits of `deletes` are cleared, and after them those of `adds`
    set.
    """

    agent: int
    command: HouseCommand
    needs: int
    adds: int
    deletes: int


@dataclass(frozen=True, slots=True)
class SightRule:
    """Makes a claim true as soon as all needed bits are set: its knowers then see its proposition together."""

    needs: int
    adds: int
    claim: Claim


@dataclass(frozen=True, slots=True)
class TellRule:
    """The effect of saying a claim in a message: sets `adds` if the sender knows the claim, i.e. if `needs` is set."""

    needs: int
    adds: int
    claim: Claim


class Household:
    """The ground form of a task.

    names: all propositions, then all claims that can matter; bits: the bit of each. operators: all ways in which each
    command can succeed, by the agent's number, verb and arguments.

    deepest, assumes_deeper: a household as a weaker mind models it. Claims about knowledge that are nested deeper than
    `deepest` are not represented: characters count them as never known, or as always known with `assumes_deeper`.
    """

    def __init__(self, task: HouseholdTask, *, deepest: int = MOST_DEPTH, assumes_deeper: bool = False) -> None:
        self.task, self.plan, self.mechanics = task, task.plan, task.mechanics
        self.deepest, self.assumes_deeper = deepest, assumes_deeper
        self.agents = task.plan.agents
        private = [conjunct for claims in task.private_goals.values() for conjunct in claims]
        known_goals = [Claim((agent,), fact) for fact in sorted(task.goal_facts, key=str) for agent in self.agents]
        stated = (*task.goal, *private, *self._character_claims())
        claims = dict.fromkeys((*needed_claims(stated, self.agents), *known_goals))
        self.claims = tuple(claim for claim in claims if claim.depth <= deepest)
        self.physical = tuple(propositions(self.plan))
        self.names: Sequence[Name] = (*self.physical, *self.claims)
        self.bits: Mapping[Name, int] = {name: 1 << number for number, name in enumerate(self.names)}
        self.operators: Mapping[tuple[int, str, tuple[str, ...]], tuple[Operator, ...]] = self._ground_operators()
        self.all_bits = (1 << len(self.names)) - 1
        self._tell_rules: dict[tuple[int, int, Claim], TellRule | None] = {}
        self._message_rules: dict[tuple[int, int, tuple[Claim, ...]], tuple[TellRule, ...]] = {}
        self._visible: dict[tuple[str, int], int] = {}

    def _character_claims(self) -> Iterator[Claim]:
        """Yields the claims that characters act on, those that must never hold, and what others are told of both."""
        yield from self.task.hidden
        for fact in self.places_in_question:
            for agent, mind in self.task.characters.items():
                yield Claim((agent,), fact)
                yield from (normalised_claim((seat, agent), fact) for seat in self.task.seats)
                if mind.unless:
                    yield normalised_claim((agent, *mind.unless), fact)

    @cached_property
    def places_in_question(self) -> tuple[Proposition, ...]:
        """Where the things that characters want are at the start: what they can know, and be told, of them."""
        minds = self.task.characters.values()
        things = {thing for mind in minds for thing in (*mind.cues, *(want.arguments[0] for want in mind.wants))}
        places = {fact for fact in self.task.init if fact.predicate in Is.ON_FURNITURE and fact.arguments[0] in things}
        return tuple(sorted(places.union(*self.task.slots), key=str))

    # Bits

    def mask(self, names: Iterable[Name]) -> int:
        return union(self.bits[name] for name in names)

    def named(self, mask: int) -> Iterator[Name]:
        """The names of a mask's bits, lowest bit first."""
        return (self.names[number] for number in bits(mask))

    def propositions(self, mask: int) -> frozenset[Proposition]:
        return frozenset(name for name in self.named(mask) if isinstance(name, Proposition))

    def known_bit(self, agent: int, claim: Claim) -> int:
        """Returns the bit of an agent's knowledge of a claim; 0 if there is none, since it can't matter to the goal."""
        return self.bits.get(normalised_claim((self.agents[agent], *claim.knowers), claim.proposition), 0)

    @cached_property
    def start(self) -> int:
        """The state before anyone acts or looks: the initial facts, and what agents are told beforehand."""
        state = self.mask(self.task.init)
        for fact in self.task.public_facts:
            state |= self.mask(common_knowledge(self.agents, fact, self.claims))
        blanks = set().union(*self.task.slots)
        for agent, facts in self.task.known.items():
            for fact in facts:
                state |= self.bits.get(Claim((agent,), fact), 0)
                if agent in self.task.characters and fact not in {*self.task.unsure.get(agent, ()), *blanks}:
                    state |= self.mask(
                        told for seat in self.task.seats if (told := Claim((seat, agent), fact)) in self.bits
                    )
        return state

    @cached_property
    def hidden_mask(self) -> int:
        """The mask of the claims that must never hold."""
        return sum(self.bits.get(claim, 0) for claim in self.task.hidden)

    @cached_property
    def known_places(self) -> Sequence[Sequence[tuple[int, int, int]]]:
        """For each agent and place in question: its bit of knowing it, the place's bit, and the thing's group."""
        return [
            [
                (self.bits[knows], self.bits[fact], self.place_groups[fact.arguments[0]])
                for fact in self.places_in_question
                if (knows := Claim((agent,), fact)) in self.bits
            ]
            for agent in self.agents
        ]

    @cached_property
    def place_groups(self) -> Mapping[str, int]:
        """For each object, the mask of all propositions on where it is: seen in one place, it can be in no other."""
        rooms = {
            thing: [Proposition(Is.IN_ROOM, (thing, room)) for room in self.plan.rooms] for thing in self.plan.objects
        }
        return {thing: self.mask((*places(self.plan, thing), *in_rooms)) for thing, in_rooms in rooms.items()}

    def goal_mask(self, goal: Iterable[Claim]) -> int:
        """Returns the mask of conjuncts, with or without K."""
        return self.mask(conjunct if conjunct.depth else conjunct.proposition for conjunct in goal)

    @cached_property
    def functional_mask(self) -> int:
        """The mask of the shared conjuncts without K."""
        return self.mask(self.task.physical_goal)

    @cached_property
    def rooms(self) -> Sequence[Mapping[int, str]]:
        """For each agent, the room of each of its position bits."""
        return [
            {self.bits[Proposition(Is.AGENT_IN_ROOM, (agent, room))]: room for room in self.plan.rooms}
            for agent in self.agents
        ]

    @cached_property
    def position_masks(self) -> Sequence[int]:
        """For each agent, all its position bits."""
        return [sum(by_bit) for by_bit in self.rooms]

    def room_of(self, agent: int, state: int) -> str:
        return self.rooms[agent][state & self.position_masks[agent]]

    # Actions

    def _ground_operators(self) -> dict[tuple[int, str, tuple[str, ...]], tuple[Operator, ...]]:
        """Makes all operators. Navigate to furniture has those of Navigate to its room."""
        operators: dict[tuple[int, str, tuple[str, ...]], list[Operator]] = {}
        for number, agent in enumerate(self.agents):
            for action in actions(self.plan, self.mechanics, agent):
                operator = self._operator(number, action)
                operators.setdefault((number, operator.command.verb, operator.command.arguments), []).append(operator)
                if operator.command.verb == Verb.NAVIGATE:
                    for furniture in self.plan.furniture_by_room[operator.command.arguments[0]]:
                        operators.setdefault((number, Verb.NAVIGATE, (furniture,)), []).append(operator)
        return {key: tuple(ways) for key, ways in operators.items()}

    def _operator(self, number: int, action: Action) -> Operator:
        """Makes an operator, which also deletes every claim about a proposition that it deletes."""
        deleted = set(action.deletes)
        lost: tuple[Name, ...] = (*action.deletes, *(each for each in self.claims if each.proposition in deleted))
        return Operator(number, action.command, self.mask(action.needs), self.mask(action.adds), self.mask(lost))

    # Seeing

    @cached_property
    def sight_rules(self) -> tuple[SightRule, ...]:
        """For each claim, one rule for every way in which all its knowers can see its proposition together."""
        rules = []
        for claim in self.claims:
            for sighting in sightings(self.plan, claim.proposition):
                present = (Proposition(Is.AGENT_IN_ROOM, (agent, sighting.room)) for agent in set(claim.knowers))
                needs = self.mask((claim.proposition, *sighting.while_true, *present))
                rules.append(SightRule(needs, self.bits[claim], claim))
        return tuple(rules)

    def look(self, state: int) -> int:
        """Returns the state after everyone has looked around."""
        return seen_by(self.sight_rules, state)

    @cached_property
    def seen_in(self) -> Mapping[str, Sequence[tuple[int, int]]]:
        """For each room, pairs of masks: while the first mask's bits hold, agents there see whether the second's do.

        `is_in_room` of an object is visible only while it lies on the floor; otherwise its furniture tells the room.
        """
        by_room: dict[str, dict[int, int]] = {room: {} for room in self.plan.rooms}
        for proposition in self.physical:
            for sighting in sightings(self.plan, proposition):
                floor = [Proposition(Is.ON_FLOOR, proposition.arguments[:1])]
                if proposition.predicate == Is.IN_ROOM and list(sighting.while_true) != floor:
                    continue
                condition = self.mask(sighting.while_true)
                rules = by_room[sighting.room]
                rules[condition] = rules.get(condition, 0) | self.bits[proposition]
        return {room: tuple(rules.items()) for room, rules in by_room.items()}

    def visible(self, room: str, state: int) -> int:
        """The bits of which an agent in a room sees whether they hold."""
        key = room, state & self._conditions[room]
        if key not in self._visible:
            self._visible[key] = union(seen for condition, seen in self.seen_in[room] if condition & ~state == 0)
        return self._visible[key]

    @cached_property
    def _conditions(self) -> Mapping[str, int]:
        """For each room, all the bits that decide what is visible in it."""
        return {room: union(condition for condition, _ in rules) for room, rules in self.seen_in.items()}

    @cached_property
    def floors(self) -> Mapping[str, Sequence[int]]:
        """For each room, one mask for each object: the two bits that are set while it lies on the room's floor."""
        return {
            room: [
                self.mask((Proposition(Is.ON_FLOOR, (thing,)), Proposition(Is.IN_ROOM, (thing, room))))
                for thing in self.plan.objects
            ]
            for room in self.plan.rooms
        }

    # Telling

    def group(self, sender: int, addressees: Iterable[str]) -> int:
        """A message's sender and addressees as bits, one for each agent."""
        return sum(1 << number for number, agent in enumerate(self.agents) if agent in addressees) | 1 << sender

    def tell_rule(self, sender: int, group: int, claim: Claim) -> TellRule | None:
        """Returns the effect of saying a claim to a group; None if it can't matter to the goal."""
        key = (sender, group, claim)
        if key not in self._tell_rules:
            members = {agent for number, agent in enumerate(self.agents) if group >> number & 1}
            taught = self.mask(candidate for candidate in self.claims if follows_among(members, claim, candidate))
            needs = self.known_bit(sender, claim)
            self._tell_rules[key] = TellRule(needs, taught, claim) if needs and taught & ~needs else None
        return self._tell_rules[key]

    def message_rules(self, sender: int, group: int, claims: tuple[Claim, ...]) -> tuple[TellRule, ...]:
        """The effects of a message to a group: those of its claims and of all that follows from them."""
        key = (sender, group, claims)
        if key not in self._message_rules:
            implied = dict.fromkeys(weaker_claim for claim in claims for weaker_claim in weaker(claim))
            rules = (self.tell_rule(sender, group, claim) for claim in implied)
            self._message_rules[key] = tuple(rule for rule in rules if rule)
        return self._message_rules[key]

    @cached_property
    def sayable(self) -> tuple[Claim, ...]:
        """Every claim that can matter when it is said: each claim of `claims` without its outermost knower."""
        return tuple(dict.fromkeys(claim.inner for claim in self.claims))

    def knowing_preconditions(self, operator: Operator, goals: Iterable[Proposition]) -> list[int]:
        """Returns masks, one of which must be set before an agent may apply an operator; empty if it reaches no goal.

        An agent that reaches goals has to know that at least one of them is a goal, unless all of them hold already.
        goals: the goals in question, as `wanted(...)`.
        """
        agent = self.agents[operator.agent]
        reached = [fact for fact in goals if operator.adds & self.bits[fact.goal]]
        masks = [self.bits[Claim((agent,), fact)] for fact in reached]
        if reached and all(self._may_hold_before(fact.goal, operator) for fact in reached):
            masks.append(self.mask(fact.goal for fact in reached))
        return masks

    def _may_hold_before(self, goal: Proposition, operator: Operator) -> bool:
        """True if a goal that an operator adds may hold already; only mirrors and remote controls set what holds."""
        return goal.predicate in Is.STATES and not operator.needs & self.bits[goal.opposite]


def seen_by(rules: Iterable[SightRule], state: int) -> int:
    """Returns the state after everyone has looked around, by these rules."""
    for rule in rules:
        if state & rule.needs == rule.needs:
            state |= rule.adds
    return state


def union(masks: Iterable[int]) -> int:
    """Returns the mask of all bits that are set in any of the masks."""
    return reduce(or_, masks, 0)


def bits(mask: int) -> Iterator[int]:
    """Yields the numbers of a mask's bits, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
