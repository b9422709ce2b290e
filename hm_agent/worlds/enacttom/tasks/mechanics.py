"""The mechanics of the paper (section 3.4, appendix J): the only place that says what each of them does.

A mechanic is bound in the task file by a record of its parameters. `HouseMechanics` answers what follows from all
bindings of a task; the runtime and the verifier ask it the same questions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from hm_agent.worlds.enacttom.tasks.propositions import (
    CAN_COMMUNICATE,
    CONTROLS,
    IS_INVERSE,
    IS_RESTRICTED,
    MIRRORS,
    Proposition,
)

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


Binding = Annotated[
    RoomRestriction | LimitedBandwidth | RestrictedCommunication | RemoteControl | StateMirroring | InverseState,
    Field(discriminator="mechanic_type"),
]
MechanicName = Literal[
    "room_restriction",
    "limited_bandwidth",
    "restricted_communication",
    "remote_control",
    "state_mirroring",
    "inverse_state",
]


@dataclass(frozen=True)
class Channels:
    """Who can message whom: for each agent, the others that its messages reach."""

    targets: Mapping[str, tuple[str, ...]]

    @property
    def is_complete(self) -> bool:
        return all(len(targets) == len(self.targets) - 1 for targets in self.targets.values())

    def path(self, senders: Iterable[str], receivers: Collection[str]) -> tuple[str, ...]:
        """The shortest way from one of some agents to one of others, both included; empty if there is none."""
        waiting: deque[tuple[str, ...]] = deque((one,) for one in senders)
        seen = {path[0] for path in waiting}
        while waiting:
            path = waiting.popleft()
            if path[-1] in receivers:
                return path
            for one in self.targets[path[-1]]:
                if one not in seen:
                    seen.add(one)
                    waiting.append((*path, one))
        return ()

    def hops(self, senders: Iterable[str], receivers: Collection[str]) -> int | None:
        """How many messages one after another it takes at least to get from some agents to others; None for no way."""
        path = self.path(senders, receivers)
        return len(path) - 1 if path else None


@dataclass(frozen=True)
class HouseMechanics:
    """What follows from the bindings of a task."""

    agents: tuple[str, ...]
    bindings: Sequence[Binding] = field(default_factory=tuple)

    def may_enter(self, agent: str, room: str) -> bool:
        return (agent, room) not in self._barred

    def targets(self, agent: str) -> tuple[str, ...]:
        """The agents that an agent's messages can reach, in order of their names."""
        allowed = self._allowed.get(agent)
        return tuple(one for one in self.agents if one != agent and (allowed is None or one in allowed))

    def message_limit(self, agent: str) -> int | None:
        """How many messages an agent may send in an episode; None for any number."""
        return self._limits.get(agent)

    def is_inverse(self, furniture: str) -> bool:
        return furniture in self._inverse

    def state_after(self, verb: str, furniture: str) -> str:
        """The state into which `Open` or `Close` sets the furniture that it is done to."""
        return OPEN if (verb == "Open") != self.is_inverse(furniture) else CLOSED

    def settings(self, furniture: str, state: str) -> Mapping[str, str]:
        """Every furniture that is set when one is set to a state, with its new state; that one comes first.

        Mirrors and remote controls act in turn on what was set, each furniture at most once: the first setting stays.
        """
        found, waiting = {furniture: state}, [furniture]
        while waiting:
            one = waiting.pop(0)
            for other, then in self._consequences(one, found[one]):
                if other not in found:
                    found[other] = then
                    waiting.append(other)
        return found

    def _consequences(self, furniture: str, state: str) -> list[tuple[str, str]]:
        found = []
        for binding in self.bindings:
            if isinstance(binding, StateMirroring) and furniture in (binding.trigger_object, binding.target_object):
                twin = binding.target_object if furniture == binding.trigger_object else binding.trigger_object
                found.append((twin, state))
            if isinstance(binding, RemoteControl) and furniture == binding.trigger_object and state == OPEN:
                found.append((binding.target_object, binding.target_state))
        return found

    @cached_property
    def propositions(self) -> frozenset[Proposition]:
        """What an initial state may say of the mechanics: exactly what is bound."""
        found = {Proposition(IS_RESTRICTED, pair) for pair in self._barred}
        for agent in self.agents:
            found |= {Proposition(CAN_COMMUNICATE, (agent, target)) for target in self.targets(agent)}
        for binding in self.bindings:
            if isinstance(binding, InverseState):
                found.add(Proposition(IS_INVERSE, (binding.trigger_object,)))
            elif isinstance(binding, StateMirroring):
                pair = (binding.trigger_object, binding.target_object)
                found |= {Proposition(MIRRORS, pair), Proposition(MIRRORS, pair[::-1])}
            elif isinstance(binding, RemoteControl):
                found.add(Proposition(CONTROLS, (binding.trigger_object, binding.target_object)))
        return frozenset(found)

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
    def _limits(self) -> Mapping[str, int]:
        found: dict[str, int] = {}
        for binding in self.bindings:
            if isinstance(binding, LimitedBandwidth):
                found |= binding.message_limits
        return found

    @cached_property
    def _allowed(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for binding in self.bindings:
            if isinstance(binding, RestrictedCommunication):
                found |= binding.allowed_targets
        return found

    @cached_property
    def _inverse(self) -> frozenset[str]:
        return frozenset(one.trigger_object for one in self.bindings if isinstance(one, InverseState))
