"""The search with characters: against brute force, and against the STRIPS verifier where there are no characters."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pytest

from hm_agent.worlds.enacttom.house.commands import IDLE, HouseCommand, Verb, tell
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.house.runtime import HouseRuntime
from hm_agent.worlds.enacttom.house.views import ViewMaker
from hm_agent.worlds.enacttom.tasks.characters import CharacterRule
from hm_agent.worlds.enacttom.tasks.propositions import Claim
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.verification.character_search import (
    CharacterSearch,
    Filter,
    Position,
    everything,
    to_all,
    without_messages,
)
from hm_agent.worlds.enacttom.verification.compiler import compile_task
from hm_agent.worlds.enacttom.verification.planner import solve
from hm_agent.worlds.enacttom.verification.planning_problem import Variant
from tests.support.enacttom.hard_house import CUP, GOAL, hard_task
from tests.support.enacttom.small_house import small_task

MISLED = CharacterRule(kind="helper", wants=(GOAL,), believes=("(is_inside cup_1 cabinet_2)",))
KEPT = (GOAL, f"(not (K agent_2 {CUP}))")


def wary(*unless: str) -> CharacterRule:
    return CharacterRule(kind="rival", wants=("(is_held_by cup_1 agent_2)",), unless=unless)


def houses() -> Iterator[tuple[str, HouseholdTask]]:
    mates = {"agent_1": MISLED, "agent_2": wary()}
    for turns in (5, 6, 7):
        yield f"rival, {turns} turns", hard_task(mates, turns=turns)
    yield "something to handle", hard_task(mates, turns=5, spare_room="hall_1")
    yield "kept", hard_task({"agent_1": MISLED, "agent_2": CharacterRule(kind="helper")}, goal=KEPT, turns=6)
    yield "not kept", hard_task({"agent_1": MISLED, "agent_2": CharacterRule(kind="helper")}, turns=6)
    for unless in (("agent_1",), ("agent_1", "agent_2")):
        yield f"wary {unless}", hard_task(mates | {"agent_2": wary(*unless)}, known={"agent_2": [CUP]}, turns=6)
    mistaken = wary().model_copy(update={"believes": MISLED.believes})
    yield "opened in error", hard_task({"agent_1": MISLED, "agent_2": mistaken}, goal=("(is_open cabinet_2)",), turns=4)
    gossip = CharacterRule(kind="gossip", tells=("agent_2",))
    yield "gossip", hard_task({"agent_1": gossip, "agent_2": CharacterRule(kind="helper", wants=(GOAL,))}, turns=7)


def can_win(position: Position, agent: int, allowed: Filter) -> bool:
    """Tries every sequence of commands, without remembering any state."""
    if position.is_over:
        return position.is_won
    return any(
        can_win(position.after(agent, command), agent, allowed) for command in commands(position, agent, allowed)
    )


def commands(position: Position, agent: int, allowed: Filter) -> Iterator[HouseCommand]:
    """Every command as the agent sees it; messages with every claim that can matter, true or not known to it."""
    runtime = position.runtime
    view = ViewMaker(runtime.household).view(runtime, agent)
    yield from view.commands()
    targets = view.briefing.targets
    for count in range(1, len(targets) + 1 if view.messages_left else 0):
        for addressees in combinations(targets, count):
            for claim in runtime.household.sayable:
                if allowed(command := tell([claim], addressees), targets, True):
                    yield command


@pytest.mark.parametrize(("name", "task"), list(houses()), ids=lambda value: value if isinstance(value, str) else "")
def test_the_search_agrees_with_brute_force_for_every_class_of_policies(name: str, task: HouseholdTask) -> None:
    household = Household(task)
    for allowed in (everything, to_all, without_messages):
        start = Position(HouseRuntime(household))
        plan = CharacterSearch(household, 0, allowed).plan(start)
        assert (plan is not None) == can_win(start, 0, allowed), (name, allowed)
        for command in plan or ():
            assert allowed(command, household.mechanics.targets("agent_0"), True)
            start = start.after(0, command)
        while plan is not None and not start.is_over:
            start = start.after(0, IDLE)
        assert plan is None or start.is_won
        if plan is not None and allowed is not without_messages:
            relaxed = Variant(task.goal, is_knowing=False, is_relaxed=True, is_broadcast=allowed is to_all)
            assert solve(compile_task(household, relaxed)).status == "solved", (name, allowed)


def test_the_houses_of_that_test_have_plans_of_every_kind_and_none() -> None:
    answers = {
        tuple(CharacterSearch(Household(task), 0, allowed).plan(Position(HouseRuntime(Household(task)))) is not None
              for allowed in (everything, to_all, without_messages))
        for _, task in houses()
    }  # fmt: skip
    assert {(True, False, False), (True, True, False), (False, False, False)} <= answers


@pytest.mark.parametrize("goal", ["(is_open cabinet_1)", "(is_on_top cup_1 counter_2)", "(is_inside cup_1 cabinet_2)"])
def test_without_characters_the_search_agrees_with_the_planner(goal: str) -> None:
    task = small_task([goal])
    task = task.__class__(**{**vars(task), "file": task.file.model_copy(update={"max_turns": 6, "max_messages": 0})})
    household = Household(task)
    idle = Variant((Claim((), task.physical_goal[0]),), is_knowing=False, is_public=True, idle=frozenset(["agent_1"]))
    planned = solve(compile_task(household, idle))
    found = CharacterSearch(household, 0).plan(Position(HouseRuntime(household)))
    assert (found is not None) == (planned.status == "solved")
    assert found is not None
    assert sum(command.verb != Verb.WAIT for command in found) <= len(planned.actions)


def test_of_plans_as_good_the_search_takes_the_one_with_the_fewest_messages_and_addressees() -> None:
    task = hard_task({"agent_1": MISLED, "agent_2": CharacterRule(kind="helper")}, messages=2, turns=7)
    plan = CharacterSearch(Household(task), 0).plan(Position(HouseRuntime(Household(task))))
    assert [str(command) for command in plan or ()] == ['Communicate["cup_1 is inside cabinet_1.", agent_1]']
