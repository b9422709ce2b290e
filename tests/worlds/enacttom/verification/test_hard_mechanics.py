"""Short messages, message limits and claims that must never hold: the planner against a search through the runtime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from hm_agent.worlds.enacttom.house.commands import IDLE
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.house.runtime import HouseRuntime
from hm_agent.worlds.enacttom.scenarios import hard_task_files
from hm_agent.worlds.enacttom.tasks.mechanics import (
    Binding,
    HouseMechanics,
    LimitedBandwidth,
    RoomRestriction,
    ShortMessages,
)
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Is, Proposition, normalised_claim
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.tasks.task_files import load_task
from hm_agent.worlds.enacttom.verification.compiler import compile_task
from hm_agent.worlds.enacttom.verification.hard_proof import relaxed_answers
from hm_agent.worlds.enacttom.verification.planner import solve
from hm_agent.worlds.enacttom.verification.planning_problem import PlanningProblem, Variant
from hm_agent.worlds.enacttom.verification.plans import in_turns, steps_of
from hm_agent.worlds.enacttom.verification.strips import to_strips
from tests.support.enacttom.fast_downward_search import ask_its_search
from tests.support.enacttom.random_tasks import TaskSize, random_task
from tests.support.enacttom.runtime_search import can_reach
from tests.support.enacttom.small_house import small_task

SMALL = TaskSize(agents=3, rooms=2, furniture=2, objects=1, goals=2, depth=2)
MOST_STATES = 400
WITH_A_CHOICE = (38, 342, 393)
"""Seeds of houses in which somebody has to be told what somebody else must not know."""


def house(seed: int) -> HouseholdTask:
    """Draws a house with short messages. Where claims are wanted, other agents must not know what they are about."""
    rng, task = Random(seed), random_task(seed, SMALL)
    claims = [conjunct for conjunct in task.goal if conjunct.depth]
    if claims and len(task.agents) > 2:
        others = ([agent for agent in task.agents if agent not in claim.knowers] for claim in claims)
        hidden = {
            Claim((rng.choice(names or task.agents),), claim.proposition)
            for names, claim in zip(others, claims, strict=True)
        }
    else:
        facts = {*task.init, *(conjunct.proposition for conjunct in task.goal)}
        things = sorted((fact for fact in facts if fact.predicate != Is.HAND_EMPTY), key=str)
        knowers = ([rng.choice(task.agents) for _ in range(rng.randint(1, 2))] for _ in range(rng.randint(0, 2)))
        hidden = {normalised_claim(names, rng.choice(things)) for names in knowers}
    bindings = (*task.mechanics.bindings, ShortMessages(most_facts=rng.randint(1, 2)))
    return replace(
        task, mechanics=HouseMechanics(task.agents, bindings), hidden=tuple(sorted(hidden, key=lambda one: one.pddl))
    )


def classes(goal: Sequence[Claim]) -> tuple[Variant, Variant]:
    """All plans, then those of broadcasters."""
    free = Variant(tuple(goal), is_knowing=False)
    return free, replace(free, is_broadcast=True)


def check_plan(problem: PlanningProblem) -> str:
    """Solves a problem, and plays its plan in the runtime to the goal without a leak; returns the status."""
    result = solve(problem)
    if result.status == "solved":
        runtime = HouseRuntime(problem.household)
        for turn in in_turns(problem, steps_of(problem, result.actions)):
            runtime.step([turn.get(agent, IDLE) for agent in problem.household.agents])
        assert not runtime.leaked
        assert runtime.holds(problem.goal & problem.household.all_bits)
    return result.status


def test_the_planner_agrees_with_an_exhaustive_search_through_the_runtime() -> None:
    answers = []
    for seed in (*WITH_A_CHOICE, *range(20)):
        household = Household(house(seed))
        both = [
            (can_reach(household, variant, MOST_STATES), check_plan(compile_task(household, variant)))
            for variant in classes(household.task.goal)
        ]
        for is_reached, status in both:
            assert is_reached is None or (status == "solved") == is_reached, seed
        answers.append(tuple(is_reached for is_reached, _ in both))
    assert answers[: len(WITH_A_CHOICE)] == [(True, False)] * len(WITH_A_CHOICE)
    assert answers.count((True, True)) >= 5
    assert answers.count((False, False)) >= 5


@pytest.mark.parametrize("seed", WITH_A_CHOICE)
def test_fast_downwards_search_agrees_that_broadcasters_fail(seed: int) -> None:
    household = Household(house(seed))
    problems = [to_strips(compile_task(household, variant)) for variant in classes(household.task.goal)]
    assert [ask_its_search(household, problem)[0] for problem in problems] == ["solved", "unsolvable"]


APART: Sequence[Binding] = [
    RoomRestriction(restricted_rooms=("hall_1",), for_agents=("agent_1",)),
    RoomRestriction(restricted_rooms=("kitchen_1",), for_agents=("agent_0",)),
]


@pytest.mark.parametrize(("messages", "facts", "status"), [(1, 1, "unsolvable"), (1, 2, "solved"), (2, 1, "solved")])
def test_two_facts_take_two_short_messages_or_one_of_two_facts(messages: int, facts: int, status: str) -> None:
    limits = LimitedBandwidth(message_limits={"agent_0": messages, "agent_1": 0})
    goal = [f"(K agent_1 (is_on_top {thing} table_1))" for thing in ("cup_1", "book_1")]
    task = small_task(goal, [*APART, ShortMessages(most_facts=facts), limits])
    assert check_plan(compile_task(Household(task), Variant(task.goal))) == status


def test_a_door_is_closed_before_somebody_comes_who_must_not_see() -> None:
    task = small_task(["(agent_in_room agent_1 hall_1)", "(is_inside cup_1 cabinet_1)"], opened=["cabinet_1"])
    inside = Proposition(Is.INSIDE, ("cup_1", "cabinet_1"))
    kept = Household(replace(task, hidden=(Claim(("agent_1",), inside),)))
    problem = compile_task(kept, Variant(task.goal))
    assert check_plan(problem) == "solved"
    commands = [str(action.command) for action in solve(problem).actions]
    assert commands.index("Close[cabinet_1]") < commands.index("Navigate[hall_1]")
    assert solve(compile_task(kept, Variant((*task.goal, Claim(("agent_1",), inside))))).status == "unsolvable"


def test_what_must_never_be_known_and_is_known_at_first_leaves_no_plan() -> None:
    task = small_task(["(is_open cabinet_1)"])
    seen = Claim(("agent_0",), Proposition(Is.ON_TOP, ("cup_1", "table_1")))
    problem = compile_task(Household(replace(task, hidden=(seen,))), Variant(task.goal))
    assert solve(problem).status == "unsolvable"


def test_the_planner_proves_of_hard_tasks_with_secrets_that_broadcasters_fail() -> None:
    proved = set()
    for name, path in list(hard_task_files().items())[::5]:
        task = load_task(path)
        anybody, broadcasters = relaxed_answers(task, lambda problem: solve(problem).status)
        assert anybody == "solved", name
        if broadcasters == "unsolvable":
            proved.add(name.removeprefix("enacttom_hard_").rsplit("_", 2)[0])
    assert proved == {"k1_errand", "k1_relay", "k1_watch", "k2_bystander", "k3_bystander"}


def test_plans_of_hard_tasks_work_in_the_runtime_if_characters_do_as_planned() -> None:
    for path in list(hard_task_files().values())[::30]:
        task = load_task(path)
        assert check_plan(compile_task(Household(task), classes(task.goal)[0])) == "solved"
