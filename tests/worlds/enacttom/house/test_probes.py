"""The literal questions at the end of an episode: who is asked, what counts as right, and what silence is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from hm_agent.catalogue.registry import scenario_named
from hm_agent.config import ConfigError
from hm_agent.episode import run_episode
from hm_agent.worlds.enacttom.agents import PlannerHouseAgent, RandomHouseAgent
from hm_agent.worlds.enacttom.house.commands import IDLE
from hm_agent.worlds.enacttom.house.probes import (
    Probe,
    ProbeAnswer,
    ProbeAnswers,
    graded,
    literal_metrics,
    operators_of,
    probes_of,
    rules_of,
)
from hm_agent.worlds.enacttom.house.runtime import QUIET_TURNS
from hm_agent.worlds.enacttom.ladder.ladder_agent import LadderAgent
from hm_agent.worlds.enacttom.scenarios import task_files
from hm_agent.worlds.enacttom.suite import SUITE
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Proposition
from hm_agent.worlds.enacttom.tasks.task_files import load_task
from hm_agent.worlds.enacttom.world import EnacttomWorld
from tests.support.enacttom.shipped_tasks import few_task_files

YES, NO, UNKNOWN = ProbeAnswer
OPEN = Proposition("is_open", ("cabinet_5",))
NESTED = Claim(("agent_0", "agent_1", "agent_2"), OPEN)
PROBES = probes_of(operators_of([Claim((), OPEN), NESTED]))


def world_of(name: str) -> EnacttomWorld:
    return EnacttomWorld(load_task(task_files()[f"enacttom_{name}"]), asks=True)


Answers = Callable[[Probe], ProbeAnswer | None]


def said(*answers: ProbeAnswer | None) -> Answers:
    """The answers to PROBES, each by its agent; None is silence."""
    return dict(zip(PROBES, answers, strict=True)).__getitem__


def right(answers: Answers, *so: Claim) -> list[bool]:
    return [one.is_right for one in graded(PROBES, answers, lambda what: what in so)]


def test_each_k_operator_is_asked_of_its_own_knower_once() -> None:
    assert [(one.name, one.agent, one.about.pddl) for one in PROBES] == [
        ("k_probe_1", "agent_0", "(K agent_1 (K agent_2 (is_open cabinet_5)))"),
        ("k_probe_2", "agent_1", "(K agent_2 (is_open cabinet_5))"),
        ("k_probe_3", "agent_2", "(is_open cabinet_5)"),
    ]
    assert probes_of(operators_of([NESTED, Claim(NESTED.knowers[1:], OPEN)])) == PROBES


def test_a_probe_reads_as_a_question() -> None:
    assert PROBES[1].words == "Is it so that agent_2 knows that cabinet_5 is open?"


def test_silence_and_not_knowing_are_never_right_whatever_is_so() -> None:
    everything = [Claim(NESTED.knowers[start:], OPEN) for start in range(4)]
    for answer in (None, UNKNOWN):
        assert right(said(answer, answer, answer)) == [False] * 3
        assert right(said(answer, answer, answer), *everything) == [False] * 3


def test_an_agent_that_is_silent_does_not_make_it_right_that_it_knows() -> None:
    assert right(said(YES, YES, None), Claim((), OPEN)) == [False, False, False]
    assert right(said(YES, NO, None), Claim((), OPEN)) == [False, True, False]


def test_who_says_rightly_that_something_is_so_counts_as_knowing_it() -> None:
    assert right(said(YES, YES, YES), Claim((), OPEN)) == [True, True, True]
    assert right(said(NO, NO, YES), Claim((), OPEN)) == [True, False, True]


def test_who_says_wrongly_that_something_is_so_does_not_know_it() -> None:
    assert right(said(YES, YES, YES)) == [False, False, False]
    assert right(said(NO, NO, NO)) == [True, True, True]


def test_a_right_no_is_not_passed_and_metrics_count_each_kind() -> None:
    found = literal_metrics(graded(PROBES, said(NO, YES, None), lambda what: what == Claim(("agent_2",), OPEN)))
    assert found["literal_asked"] == 3
    assert found["literal_right"] == pytest.approx(1 / 3)  # agent_1; it says so itself, so that agent_0 is wrong
    assert found["literal_right_k1"] == found["literal_right_k3"] == 0 < found["literal_right_k2"]
    assert found["literal_passed"] == pytest.approx(1 / 3)
    assert found["literal_true"] == pytest.approx(2 / 3)
    assert found["literal_unanswered"] == found["literal_said_yes"] == pytest.approx(1 / 3)
    assert found["literal_success"] == 0


def test_each_operator_has_a_foil_about_another_agent_or_what_can_not_be_so_beside_it() -> None:
    world = world_of("relay_of_three")
    asked = {(one.agent, one.about.pddl) for one in world.probes if one.claim in world.foils}
    assert asked == {("agent_2", "(is_closed cabinet_5)"), ("agent_1", "(K agent_0 (is_open cabinet_5))")}
    moved = world_of("appendix_e")
    assert [one.proposition.pddl for one in moved.foils] == ["(is_on_top bowl_1 counter_29)"]  # where it stood


@pytest.mark.parametrize("name", sorted(task_files())[::7])
def test_foils_are_no_operators_and_neither_order_nor_number_tells_them_apart(name: str) -> None:
    world = world_of(name.removeprefix("enacttom_"))
    operators = operators_of(world.task.goal)
    assert {one.claim for one in world.probes} == {*operators, *world.foils, *world.checks}
    assert not {*operators, *world.foils} & set(world.checks)
    assert not set(operators) & set(world.foils)
    assert len(world.foils) <= len(operators)
    assert [one.name for one in world.probes] == [f"k_probe_{number}" for number in range(1, len(world.probes) + 1)]
    assert all(one.claim.knowers[0] == one.agent for one in world.probes)
    asked = [(one.agent, one.words) for one in world.probes]
    assert asked == sorted(asked)


def test_own_secrets_tell_operators_from_foils() -> None:
    world = world_of("cooperative_k1_000")
    rule = rules_of(world.task.file.agent_secrets)["by_secrets"]
    assert {one.claim: rule(one) for one in world.probes} == {
        one.claim: NO if one.claim in world.foils else YES for one in world.probes
    }
    assert {rules_of({})["by_secrets"](one) for one in world.probes} == {NO}


def test_had_all_said_yes_the_papers_measure_would_be_passed_but_not_the_foils() -> None:
    world = world_of("relay_of_three")
    agents = {seat: LadderAgent(1, floods=True) for seat in world.seats}
    asyncio.run(run_episode(world, agents, seed=0))
    found = world.metrics()
    assert found["functional_success"] == 1
    assert (found["literal_passed_all"], found["literal_passed_all_always_yes"]) == (0, 1)
    assert (found["literal_success"], found["literal_success_always_yes"]) == (0, 0)


@pytest.mark.parametrize("constant", [YES, NO])
def test_what_a_constant_would_get_is_what_agents_get_that_say_it(constant: ProbeAnswer) -> None:
    world = world_of("cooperative_k2_000")
    turn = world.reset(0)
    while not turn.is_over:
        said = {
            seat: ProbeAnswers({one.name: constant for one in seen.view.probes}) if seen.view.probes else IDLE
            for seat, seen in turn.observations.items()
        }
        turn = world.step(said)
    found = world.metrics()
    assert found["literal_right"] == found[f"literal_always_{constant.value}"]
    assert found["literal_always_yes"] != found["literal_always_no"]


def test_of_foils_only_those_about_things_have_to_be_answered_rightly_for_success() -> None:
    about_others, thing = PROBES[0].claim, PROBES[2].claim
    for foil, success in ((about_others, 1), (thing, 0)):
        wrong = [NO if one.claim == foil else YES for one in PROBES]
        found = literal_metrics(graded(PROBES, said(*wrong), lambda what: True, [foil]))
        assert (found["literal_passed_all"], found["literal_success"]) == (1, success)


def test_foils_count_as_right_or_wrong_but_nothing_has_to_be_passed_of_them() -> None:
    foil = PROBES[2].claim
    found = literal_metrics(graded(PROBES, said(YES, YES, NO), lambda what: what.depth > 0, [foil]))
    assert found["literal_right"] == found["literal_passed"] == found["literal_success"] == 1
    assert found["literal_true"] == pytest.approx(2 / 3)


def test_whom_a_foil_is_about_is_asked_and_what_it_says_makes_the_foil_so() -> None:
    world = world_of("relay_of_three")
    (foil,) = [one for one in world.foils if one.depth == 2]
    assert world.checks == (Claim(("agent_0",), OPEN),)
    asked = probes_of((foil, *world.checks))

    def is_so(answer: ProbeAnswer | None) -> list[bool]:
        results = graded(asked, lambda probe: answer, lambda what: what == Claim((), OPEN), [foil], world.checks)
        assert [one.probe.claim for one in results] == [foil]
        return [one.is_so for one in results]

    assert (is_so(YES), is_so(NO), is_so(None)) == ([True], [False], [False])


@pytest.mark.parametrize("name", sorted(few_task_files()))
def test_a_planner_passes_all_probes_and_is_asked_after_the_last_turn(name: str) -> None:
    world = world_of(name.removeprefix("enacttom_"))
    agents: dict[str, Any] = {seat: PlannerHouseAgent(world, seat) for seat in world.seats}
    outcome = asyncio.run(run_episode(world, agents, seed=0))
    found, scene = world.metrics(), world.scene()
    assert outcome.status == "completed"
    assert outcome.reward == found["functional_success"] == found["literal_success"] == found["literal_right"] == 1
    assert outcome.steps == found["turns"] + 1
    assert scene
    assert [one.probe for one in scene.probes] == [one for one in world.probes if one.claim not in world.checks]
    assert scene.before == scene.after
    assert not scene.outcomes


def test_only_knowers_are_asked_and_whatever_is_no_answer_is_silence() -> None:
    world = world_of("one_window")
    turn = world.reset(0)
    for _ in range(QUIET_TURNS):
        turn = world.step(dict.fromkeys(turn.observations, IDLE))
    assert list(turn.observations) == ["agent_0"]
    asked = [one.about.pddl for one in turn.observations["agent_0"].view.probes]
    assert asked == ["(is_closed drawer_3)", "(is_open drawer_3)"]
    turn = world.step({"agent_0": "yes"})
    assert turn.is_over
    assert not turn.observations["agent_0"].view.probes
    assert world.metrics()["literal_unanswered"] == 1
    world.reset(0)
    assert "literal_asked" not in world.metrics()


@pytest.mark.parametrize(
    ("command", "said"), [("Find[anything]", "After turn 10 of 10."), ("Wait[]", "After turn 2 of 10.")]
)
def test_who_is_asked_reads_that_no_turn_is_left(command: str, said: str) -> None:
    world = world_of("one_window")
    turn = world.reset(0)
    while not (view := turn.observations["agent_0"].view).probes:
        assert view.news_text.startswith(f"Turn {view.turn + 1} of 10.")
        turn = world.step(dict.fromkeys(turn.observations, command))
    assert view.news_text.startswith(said)


def test_random_answers_are_the_same_for_the_same_seed() -> None:
    found = []
    for _ in range(2):
        world = world_of("relay_of_three")
        agents: dict[str, Any] = {seat: RandomHouseAgent(number) for number, seat in enumerate(world.seats)}
        asyncio.run(run_episode(world, agents, seed=0))
        found.append((world.metrics(), world.scene()))
    assert found[0] == found[1]
    assert found[0][0]["literal_asked"] == 5


def test_the_option_says_whether_to_ask() -> None:
    scenario = scenario_named("enacttom_one_window")
    for value, count in ((None, 2), ("5", 2), ("0", 0)):
        world = SUITE.open(scenario, {"literal": value})
        assert isinstance(world, EnacttomWorld)
        assert len(world.probes) == count
    with pytest.raises(ConfigError, match="--literal=often: say 0"):
        SUITE.settle(scenario, {"literal": "often"})
