"""A household and a goal as a problem of classical planning, over the bits of the household and some more."""

from __future__ import annotations

from dataclasses import dataclass

from hm_agent.worlds.enacttom.house.commands import HouseCommand, Verb
from hm_agent.worlds.enacttom.house.household import Household, Operator, SightRule, TellRule, seen_by
from hm_agent.worlds.enacttom.tasks.propositions import Claim


@dataclass(frozen=True)
class Variant:
    """A question about a task: is there a plan for a goal under these conditions?

    is_knowing: an agent may reach goals only if it knows that at least one of them is a goal. is_public: everyone knows
    all public and secret facts and goals from the start. is_silent: nobody sends a message. is_broadcast: each message
    goes to all that its sender can reach. is_relaxed: characters do whatever helps, out of all that their rules could
    make them do (`with_relaxed_characters`); else they do anything. idle: agents that only wait; they still see and
    receive messages.
    """

    goal: tuple[Claim, ...]
    is_knowing: bool = True
    is_public: bool = False
    is_silent: bool = False
    is_broadcast: bool = False
    is_relaxed: bool = False
    idle: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PlanAction(Operator):
    """An action that a plan may take.

    For a message that says all that its sender knows: tells, the effects of all claims that it may say; and group, its
    sender and addressees as bits of agents, 0 for other actions. A short message is an action like any other: its
    command says its claims, which its sender needs to know.
    """

    tells: tuple[TellRule, ...] = ()
    group: int = 0

    @property
    def key(self) -> tuple[int, HouseCommand, int]:
        """Identifies an action within a problem, also after irrelevant tells were left out."""
        return self.agent, self.command, self.needs

    @property
    def is_limited(self) -> bool:
        """True for a message that its sender has a limited number of."""
        return self.command.verb == Verb.COMMUNICATE and bool(self.deletes)

    def after(self, state: int) -> int:
        """Returns the state after the action, before anyone looks around."""
        after = state & ~self.deletes | self.adds
        for rule in self.tells:
            if state & rule.needs == rule.needs:
                after |= rule.adds
        return after


@dataclass(frozen=True)
class PlanningProblem:
    """A variant of a task for a planner.

    Bits beyond the household's count the messages that agents have left, and say what keeps a claim from holding that
    must never hold; tokens: the names of these bits.
    """

    household: Household
    variant: Variant
    start: int
    goal: int
    actions: tuple[PlanAction, ...]
    sights: tuple[SightRule, ...]
    tokens: tuple[str, ...]

    def look(self, state: int) -> int:
        """Returns the state after everyone has looked around."""
        return seen_by(self.sights, state)
