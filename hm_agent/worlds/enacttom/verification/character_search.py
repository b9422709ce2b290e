"""Decides by exhaustive search whether one agent can solve a task whose other agents are characters.

The search goes through the runtime itself: it tries every command of the agent that can succeed, and every message of
at most as many facts as the household allows, to every choice of addressees, in every turn until the episode ends.
States that differ in nothing that can matter are searched once. So `None` is a proof that there is no plan.

The agent may not know in which of several states it begins. Then a plan is a tree: what the agent sees after a turn
decides how it goes on, and it has to end well from every state that is still possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations

from hm_agent.worlds.enacttom.house.character_play import with_characters
from hm_agent.worlds.enacttom.house.commands import IDLE, HouseCommand, Verb, tell
from hm_agent.worlds.enacttom.house.household import Household, union
from hm_agent.worlds.enacttom.house.runtime import QUIET_TURNS, HouseRuntime
from hm_agent.worlds.enacttom.tasks.characters import RELAY
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Is, Proposition

Cost = tuple[int, int, int]
"""The number of commands other than Wait, then of addressees and facts of messages, then the sum of their turns."""
Filter = Callable[[HouseCommand, Sequence[str], bool], bool]
"""Says whether a policy of a class may give a command: this one, with these agents that may be written to.

The last argument is True as long as no message was sent.
"""


def everything(command: HouseCommand, targets: Sequence[str], is_first: bool) -> bool:
    return True


def without_messages(command: HouseCommand, targets: Sequence[str], is_first: bool) -> bool:
    return command.verb != Verb.COMMUNICATE


def places_alone(command: HouseCommand, targets: Sequence[str], is_first: bool) -> bool:
    """True of policies that say where things are now, and nothing of who knows what."""
    return command.verb != Verb.COMMUNICATE or not any(
        claim.depth or claim.proposition.predicate != Is.INSIDE for claim in command.claims
    )


def to_all(command: HouseCommand, targets: Sequence[str], is_first: bool) -> bool:
    """True of what broadcasters do: each message goes to all that may be written to."""
    return command.verb != Verb.COMMUNICATE or set(command.arguments) == set(targets)


def beginning_with(message: HouseCommand) -> Filter:
    """The class of policies whose first message is this one, whenever they send it."""
    return lambda command, targets, is_first: not is_first or command.verb != Verb.COMMUNICATE or command == message


@dataclass(frozen=True)
class Position:
    """A state that is possible as far as the agent knows. quiet: how many turns everyone has waited up to now."""

    runtime: HouseRuntime
    quiet: int = 0

    @property
    def is_over(self) -> bool:
        return self.runtime.turn >= self.runtime.household.task.max_turns or self.quiet >= QUIET_TURNS

    @property
    def is_won(self) -> bool:
        return self.runtime.holds(self.runtime.household.functional_mask) and not self.runtime.leaked

    def after(self, agent: int, command: HouseCommand) -> Position:
        """The position after one turn in which the agent gives a command and the characters theirs."""
        runtime, commands = self.runtime.copy(), list(self.of_characters)
        commands[agent] = command
        runtime.step(commands)
        waited = all(one.verb == Verb.WAIT for one in commands)
        return Position(runtime, self.quiet + 1 if waited else 0)

    @cached_property
    def of_characters(self) -> Sequence[HouseCommand]:
        """What the characters do in the next turn, and Wait for all others."""
        return with_characters(self.runtime, [IDLE] * len(self.runtime.household.agents))

    def seen_by(self, agent: int) -> object:
        """What the agent sees: equal for positions that it can't tell apart."""
        runtime = self.runtime
        heard = tuple((message.sender, message.addressees, message.claims) for message in runtime.inbox[agent])
        room, sees = runtime.household.room_of(agent, runtime.state), runtime.state & runtime.visible(agent)
        return room, sees, heard, self.quiet >= QUIET_TURNS


