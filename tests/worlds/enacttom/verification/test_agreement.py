"""The runtime, the compiled problem, the planners and a brute-force reference say the same of random tasks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hm_agent.worlds.enacttom.house.commands import EVERYONE, IDLE, HouseCommand, Verb, communicate
from hm_agent.worlds.enacttom.house.household import Household, bits
from hm_agent.worlds.enacttom.house.runtime import HouseRuntime, OutcomeKind
from hm_agent.worlds.enacttom.house.views import ViewMaker
from hm_agent.worlds.enacttom.scenarios import task_files
from hm_agent.worlds.enacttom.tasks.propositions import Claim
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.tasks.task_files import load_task
from hm_agent.worlds.enacttom.verification.compiler import compile_task, without_irrelevant
from hm_agent.worlds.enacttom.verification.fast_downward import ask_fast_downward
from hm_agent.worlds.enacttom.verification.planner import solve
from hm_agent.worlds.enacttom.verification.planning_problem import Variant
from hm_agent.worlds.enacttom.verification.plans import PlanStep, in_turns, reaches, replay, steps_of, strips_plan
from hm_agent.worlds.enacttom.verification.strips import StripsAction, StripsProblem, to_strips
from hm_agent.worlds.enacttom.verification.verifier import variants, verify
from tests.support.enacttom.brute_force import BruteForce
from tests.support.enacttom.fast_downward_search import ask_its_search, groups_of, holds_once
from tests.support.enacttom.random_tasks import TaskSize, random_task

TINY = TaskSize(agents=2, rooms=2, furniture=3, objects=1, depth=2)
TALKATIVE = TaskSize(agents=3, rooms=2, furniture=2, objects=1, goals=1, depth=3)
MOST_STATES = 700
LARGE = TaskSize(agents=4, rooms=5, furniture=13, objects=9, goals=4, depth=4)


class Walk:
    """Random play in the runtime, and the same in the STRIPS problem, action by action."""

    def __init__(self, task: HouseholdTask, rng: Random) -> None:
        self.household, self.rng = Household(task), rng
        self.runtime, self.views = HouseRuntime(self.household), ViewMaker(self.household)
        variant = Variant(task.goal, is_knowing=False)
        self.strips = to_strips(compile_task(self.household, variant))
        self.groups = groups_of(self.household, self.strips)
        self.sights = [one for one in self.strips.actions if one.name.startswith("see_")]
        self.plan: list[StripsAction] = []
        self.state = self._looked(self.strips.start)

    def turn(self, acting: Sequence[int]) -> None:
        """Agents of these numbers act at random, all others wait; the STRIPS problem follows one by one."""
        agents, before = self.household.agents, self.runtime.state
        commands = [self._command(agent) if agent in acting else IDLE for agent in range(len(agents))]
        order = [(self.runtime.turn + place) % len(agents) for place in range(len(agents))]
        self.runtime.step(commands)
        done = [
            agent for agent in order if self._succeeded(agent) and commands[agent].verb not in (Verb.WAIT, Verb.FIND)
        ]
        for agent in sorted(done, key=lambda one: commands[one].verb == Verb.COMMUNICATE):
            if commands[agent].verb == Verb.COMMUNICATE:
                self._speak(agent, commands[agent], before)
            else:
                self._follow(agent, commands[agent])
        self.state = self._looked(self.state)
        assert all((self.state & group).bit_count() == 1 for group in self.groups)

    def _succeeded(self, agent: int) -> bool:
        outcome = self.runtime.outcomes[agent]
        return outcome is not None and outcome.kind is OutcomeKind.DONE

    def _command(self, agent: int) -> HouseCommand:
        view = self.views.view(self.runtime, agent)
        if view.messages_left and view.briefing.targets and self.rng.random() < 0.3:
            sayable = self.household.sayable
            said = self.rng.sample(sayable, self.rng.randint(1, len(sayable))) if sayable else []
            return communicate("News.", [EVERYONE], said)
        return self.rng.choice(view.commands())

    def _follow(self, agent: int, command: HouseCommand) -> None:
        (one,) = [
            one
            for one in self.strips.actions
            if one.step and not one.step.group and (one.step.agent, one.step.command.verb) == (agent, command.verb)
            and self._same(one.step.command, command) and one.needs & ~self.state == 0
        ]  # fmt: skip
        self._do(one)

    def _same(self, planned: HouseCommand, played: HouseCommand) -> bool:
        rooms = self.household.plan.furniture
        return planned.arguments == tuple(
            rooms.get(name, name) if played.verb == "Navigate" else name for name in played.arguments
        )

    def _speak(self, agent: int, command: HouseCommand, before: int) -> None:
        name = self.household.agents[agent]
        (speak,) = [
            one for one in self.strips.actions
            if one.step and one.step.group and one.step.agent == agent and one.needs & ~self.state == 0
        ]  # fmt: skip
        self._do(speak)
        for one in self.strips.actions:
            told = one.name.startswith(f"tell_{name}-") and one.said in command.claims
            if told and one.needs & ~self.state == 0 and self.household.known_bit(agent, one.said or NOTHING) & before:
                self._do(one)
        self._do(self.strips.by_name[f"hush_{name}"])

    def _do(self, one: StripsAction) -> None:
        self.plan.append(one)
        self.state = self.state & ~one.deletes | one.adds

    def _looked(self, state: int) -> int:
        for one in self.sights:
            if one.needs & ~state == 0:
                state |= one.adds
        return state


NOTHING = Claim((), random_task(0).physical_goal[0])


def test_random_play_passes_through_the_same_states_in_runtime_and_strips() -> None:
    for seed, together in product(range(24), (False, True)):
        rng = Random(seed)
        walk = Walk(random_task(seed, TaskSize(agents=4, goals=3, depth=4)), rng)
        agents, mask = range(len(walk.household.agents)), walk.household.all_bits
        assert walk.state & mask == walk.runtime.state, (seed, together)
        for _ in range(25):
            walk.turn(list(agents) if together else [rng.choice(agents)])
            assert walk.state & mask == walk.runtime.state, (seed, together)
            left = [walk.runtime.messages_left[agent] for agent in agents]
            for agent, counted in zip(agents, tokens(walk.strips, walk.household), strict=True):
                assert not counted or walk.state & counted[left[agent]], (seed, together)


def tokens(strips: StripsProblem, household: Household) -> list[list[int]]:
    """For each agent, the bit of each number of messages left; none for an agent without a limit."""
    found = []
    for agent in household.agents:
        names = [f"messages_left-{agent}-{count}" for count in range(21)]
        found.append([1 << strips.atoms.index(name) for name in names if name in strips.atoms])
    return found


def check_plan(task: HouseholdTask) -> str:
    """Solves a task and follows its plan as steps, in STRIPS and in turns of the runtime; returns the status."""
    household = Household(task)
    problem = compile_task(household, Variant(task.goal))
    result = solve(problem)
    if result.status == "solved":
        steps, strips = steps_of(problem, result.actions), to_strips(problem)
        assert reaches(problem, steps)
        assert problem.goal & ~strips.after(strips_plan(problem, strips, steps)) == 0
        state = replay(problem, in_turns(problem, steps))
        for one in task.goal:
            assert state & household.goal_mask([one])
    return result.status


@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.integers(0, 10**6))
def test_every_plan_reaches_its_goal_step_by_step_in_strips_and_in_turns(seed: int) -> None:
    check_plan(random_task(seed, LARGE))


@pytest.mark.parametrize("size", [TINY, TALKATIVE], ids=["tiny", "talkative"])
def test_the_planner_agrees_with_a_search_of_all_epistemic_states(size: TaskSize) -> None:
    found = []
    for seed in range(40 if size is TINY else 20):
        task = random_task(seed, size)
        decided = BruteForce(task).is_solvable(MOST_STATES)
        if decided is not None:
            assert check_plan(task) == ("solved" if decided else "unsolvable"), seed
            found.append(decided)
    assert found.count(True) >= 10
    assert found.count(False) >= (5 if size is TINY else 1)


def test_leaving_out_what_is_irrelevant_changes_no_answer() -> None:
    for seed in range(24):
        task = random_task(seed, TaskSize(agents=2, rooms=3, furniture=4, objects=2, depth=2))
        problem = compile_task(Household(task), Variant(task.goal))
        slim = without_irrelevant(problem)
        assert len(slim.actions) < len(problem.actions), seed
        assert solve(slim).status == solve(problem).status, seed


def steps_of_strips(plan: Iterable[StripsAction]) -> tuple[PlanStep, ...]:
    """The steps of another planner's plan; what is seen is left out."""
    found: list[PlanStep] = []
    for one in plan:
        if one.step:
            found.append(PlanStep(one.step, one.step.group))
        elif one.said:
            found[-1] = replace(found[-1], said=(*found[-1].said, one.said))
    return tuple(found)


