"""The paper's worked examples, and two classics of epistemic planning: Grapevine and Selective Communication."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from resource import RLIMIT_CPU, prlimit

import pytest

from hm_agent.config import ConfigError
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.tasks.mechanics import (
    Binding,
    LimitedBandwidth,
    RestrictedCommunication,
    RoomRestriction,
)
from hm_agent.worlds.enacttom.tasks.pddl_writing import write_house
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Proposition, normalised_claim
from hm_agent.worlds.enacttom.tasks.task import AgentSpawn, HouseholdTask, TaskFile
from hm_agent.worlds.enacttom.tasks.task_checks import check_task
from hm_agent.worlds.enacttom.verification.compiler import compile_task
from hm_agent.worlds.enacttom.verification.fast_downward import ask_fast_downward
from hm_agent.worlds.enacttom.verification.planner import solve
from hm_agent.worlds.enacttom.verification.planning_problem import PlanningProblem, Variant
from hm_agent.worlds.enacttom.verification.plans import in_turns, replay, steps_of, strips_plan
from hm_agent.worlds.enacttom.verification.strips import to_strips
from hm_agent.worlds.enacttom.verification.verifier import verify

AGENTS = ("agent_0", "agent_1", "agent_2", "agent_3")
LINE = {
    "agent_0": ("agent_1",),
    "agent_1": ("agent_0", "agent_2"),
    "agent_2": ("agent_1", "agent_3"),
    "agent_3": ("agent_2",),
}
BOX = Proposition("is_on_top", ("box_1", "cabinet_1"))


def house(
    spawns: Mapping[str, str],
    furniture: Mapping[str, str],
    state: Iterable[Proposition],
    goal: Sequence[Claim],
    bindings: Sequence[Binding],
    objects: Sequence[str] = (),
) -> HouseholdTask:
    """A task in which all goals are public. spawns, furniture: rooms by name."""
    rooms = dict.fromkeys([*spawns.values(), *furniture.values()])
    file = TaskFile(
        task_id="example",
        title="An example",
        category="cooperative",
        task="Prepare the house.",
        agent_spawns={agent: AgentSpawn(room=room) for agent, room in spawns.items()},
        active_mechanics=tuple(dict.fromkeys(one.mechanic_type for one in bindings)),
        mechanic_bindings=tuple(bindings),
        problem_pddl=write_house(
            "example", spawns=spawns, rooms=rooms, furniture=furniture, objects=objects, state=state, goal=goal
        ),
        k_depth=max(one.depth for one in goal),
    )
    return check_task(file)


def problem_of(task: HouseholdTask) -> PlanningProblem:
    return compile_task(Household(task), Variant(task.goal))


def barred(agent: str, *rooms: str) -> RoomRestriction:
    return RoomRestriction(restricted_rooms=rooms, for_agents=(agent,))


def played(problem: PlanningProblem) -> tuple[int, int]:
    """Solves, validates the plan in STRIPS, plays it in turns; returns the last state and the messages sent."""
    result = solve(problem)
    assert result.status == "solved"
    steps, strips = steps_of(problem, result.actions), to_strips(problem)
    assert problem.goal & ~strips.after(strips_plan(problem, strips, steps)) == 0
    state = replay(problem, in_turns(problem, steps))
    assert problem.goal & ~state & problem.household.all_bits == 0
    return state, sum(bool(step.group) for step in steps)


# Appendix E


def appendix_e(*bindings: Binding, messages: int = 2) -> HouseholdTask:
    bowl = Proposition("is_on_top", ("bowl_1", "table_22"))
    cabinet = Proposition("is_open", ("cabinet_34",))
    return house(
        {"agent_0": "hall_1", "agent_1": "kitchen_1"},
        {"table_22": "kitchen_1", "counter_3": "kitchen_1", "cabinet_34": "hall_1"},
        [Proposition("is_on_top", ("bowl_1", "counter_3")), Proposition("is_closed", ("cabinet_34",))],
        [Claim((), bowl), Claim(("agent_0", "agent_1"), bowl), Claim((), cabinet)],
        [LimitedBandwidth(message_limits={"agent_1": messages}), *bindings],
        ["bowl_1"],
    )


def test_appendix_e_compiles_to_the_layers_and_tokens_of_the_paper() -> None:
    strips = to_strips(problem_of(appendix_e()))
    atoms = set(strips.atoms)
    assert {"k-agent_1-is_on_top-bowl_1-table_22", "k-agent_0-k-agent_1-is_on_top-bowl_1-table_22"} <= atoms
    assert {"messages_left-agent_1-0", "messages_left-agent_1-1", "messages_left-agent_1-2"} <= atoms
    assert "(messages_left-agent_1-2)" in strips.problem_pddl
    for word in ("not (", "when", "forall", ":conditional"):
        assert word not in "\n".join(line for line in strips.domain_pddl.splitlines() if "precondition" in line)
    assert "(when" not in strips.domain_pddl


def test_appendix_e_is_solved_with_one_message_where_the_paper_spends_two() -> None:
    task = appendix_e(barred("agent_0", "kitchen_1"))
    assert played(problem_of(task))[1] == 1
    assert verify(task).certificate.status == "solved"
    assert solve(problem_of(appendix_e(barred("agent_0", "kitchen_1"), messages=0))).status == "unsolvable"


def test_appendix_e_is_inflated_as_long_as_agent_0_may_enter_the_kitchen() -> None:
    free = verify(appendix_e())
    assert [one for one in free.faults if one.startswith("its K depth 2 is inflated")]
    closed = verify(appendix_e(barred("agent_0", "kitchen_1"), barred("agent_1", "hall_1")))
    assert not [one for one in closed.faults if "inflated" in one]


# Appendix D.1


def appendix_d1(knowers: Sequence[str], messages: Mapping[str, int]) -> HouseholdTask:
    """The silent inspection: a line of four, the box in the kitchen, which agent_1 alone can enter (table 5)."""
    cabinet, wardrobe = Proposition("is_open", ("cabinet_1",)), Proposition("is_closed", ("wardrobe_2",))
    return house(
        {"agent_0": "bedroom_1", "agent_1": "kitchen_1", "agent_2": "living_room_1", "agent_3": "bathroom_1"},
        {
            "cabinet_1": "kitchen_1",
            "counter_4": "kitchen_1",
            "wardrobe_2": "bedroom_1",
            "shelf_3": "bathroom_1",
            "bench_5": "entryway_1",
        },
        [
            Proposition("is_closed", ("cabinet_1",)),
            Proposition("is_open", ("wardrobe_2",)),
            Proposition("is_on_top", ("box_1", "counter_4")),
            Proposition("is_on_top", ("towel_2", "bench_5")),
        ],
        [
            Claim((), cabinet),
            Claim((), wardrobe),
            Claim((), BOX),
            Claim((), Proposition("is_on_top", ("towel_2", "shelf_3"))),
            normalised_claim(knowers, BOX),
        ],
        [
            LimitedBandwidth(message_limits=messages),
            RestrictedCommunication(allowed_targets=LINE),
            barred("agent_0", "kitchen_1"),
            barred("agent_1", "entryway_1", "bedroom_1", "living_room_1"),
            barred("agent_2", "entryway_1", "bathroom_1", "kitchen_1"),
            barred("agent_3", "kitchen_1"),
        ],
        ["box_1", "towel_2"],
    )


ONE_EACH = dict.fromkeys(AGENTS, 1)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_ends_of_the_chain_of_appendix_d1_hold_with_one_message_each(depth: int) -> None:
    assert played(problem_of(appendix_d1(AGENTS[-depth:], ONE_EACH)))[1] == 2


def test_the_whole_chain_of_appendix_d1_needs_a_second_message_of_agent_1() -> None:
    """As printed it rests on what agent_0 infers; told knowledge needs agent_1 to speak after agent_2 did."""
    assert solve(problem_of(appendix_d1(AGENTS, ONE_EACH))).status == "unsolvable"
    assert played(problem_of(appendix_d1(AGENTS, ONE_EACH | {"agent_1": 2})))[1] == 3
    for other in ("agent_0", "agent_2", "agent_3"):
        assert solve(problem_of(appendix_d1(AGENTS, ONE_EACH | {other: 2}))).status == "unsolvable"


def test_a_planner_that_is_killed_says_nothing_and_leaves_no_process() -> None:
    """Fast Downward is long at the chain as printed; its driver is killed as soon as it has started another program."""
    strips, before = to_strips(problem_of(appendix_d1(AGENTS, ONE_EACH))), set(descendants())
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(ask_fast_downward, strips, seconds=60)
        while len(started := [one for one in descendants() if one not in before]) < 2:
            assert not answer.done()
            time.sleep(0.01)
        assert {prlimit(one, RLIMIT_CPU) for one in started} == {(61, 61)}, "it would go on if this process were killed"
        os.kill(started[0], signal.SIGKILL)
        assert answer.result() == ("unknown", ())
    while any(map(is_running, started)):
        time.sleep(0.01)


def is_running(process: int) -> bool:
    """False once it is gone, or over and only not yet waited for."""
    with suppress(OSError):
        return bool(Path(f"/proc/{process}/cmdline").read_bytes())
    return False


def descendants() -> list[int]:
    """The processes that this one started, and those that they did, parents first."""
    found, waiting = list[int](), [os.getpid()]
    while waiting:
        for task in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            with suppress(OSError):  # it is gone
                waiting += [int(one) for one in task.read_text().split()]
        found += [one for one in waiting if one not in found]
    return found


def test_a_planner_that_is_missing_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "up_fast_downward", None)
    strips = to_strips(problem_of(appendix_e()))
    with pytest.raises(ConfigError, match=r"Fast Downward is not installed: pip install 'hm_agent\[planners\]'"):
        ask_fast_downward(strips)


# Grapevine: everyone has a secret of its own; gossip spreads it


SECRETS = [Proposition("is_open" if place % 2 else "is_closed", (f"cabinet_{place}",)) for place in range(4)]


def grapevine(goal: Sequence[Claim], *bindings: Binding) -> HouseholdTask:
    """Four agents, each alone with a cabinet that no other can see."""
    others = [
        barred(agent, *(f"room_{other}" for other in range(4) if other != place)) for place, agent in enumerate(AGENTS)
    ]
    return house(
        {agent: f"room_{place}" for place, agent in enumerate(AGENTS)},
        {f"cabinet_{place}": f"room_{place}" for place in range(4)},
        SECRETS,
        goal,
        [*others, *bindings],
    )


def test_grapevine_spreads_every_secret_to_everyone_along_a_line() -> None:
    goal = [normalised_claim((agent,), secret) for agent in AGENTS for secret in SECRETS]
    problem = problem_of(grapevine(goal, RestrictedCommunication(allowed_targets=LINE)))
    assert played(problem)[1] > len(AGENTS)
    limited = LimitedBandwidth(message_limits=dict.fromkeys(AGENTS, 1))
    assert (
        solve(problem_of(grapevine(goal, RestrictedCommunication(allowed_targets=LINE), limited))).status
        == "unsolvable"
    )
    assert played(problem_of(grapevine(goal, limited)))[1] == 4


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_grapevine_reaches_every_depth(depth: int) -> None:
    knowers = [*AGENTS[1:], AGENTS[0]][-depth:] if depth < 4 else list(AGENTS)
    goal = [
        normalised_claim(knowers, SECRETS[3] if depth == 4 else SECRETS[0]),
        normalised_claim(("agent_1", "agent_0"), SECRETS[2]),
    ]
    problem = problem_of(grapevine(goal, RestrictedCommunication(allowed_targets=LINE)))
    state, messages = played(problem)
    assert messages >= 1
    assert solve(compile_task(problem.household, Variant(problem.variant.goal, is_silent=True))).status == "unsolvable"
    assert state & problem.household.goal_mask(goal) == problem.household.goal_mask(goal)


# Selective Communication: tell one, and leave the other ignorant


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_selective_communication_tells_those_alone_whom_the_goal_names(depth: int) -> None:
    """agent_0 has to look first what is so in the corridor; agent_1 is to know, and agent_2 is not told."""
    secret = Proposition("is_open", ("cabinet_1",))
    knowers = [("agent_1", "agent_0")[place % 2] for place in range(depth)][::-1]
    task = house(
        {"agent_0": "room_0", "agent_1": "room_2", "agent_2": "room_3"},
        {"cabinet_1": "room_1", "bench_2": "room_2"},
        [secret],
        [normalised_claim(knowers, secret), Claim(("agent_1",), secret)],
        [barred("agent_1", "room_0", "room_1"), barred("agent_2", "room_0", "room_1")],
    )
    problem = problem_of(task)
    state, messages = played(problem)
    assert messages == 1
    assert not state & problem.household.bits[Claim(("agent_2",), secret)]
