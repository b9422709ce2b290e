"""Plays a household turn by turn: who acts when, what conflicts, what is seen and what is remembered.

A turn:

1. All agents act at once. An action succeeds if what it needs holds when the turn begins *and* still holds after the
   actions of the agents before it in this turn's order; the order begins with agent t mod n in turn t. So no agent
   profits in the same turn from what another one does, and of two that want the same thing one gets it.
2. Messages go out. A message teaches each claim that it says, and all that follows from it, if its sender knew that
   when the turn began and it still holds.
3. Everyone looks around. Messages are read with the next view.

So a turn is equivalent to its successful actions one after another, then its messages: a path in the verifier's STRIPS.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from hm_agent.worlds.enacttom.house.commands import EVERYONE, HouseCommand, Verb, length_fault, message_fault, plain
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Is, Proposition

QUIET_TURNS = 2
"""An episode also ends after so many turns in a row in which everyone waits."""


class OutcomeKind(Enum):
    """How an agent's action went."""

    DONE = "done"
    FAILED = "failed"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class ActionOutcome:
    """How an agent's own action went, as the agent is told. words: only what it can see itself."""

    command: HouseCommand
    kind: OutcomeKind
    words: str


@dataclass(frozen=True, slots=True)
class HouseMessage:
    """A message as its addressees receive it. turn: the one in which it was sent."""

    turn: int
    sender: str
    addressees: tuple[str, ...]
    text: str
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True)
class Sent:
    """A message as only viewers see it. taught: the claims that it made true."""

    message: HouseMessage
    taught: tuple[Claim, ...]


