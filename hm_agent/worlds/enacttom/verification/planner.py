"""A planner for compiled tasks: best-first search over bit masks, and quick proofs that there is no plan.

Sights need no decision: seeing more never hurts, so everyone looks around after every action.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

from hm_agent.worlds.enacttom.house.household import union
from hm_agent.worlds.enacttom.tasks.certificate import Status
from hm_agent.worlds.enacttom.tasks.task_checks import exclusive
from hm_agent.worlds.enacttom.verification.compiler import closure, reachable, without_irrelevant
from hm_agent.worlds.enacttom.verification.planning_problem import PlanAction, PlanningProblem

MOST_NODES = 100_000
"""The number of expanded states after which the planner stops without an answer."""
BEFORE_BOUND = 200
"""The number of expanded states after which it looks for a proof by the order of messages (`can_be_told`)."""
MOST_ORDERS = 20_000
"""The number of states after which `can_be_told` gives up."""


@dataclass(frozen=True)
class PlanResult:
    """actions: the plan, empty without one."""

    status: Status
    actions: tuple[PlanAction, ...] = ()


def solve(problem: PlanningProblem, *, most_nodes: int = MOST_NODES) -> PlanResult:
    """Finds a plan, or proves that there is none; `unknown` if it would take more than `most_nodes` states."""
    goal = [conjunct.proposition for conjunct in problem.variant.goal]
    if problem.goal & ~reachable(problem) or exclusive(goal, problem.household.plan):
        return PlanResult("unsolvable")
    return _Search(without_irrelevant(problem)).run(most_nodes)


class _Search:
    """Lazy best-first search by the length of relaxed plans and the number of limited messages that were sent.

    Relaxed plans send any number of messages with one token; without the second part, the search would waste tokens
    early. An action adds 1 unless the relaxed plan can begin with it.
    """

    def __init__(self, problem: PlanningProblem) -> None:
        self.problem = problem
        self.actions = problem.actions
        self.relaxed = RelaxedPlans(problem)
        self.parents: dict[int, tuple[int, PlanAction] | None] = {}

    def run(self, most_nodes: int) -> PlanResult:
        problem = self.problem
        start = problem.look(problem.start)
        self.parents[start] = None
        if problem.goal & ~start == 0:
            return PlanResult("solved")
        waiting: list[tuple[int, int, int, int]] = [(0, 0, 0, start)]  # rank, number, messages sent, state
        nodes = pushed = 0
        while waiting:
            _, _, sent, state = heapq.heappop(waiting)
            estimate = self.relaxed.estimate(state)
            if estimate is None:
                continue
            nodes += 1
            if nodes == BEFORE_BOUND and not can_be_told(problem):
                return PlanResult("unsolvable")
            if nodes > most_nodes:
                return PlanResult("unknown")
            length, helpful = estimate
            for action, after in self._successors(state):
                self.parents[after] = (state, action)
                if problem.goal & ~after == 0:
                    return PlanResult("solved", self._path(after))
                pushed += 1
                spent = sent + action.is_limited
                heapq.heappush(waiting, (length + spent + (id(action) not in helpful), pushed, spent, after))
        return PlanResult("unsolvable")

    def _successors(self, state: int) -> Iterator[tuple[PlanAction, int]]:
        for action in self.actions:
            if action.needs & ~state == 0:
                after = self.problem.look(action.after(state))
                if after not in self.parents:
                    yield action, after

    def _path(self, state: int) -> tuple[PlanAction, ...]:
        actions: list[PlanAction] = []
        while (link := self.parents[state]) is not None:
            state, action = link
            actions.append(action)
        return tuple(reversed(actions))


class RelaxedPlans:
    """Plans that ignore what actions delete (Hoffmann and Nebel, 2001)."""

    def __init__(self, problem: PlanningProblem) -> None:
        self.goal = problem.goal
        self.steps: list[tuple[int, int, PlanAction | None]] = [
            (sight.needs, sight.adds, None) for sight in problem.sights
        ]
        for action in problem.actions:
            if action.adds:
                self.steps.append((action.needs, action.adds, action))
            self.steps += [(action.needs | rule.needs, rule.adds, action) for rule in action.tells]

    def estimate(self, state: int) -> tuple[int, set[int]] | None:
        """Returns the length of a relaxed plan and the `id` of its actions that are possible now; None without one."""
        layers = self._layers(state)
        if layers is None:
            return None
        open_bits, length, helpful = self.goal & ~state, 0, set()
        for reached, steps in reversed(layers):
            fresh = open_bits & ~reached
            open_bits &= reached
            for needs, adds, action in steps:
                if adds & fresh:
                    fresh &= ~adds
                    open_bits |= needs & ~state
                    if action is not None:
                        length += 1
                        if needs & ~state == 0:
                            helpful.add(id(action))
                    if not fresh:
                        break
        return length, helpful

    def _layers(self, state: int) -> list[tuple[int, list[tuple[int, int, PlanAction | None]]]] | None:
        """Returns for each layer what was reached before it, and its new steps; None if the goal is out of reach."""
        layers, waiting, reached = [], self.steps, state
        while self.goal & ~reached:
            added, blocked, after = [], [], reached
            for step in waiting:
                if step[0] & ~reached:
                    blocked.append(step)
                elif step[1] & ~reached:
                    added.append(step)
                    after |= step[1]
            if after == reached:
                return None
            layers.append((reached, added))
            waiting, reached = blocked, after
        return layers


def can_be_told(problem: PlanningProblem) -> bool:
    """False if no order of messages reaches the goal, even if nothing but message tokens were ever deleted.

    Everything that can be done between two messages is done at once and for good. So False proves that there is no
    plan; True proves nothing.
    """
    limited = [action for action in problem.actions if action.is_limited]
    others = [action for action in problem.actions if not action.is_limited]
    token_bits = union(action.needs | action.adds for action in limited)
    first = closure(problem.start, others, problem.sights)
    waiting, seen = [first], {first}
    while waiting:
        state = waiting.pop()
        if problem.goal & ~state == 0 or len(seen) > MOST_ORDERS:
            return True
        for action in limited:
            if action.needs & ~state == 0:
                undeleted = state & ~token_bits
                after = closure(action.after(state) | undeleted, others, problem.sights)
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)
    return False
