"""The household as a world, as an environment, and as scenarios that agents play."""

from __future__ import annotations

import asyncio
import pickle
import warnings
from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

import pytest
from pettingzoo.env_registry import registration

from hm_agent.catalogue.casting import check_agent
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.core import Turn
from hm_agent.envs import parallel_env
from hm_agent.episode import run_episode
from hm_agent.recording.trace import to_json
from hm_agent.worlds.enacttom.agents import PlannerHouseAgent, RandomHouseAgent
from hm_agent.worlds.enacttom.house.commands import tell
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.worlds.enacttom.scenarios import hard_task_files, task_files
from hm_agent.worlds.enacttom.suite import SUITE
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Proposition
from hm_agent.worlds.enacttom.tasks.task_files import load_task
from hm_agent.worlds.enacttom.world import FUNCTIONAL_SUCCESS, EnacttomWorld
from tests.support.enacttom.shipped_tasks import few_task_files

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # raised by what its tests import
    from pettingzoo.test import parallel_api_test, parallel_seed_test

NAMES = sorted(few_task_files())


def world_of(name: str) -> EnacttomWorld:
    return EnacttomWorld(load_task(task_files()[name]))


@pytest.mark.parametrize("name", NAMES)
def test_planners_reach_the_goal_and_use_no_more_than_the_budget(name: str) -> None:
    world = world_of(name)
    agents: dict[str, Any] = {seat: PlannerHouseAgent(world, seat) for seat in world.seats}
    asyncio.run(run_episode(world, agents, seed=0))
    found = world.metrics()
    assert found[FUNCTIONAL_SUCCESS] == found["known_share"] == 1.0
    certificate = world.task.file.certificate
    assert certificate
    assert found["messages"] == certificate.messages


def test_a_planner_plans_anew_when_others_do_something_else() -> None:
    world = world_of("enacttom_one_window")
    agents: dict[str, Any] = {"agent_0": PlannerHouseAgent(world, "agent_0"), "agent_1": RandomHouseAgent(3)}
    asyncio.run(run_episode(world, agents, seed=0))
    assert world.household.task.goal[0].proposition in (world.scene() or pytest.fail("no scene")).after


def record(world: EnacttomWorld, seed: int) -> list[Turn[HouseView]]:
    rng = Random(seed)
    turns = [world.reset(seed)]
    while not turns[-1].is_over:
        views = {seat: one.view for seat, one in turns[-1].observations.items()}
        turns.append(world.step({seat: rng.choice(view.commands()) for seat, view in views.items()}))
    return turns


def test_one_seed_is_one_episode_in_a_new_world_and_in_a_used_one() -> None:
    world = world_of("enacttom_relay_of_three")
    first = record(world, 1)
    assert record(world, 1) == first
    assert record(world_of("enacttom_relay_of_three"), 1) == first
    assert [view.view.text for turn in first for view in turn.observations.values()] == [
        view.view.text for turn in record(world, 1) for view in turn.observations.values()
    ]


@pytest.mark.parametrize("name", NAMES)
def test_passes_pettingzoos_own_tests(name: str) -> None:
    parallel_api_test(parallel_env(name), num_cycles=60)
    parallel_seed_test(lambda: parallel_env(name), num_cycles=60)


def test_is_in_pettingzoos_registry() -> None:
    env = registration.make("parallel", "hm_agent/EnactToM-v0", scenario="enacttom_relay_of_three")
    assert len(env.reset(seed=0)[0]) == 3