class HouseRuntime:
    """One episode. start: the state to begin in, if not the task's. state: all that holds and is known, as bits.

    By agent: memories, what it saw last of everything, as bits; messages_left; inbox, the messages that arrive with its
    next view; outcomes, that of its latest action. sent: the messages of the latest turn.

    leaked: those of the claims that must never hold which have held.

    Characters, which believe what they saw or were told last, begin with the beliefs that the task gives them.
    """

    def __init__(self, household: Household, *, start: int | None = None) -> None:
        self.household = household
        self.turn = 0
        self.state = household.look(household.start if start is None else start)
        count = len(household.agents)
        self.memories = [0] * count
        self.messages_left = [household.task.message_budget(agent) for agent in household.agents]
        self.messages_sent = 0
        self.inbox: list[list[HouseMessage]] = [[] for _ in range(count)]
        self.outcomes: list[ActionOutcome | None] = [None] * count
        self.sent: list[Sent] = []
        self._place_groups = [*household.place_groups.values(), *household.position_masks]
        self._minds = [number for number, agent in enumerate(household.agents) if agent in household.task.characters]
        for agent in self._minds:
            self.memories[agent] = household.mask(household.task.characters[household.agents[agent]].believes)
        self.leaked = 0
        self._look()

    def copy(self) -> HouseRuntime:
        twin = object.__new__(HouseRuntime)
        vars(twin).update(vars(self))
        twin.memories, twin.messages_left = list(self.memories), list(self.messages_left)
        twin.outcomes = list(self.outcomes)
        return twin

    def step(self, commands: Sequence[HouseCommand]) -> None:
        before, count = self.state, len(commands)
        self.inbox, self.sent = [[] for _ in range(count)], []
        talkers = []
        for place in range(count):
            agent = (self.turn + place) % count
            if commands[agent].verb == Verb.COMMUNICATE:
                talkers.append(agent)
            else:
                self.outcomes[agent] = self._act(agent, commands[agent], before)
        taught = 0
        for agent in talkers:
            self.outcomes[agent], learned = self._send(agent, commands[agent], before)
            taught |= learned
        self.turn += 1
        self.state = self.household.look(self.state | taught)
        self._look()

    def holds(self, mask: int) -> bool:
        """True if all bits of a mask are set."""
        return self.state & mask == mask

    # Acting

    def _act(self, agent: int, command: HouseCommand, before: int) -> ActionOutcome:
        """Carries out an action other than a message. before: the state when the turn began."""
        if command.verb == Verb.WAIT:
            return ActionOutcome(command, OutcomeKind.DONE, "You waited.")
        if command.verb == Verb.FIND:
            return ActionOutcome(command, OutcomeKind.DONE, self._location_text(agent, command.arguments[0]))
        for operator in self.household.operators.get((agent, command.verb, command.arguments), ()):
            if operator.needs & ~before == 0:
                if operator.needs & ~self.state:
                    return ActionOutcome(command, OutcomeKind.CONFLICT, "Another agent was quicker.")
                self.state = self.state & ~operator.deletes | operator.adds
                return ActionOutcome(command, OutcomeKind.DONE, "Done.")
        return ActionOutcome(command, OutcomeKind.FAILED, self._why_not(agent, command, before))

    def _why_not(self, agent: int, command: HouseCommand, state: int) -> str:
        """Says why an action is impossible, as far as the agent can see that itself."""
        house, arguments = self.household, command.arguments
        plan, room = house.plan, house.room_of(agent, state)
        if command.verb == Verb.NAVIGATE:
            target = plan.furniture.get(arguments[0], arguments[0])
            if target not in plan.rooms:
                return f"There is no room or furniture {arguments[0]}."
            return f"You are in {target} already." if target == room else f"You cannot enter {target}."
        furniture = arguments[-1]
        if command.verb in (Verb.OPEN, Verb.CLOSE, Verb.PLACE):
            if furniture not in plan.furniture:
                return f"There is no furniture {furniture}."
            if plan.furniture[furniture] != room:
                return f"{furniture} is not in {room}, where you are."
        if command.verb in (Verb.OPEN, Verb.CLOSE):
            return f"Nothing happens to {furniture}." if furniture in plan.openable else f"{furniture} does not open."
        if command.verb == Verb.PLACE:
            if not state & house.bits.get(Proposition(Is.HELD_BY, (arguments[0], house.agents[agent])), 0):
                return f"You don't hold {arguments[0]}."
            return f"You can't put it {arguments[1]} {furniture}: it is closed or has no inside."
        if command.verb == Verb.PICK and not state & house.bits[Proposition(Is.HAND_EMPTY, (house.agents[agent],))]:
            return "Your hand is full."
        return f"You see no {arguments[0]} here that you could pick."

    def _location_text(self, agent: int, thing: str) -> str:
        """Says where a thing is, by the floor plan and by what the agent saw last."""
        plan = self.household.plan
        if thing in plan.furniture:
            return f"{thing} is in {plan.furniture[thing]}."
        remembered = self.household.named(self.memories[agent])
        known = [name.words for name in remembered if isinstance(name, Proposition) and name.arguments[0] == thing]
        return f"{'; '.join(known)}." if known else f"You have not seen {thing}."

    # Talking

    def _send(self, agent: int, command: HouseCommand, before: int) -> tuple[ActionOutcome, int]:
        """Sends a message; returns its outcome and the bits that it teaches. before: the state when the turn began."""
        house, sender = self.household, self.household.agents[agent]
        targets = house.mechanics.targets(sender)
        addressees = targets if EVERYONE in command.arguments else tuple(dict.fromkeys(command.arguments))
        fault = self._sending_fault(agent, command, addressees, targets)
        if fault:
            return ActionOutcome(command, OutcomeKind.FAILED, f"Not sent: {fault}."), 0
        ordered = tuple(agent_name for agent_name in house.agents if agent_name in addressees)
        message = HouseMessage(self.turn, sender, ordered, plain(command.text), command.claims)
        known, taught = before & self.state, 0
        for rule in house.message_rules(agent, house.group(agent, ordered), command.claims):
            if known & rule.needs:
                taught |= rule.adds
        for number, name in enumerate(house.agents):
            if name in ordered:
                self.inbox[number].append(message)
        self.messages_left[agent] -= 1
        self.messages_sent += 1
        news = tuple(name for name in house.named(taught & ~self.state) if isinstance(name, Claim))
        self.sent.append(Sent(message, news))
        return ActionOutcome(command, OutcomeKind.DONE, f"Sent to {', '.join(ordered)}."), taught

    def _sending_fault(
        self, agent: int, command: HouseCommand, addressees: Sequence[str], targets: Sequence[str]
    ) -> str | None:
        """Says why a message can't be sent; None if it can. One that can't costs the turn, but no message."""
        if fault := message_fault(command.text):
            return fault
        if not addressees:
            return "it has no addressee"
        if fault := length_fault(command.text, self.household.mechanics.most_facts):
            return fault
        if blocked := [addressee for addressee in addressees if addressee not in targets]:
            return f"you cannot message {', '.join(blocked)}"
        return None if self.messages_left[agent] > 0 else "you have no message left"

    # Looking

    def _look(self) -> None:
        """Lets everyone remember what it sees, and characters also believe what they know of places."""
        for agent in range(len(self.memories)):
            self._remember(agent)
        for agent in self._minds:
            for knows, place, group in self.household.known_places[agent]:
                if self.state & knows:
                    self.memories[agent] = self.memories[agent] & ~group | place
        self.leaked |= self.state & self.household.hidden_mask

    def visible(self, agent: int) -> int:
        """Returns the bits of which an agent can see now whether they hold."""
        return self.household.visible(self.household.room_of(agent, self.state), self.state)

    def _remember(self, agent: int) -> None:
        """Adds what an agent sees to its memory, and drops from it what can't hold any more."""
        visible, memory = self.visible(agent), self.memories[agent]
        seen = self.state & visible
        for on_floor in self.household.floors[self.household.room_of(agent, self.state)]:
            if memory & on_floor == on_floor:
                visible |= on_floor  # an object on the floor of this room would be seen
        if memory & visible == seen:
            return
        memory &= ~visible
        for group in self._place_groups:
            if seen & group:
                memory &= ~group
        self.memories[agent] = memory | seen