class CharacterSearch:
    """The plans of one agent. agent: its number. allowed: the class of its policies."""

    def __init__(self, household: Household, agent: int, allowed: Filter = everything) -> None:
        self.household, self._agent, self._allowed = household, agent, allowed
        self._targets = household.mechanics.targets(household.agents[agent])
        self._budget = household.task.message_budget(household.agents[agent])
        self._tellers = [
            number
            for number, name in enumerate(household.agents)
            if (mind := household.task.characters.get(name)) and mind.tells
        ]
        self._minds = [number for number, name in enumerate(household.agents) if name in household.task.characters]
        is_ordered = any(mind.kind == RELAY for mind in household.task.characters.values())
        self._choices = permutations if is_ordered else combinations
        self._acts = list(self._reachable_acts())
        named = ((claim, household.known_bit(agent, claim)) for claim in household.sayable)
        self._sayable = [(claim, bit) for claim, bit in named if bit]
        least = [(household.bits[goal], list(self._turns_to(goal))) for goal in household.task.physical_goal]
        # By turns left: for each goal, what takes longer while it holds.
        self._out_of_reach = [
            [(goal, [held for held, turns in ways if turns > left]) for goal, ways in least]
            for left in range(household.task.max_turns + 1)
        ]
        self._teller_names = {household.agents[number] for number in self._tellers}
        self._messages_of: dict[object, list[HouseCommand]] = {}
        self._solved: dict[object, tuple[Cost, HouseCommand] | None] = {}

    def is_too_late(self, position: Position) -> bool:
        """True if the turns left can't suffice to open, pick, carry and put down what is not at its place."""
        state, left = position.runtime.state, self.household.task.max_turns - position.runtime.turn
        return any(
            not state & goal and any(state & held == held for held in reasons)
            for goal, reasons in self._out_of_reach[left]
        )

    def _turns_to(self, goal: Proposition) -> Iterator[tuple[int, int]]:
        """Yields bits and how many turns it takes at least to bring a goal about while they are all set."""
        household, (thing, *places) = self.household, goal.arguments
        yield 0, 1
        if goal.predicate not in Is.ON_FURNITURE:
            return
        furniture, mask = household.plan.furniture, household.mask
        for piece, room in furniture.items():
            is_elsewhere = int(room != furniture[places[0]])
            yield mask([Proposition(Is.ON_TOP, (thing, piece))]), 2 + is_elsewhere
            if piece in household.plan.openable:
                inside, closed = Proposition(Is.INSIDE, (thing, piece)), Proposition(Is.CLOSED, (piece,))
                yield mask([inside]), 2 + is_elsewhere
                yield mask([inside, closed]), 3 + is_elsewhere

    def best(self, positions: Sequence[Position]) -> HouseCommand | None:
        """The first command of a cheapest plan from positions that the agent can't tell apart; None without a plan."""
        found = self._best(tuple(positions))
        return found[1] if found else None

    def plan(self, position: Position) -> list[HouseCommand] | None:
        """The commands of a cheapest plan, without Wait at its end; None without a plan."""
        commands: list[HouseCommand] = []
        while not position.is_over:
            command = self.best([position])
            if command is None:
                return None
            commands.append(command)
            position = position.after(self._agent, command)
        while commands and commands[-1] == IDLE:
            commands.pop()
        return commands if position.is_won else None

    def _best(self, positions: tuple[Position, ...]) -> tuple[Cost, HouseCommand] | None:
        """The cost and first command of a cheapest plan; the cost of a plan is that of its dearest outcome."""
        if any(position.runtime.leaked for position in positions):
            return None
        if positions[0].is_over:
            return ((0, 0, 0), IDLE) if all(position.is_won for position in positions) else None
        if any(map(self.is_too_late, positions)):
            return None
        key = frozenset(map(self._key, positions))
        if key not in self._solved:
            best: tuple[Cost, HouseCommand] | None = None
            waited: tuple[Position, ...] | None = None
            effects: set[object] = set()
            for command in self._commands(positions):
                if command.verb == Verb.COMMUNICATE:
                    # Of messages with the same effect the first is the shortest; one without any is as good as Wait.
                    effect, is_idle = self._effect(positions, command)
                    if effect in effects or (is_idle and waited and not any(one.quiet for one in waited)):
                        continue
                    effects.add(effect)
                then = tuple(position.after(self._agent, command) for position in positions)
                waited = waited or then
                own = _cost(command, positions[0].runtime.turn)
                rest = self._worst(then)
                if rest is not None and (best is None or _sum(own, rest) < best[0]):
                    best = (_sum(own, rest), command)
            self._solved[key] = best
        return self._solved[key]

    def _worst(self, positions: Sequence[Position]) -> Cost | None:
        """The cost of the dearest of the outcomes that the agent can tell apart; None if one of them has no plan."""
        groups: dict[object, list[Position]] = {}
        for position in positions:
            groups.setdefault(position.seen_by(self._agent) if len(positions) > 1 else None, []).append(position)
        costs = [found and found[0] for found in map(self._best, map(tuple, groups.values()))]
        return max((cost for cost in costs if cost), default=None) if all(costs) else None

    def _key(self, position: Position) -> object:
        """All that decides how a position goes on."""
        runtime = position.runtime
        return (
            runtime.turn,
            position.quiet,
            runtime.state,
            tuple(runtime.memories[number] for number in self._minds),
            tuple(runtime.messages_left),
            tuple((number, message.claims) for number in self._tellers for message in runtime.inbox[number]),
        )

    def _effect(self, positions: Sequence[Position], command: HouseCommand) -> tuple[object, bool]:
        """What a message teaches in each position, and what those that pass things on get; True if that is nothing."""
        group = self.household.group(self._agent, command.arguments)
        rules = self.household.message_rules(self._agent, group, command.claims)
        states = (position.runtime.state for position in positions)
        taught = [union(rule.adds for rule in rules if state & rule.needs) & ~state for state in states]
        heard = command.claims if (got := self._teller_names & set(command.arguments)) else ()
        return (tuple(taught), frozenset(got), heard), not (any(taught) or heard)

    def _commands(self, positions: Sequence[Position]) -> Iterator[HouseCommand]:
        """Yields Wait, then every other command of the class that can succeed in one of the positions."""
        yield IDLE
        left = positions[0].runtime.messages_left[self._agent]
        is_first = left == self._budget
        states = [position.runtime.state for position in positions]
        for command, needed in self._acts:
            if any(needs & ~state == 0 for needs in needed for state in states):
                yield command
        if left:
            known = tuple(claim for claim, bit in self._sayable if any(state & bit for state in states))
            if (known, is_first) not in self._messages_of:
                self._messages_of[known, is_first] = [
                    one for one in self._messages(known) if self._allowed(one, self._targets, is_first)
                ]
            yield from self._messages_of[known, is_first]

    def _reachable_acts(self) -> Iterator[tuple[HouseCommand, list[int]]]:
        """Yields the commands that can succeed in rooms that the agent may enter, with what each way of them needs."""
        name, household = self.household.agents[self._agent], self.household
        barred = [room for room in household.plan.rooms if not household.mechanics.may_enter(name, room)]
        elsewhere = household.mask(Proposition(Is.AGENT_IN_ROOM, (name, room)) for room in barred)
        for (agent, verb, arguments), operators in household.operators.items():
            if agent == self._agent and not (verb == Verb.NAVIGATE and arguments[0] in household.plan.furniture):
                needed = [operator.needs for operator in operators if not operator.needs & elsewhere]
                if needed and self._allowed(operators[0].command, self._targets, False):
                    yield operators[0].command, needed

    def _messages(self, known: Sequence[Claim]) -> Iterator[HouseCommand]:
        most = self.household.mechanics.most_facts or len(known)
        for count in range(1, len(self._targets) + 1):
            for addressees in combinations(self._targets, count):
                for length in range(1, most + 1):
                    for claims in self._choices(known, length):
                        yield tell(claims, addressees)


def _cost(command: HouseCommand, turn: int) -> Cost:
    if command.verb == Verb.WAIT:
        return (0, 0, 0)
    said = len(command.arguments) + len(command.claims) if command.verb == Verb.COMMUNICATE else 0
    return (1, said, turn)


def _sum(one: Cost, other: Cost) -> Cost:
    return (one[0] + other[0], one[1] + other[1], one[2] + other[2])
