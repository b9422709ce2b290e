"""A slow reference for the verifier: breadth-first search over explicit epistemic states.

It shares no code with the compiler. Places and knowledge are plain sets: of facts, and of every claim up to a depth
about everything that a goal is about. One agent acts at a time, and a message may go to any addressees and say any one
claim that its sender knows, or all of them.
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
    """One state of a household and of what its agents know.

    rooms: by agent. places: by object, as ("on", furniture), ("within", furniture), ("floor", room) or ("hand", agent).
    opened: the open furniture. known: (knowers, proposition). left: messages left by agent, None without a limit.
    """

    rooms: tuple[tuple[str, str], ...]
    places: tuple[tuple[str, tuple[str, str]], ...]
    opened: frozenset[str]
    known: Chains
    left: tuple[tuple[str, int | None], ...]


class BruteForce:
    """Decides whether a task has a plan in which agents act knowingly, by a search of every reachable state."""

    def __init__(self, task: HouseholdTask) -> None:
        self.task, self.agents = task, task.agents
        self.depth = max(2, task.k_depth)
        leaves = [conjunct.proposition for conjunct in task.goal if conjunct.depth]
        self.goals = {conjunct.proposition for conjunct in task.goal if not conjunct.depth}
        self.leaves = set(leaves) | {wanted(goal) for goal in self.goals}

    def is_solvable(self, most_states: int) -> bool | None:
        """Returns whether there is a plan; None if there are more states than `most_states`."""
        start = self._after_looking(self._start())
        waiting, seen = [start], {start}
        while waiting:
            state = waiting.pop(0)
            if all(self._holds(state, conjunct) for conjunct in self.task.goal):
                return True
            for after in self._successors(state):
                after = self._after_looking(self._without_false_knowledge(after))
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)
            if len(seen) > most_states:
                return None
        return False

    # States

    def _start(self) -> EpistemicState:
        init, places = self.task.init, {}
        for fact in init:
            if fact.predicate == "is_on_top":
                places[fact.arguments[0]] = ("on", fact.arguments[1])
            elif fact.predicate == "is_inside":
                places[fact.arguments[0]] = ("within", fact.arguments[1])
            elif fact.predicate == "is_held_by":
                places[fact.arguments[0]] = ("hand", fact.arguments[1])
            elif fact.predicate == "is_on_floor":
                room = next(
                    other.arguments[1]
                    for other in init
                    if other.predicate == "is_in_room" and other.arguments[0] == fact.arguments[0]
                )
                places[fact.arguments[0]] = ("floor", room)
        known: set[tuple[tuple[str, ...], Proposition]] = {
            ((agent,), fact) for agent, facts in self.task.known.items() for fact in facts if fact in self.leaves
        }
        public_chains = {(), *self._knower_chains(self.agents)}
        known |= {
            (chain, fact) for fact in self.task.public_facts if fact in self.leaves for chain in public_chains if chain
        }
        return EpistemicState(
            tuple(sorted((fact.arguments[0], fact.arguments[1]) for fact in init if fact.predicate == "agent_in_room")),
            tuple(sorted(places.items())),
            frozenset(fact.arguments[0] for fact in init if fact.predicate == "is_open"),
            frozenset(known),
            tuple((agent, self.task.mechanics.message_limit(agent)) for agent in self.agents),
        )

    def _holds(self, state: EpistemicState, goal: Claim) -> bool:
        if goal.depth:
            return (goal.knowers, goal.proposition) in state.known
        return self._is_true(state, goal.proposition)

    def _is_true(self, state: EpistemicState, proposition: Proposition) -> bool:
        kind, arguments, places = proposition.predicate, proposition.arguments, dict(state.places)
        if kind == "wanted":
            return True
        if kind in ("is_open", "is_closed"):
            return (arguments[0] in state.opened) == (kind == "is_open")
        if kind == "agent_in_room":
            return arguments in state.rooms
        if kind == "is_in_room":
            return self._room(places[arguments[0]]) == arguments[1]
        if kind == "is_on_floor":
            return places[arguments[0]][0] == "floor"
        return places[arguments[0]] == (
            {"is_on_top": "on", "is_inside": "within", "is_held_by": "hand"}[kind],
            arguments[1],
        )

    def _room(self, place: tuple[str, str]) -> str | None:
        if place[0] == "hand":
            return None
        return place[1] if place[0] == "floor" else self.task.plan.furniture[place[1]]

    # Knowledge

    def _knower_chains(self, group: Collection[str]) -> Iterator[tuple[str, ...]]:
        """Yields every sequence of knowers of a group, up to the depth, in which none follows itself."""
        for length in range(1, self.depth + 1):
            for chain in product(sorted(group), repeat=length):
                if all(first != second for first, second in pairwise(chain)):
                    yield chain

    def _implied_knowers(self, group: Collection[str], said: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        """Yields the knowers of claims that follow if a group has common knowledge of a claim with knowers `said`."""
        for member_chain in self._knower_chains(group):
            joined = member_chain if member_chain[-1:] != said[:1] else member_chain[:-1]
            full_chain = (*joined, *said)
            for length in range(1, len(full_chain) + 1):
                for kept in combinations(full_chain, length):
                    short = tuple(name for place, name in enumerate(kept) if place == 0 or kept[place - 1] != name)
                    if len(short) <= self.depth:
                        yield short

    def _without_false_knowledge(self, state: EpistemicState) -> EpistemicState:
        """Drops knowledge of facts that do not hold."""
        return replace(state, known=frozenset(claim for claim in state.known if self._is_true(state, claim[1])))

    def _after_looking(self, state: EpistemicState) -> EpistemicState:
        """Adds what agents in the same room learn by looking around."""
        added = set(state.known)
        for room in self.task.plan.rooms:
            present = [agent for agent, agent_room in state.rooms if agent_room == room]
            for leaf in self.leaves:
                if present and self._is_true(state, leaf) and self._is_visible(state, leaf, room):
                    added |= {(chain, leaf) for chain in self._knower_chains(present)}
        return replace(state, known=frozenset(added))

    def _is_visible(self, state: EpistemicState, proposition: Proposition, room: str) -> bool:
        kind, arguments, places, plan = proposition.predicate, proposition.arguments, dict(state.places), self.task.plan
        if kind == "wanted":
            return False
        if kind in ("is_open", "is_closed"):
            return plan.furniture[arguments[0]] == room
        if kind == "agent_in_room":
            return arguments[1] == room
        relation, holder = places[arguments[0]]
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
        """True if the action reaches no goal, or its agent knows that something that it set is a goal.

        turned: the furniture that the action set, also if that did not change its state.
        """
        holding = [goal for goal in self.goals if self._is_true(after, goal)]
        reached = [goal for goal in holding if not self._is_true(state, goal)]
        turned_goals = [
            goal for goal in holding if goal.predicate in ("is_open", "is_closed") and goal.arguments[0] in turned
        ]
        return not reached or any(((agent,), wanted(goal)) in state.known for goal in (*reached, *turned_goals))

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
        for thing, furniture in product(held, plan.furniture_by_room[room]):
            for relation in ("on", "within") if furniture in state.opened else ("on",):
                yield replace(state, places=tuple(sorted((places | {thing: (relation, furniture)}).items())))

    def _turns(self, state: EpistemicState, agent: str) -> Iterator[tuple[EpistemicState, set[str]]]:
        for furniture in self.task.plan.openable:
            if self.task.plan.furniture[furniture] == dict(state.rooms)[agent]:
                opened, turned = set(state.opened), set[str]()
                self._set(opened, furniture, furniture not in state.opened, turned)
                yield replace(state, opened=frozenset(opened)), turned

    def _set(self, opened: set[str], furniture: str, is_open: bool, done: set[str]) -> None:
        """Sets furniture and, in turn, what it is bound to. Order is no matter: random tasks have one such binding."""
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
                for spoken in (*([content] for content in sayable), sayable):
                    added = {
                        (knowers, fact)
                        for chain, fact in spoken
                        for knowers in self._implied_knowers({agent, *others}, chain)
                    }
                    yield replace(state, known=state.known | added, left=tuple(left.items()))