@pytest.mark.parametrize("again", [deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_of_an_environment_goes_on_by_itself_as_the_first_one_does(again: Callable[[Any], Any]) -> None:
    for name in (NAMES[0], next(iter(hard_task_files()))):
        first = parallel_env(name, render_mode="ansi")
        played = [first.reset(seed=0)]
        second = again(first)
        for env in (second, first):
            infos, rng = played[0][1], Random(3)
            while env.agents:
                played.append(env.step({seat: rng.choice(infos[seat]["commands"]) for seat in env.agents}))
                infos = played[-1][-1]
        half = len(played) // 2
        assert half > 1
        assert played[1 : half + 1] == played[half + 1 :]


def test_the_environment_is_the_world_in_text() -> None:
    env, world = parallel_env("enacttom_appendix_e", render_mode="ansi"), world_of("enacttom_appendix_e")
    observations, infos = env.reset(seed=0)
    turn = world.reset(0)
    plan = (world.task.file.certificate or pytest.fail("no certificate")).plan
    for joint in plan:
        assert observations == {seat: one.view.text for seat, one in turn.observations.items()}
        assert all(env.observation_space(agent).contains(text) for agent, text in observations.items())
        assert infos["agent_0"]["commands"][0] == "Wait[]"
        actions = {agent: joint.get(agent, "Wait[]") for agent in env.agents}
        observations, _, ended, cut, infos = env.step(actions)
        turn = world.step(actions)
        assert (any(ended.values()), any(cut.values())) == (False, False)
    assert "agent_1" in (env.render() or "")
    env.step(dict.fromkeys(env.possible_agents, "Wait[]"))
    _, rewards, ended, cut, _ = env.step(dict.fromkeys(env.possible_agents, "Wait[]"))
    assert rewards == {"agent_0": 1.0, "agent_1": 1.0}
    assert (all(ended.values()), any(cut.values()), env.agents) == (True, False, [])


def test_every_task_is_a_scenario_with_its_agents_as_seats() -> None:
    found = find_scenarios(["enacttom_*"])
    assert [scenario.name for scenario in found] == list(task_files())
    assert {scenario.name for scenario in SUITE.scenarios} == {*task_files(), *hard_task_files()}
    for scenario in found:
        assert scenario.seats == load_task(task_files()[scenario.name]).agents
        for agent in ("random", "planner"):
            check_agent(agent, scenario, "builtin")


def test_a_scenario_says_of_its_task_what_neither_its_name_nor_its_group_says() -> None:
    about = {scenario.name.removeprefix("enacttom_"): scenario.about for scenario in SUITE.scenarios}
    assert about["cooperative_k2_007"] == (
        "Ready for winter: relay depth 2, 4 agents, 6 rooms, limited bandwidth, restricted communication, inverse state"
    )
    assert about["relay_of_three"] == (
        "The pantry at the end of the line: relay depth 2, 3 agents, 3 rooms, "
        "limited bandwidth, restricted communication"
    )
    for name, path in task_files().items():
        task, said = load_task(path), about[name.removeprefix("enacttom_")]
        assert f"{len(task.agents)} agents, {len(task.plan.rooms)} rooms" in said
        assert task.file.certificate
        assert f"relay depth {task.file.certificate.relay_depth}, " in said


def test_the_scene_tells_what_messages_taught() -> None:
    world = world_of("enacttom_relay_of_three")
    world.reset(0)
    assert world.scene() is None
    agents = {seat: PlannerHouseAgent(world, seat) for seat in world.seats}
    turn, taught = world.reset(0), 0
    while not turn.is_over:
        decisions = {seat: asyncio.run(agents[seat].act(one)) for seat, one in turn.observations.items()}
        turn = world.step({seat: one.action for seat, one in decisions.items()})
        scene = world.scene()
        assert scene
        assert {one for sent in scene.sent for one in sent.taught} <= scene.knows - scene.knew
        taught += sum(len(sent.taught) for sent in scene.sent)
    assert taught
    assert world.seat_metrics("agent_1") == {"messages_sent": 2.0}


def test_the_scene_tells_what_handles_set() -> None:
    world = world_of("enacttom_far_handle")
    world.reset(0)
    world.step({"agent_0": "Open[cabinet_1]", "agent_1": "Close[chest_2]"})
    scene = world.scene()
    assert scene
    assert scene.handles == {"agent_0": {"cabinet_1": "open", "chest_2": "open"}}
    world.step({"agent_0": "Wait[]", "agent_1": "Open[chest_2]"})
    scene = world.scene()
    assert scene
    assert scene.handles == {"agent_1": {"chest_2": "closed"}}


def test_traces_show_commands_as_they_are_written() -> None:
    said = Claim(("agent_1",), Proposition("is_open", ("cabinet_5",)))
    assert to_json(tell([said], ["agent_0"])) == 'Communicate["agent_1 knows that cabinet_5 is open.", agent_0]'


def test_an_action_that_is_no_text_is_refused_with_what_would_be_right() -> None:
    world = world_of("enacttom_one_window")
    world.reset(0)
    with pytest.raises(ValueError, match=r"^agent_0's action is 3: say a command as text, e\.g\. 'Wait\[\]'$"):
        world.step(dict.fromkeys(world.seats, 3))  # type: ignore[arg-type]
