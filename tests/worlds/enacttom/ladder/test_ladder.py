"""The agents without a model: what each order can do, and that they act on nothing but their views."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from hm_agent.catalogue.casting import build_agent
from hm_agent.catalogue.registry import scenario_named
from hm_agent.catalogue.suite import AgentSetup
from hm_agent.core import Observation, Step
from hm_agent.episode import run_episode
from hm_agent.worlds.enacttom.house.commands import HouseCommand, Verb, communicate
from hm_agent.worlds.enacttom.house.probes import ProbeAnswer
from hm_agent.worlds.enacttom.house.runtime import HouseMessage, OutcomeKind
from hm_agent.worlds.enacttom.ladder.beliefs import HouseBeliefs
from hm_agent.worlds.enacttom.ladder.claim_notes import ClaimNotes
from hm_agent.worlds.enacttom.ladder.ladder_agent import LadderAgent
from hm_agent.worlds.enacttom.ladder.routes import Routes
from hm_agent.worlds.enacttom.own_agents import FLOOD, LADDER
from hm_agent.worlds.enacttom.scenarios import task_files
from hm_agent.worlds.enacttom.suite import SUITE
from hm_agent.worlds.enacttom.tasks.mechanics import Binding, InverseState, RemoteControl, RoomRestriction
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Proposition, wanted
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.tasks.task_files import load_task
from hm_agent.worlds.enacttom.verification.verifier import verify
from hm_agent.worlds.enacttom.world import EnacttomWorld, HouseScene
from tests.support.enacttom.random_tasks import TaskSize, random_task
from tests.support.enacttom.small_house import line_task, small_task
from tests.support.step_log import StepLog

ORDERS = range(len(LADDER))
LARGER = TaskSize(agents=4, rooms=4, furniture=8, objects=4, goals=3, depth=3)


def play(task: HouseholdTask, order: int | Mapping[str, int]) -> tuple[EnacttomWorld, list[Step]]:
    """An episode with agents of one order, or of orders by name."""
    world, recorder = EnacttomWorld(task, asks=True), StepLog(HouseScene)
    orders = {seat: order if isinstance(order, int) else order[seat] for seat in world.seats}
    agents = {seat: LadderAgent(one) for seat, one in orders.items()}
    outcome = asyncio.run(run_episode(world, agents, seed=0, recorders=[recorder]))
    assert outcome.status == "completed"
    return world, recorder.steps


def shipped(name: str) -> HouseholdTask:
    return load_task(task_files()[f"enacttom_{name}"])


def messages(steps: list[Step]) -> list[HouseCommand]:
    decided = (one.action for step in steps for one in step.decisions.values())
    return [one for one in decided if isinstance(one, HouseCommand) and one.verb == Verb.COMMUNICATE]


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_knowledge_gets_as_many_hops_as_the_order_and_no_further(hops: int) -> None:
    task = line_task(hops)
    assert not verify(task).faults
    for order in ORDERS:
        found = play(task, order)[0].metrics()
        passes = float(order >= hops)
        assert (found["functional_success"], found["literal_success"], found["known_share"]) == (passes,) * 3, order


@pytest.mark.parametrize(
    ("name", "functional", "literal"),
    [("far_handle", 1, 1), ("one_window", 1, 1), ("appendix_e", 1, 2), ("relay_of_three", 2, 3)],
)
def test_agents_that_name_sources_need_exactly_this_order(name: str, functional: int, literal: int) -> None:
    for order in ORDERS:
        found = play(shipped(name), order)[0].metrics()
        assert found["functional_success"] == float(order >= functional), order
        assert found["literal_success"] == float(order >= literal), order


@pytest.mark.parametrize("name", ["relay_of_three", "cooperative_k2_000", "mixed_k3_000"])
def test_repeating_all_that_is_wanted_solves_tasks_of_any_depth_without_a_thought_of_others(name: str) -> None:
    world = EnacttomWorld(shipped(name), asks=True)
    agents = {seat: LadderAgent(1, floods=True) for seat in world.seats}
    asyncio.run(run_episode(world, agents, seed=0))
    assert world.is_solved
    assert not play(shipped(name), 1)[0].is_solved


def routes_of(task: HouseholdTask, agent: str) -> Routes:
    """What an agent knows of who can message whom."""
    return Routes(EnacttomWorld(task, asks=True).reset(0).observations[agent].view.briefing)


def test_news_goes_to_whoever_is_within_as_many_messages_as_wanted() -> None:
    routes = routes_of(line_task(3), "agent_0")
    for receiver, needed in (("agent_1", 1), ("agent_2", 2), ("agent_3", 3)):
        assert routes.towards([receiver], needed, ()) == ["agent_1"]
        assert routes.towards([receiver], needed - 1, ()) == []


def test_who_needs_as_few_messages_and_comes_first_by_name_sends_the_news() -> None:
    task = line_task(2)
    assert routes_of(task, "agent_2").towards(["agent_1"], 1, ["agent_0"]) == []
    assert routes_of(task, "agent_0").towards(["agent_1"], 1, ["agent_2"]) == ["agent_1"]


def test_one_agent_of_too_low_an_order_breaks_the_line() -> None:
    task = line_task(2)
    orders = dict.fromkeys(task.agents, 2)
    assert play(task, orders)[0].is_solved
    assert not play(task, orders | {"agent_1": 1})[0].is_solved
    assert not play(task, orders | {"agent_2": 1})[0].is_solved


def test_solo_sends_nothing_and_reads_nothing() -> None:
    task = line_task(1)
    assert not messages(play(task, 0)[1])
    world, steps = play(task, {"agent_0": 3, "agent_1": 0})
    assert messages(steps)
    assert not world.is_solved


@pytest.mark.parametrize("order", ORDERS)
def test_agents_decide_from_their_views_alone(order: int) -> None:
    for seed in range(6):
        _, steps = play(random_task(seed, LARGER), order)
        again: dict[str, LadderAgent] = {}
        for step in steps:
            for seat, decision in step.decisions.items():
                agent = again.setdefault(seat, LadderAgent(order))
                assert asyncio.run(agent.act(step.turn.observations[seat])) == decision


@pytest.mark.parametrize("order", ORDERS)
def test_all_messages_are_sent_and_what_is_said_to_be_so_is_known(order: int) -> None:
    said = 0
    for seed in range(10):
        world, steps = play(random_task(seed, LARGER), order)
        for step in steps:
            assert step.scene is not None
            outcomes = step.scene.outcomes.values()  # type: ignore[attr-defined]
            assert all(one.kind is OutcomeKind.DONE for one in outcomes if one.command.verb == Verb.COMMUNICATE)
        scene = world.scene()
        for result in scene.probes if scene else ():
            if result.answer is ProbeAnswer.YES:
                said += 1
                assert result.is_right
                assert world.holds(result.probe.about)
                assert result.is_foil or world.holds(result.probe.claim)
    assert said


def test_the_same_episode_comes_again() -> None:
    for name in ("far_handle", "relay_of_three"):
        assert play(shipped(name), 3)[1] == play(shipped(name), 3)[1]


def test_messages_without_claims_change_nothing() -> None:
    world = EnacttomWorld(shipped("relay_of_three"))
    view = world.reset(0).observations["agent_2"].view
    text = communicate("By the end, cabinet_5 must be open.", ["agent_2"]).text
    heard = replace(view, messages=(HouseMessage(0, "agent_1", ("agent_2",), text),))
    acts = [asyncio.run(LadderAgent(3).act(Observation(0, one))).action for one in (view, heard)]
    assert acts[0] == acts[1]
    claims = (Claim((), wanted(Proposition("is_open", ("cabinet_5",)))),)
    told = replace(view, messages=(HouseMessage(0, "agent_1", ("agent_2",), text, claims),))
    assert str(asyncio.run(LadderAgent(3).act(Observation(0, told))).action) == "Open[cabinet_5]"


# What an agent does by itself


def test_an_unknown_reversed_handle_is_found_out_by_trying() -> None:
    task = small_task(["(is_open cabinet_1)"], [InverseState(trigger_object="cabinet_1")])
    world, steps = play(task, 0)
    assert world.is_solved
    assert [str(step.decisions["agent_0"].action) for step in steps[:2]] == ["Open[cabinet_1]", "Close[cabinet_1]"]


def test_a_far_handle_is_used_by_who_knows_of_it() -> None:
    bindings: list[Binding] = [
        RemoteControl(trigger_object="cabinet_1", target_object="cabinet_2", target_state="open"),
        RoomRestriction(restricted_rooms=("kitchen_1",), for_agents=("agent_0",)),
        RoomRestriction(restricted_rooms=("hall_1",), for_agents=("agent_1",)),
    ]
    secret = ("(wanted (is_open cabinet_2))", "(controls cabinet_1 cabinet_2)")
    for known, is_solved in ((secret, True), (secret[:1], False)):
        task = small_task(["(is_open cabinet_2)"], bindings, secrets={"agent_0": known})
        assert play(task, 0)[0].is_solved == is_solved


def test_a_thing_is_looked_for_and_what_was_opened_for_that_is_closed_again() -> None:
    goal = "(is_on_top book_1 counter_2)"
    task = small_task([goal], secrets={"agent_1": (f"(wanted {goal})",)})
    inside = Proposition("is_inside", ("book_1", "cabinet_1"))
    hidden = {one for one in task.init if one.arguments[0] != "book_1"}
    task = replace(task, init=frozenset({*hidden, inside, Proposition("is_in_room", ("book_1", "hall_1"))}))
    world, steps = play(task, 0)
    done = [str(step.decisions["agent_1"].action) for step in steps if "agent_1" in step.decisions]
    assert world.is_solved
    assert done[:4] == ["Navigate[hall_1]", "Open[cabinet_1]", "Pick[book_1]", "Close[cabinet_1]"]


@pytest.mark.parametrize("first", ["is_in_room", "is_on_floor"])
def test_an_object_is_believed_gone_in_whatever_order_the_facts_about_it_were_seen(first: str) -> None:
    world = EnacttomWorld(small_task(["(is_open cabinet_1)"]))
    view = world.reset(0).observations["agent_0"].view
    facts = [Proposition("is_in_room", ("bowl_1", view.room)), Proposition("is_on_floor", ("bowl_1",))]
    beliefs = HouseBeliefs(view.briefing)
    for fact in sorted(facts, key=lambda one: one.predicate != first):
        beliefs.take(fact)
    beliefs.look(view)
    assert not [fact for fact in beliefs.all() if fact.arguments[0] == "bowl_1"]


# Notes


P = Proposition("is_open", ("cabinet_5",))
AGENTS = ("a", "b", "c", "d")


def test_hearsay_takes_one_order_more_each_time() -> None:
    for order in (1, 2, 3):
        notes = ClaimNotes("d", AGENTS, order)
        chain = [Claim((), P), Claim(("a",), P), Claim(("b", "a"), P)]
        assert [ClaimNotes("d", AGENTS, order).hear("c", "cd", said) for said in chain] == [
            depth < order for depth in range(3)
        ]
        notes.hear("c", "cd", Claim((), P))
        assert notes.sayable(P) == (Claim(("c",), P) if order > 1 else None)


def test_what_is_seen_together_is_common_knowledge_as_deep_as_the_order() -> None:
    notes = ClaimNotes("a", AGENTS, 3)
    notes.witness(P, ["a", "b"])
    for knowers, is_known in ((("b",), True), (("b", "a"), True), (("c",), False), (("b", "c"), False)):
        assert (Claim(knowers, P) in notes) == is_known
    assert Claim(("b", "a", "b"), P) not in notes
    assert not notes.lacks("b", Claim((), P))
    assert notes.lacks("c", Claim((), P))
    notes.forget(P)
    assert Claim(("b",), P) not in notes
    assert notes.sayable(P) is None


def test_nobody_is_told_what_it_said_or_heard() -> None:
    notes = ClaimNotes("c", AGENTS, 2)
    notes.hear("b", ["b", "c", "d"], Claim(("a",), P))
    assert notes.sayable(P) is None
    notes.hear("a", ["a", "c"], Claim((), P))
    said = notes.sayable(P)
    assert said == Claim(("a",), P)
    assert [agent for agent in "abd" if notes.lacks(agent, said)] == []
    assert notes.knowers(P) == {"a", "b", "d"}


@pytest.mark.parametrize("name", [*(name for name, _, _ in LADDER), FLOOD])
def test_the_suite_builds_each_of_them(name: str) -> None:
    scenario = scenario_named("enacttom_far_handle")
    options = SUITE.settle(scenario, {"literal": None})
    setup: Any = AgentSetup(scenario, SUITE.open(scenario, options), "agent_0", None, 0, options, None)  # type: ignore[arg-type]
    assert isinstance(build_agent(name, setup), LadderAgent)
