"""Agents in open games: what they notice, the calls of their plans, and what the built-in reasoner does."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from hm_agent.catalogue.registry import scenarios, suites
from hm_agent.core import Agent
from hm_agent.testing.episodes import SeatLog, SeatStep, play_out, seat_agents
from hm_agent.testing.scripted_model import ScriptedModel, each
from hm_agent.theory_of_mind.decision_questions import CallsAnswer, Plan, ReviewPlan
from hm_agent.theory_of_mind.mind_questions import Predict, Propose, ReadMinds, Revise
from hm_agent.theory_of_mind.odds_questions import GiveChances
from hm_agent.worlds.melting_pot.body import SubstrateAgentState
from hm_agent.worlds.melting_pot.games.open.calls import (
    Call,
    CallNames,
    CollectThings,
    FollowPlayer,
    KeepAway,
    LookAround,
    StandStill,
    UseAction,
    WalkTo,
    call_pattern,
    read_plan,
)
from hm_agent.worlds.melting_pot.games.open.conduct import STRETCH, WALKS, ConductSeen, ConductWatch, takes
from hm_agent.worlds.melting_pot.games.open.deeds import NOTHING_SPECIAL, Deed, DeedLog
from hm_agent.worlds.melting_pot.games.open.greedy import best_calls
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat
from hm_agent.worlds.melting_pot.games.open.seeing import FrameSeen
from hm_agent.worlds.melting_pot.grid import NOWHERE, Layout, Pose
from hm_agent.worlds.melting_pot.memory.entities import Disappearance
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.simulator.substrate import actions_of
from hm_agent.worlds.melting_pot.simulator.world import SelfPlayWorld
from hm_agent.written_calls import CallError
from tests.fitting_answers import check_reasoners, check_schema
from tests.model_stand_ins import CheckedReasoner

ORCHARD, MUSHROOMS = "commons_harvest__open_selfplay", "externality_mushrooms__dense_selfplay"
NAMES = CallNames(Layout(9, 9, frozenset({(4, 4)})), ("fire_zap",), ("apple", "ripe berry 1"), ("player_1", "a player"))
CALLS: Sequence[Call] = (
    WalkTo((3, 4)),
    CollectThings("apple"),
    CollectThings("ripe berry 1", 3),
    UseAction("fire_zap"),
    UseAction("fire_zap", None, 2),
    UseAction("fire_zap", (1, 2)),
    UseAction("fire_zap", "a player", 5),
    FollowPlayer("player_1", 10),
    KeepAway("a player", 40),
    StandStill(5),
    LookAround(),
)


def test_calls_are_read_as_they_are_written_and_fit_their_pattern() -> None:
    for call in CALLS:
        assert read_plan([str(call)], NAMES) == (call,)
        assert re.fullmatch(call_pattern(NAMES), str(call)), str(call)
    assert not re.fullmatch(call_pattern(NAMES), "go_to((4, 4))"), "there is a wall"


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("go_to((4, 4))", "is a wall"),
        ("go_to((9, 0))", "x goes from 0 to 8"),
        ("go_to(home)", "write go_to((x, y))"),
        ("collect(pear)", "there are apple, ripe berry 1"),
        ("collect(apple, 99)", "1 to 20"),
        ("use(fly)", "there are fire_zap"),
        ("use(fire_zap, pear)", "there are apple, ripe berry 1, player_1, a player"),
        ("follow(player_7, 5)", "there are player_1, a player"),
        ("wait(400)", "1 to 40"),
        ("__import__('os')", "unknown function"),
    ],
)
def test_a_call_that_can_t_be_carried_out_is_refused_with_what_would_be_right(text: str, refusal: str) -> None:
    with pytest.raises(CallError, match=re.escape(refusal)):
        read_plan([text], NAMES)


def test_deeds_are_counted_with_the_rewards_of_their_steps_and_idle_steps_only_if_rewarded() -> None:
    log = DeedLog()
    for words, reward in [
        ("collect(apple)", 1.0),
        (NOTHING_SPECIAL, 0.0),
        ("use(fire_zap)", 0.0),
        ("collect(apple)", 1),
    ]:
        log.note(words, reward)
    assert log.all == (Deed("collect(apple)", 2, 2.0), Deed("use(fire_zap)", 1, 0.0))
    log.note(NOTHING_SPECIAL, -1.0)
    assert Deed(NOTHING_SPECIAL, 2, -1.0) in log.all
    log.note("collect(tree)", 0.0)
    log.note(NOTHING_SPECIAL, 0.0, got=2)
    assert Deed("collect(tree)", 1, 0.0, got=2) in log.all, "what comes before the next deed is of the latest one"


def _walk_past(step: int) -> FrameSeen:
    """A frame in which a player walks east, one cell a step."""
    player = Detection("player_1", (3, 0), (step, 5), 1, None, is_player=True)
    seen = TextualMap(Pose(0, 0, 0), present=True, mark=None, detections=(player,), in_view=NOWHERE, unknown_patches=0)
    return FrameSeen(seen, (), ())


def test_a_stretch_tells_what_a_player_took_or_else_how_it_moved() -> None:
    watch = ConductWatch(frozenset({"apple"}))
    walked = [event for step in range(STRETCH + 1) for event in watch.read(step, _walk_past(step), (), None, 0.5)]
    assert [(event.interaction.behaviour, event.interaction.seen) for event in walked] == [(WALKS, STRETCH + 1)]
    assert walked[0].interaction.reward == 0.5 * (STRETCH + 1)
    ate: list[ConductSeen] = []
    for step in range(STRETCH + 1, 2 * STRETCH + 1):
        gone = [Disappearance("apple", (step, 5), step - 1)] if step % 5 == 0 else []
        gone += [Disappearance("leaf", (step, 5), step - 1), Disappearance("apple", (0, 0), step - 1)]
        ate += watch.read(step, _walk_past(step), gone, None, 0.0)
    assert [event.interaction.behaviour for event in ate] == [takes("apple")]
    assert takes("apple") in watch.behaviours


def _played(
    name: str,
    steps: int,
    agents_of: Sequence[str],
    plans: Sequence[Sequence[str]] = (),
    reasoner: CheckedReasoner | None = None,
) -> list[SeatStep]:
    """The first seat's steps of an episode. plans: of that seat, whose agent is then told each of them."""
    scenario = scenarios()[name]
    world = SelfPlayWorld(scenario_named(name))
    checked = reasoner or CheckedReasoner(suites()["melting_pot"].answers())
    told = ScriptedModel({Plan: each([CallsAnswer(calls=list(plan)) for plan in plans])})
    agents: dict[str, Agent[object, object]] = {}
    for place, (seat, agent) in enumerate(zip(scenario.seats, agents_of, strict=True)):
        model = told if plans and place == 0 else checked
        agents[seat] = seat_agents(world, scenario, agent, model=model)[seat]
    log = SeatLog()
    play_out(world, agents, seed=3, steps=steps, recorders=[log])
    return log.steps