@pytest.mark.parametrize("seed", range(2))
def test_fast_downward_agrees_and_its_plans_work_in_the_household(seed: int) -> None:
    task = random_task(seed, TaskSize(depth=4))
    household = Household(task)
    for variant in (Variant(task.goal), Variant(task.goal, is_silent=True)):
        problem = compile_task(household, variant)
        strips = to_strips(problem)
        status, plan = ask_fast_downward(strips)
        assert status == solve(problem).status
        if status == "solved":
            steps = steps_of_strips(plan)
            assert problem.goal & ~replay(problem, in_turns(problem, steps)) & household.all_bits == 0


@pytest.mark.parametrize("seed", range(100, 110))
def test_fast_downwards_search_agrees_on_every_question(seed: int) -> None:
    task = random_task(seed, TaskSize(depth=4))
    household = Household(task)
    for variant in variants(task).values():
        problem = compile_task(household, variant)
        strips = to_strips(problem)
        status, plan = ask_its_search(household, strips)
        assert status == solve(problem).status
        if status == "solved":
            assert problem.goal & ~strips.after(plan) == 0
            assert reaches(problem, steps_of_strips(plan))


def test_places_and_states_are_groups_of_which_one_holds_but_not_where_a_mirror_sets_several() -> None:
    household = Household(load_task(task_files()["enacttom_appendix_e"]))
    strips = to_strips(compile_task(household, Variant(())))
    groups = [{strips.atoms[number] for number in bits(group)} for group in groups_of(household, strips)]
    assert {"is_open-cabinet_34", "is_closed-cabinet_34"} in groups
    (places,) = [group for group in groups if "is_inside-bowl_1-cabinet_34" in group]
    assert places > {"is_on_floor-bowl_1", "is_held_by-bowl_1-agent_0", "is_on_top-bowl_1-table_22"}
    setting = StripsAction("set", 0, adds=0b01, deletes=0b10)  # whatever it was before
    assert holds_once(0b11, 0b01, [])
    assert not holds_once(0b11, 0b11, [])
    assert not holds_once(0b11, 0b01, [setting])
    assert holds_once(0b11, 0b01, [replace(setting, needs=0b10)])


def test_fast_downward_refutes_that_one_thing_ends_in_two_places_of_whole_households() -> None:
    task = load_task(task_files()["enacttom_mixed_k1_008"])
    household = Household(task)
    problem = compile_task(household, variants(task)["private"])
    assert solve(problem).status == "unsolvable"
    assert ask_its_search(household, to_strips(problem)) == ("unsolvable", ())


def test_a_planner_that_is_too_slow_is_stopped_and_says_nothing() -> None:
    task = random_task(0, LARGE)
    strips = to_strips(compile_task(Household(task), Variant(task.goal)))
    assert ask_fast_downward(strips, seconds=0.01) == ("unknown", ())
    assert solve(compile_task(Household(task), Variant(task.goal)), most_nodes=0).status == "unknown"


def test_certificates_are_the_same_each_time() -> None:
    for seed in range(5):
        first, second = (verify(random_task(seed)).certificate for _ in range(2))
        assert first == second
