"""Pairs of questions about thoughts: what somebody thinks, what shortcuts get, and what counts as right."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cache

import pytest

from hm_agent.core import Agent
from hm_agent.episode import run_episode
from hm_agent.worlds.enacttom.agents import PlannerHouseAgent
from hm_agent.worlds.enacttom.house.commands import IDLE, HouseCommand, communicate, navigate, open_it, tell
from hm_agent.worlds.enacttom.house.probes import HouseAction, ProbeAnswer, ProbeAnswers
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.worlds.enacttom.ladder.ladder_agent import LadderAgent
from hm_agent.worlds.enacttom.ladder.thoughts import NestedThoughts
from hm_agent.worlds.enacttom.scenarios import task_files
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Is, Proposition
from hm_agent.worlds.enacttom.tasks.task_files import load_task
from hm_agent.worlds.enacttom.thought_pairs import MOST_PAIRS, SHORTCUTS, graded_pairs, has_prose
from hm_agent.worlds.enacttom.world import EnacttomWorld
from tests.support.enacttom.small_house import small_task

NAMES = ("cooperative_k1_014", "mixed_k2_005", "mixed_k3_000", "mixed_k3_003", "cooperative_k3_016")
OPEN, CLOSED = (Proposition(state, ("cabinet_1",)) for state in Is.STATES)


def world_of(name: str) -> EnacttomWorld:
    return EnacttomWorld(load_task(task_files()[f"enacttom_{name}"]), asks=True)


@cache
def play(name: str, order: int | str, seed: int = 0) -> EnacttomWorld:
    """The world at the end of an episode of a ladder's order, `flood` or `planner` in all seats; played once."""
    world = world_of(name)

    def agent(seat: str) -> Agent[HouseView, HouseAction]:
        if order == "planner":
            return PlannerHouseAgent(world, seat)
        return LadderAgent(1, floods=True) if isinstance(order, str) else LadderAgent(order)

    asyncio.run(run_episode(world, {seat: agent(seat) for seat in world.seats}, seed=seed))
    return world


def thoughts_after(*turns: tuple[HouseCommand, HouseCommand]) -> list[NestedThoughts]:
    """What agent_0 and agent_1 of the small house think after some turns, which they begin in two rooms."""
    world = EnacttomWorld(small_task(["(is_open cabinet_1)"]))
    views: dict[str, list[HouseView]] = {seat: [] for seat in world.seats}
    observed = world.reset(0).observations
    for turn in (*turns, None):
        for seat, seen in observed.items():
            views[seat].append(seen.view)
        if turn:
            observed = world.step(dict(zip(world.seats, turn, strict=True))).observations
    return [NestedThoughts(seen, 3) for seen in views.values()]


TOGETHER = (IDLE, navigate("hall_1"))
APART = (IDLE, navigate("kitchen_1"))
OPENED = (open_it("cabinet_1"), IDLE)


def test_who_left_still_thinks_what_both_saw_and_who_stayed_can_tell() -> None:
    stayed, left = thoughts_after(TOGETHER, APART, OPENED)
    assert (stayed.holds((), OPEN), left.holds((), OPEN)) == (True, False)
    assert (stayed.holds(("agent_1",), OPEN), stayed.holds(("agent_1",), CLOSED)) == (False, True)
    assert left.holds(("agent_0",), CLOSED)  # wrongly: it can't know


def test_what_both_see_change_both_think_each_other_to_think() -> None:
    for own, other in zip(thoughts_after(TOGETHER, OPENED), ("agent_1", "agent_0"), strict=True):
        assert own.holds((), OPEN)
        assert own.holds((other,), OPEN)
        assert own.holds((other, own.me), OPEN)


def test_what_is_said_its_hearer_thinks_until_it_sees_otherwise() -> None:
    told = (tell([Claim((), OPEN)], ["agent_1"]), IDLE)
    teller, hearer = thoughts_after(told)
    assert hearer.holds((), OPEN)
    assert teller.holds(("agent_1",), OPEN)
    assert hearer.holds(("agent_0",), OPEN)
    teller, hearer = thoughts_after(told, TOGETHER)
    assert [one.holds((), OPEN) for one in (teller, hearer)] == [False, False]
    assert teller.holds(("agent_1",), OPEN) is False


def test_nothing_is_thought_of_what_was_never_seen_or_told_and_what_is_said_of_others_counts() -> None:
    knows = (tell([Claim(("agent_0",), OPEN)], ["agent_1"]), IDLE)
    teller, hearer = thoughts_after(knows)
    assert thoughts_after()[1].holds((), OPEN) is None
    assert hearer.holds(("agent_0",), OPEN)
    assert teller.holds(("agent_1", "agent_0"), OPEN)


