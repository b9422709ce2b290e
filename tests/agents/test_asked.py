"""What each agent asks in real episodes, of the built-in reasoner and of a player behind an endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hm_agent.experiment import Experiment
from hm_agent.models.settings import ModelSettings
from hm_agent.pool.progress import Progress
from hm_agent.pool.run import run
from hm_agent.recording.trace import read_trace
from hm_agent.registry import find_scenarios
from hm_agent.reporting.runs import read_runs
from hm_agent.testing.endpoint import Endpoint
from hm_agent.worlds.melting_pot.games.matrix.rules_of_thumb import CHOICES
from tests.agents.test_registry import ABLE, ORDERS, play
from tests.support.melting_pot import text_player

STEPS = 300
DYAD, ARENA, KITCHEN = "rws_repeated_1", "rws_arena_3", "cooking_asymmetric_1"
MINDS = {
    DYAD: {"Propose", "Predict", "Plan"},
    ARENA: {"Propose", "Predict", "ChooseStrategy", "Plan"},
    KITCHEN: {"Propose", "Predict", "ChooseStrategy", "Plan"},
}
MATRIX_STRATEGIES = {"ChooseStrategy", "FollowStrategy", "JudgeStrategy", "Plan"}
ASKED: Mapping[str, Mapping[str, set[str]]] = {
    "hypothetical_minds": MINDS,
    "mmp": MINDS,
    "mmp_he": MINDS,
    "vmp": {
        DYAD: {"ReadMinds", "Plan"},
        ARENA: {"ReadMinds", "Plan"},
        KITCHEN: {"ReadMinds", "Plan"},
    },
    "hm_joint": {
        DYAD: {"Revise", "Plan"},
        ARENA: {"Revise", "Plan"},
        KITCHEN: {"Revise", "Plan"},
    },
    "hm_odds": {DYAD: {"GiveOdds", "Plan"}, ARENA: {"GiveOdds", "Plan"}},
    "react": {DYAD: {"Plan"}, ARENA: {"Plan"}, KITCHEN: {"Plan"}},
    "reflexion": {
        DYAD: {"Plan", "ReviewPlan"},
        ARENA: {"Plan", "ReviewPlan"},
        KITCHEN: {"Plan", "ReviewPlan"},
    },
    "plan_react": {
        DYAD: {"ChooseStrategy", "Plan"},
        ARENA: {"ChooseStrategy", "Plan"},
        KITCHEN: {"ChooseStrategy", "Plan"},
    },
    "he_hr": {
        DYAD: MATRIX_STRATEGIES,
        ARENA: MATRIX_STRATEGIES,
        KITCHEN: {"ChooseStrategy", "FollowStrategy", "Plan"},
    },
    "oracle": {DYAD: {"Plan"}, ARENA: {"Plan"}, KITCHEN: {"Plan"}},
    "random": {DYAD: set(), ARENA: set(), KITCHEN: set()},
    "noop": {DYAD: set(), ARENA: set(), KITCHEN: set()},
}
"""By agent and scenario; `hm_odds` plays no kitchen.

In the kitchen the first delivery validates the strategy of `he_hr`, so it judges no other, and no use of a station
fails, since cooks look at a pot first.
"""
BASELINES = sorted(set(ASKED) - {"hypothetical_minds", "oracle", "random", "noop"})


def test_the_table_of_questions_has_every_agent_but_cuts_of_the_reasoner() -> None:
    assert {*ASKED, *ORDERS, *CHOICES} == {*ABLE}


@pytest.mark.parametrize("scenario", [DYAD, ARENA])
@pytest.mark.parametrize("name", ORDERS)
def test_an_agent_of_an_order_asks_as_the_full_agent_does_and_only_of_that_order(name: str, scenario: str) -> None:
    steps = play(name, STEPS, find_scenarios([scenario])[0])
    questions: list[Any] = [exchange.question for step in steps for exchange in step.decision.exchanges]
    assert {type(question).__name__ for question in questions} == MINDS[scenario]
    orders = {getattr(question, "situation", question).rules.order for question in questions}
    assert orders == {int(name.removeprefix("order_"))}


@pytest.mark.parametrize(("name", "scenario"), [(name, scenario) for name in ASKED for scenario in ASKED[name]])
def test_an_agent_asks_questions_of_its_kinds_and_no_others(name: str, scenario: str) -> None:
    steps = play(name, STEPS, find_scenarios([scenario])[0])
    exchanges = [exchange for step in steps for exchange in step.decision.exchanges]
    assert {type(exchange.question).__name__ for exchange in exchanges} == ASKED[name][scenario]
    assert all(exchange.answer for exchange in exchanges)


@pytest.mark.parametrize(("name", "scenario"), [(name, scenario) for name in BASELINES for scenario in ASKED[name]])
def test_an_agent_plays_over_http_with_every_question_answered(
    name: str, scenario: str, tmp_path: Path, silence: Progress
) -> None:
    with Endpoint(text_player.answer) as server:
        model = ModelSettings("loopback", base_url=server.base_url, retries=0)
        experiment = Experiment(
            find_scenarios([scenario]),
            agents=(name,),
            model=model,
            options={"bots": "scripted"},
            out=tmp_path,
            max_steps=STEPS,
        )
        run(experiment, silence)
    (result,) = read_runs((tmp_path,)).results
    assert (result.status, result.steps, result.unanswered_questions) == ("max_steps", STEPS, 0)
    assert result.metrics["interactions"] >= 2
    (trace,) = tmp_path.rglob("trace.jsonl")
    asked = {question["question"] for line in read_trace(trace) for question in line.get("questions", [])}
    assert asked == ASKED[name][scenario]
