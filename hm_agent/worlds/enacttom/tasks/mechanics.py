"""The mechanics of the paper (section 3.4, appendix J) and their effects, which no other module defines.

A binding in the task file gives the parameters of one mechanic. `HouseMechanics` derives the effects of all bindings of
a task; both the runtime and the verifier use it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from hm_agent.worlds.enacttom.tasks.propositions import Is, Proposition

OPEN, CLOSED = "open", "closed"
FurnitureState = Literal["open", "closed"]


class _Binding(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RoomRestriction(_Binding):
    """Some agents can't enter some rooms."""

    mechanic_type: Literal["room_restriction"] = "room_restriction"
    restricted_rooms: tuple[str, ...] = Field(min_length=1)
    for_agents: tuple[str, ...] = Field(min_length=1)


class LimitedBandwidth(_Binding):
    """An agent sends at most so many messages an episode, whatever the number of their receivers."""

    mechanic_type: Literal["limited_bandwidth"] = "limited_bandwidth"
    message_limits: Mapping[str, Annotated[int, Field(ge=0, le=20)]] = Field(min_length=1)


class RestrictedCommunication(_Binding):
    """An agent reaches only these others; agents that are not named reach everyone."""

    mechanic_type: Literal["restricted_communication"] = "restricted_communication"
    allowed_targets: Mapping[str, tuple[str, ...]] = Field(min_length=1)


class RemoteControl(_Binding):
    """Whenever the trigger is set open, the target is set to the target state."""

    mechanic_type: Literal["remote_control"] = "remote_control"
    trigger_object: str
    target_object: str
    target_state: FurnitureState


class StateMirroring(_Binding):
    """Whenever either is set open or closed, so is the other."""

    mechanic_type: Literal["state_mirroring"] = "state_mirroring"
    trigger_object: str
    target_object: str


class InverseState(_Binding):
    """Open closes the furniture, and Close opens it."""

    mechanic_type: Literal["inverse_state"] = "inverse_state"
    trigger_object: str


class ShortMessages(_Binding):
    """A message says at most so many facts, a sentence each; this project's, not the paper's."""

    mechanic_type: Literal["short_messages"] = "short_messages"
    most_facts: int = Field(ge=1, le=20)


AnyBinding = (
    RoomRestriction | LimitedBandwidth | RestrictedCommunication | RemoteControl | StateMirroring | InverseState
)
"""The mechanics of the paper, which language models may propose."""
Binding = Annotated[AnyBinding | ShortMessages, Field(discriminator="mechanic_type")]
MechanicName = Literal[
    "room_restriction",
    "limited_bandwidth",
    "restricted_communication",
    "remote_control",
    "state_mirroring",
    "inverse_state",
    "short_messages",
]


@dataclass(frozen=True)
class Channels:
    """Who can message whom. targets: for each agent, the others that its messages reach."""

    targets: Mapping[str, tuple[str, ...]]

    @property
    def is_complete(self) -> bool:
        """True if every agent reaches every other one directly."""
        return all(len(targets) == len(self.targets) - 1 for targets in self.targets.values())

    def path(self, senders: Iterable[str], receivers: Collection[str]) -> tuple[str, ...]:
        """Returns a shortest chain of agents from any sender to any receiver, both included; empty if there is none."""
        waiting: deque[tuple[str, ...]] = deque((sender,) for sender in senders)
        seen = {path[0] for path in waiting}
        while waiting:
            path = waiting.popleft()
            if path[-1] in receivers:
                return path
            for target in self.targets[path[-1]]:
                if target not in seen:
                    seen.add(target)
                    waiting.append((*path, target))
        return ()

    def hops(self, senders: Iterable[str], receivers: Collection[str]) -> int | None:
        """Counts the messages along the shortest chain from any sender to any receiver; None if there is none."""
        path = self.path(senders, receivers)
        return len(path) - 1 if path else None