@pytest.mark.parametrize("name", NAMES)
def test_every_shortcut_answers_both_questions_of_a_pair_alike(name: str) -> None:
    for order in (1, 3, "flood", "planner"):
        pairs = play(name, order).thought_pairs
        asked = [question.claim for pair in pairs for question in pair.questions]
        assert len(set(asked)) == len(asked)
        for pair in pairs:
            assert pair.yes.asked.me == pair.no.asked.me
            assert pair.yes.claim.depth == pair.no.claim.depth
            for rule in SHORTCUTS.values():
                assert rule(pair.yes) == rule(pair.no)
        for depth in (2, 3):
            assert sum(pair.depth == depth for pair in pairs) <= MOST_PAIRS


def test_what_is_right_is_what_the_other_thinks_by_its_own_views() -> None:
    for name in NAMES:
        world = play(name, 3)
        for pair in world.thought_pairs:
            for question, is_so in zip(pair.questions, (True, False), strict=True):
                outer, *inner = question.minds
                other = NestedThoughts(world._seen[outer], 3)
                assert (other.holds(tuple(inner), question.proposition) is True) == is_so


@pytest.mark.parametrize(
    ("order", "right"),
    [(0, (0.5, 0.5)), (1, (0.5, 0.5)), (2, (1, 0.5)), (3, (1, 1)), ("flood", (0.5, 0.5)), ("planner", (1, 1))],
)
def test_each_order_answers_as_deep_as_it_thinks_and_no_pair_beyond(order: int | str, right: Sequence[float]) -> None:
    asked = 0
    for name in NAMES:
        found = play(name, order).metrics()
        for depth, share in zip((2, 3), right, strict=True):
            if f"literal_thoughts_k{depth}" in found:
                asked += 1
                assert found[f"literal_thoughts_k{depth}"] == share
                assert found[f"literal_pairs_right_k{depth}"] == (share == 1)
    assert asked > 2


def test_pairs_are_drawn_by_task_and_seed_and_what_was_not_there_is_counted() -> None:
    def drawn(world: EnacttomWorld) -> list[Claim]:
        return [pair.yes.claim for pair in world.thought_pairs]

    first = drawn(play("mixed_k3_000", 3))
    assert drawn(play.__wrapped__("mixed_k3_000", 3)) == first
    assert any(drawn(play("mixed_k3_000", 3, seed)) != first for seed in range(1, 6))
    found = play("mixed_k1_004", 1).metrics()
    assert found["literal_pairs"] + found["literal_pairs_missing"] == 2 * MOST_PAIRS


def test_the_papers_probes_stay_as_they_are() -> None:
    world = play("mixed_k3_000", 3)
    scene = world.scene()
    assert scene
    assert {result.probe.claim for result in scene.probes} == {
        probe.claim for probe in world.probes if probe.claim not in world.checks
    }
    assert all(result.probe.is_thought for result in scene.thoughts)
    assert not any(result.probe.is_thought for result in scene.probes)


def test_where_prose_was_sent_the_other_is_asked_too_and_its_yes_refutes_a_pair() -> None:
    assert not play("mixed_k3_000", 3)._has_checks
    world = world_of("mixed_k3_000")
    turn, first = world.reset(0), True
    agents = {seat: LadderAgent(3) for seat in world.seats}
    while not any(seen.view.probes for seen in turn.observations.values()):
        said = {seat: asyncio.run(agents[seat].act(seen)).action for seat, seen in turn.observations.items()}
        if first:
            said["agent_0"], first = communicate("I say in my own words what I do.", ["all"]), False
        turn = world.step(said)
    assert world._has_checks
    pairs, probes = world.thought_pairs, world._thought_probes
    assert {pair.no.claim.inner for pair in pairs} <= {probe.claim for probe in probes}
    everything = {agent: ProbeAnswers({probe.name: ProbeAnswer.YES for probe in probes}) for agent in world.seats}
    assert len(graded_pairs(pairs, probes, {}, checks=True)) == len(pairs) > 0
    assert graded_pairs(pairs, probes, everything, checks=True) == ()
    assert len(graded_pairs(pairs, probes, everything, checks=False)) == len(pairs)


def test_prose_is_what_says_more_than_its_claims() -> None:
    for command, is_prose in (
        (tell([Claim((), OPEN)], ["agent_1"]), False),
        (communicate("Hello.", ["agent_1"]), True),
    ):
        world = EnacttomWorld(small_task(["(is_open cabinet_1)"]))
        world.reset(0)
        turn = world.step({"agent_0": command, "agent_1": IDLE})
        assert has_prose([turn.observations["agent_1"].view]) == is_prose
