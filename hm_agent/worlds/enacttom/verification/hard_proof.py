"""Proves what a task with characters claims: that it needs its order of mind, and that no shortcut solves it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from hm_agent.core import Agent
from hm_agent.episode import run_episode
from hm_agent.worlds.enacttom.agents import RandomHouseAgent
from hm_agent.worlds.enacttom.house.commands import HouseCommand, Verb
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.house.runtime import HouseRuntime
from hm_agent.worlds.enacttom.house.views import possible_tasks
from hm_agent.worlds.enacttom.ladder.ladder_agent import LadderAgent
from hm_agent.worlds.enacttom.ladder.order_agent import AGENTS
from hm_agent.worlds.enacttom.tasks.certificate import HardCertificate, Status
from hm_agent.worlds.enacttom.tasks.pddl import TaskError
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.verification.character_search import (
    CharacterSearch,
    Filter,
    Position,
    beginning_with,
    everything,
    to_all,
    without_messages,
)
from hm_agent.worlds.enacttom.verification.compiler import compile_task
from hm_agent.worlds.enacttom.verification.planning_problem import PlanningProblem, Variant
from hm_agent.worlds.enacttom.world import EnacttomWorld

Label = Callable[[int, HouseCommand], Hashable]
"""What is kept of a message, given the turn in which it is sent."""
Schedule = tuple[Hashable, ...]
"""The labels of all messages, in their order."""


def telling(turn: int, message: HouseCommand) -> Hashable:
    """The addressees of a message and, for each of its claims, whose knowledge the claim is about."""
    return tuple(sorted(message.arguments)), tuple(claim.knowers for claim in message.claims)


class ScheduleSearch(CharacterSearch):
    """All ways of one agent that is told everything to solve a task, by the same exhaustive search.

    A schedule says who is told together, one message after another. It leaves out when a message is sent and about
    which thing it is. So whoever knows a schedule, and all that the task would tell an agent of who knows which thing,
    still has to find only the turns. If the twins of a pair have no schedule in common, nothing that they share (text,
    rules, house, goal) can say whom to write to.
    """

    def schedules(self, position: Position, label: Label = telling) -> frozenset[Schedule]:
        """Every schedule that can go on from a position and end well; none if the task is lost there."""
        found: dict[object, frozenset[Schedule]] = {}

        def from_here(position: Position) -> frozenset[Schedule]:
            if position.runtime.leaked:
                return frozenset()
            if position.is_over:
                return frozenset([()] if position.is_won else [])
            if self.is_too_late(position):
                return frozenset()
            key = self._key(position)
            if key not in found:
                found[key] = frozenset(self._going_on(position, label, from_here))
            return found[key]

        return from_here(position)

    def _going_on(
        self, position: Position, label: Label, rest_from: Callable[[Position], frozenset[Schedule]]
    ) -> set[Schedule]:
        """The schedules that begin with each command of a turn. rest_from: those from the position after it."""
        schedules: set[Schedule] = set()
        after: dict[Any, frozenset[Schedule]] = {}
        for command in self._commands([position]):
            # Messages with the same effect go on alike, but count as different schedules.
            is_message = command.verb == Verb.COMMUNICATE
            effect = self._effect([position], command) if is_message else command
            if effect not in after:
                after[effect] = rest_from(position.after(self._agent, command))
            first = [label(position.runtime.turn, command)] if is_message else []
            schedules |= {(*first, *rest) for rest in after[effect]}
        return schedules


ORDERS = ("order_0", "order_1", "order_2", "order_3")
RANDOM_SEEDS = 10
"""How many episodes the agent that acts at random plays."""
OUT_OF_REACH, BROADCAST, SILENCE = "no plan", "broadcasters solve it", "solved without a message"
SHORTCUT, LOWER, HIGHER = "a shortcut solves it", "a lower order solves it", "its order does not solve it"
TWIN, HABIT = "the twin is solved by the same first message", "the twin is solved by telling the same agents"
"""Why a task is refused."""

Builder = Callable[[], Agent[Any, Any]]


def shortcuts(order: int) -> Mapping[str, tuple[Builder, ...]]:
    """The agents that fail tasks of a needed order, each with its episodes: those without a mind, and `sure` ones.

    The latter model others less deep, and take what is deeper to be known.
    """
    sure = {f"order_{less}_sure": (AGENTS[f"order_{less}_sure"],) for less in range(1, order)}
    return {
        "flood": (partial(LadderAgent, 1, floods=True),),
        "solo": (partial(LadderAgent, 0),),
        "broadcaster": (AGENTS["broadcaster"],),
        "reality": (AGENTS["reality"],),
        **sure,
        "random": tuple(partial(RandomHouseAgent, seed) for seed in range(RANDOM_SEEDS)),
    }


@dataclass(frozen=True)
class HardVerdict:
    """The result of a verification. faults: why it is refused; none for a task that may be shipped."""

    certificate: HardCertificate | None
    faults: tuple[str, ...]


class HardProof:
    """The answers to the questions about a task with characters and one agent under test."""

    def __init__(self, task: HouseholdTask) -> None:
        if len(task.seats) != 1:
            raise TaskError(f"the proof is for one agent under test, not for {', '.join(task.seats)}")
        self.task, self.agent = task, task.agents.index(task.seats[0])

    @cached_property
    def household(self) -> Household:
        return Household(self.task)

    @cached_property
    def _world(self) -> EnacttomWorld:
        return EnacttomWorld(self.task)

    def plan(self, allowed: Filter = everything) -> list[HouseCommand] | None:
        """The cheapest plan of a class of policies with all secrets public to the agent; None if there is none."""
        search = CharacterSearch(self.household, self.agent, allowed)
        return search.plan(Position(HouseRuntime(self.household)))

    @property
    def has_own_plan(self) -> bool:
        """True if the agent has a plan that works from all starts which are possible as far as it is told."""
        households = [Household(task) for task in possible_tasks(self.task, self.task.seats[0])]
        positions = [Position(HouseRuntime(households[0], start=one.start)) for one in households]
        return CharacterSearch(households[0], self.agent).best(positions) is not None

    def schedules(self, allowed: Filter = everything) -> frozenset[Schedule]:
        """Whom a policy of a class can tell, one message after another, so that the task is solved."""
        return ScheduleSearch(self.household, self.agent, allowed).schedules(Position(HouseRuntime(self.household)))

    def status(self, allowed: Filter) -> Status:
        return "unsolvable" if self.plan(allowed) is None else "solved"

    def is_solved_by(self, build: Builder, seed: int = 0) -> bool:
        """Plays an episode with one agent."""
        world = self._world
        outcome = asyncio.run(run_episode(world, {self.task.seats[0]: build()}, seed=seed))
        if outcome.error:
            raise outcome.error
        return world.is_solved


def relaxed_answers(task: HouseholdTask, ask: Callable[[PlanningProblem], Status]) -> tuple[Status, Status]:
    """What a planner says of all policies, then of broadcasters, if characters do whatever helps.

    `unsolvable` is a proof of its own that characters leave no plan, however long an episode lasts; `solved` says
    nothing of them.
    """
    household = Household(task)
    anybody = Variant(task.goal, is_knowing=False, is_relaxed=True)
    broadcasters = replace(anybody, is_broadcast=True)
    return ask(compile_task(household, anybody)), ask(compile_task(household, broadcasters))


def shared_schedules(proofs: Sequence[HardProof], allowed: Filter = everything) -> frozenset[Schedule]:
    """The schedules of a class of policies that solve all of some tasks."""
    return frozenset.intersection(*(proof.schedules(allowed) for proof in proofs))


def prove(task: HouseholdTask, twin: HouseholdTask | None = None, *, is_quick: bool = False) -> HardVerdict:
    """Proves a task. twin: the other task of its pair. is_quick: True to stop at the first fault.

    Where an order of 1 is needed, seeing who lacks what is all that is asked for, so that twins may share schedules.
    """
    proof, order = HardProof(task), task.file.needs_order or 0
    plan = proof.plan()
    if plan is None:
        return HardVerdict(None, (OUT_OF_REACH,))
    faults = [HABIT] if twin and order > 1 and shared_schedules((proof, HardProof(twin))) else []
    answers: dict[str, Any] = {}
    for name, answer, fault in _answers(proof, plan, order, twin):
        answers[name] = answer
        faults += [fault] if fault else []
        if is_quick and faults:
            return HardVerdict(None, tuple(faults))
    certificate = HardCertificate(task_hash=task.file.hash, plan=tuple(map(str, plan)), solvable="solved", **answers)
    return HardVerdict(certificate, tuple(faults))


def _answers(
    proof: HardProof, plan: list[HouseCommand], order: int, twin: HouseholdTask | None
) -> Iterator[tuple[str, Any, str | None]]:
    """Yields each field of the certificate with its value, and why it is a fault."""
    for name, allowed, fault in (("broadcasters", to_all, BROADCAST), ("silent", without_messages, SILENCE)):
        status = proof.status(allowed)
        yield name, status, fault if status == "solved" else None
    message = next((command for command in plan if command.verb == Verb.COMMUNICATE), None)
    if twin is not None and message is not None:
        status = HardProof(twin).status(beginning_with(message))
        yield "twin_fails", status, TWIN if status == "solved" else None
    # An order above the deepest claim of a household plans just as the one below.
    deepest = max(claim.depth for claim in proof.household.claims)
    orders = {name: proof.is_solved_by(AGENTS[name]) for name in ORDERS[: deepest + 1]}
    orders |= dict.fromkeys(ORDERS[deepest + 1 :], orders[ORDERS[min(deepest, len(ORDERS) - 1)]])
    solved = list(orders.values())
    yield "orders", orders, LOWER if any(solved[:order]) else None if all(solved[order:]) else HIGHER
    shares = {
        name: sum(proof.is_solved_by(build, seed) for seed, build in enumerate(builds)) / len(builds)
        for name, builds in shortcuts(order).items()
    }
    yield "shortcuts", shares, SHORTCUT if any(shares.values()) else None