@dataclass(frozen=True)
class HouseMechanics:
    """The effects of all bindings of a task."""

    agents: tuple[str, ...]
    bindings: Sequence[Binding] = field(default_factory=tuple)

    def may_enter(self, agent: str, room: str) -> bool:
        return (agent, room) not in self._barred

    def targets(self, agent: str) -> tuple[str, ...]:
        """The agents that an agent's messages can reach, in the order of `agents`."""
        allowed = self._allowed_targets.get(agent)
        return tuple(other for other in self.agents if other != agent and (allowed is None or other in allowed))

    def message_limit(self, agent: str) -> int | None:
        """The number of messages that an agent may send in an episode; None if its bandwidth is not limited."""
        return self._message_limits.get(agent)

    @cached_property
    def most_facts(self) -> int | None:
        """The number of facts that a message may say; None if it is not limited."""
        return min((each.most_facts for each in self.bindings if isinstance(each, ShortMessages)), default=None)

    def is_inverse(self, furniture: str) -> bool:
        return furniture in self._inverse_furniture

    def state_after(self, furniture: str, *, opens: bool) -> str:
        """The state into which Open, or else Close, sets furniture; inverse furniture does the opposite of the verb."""
        return OPEN if opens != self.is_inverse(furniture) else CLOSED

    def settings(self, furniture: str, state: str) -> Mapping[str, str]:
        """Returns each piece that is set when `furniture` is set to `state`, with its new state; `furniture` is first.

        Mirrors and remote controls act in turn on every piece that was set. A piece is set only once: its first setting
        stays.
        """
        states, queue = {furniture: state}, [furniture]
        while queue:
            piece = queue.pop(0)
            for target, target_state in self._consequences(piece, states[piece]):
                if target not in states:
                    states[target] = target_state
                    queue.append(target)
        return states

    def _consequences(self, furniture: str, state: str) -> list[tuple[str, str]]:
        """The settings that one setting triggers directly, as (furniture, state)."""
        settings = []
        for binding in self.bindings:
            if isinstance(binding, StateMirroring) and furniture in (binding.trigger_object, binding.target_object):
                twin = binding.target_object if furniture == binding.trigger_object else binding.trigger_object
                settings.append((twin, state))
            if isinstance(binding, RemoteControl) and furniture == binding.trigger_object and state == OPEN:
                settings.append((binding.target_object, binding.target_state))
        return settings

    @cached_property
    def propositions(self) -> frozenset[Proposition]:
        """The propositions about mechanics that an initial state may hold: those that follow from the bindings."""
        implied = {Proposition(Is.RESTRICTED, pair) for pair in self._barred}
        for agent in self.agents:
            implied |= {Proposition(Is.CAN_COMMUNICATE, (agent, target)) for target in self.targets(agent)}
        for binding in self.bindings:
            if isinstance(binding, InverseState):
                implied.add(Proposition(Is.INVERSE, (binding.trigger_object,)))
            elif isinstance(binding, StateMirroring):
                pair = (binding.trigger_object, binding.target_object)
                implied |= {Proposition(Is.MIRRORS, pair), Proposition(Is.MIRRORS, pair[::-1])}
            elif isinstance(binding, RemoteControl):
                implied.add(Proposition(Is.CONTROLS, (binding.trigger_object, binding.target_object)))
        return frozenset(implied)

    @cached_property
    def _barred(self) -> frozenset[tuple[str, str]]:
        return frozenset(
            (agent, room)
            for binding in self.bindings
            if isinstance(binding, RoomRestriction)
            for agent in binding.for_agents
            for room in binding.restricted_rooms
        )

    @cached_property
    def _message_limits(self) -> Mapping[str, int]:
        limits: dict[str, int] = {}
        for binding in self.bindings:
            if isinstance(binding, LimitedBandwidth):
                limits |= binding.message_limits
        return limits

    @cached_property
    def _allowed_targets(self) -> Mapping[str, tuple[str, ...]]:
        allowed: dict[str, tuple[str, ...]] = {}
        for binding in self.bindings:
            if isinstance(binding, RestrictedCommunication):
                allowed |= binding.allowed_targets
        return allowed

    @cached_property
    def _inverse_furniture(self) -> frozenset[str]:
        return frozenset(binding.trigger_object for binding in self.bindings if isinstance(binding, InverseState))
