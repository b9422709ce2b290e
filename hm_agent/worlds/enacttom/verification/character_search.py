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
from itertools import combinations, permutations

from hm_agent.worlds.enacttom.house.character_play import with_characters
from hm_agent.worlds.enacttom.house.commands import IDLE, HouseCommand, Verb, tell
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.house.runtime import HouseRuntime
from hm_agent.worlds.enacttom.tasks.characters import RELAY
from hm_agent.worlds.enacttom.tasks.propositions import Claim

QUIET_TURNS = 2
"""An episode also ends after so many turns in a row in which everyone waits."""
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
        runtime = self.runtime.copy()
        commands = [IDLE] * len(runtime.household.agents)
        commands[agent] = command
        commands = with_characters(runtime, commands)
        runtime.step(commands)
        waited = all(one.verb == Verb.WAIT for one in commands)
        return Position(runtime, self.quiet + 1 if waited else 0)

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
        self._solved: dict[object, tuple[Cost, HouseCommand] | None] = {}
        self.positions = 0

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
        key = frozenset(map(self._key, positions))
        if key not in self._solved:
            self.positions += 1
            best: tuple[Cost, HouseCommand] | None = None
            waited: tuple[Position, ...] | None = None
            for command in self._commands(positions):
                then = tuple(position.after(self._agent, command) for position in positions)
                waited = waited or then
                if command.verb == Verb.COMMUNICATE and self._is_idle_talk(then, waited):
                    continue
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

    def _is_idle_talk(self, then: Sequence[Position], waited: Sequence[Position]) -> bool:
        """True if a message changes nothing but the number of messages left, so that it is no better than waiting."""
        return all(
            one.runtime.state == other.runtime.state
            and not any(len(one.runtime.inbox[number]) != len(other.runtime.inbox[number]) for number in self._tellers)
            and one.quiet == other.quiet
            for one, other in zip(then, waited, strict=True)
        )

    def _commands(self, positions: Sequence[Position]) -> Iterator[HouseCommand]:
        """Yields Wait, then every other command of the class that can succeed in one of the positions."""
        yield IDLE
        left = positions[0].runtime.messages_left[self._agent]
        is_first = left == self._budget
        states = [position.runtime.state for position in positions]
        for (agent, verb, arguments), operators in self.household.operators.items():
            if agent != self._agent or (verb == Verb.NAVIGATE and arguments[0] in self.household.plan.furniture):
                continue
            if any(operator.needs & ~state == 0 for operator in operators for state in states):
                command = operators[0].command
                if self._allowed(command, self._targets, is_first):
                    yield command
        if left:
            yield from (one for one in self._messages(states) if self._allowed(one, self._targets, is_first))

    def _messages(self, states: Sequence[int]) -> Iterator[HouseCommand]:
        known = [
            claim
            for claim in self.household.sayable
            if (bit := self.household.known_bit(self._agent, claim)) and any(state & bit for state in states)
        ]
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