@pytest.fixture(scope="module")
def of_mushrooms() -> tuple[list[SeatStep], CheckedReasoner]:
    """An episode of several agents, by the first seat's steps, and what answered all questions."""
    reasoner = CheckedReasoner(suites()["melting_pot"].answers())
    names = ("hypothetical_minds", "hm_joint", "hm_odds", "vmp", "reflexion")
    return _played(MUSHROOMS, 2 * STRETCH + 5, names, reasoner=reasoner), reasoner


def test_every_agent_that_an_open_game_offers_plays_it_with_answers_that_fit_their_schemas(
    of_mushrooms: tuple[list[SeatStep], CheckedReasoner],
) -> None:
    (steps, reasoner), answers = of_mushrooms, suites()["melting_pot"].answers()
    assert any(step.decision.thoughts.interactions for step in steps), "nothing was noticed of anybody"
    assert steps[-1].total > 0, "no mushroom was found"
    latest = {type(question): question for question in reasoner.asked}
    assert {Plan, Propose, Predict, Revise, ReadMinds, GiveChances, ReviewPlan} <= latest.keys()
    for question in latest.values():
        check_schema(question)
        check_reasoners(question, answers)


def test_a_plan_is_carried_out_call_by_call_and_says_why_it_ends() -> None:
    plans = (["collect(apple, 2)", "use(fire_zap)", "wait(3)"], ["go_to((1, 1))"], ["follow(player_1, 5)"])
    steps = _played(ORCHARD, 70, ["react", *["noop"] * 6], plans)
    actions = [int(step.decision.action) for step in steps]
    zap = actions.index(actions_of("commons_harvest__open")["FIRE_ZAP"])
    assert steps[zap].total == 2, "the beam was to be fired once two apples were taken"
    assert actions[zap + 1 : zap + 4] == [0, 0, 0]
    states = [step.decision.state for step in steps[zap:]]
    kept = [state for state in states if isinstance(state, SubstrateAgentState)]
    reached = next(state for state in kept if state.pose and state.pose.cell == (1, 1))
    assert reached.asked_because == "the plan is used up"


def test_the_reasoner_collects_what_pays_and_tries_what_failed_last_not_again(
    of_mushrooms: tuple[list[SeatStep], CheckedReasoner],
) -> None:
    seat = next(question.situation for question in of_mushrooms[1].asked if isinstance(question, Plan))
    assert isinstance(seat, OpenSeat)
    (first,) = best_calls(seat)
    barred = seat.read_plan([first], None)[0]
    (second,) = best_calls(seat, barred)
    assert first.startswith("collect(")
    assert second != first
