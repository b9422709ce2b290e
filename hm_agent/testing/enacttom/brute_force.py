"""A slow reference for the verifier: breadth-first search over explicit epistemic states.

It shares no code with the compiler: places and knowledge are plain sets of facts and of every claim up to a depth
about everything that a goal speaks of, one agent acts at a time, and a message may go to any addressees and say any one
thing, or all, that its sender knows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, product

from hm_agent.worlds.enacttom.tasks.mechanics import RemoteControl, StateMirroring
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Proposition, wanted
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask

Chains = frozenset[tuple[tuple[str, ...], Proposition]]


@dataclass(frozen=True)
class EpistemicState:
    """rooms: of agents. places: of objects, as ("on", furniture), ("within", ...), ("floor", room) or ("hand", agent).

    opened: furniture. known: (knowers, proposition). left: messages by agent, None for any number.
    """

    rooms: tuple[tuple[str, str], ...]
    places: tuple[tuple[str, tuple[str, str]], ...]
    opened: frozenset[str]
    known: Chains
    left: tuple[tuple[str, int | None], ...]


class BruteForce:
    """Decides whether a task has a plan in which agents act knowingly, by looking at every state."""

    def __init__(self, task: HouseholdTask) -> None:
        self.task, self.agents = task, task.agents
        self.depth = max(2, task.k_depth)
        leaves = [one.proposition for one in task.goal if one.depth]
        self.goals = {one.proposition for one in task.goal if not one.depth}
        self.leaves = set(leaves) | {wanted(one) for one in self.goals}

    def is_solvable(self, most_states: int) -> bool | None:
        """None if there are more states than that."""
        start = self._seen(self._start())
        waiting, found = [start], {start}
        while waiting:
            state = waiting.pop(0)
            if all(self._holds(state, one) for one in self.task.goal):
                return True
            for after in self._successors(state):
                after = self._seen(self._true(after))
                if after not in found:
                    found.add(after)
                    waiting.append(after)
            if len(found) > most_states:
                return None
        return False

    # States

    def _start(self) -> EpistemicState:
        init, places = self.task.init, {}
        for one in init:
            if one.predicate == "is_on_top":
                places[one.arguments[0]] = ("on", one.arguments[1])
            elif one.predicate == "is_inside":
                places[one.arguments[0]] = ("within", one.arguments[1])
            elif one.predicate == "is_held_by":
                places[one.arguments[0]] = ("hand", one.arguments[1])
            elif one.predicate == "is_on_floor":
                room = next(
                    x.arguments[1] for x in init if x.predicate == "is_in_room" and x.arguments[0] == one.arguments[0]
                )
                places[one.arguments[0]] = ("floor", room)
        told: set[tuple[tuple[str, ...], Proposition]] = {
            ((agent,), fact) for agent, facts in self.task.known.items() for fact in facts if fact in self.leaves
        }
        public = {(), *self._words(self.agents)}
        told |= {(word, fact) for fact in self.task.public_facts if fact in self.leaves for word in public if word}
        return EpistemicState(
            tuple(sorted((one.arguments[0], one.arguments[1]) for one in init if one.predicate == "agent_in_room")),
            tuple(sorted(places.items())),
            frozenset(one.arguments[0] for one in init if one.predicate == "is_open"),
            frozenset(told),
            tuple((agent, self.task.mechanics.message_limit(agent)) for agent in self.agents),
        )

    def _holds(self, state: EpistemicState, goal: Claim) -> bool:
        if goal.depth:
            return (goal.knowers, goal.proposition) in state.known
        return self._is_so(state, goal.proposition)

    def _is_so(self, state: EpistemicState, one: Proposition) -> bool:
        kind, what, places = one.predicate, one.arguments, dict(state.places)
        if kind == "wanted":
            return True
        if kind in ("is_open", "is_closed"):
            return (what[0] in state.opened) == (kind == "is_open")
        if kind == "agent_in_room":
            return what in state.rooms
        if kind == "is_in_room":
            return self._room(places[what[0]]) == what[1]
        if kind == "is_on_floor":
            return places[what[0]][0] == "floor"
        return places[what[0]] == ({"is_on_top": "on", "is_inside": "within", "is_held_by": "hand"}[kind], what[1])

    def _room(self, place: tuple[str, str]) -> str | None:
        if place[0] == "hand":
            return None
        return place[1] if place[0] == "floor" else self.task.plan.furniture[place[1]]

    # Knowledge

    def _words(self, group: Collection[str]) -> Iterator[tuple[str, ...]]:
        """Every sequence of members up to the depth in which nobody stands next to itself."""
        for length in range(1, self.depth + 1):
            for word in product(sorted(group), repeat=length):
                if all(first != second for first, second in pairwise(word)):
                    yield word

    def _spread(self, group: Collection[str], said: tuple[str, ...], fact: Proposition) -> Iterator[tuple[str, ...]]:
        """What is known once a claim is common knowledge in a group: members' knowledge of it and all that follows."""
        for word in self._words(group):
            joined = word if word[-1:] != said[:1] else word[:-1]
            chain = (*joined, *said)
            for length in range(1, len(chain) + 1):
                for kept in combinations(chain, length):
                    short = tuple(name for place, name in enumerate(kept) if place == 0 or kept[place - 1] != name)
                    if len(short) <= self.depth:
                        yield short

    def _true(self, state: EpistemicState) -> EpistemicState:
        """Nobody knows what is not so."""
        return replace(state, known=frozenset(one for one in state.known if self._is_so(state, one[1])))

    def _seen(self, state: EpistemicState) -> EpistemicState:
        added = set(state.known)
        for room in self.task.plan.rooms:
            present = [agent for agent, where in state.rooms if where == room]
            for one in self.leaves:
                if present and self._is_so(state, one) and self._is_visible(state, one, room):
                    added |= {(word, one) for word in self._words(present)}
        return replace(state, known=frozenset(added))

    def _is_visible(self, state: EpistemicState, one: Proposition, room: str) -> bool:
        kind, what, places, plan = one.predicate, one.arguments, dict(state.places), self.task.plan
        if kind == "wanted":
            return False
        if kind in ("is_open", "is_closed"):
            return plan.furniture[what[0]] == room
        if kind == "agent_in_room":
            return what[1] == room
        relation, holder = places[what[0]]
        if relation == "hand":
            return dict(state.rooms)[holder] == room
        return self._room((relation, holder)) == room and (relation != "within" or holder in state.opened)

    # Actions

    def _successors(self, state: EpistemicState) -> Iterator[EpistemicState]:
        for agent in self.agents:
            for after in (*self._moves(state, agent), *self._carries(state, agent)):
                if self._acts_knowingly(state, after, agent, set()):
                    yield after
            for after, turned in self._turns(state, agent):
                if self._acts_knowingly(state, after, agent, turned):
                    yield after
            yield from self._messages(state, agent)

    def _acts_knowingly(
        self, state: EpistemicState, after: EpistemicState, agent: str, turned: Collection[str]
    ) -> bool:
        """True if nothing wanted comes about, or the agent knows that something of what it set is wanted.

        turned: furniture that was opened or closed, or set into the state that it was in.
        """
        so = [one for one in self.goals if self._is_so(after, one)]
        done = [one for one in so if not self._is_so(state, one)]
        turns = [one for one in so if one.predicate in ("is_open", "is_closed") and one.arguments[0] in turned]
        return not done or any(((agent,), wanted(one)) in state.known for one in (*done, *turns))

    def _moves(self, state: EpistemicState, agent: str) -> Iterator[EpistemicState]:
        for room in self.task.plan.rooms:
            if self.task.mechanics.may_enter(agent, room) and dict(state.rooms)[agent] != room:
                yield replace(state, rooms=tuple(sorted((dict(state.rooms) | {agent: room}).items())))

    def _carries(self, state: EpistemicState, agent: str) -> Iterator[EpistemicState]:
        plan, places, room = self.task.plan, dict(state.places), dict(state.rooms)[agent]
        held = [thing for thing, place in places.items() if place == ("hand", agent)]
        for thing, place in places.items():
            reached = self._room(place) == room and (place[0] != "within" or place[1] in state.opened)
            if not held and reached:
                yield replace(state, places=tuple(sorted((places | {thing: ("hand", agent)}).items())))
        for thing, one in product(held, plan.furniture_by_room[room]):
            for relation in ("on", "within") if one in state.opened else ("on",):
                yield replace(state, places=tuple(sorted((places | {thing: (relation, one)}).items())))

    def _turns(self, state: EpistemicState, agent: str) -> Iterator[tuple[EpistemicState, set[str]]]:
        for one in self.task.plan.openable:
            if self.task.plan.furniture[one] == dict(state.rooms)[agent]:
                opened, turned = set(state.opened), set[str]()
                self._set(opened, one, one not in state.opened, turned)
                yield replace(state, opened=frozenset(opened)), turned

    def _set(self, opened: set[str], furniture: str, is_open: bool, done: set[str]) -> None:
        """Sets furniture and, in turn, what it is bound to. Tasks here have one such binding, so order is no matter."""
        if furniture in done:
            return
        done.add(furniture)
        (opened.add if is_open else opened.discard)(furniture)
        for binding in self.task.mechanics.bindings:
            if isinstance(binding, StateMirroring) and furniture in (binding.trigger_object, binding.target_object):
                self._set(opened, binding.target_object, is_open, done)
                self._set(opened, binding.trigger_object, is_open, done)
            if isinstance(binding, RemoteControl) and furniture == binding.trigger_object and is_open:
                self._set(opened, binding.target_object, binding.target_state == "open", done)

    def _messages(self, state: EpistemicState, agent: str) -> Iterator[EpistemicState]:
        left = dict(state.left)
        budget = left[agent]
        if budget == 0:
            return
        if budget is not None:
            left[agent] = budget - 1
        contents = [(chain, fact) for chain, fact in state.known if chain[0] == agent]
        sayable = [(chain[1:], fact) for chain, fact in contents]
        targets = self.task.mechanics.targets(agent)
        for count in range(1, len(targets) + 1):
            for others in combinations(targets, count):
                for said in (*([one] for one in sayable), sayable):
                    added = {
                        (word, fact) for chain, fact in said for word in self._spread({agent, *others}, chain, fact)
                    }
                    yield replace(state, known=state.known | added, left=tuple(left.items()))
