"""What each agent asks and is told in real episodes, of the built-in reasoner and of a player behind an endpoint.

All agents have the same senses: what was seen of the others reaches each of them, in words and to the field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from hm_agent.agents.registry import AGENTS
from hm_agent.catalogue.casting import can_play, check_agent
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.config import ConfigError
from hm_agent.core import Clue
from hm_agent.experiment import Experiment
from hm_agent.models.prompts import render
from hm_agent.models.settings import PERSON, ModelSettings
from hm_agent.pool.progress import Progress
from hm_agent.pool.run import run
from hm_agent.recording.trace import read_trace
from hm_agent.reporting.runs import read_runs
from hm_agent.testing.endpoint import Endpoint
from hm_agent.testing.episodes import SeatStep, play_steps
from hm_agent.worlds.melting_pot.games.matrix.kind import SHORTCUTS
from hm_agent.worlds.melting_pot.games.matrix.pickups import Gathering, PickupRecord
from hm_agent.worlds.melting_pot.games.matrix.seat import MatrixSeat, OtherPlayer
from hm_agent.worlds.melting_pot.own_agents import PPO
from tests.agents.test_registry import ABLE, ORDERS
from tests.support.melting_pot import text_player

DYAD, PRISONERS, ARENA, KITCHEN = "rws_repeated_1", "pd_repeated_5", "rws_arena_3", "cooking_asymmetric_1"
STEPS = {DYAD: 60, PRISONERS: 60, ARENA: 80, KITCHEN: 45}
"""Until each agent has asked questions of all its kinds."""
LATER = {("he_hr", DYAD): 150, ("he_hr", ARENA): 235}
"""The same for one that judges strategies only after its second interaction."""
BY_TEXT = {DYAD: 120, ARENA: 60, KITCHEN: 45}
"""The same, and until there was an interaction, where the player behind the endpoint answers."""
LATER_BY_TEXT = {("he_hr", DYAD): 200, ("he_hr", ARENA): 280, ("mmp", ARENA): 200}
FEW = 30
"""As many steps of those who ask nothing show that they play."""
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
    "vmp": {DYAD: {"ReadMinds", "Plan"}, ARENA: {"ReadMinds", "Plan"}, KITCHEN: {"ReadMinds", "Plan"}},
    "hm_joint": {DYAD: {"Revise", "Plan"}, ARENA: {"Revise", "Plan"}, KITCHEN: {"Revise", "Plan"}},
    "hm_odds": {DYAD: {"GiveOdds", "Plan"}, ARENA: {"GiveOdds", "Plan"}},
    "react": {DYAD: {"Plan"}, ARENA: {"Plan"}, KITCHEN: {"Plan"}},
    "reflexion": {DYAD: {"Plan", "ReviewPlan"}, ARENA: {"Plan", "ReviewPlan"}, KITCHEN: {"Plan", "ReviewPlan"}},
    "plan_react": {
        DYAD: {"ChooseStrategy", "Plan"},
        ARENA: {"ChooseStrategy", "Plan"},
        KITCHEN: {"ChooseStrategy", "Plan"},
    },
    "he_hr": {DYAD: MATRIX_STRATEGIES, ARENA: MATRIX_STRATEGIES, KITCHEN: {"ChooseStrategy", "FollowStrategy", "Plan"}},
    "oracle": {DYAD: {"Plan"}, ARENA: {"Plan"}, KITCHEN: {"Plan"}},
    "random": {DYAD: set(), ARENA: set(), KITCHEN: set()},
    "noop": {DYAD: set(), ARENA: set(), KITCHEN: set()},
}
"""By agent and scenario; `hm_odds` plays no kitchen.

In the kitchen the first delivery validates the strategy of `he_hr`, so it judges no other, and no use of a station
fails, since cooks look at a pot first.
"""
NOT_CALCULATED = (PERSON, PPO)
"""The agents that ask nobody but a person, and that play by a checkpoint."""
OVER_HTTP = ("he_hr", "hm_joint", "hm_odds", "mmp", "reflexion", "vmp")
"""Agents that together ask questions of all kinds."""


def test_the_table_of_questions_has_every_agent_but_cuts_of_the_reasoner() -> None:
    assert {*ASKED, *ORDERS, *SHORTCUTS, *NOT_CALCULATED} == {*ABLE}


@cache
def played(name: str, scenario: str) -> list[SeatStep]:
    """An episode with the built-in reasoner; several tests look at each."""
    steps = FEW if name in (*SHORTCUTS, "random", "noop") else LATER.get((name, scenario), STEPS[scenario])
    return play_steps(find_scenarios([scenario])[0], name, steps, bots="scripted")


def is_alike(name: str, scenario: str) -> bool:
    """True where an agent does nothing that it does not do elsewhere.

    Of the two dyads, rules of thumb play that of two kinds, and other agents that of three; who asks nothing, it alone.
    """
    if name in ("random", "noop"):
        return scenario != DYAD
    other = DYAD if name in SHORTCUTS and name != "constant_2" else PRISONERS
    return scenario == other and name != "hypothetical_minds"


CALCULATED = [name for name in ABLE if name not in NOT_CALCULATED]
PLAYED = [
    pytest.param(name, scenario, marks=pytest.mark.heavy if is_alike(name, scenario) else ())
    for name, scenario in product(CALCULATED, STEPS)
]


@pytest.mark.parametrize(("name", "scenario"), PLAYED)
def test_every_agent_plays_every_kind_of_game(name: str, scenario: str) -> None:
    (found,) = find_scenarios([scenario])
    if not can_play(name, found):
        assert name in (*SHORTCUTS, *ORDERS, "hm_odds")
        with pytest.raises(ConfigError, match=rf"{name} can't play {scenario}( \(.*\))?: hypothetical_minds, "):
            check_agent(name, found, "builtin")
        return
    check_agent(name, found, "builtin")
    assert len(played(name, scenario)) >= FEW


@pytest.mark.parametrize("scenario", [DYAD, ARENA])
@pytest.mark.parametrize("name", ORDERS)
def test_an_agent_of_an_order_asks_as_the_full_agent_does_and_only_of_that_order(name: str, scenario: str) -> None:
    questions: list[Any] = [
        exchange.question for step in played(name, scenario) for exchange in step.decision.exchanges
    ]
    assert {type(question).__name__ for question in questions} == MINDS[scenario]
    orders = {getattr(question, "situation", question).rules.order for question in questions}
    assert orders == {int(name.removeprefix("order_"))}


QUESTIONS = [
    pytest.param(name, scenario, marks=pytest.mark.heavy if is_alike(name, scenario) else ())
    for name in ASKED
    for scenario in ASKED[name]
]


@pytest.mark.parametrize(("name", "scenario"), QUESTIONS)
def test_an_agent_asks_questions_of_its_kinds_and_no_others(name: str, scenario: str) -> None:
    exchanges = [exchange for step in played(name, scenario) for exchange in step.decision.exchanges]
    assert {type(exchange.question).__name__ for exchange in exchanges} == ASKED[name][scenario]
    assert all(exchange.answer for exchange in exchanges)


def test_some_agents_ask_together_whatever_any_agent_asks() -> None:
    for scenario in MINDS:
        every, some = (set().union(*(ASKED[name].get(scenario, ()) for name in names)) for names in (ASKED, OVER_HTTP))
        assert some == every


@pytest.mark.parametrize(("name", "scenario"), [(name, scenario) for name in OVER_HTTP for scenario in ASKED[name]])
def test_an_agent_plays_over_http_with_every_question_answered(
    name: str, scenario: str, tmp_path: Path, silence: Progress
) -> None:
    steps = LATER_BY_TEXT.get((name, scenario), BY_TEXT[scenario])
    with Endpoint(text_player.answer) as server:
        model = ModelSettings("loopback", base_url=server.base_url, retries=0)
        experiment = Experiment(
            find_scenarios([scenario]),
            agents=(name,),
            model=model,
            options={"bots": "scripted"},
            out=tmp_path,
            max_steps=steps,
            record_replay=False,
        )
        run(experiment, silence)
    (result,) = read_runs((tmp_path,)).results
    assert (result.status, result.steps, result.unanswered_questions) == ("max_steps", steps, 0)
    assert result.metrics["interactions"]
    (trace,) = tmp_path.rglob("trace.jsonl")
    asked = {question["question"] for line in read_trace(trace) for question in line.get("questions", [])}
    assert asked == ASKED[name][scenario]


def prompts_of(steps: list[SeatStep]) -> list[str]:
    return [render(exchange.question) for step in steps for exchange in step.decision.exchanges]


def told(steps: list[SeatStep]) -> Iterator[tuple[int, OtherPlayer, PickupRecord]]:
    """The step, a player, and what an agent's questions tell of its pickups in the present life."""
    for number, step in enumerate(steps):
        for exchange in step.decision.exchanges:
            match getattr(exchange.question, "situation", exchange.question):
                case MatrixSeat(others=others):
                    yield from ((number, each, each.present) for each in others if each.present)


def seen_until(steps: list[SeatStep], number: int, player: str) -> PickupRecord | None:
    """What was seen of a player's pickups up to a step, by the events of the episode."""
    clues = [event for step in steps[: number + 1] for event in step.decision.events if isinstance(event, Gathering)]
    latest = [clue for clue in clues if clue.partner == player][-1]
    return PickupRecord(latest.step, latest.taken, latest.pickups)


@pytest.mark.parametrize("scenario", [DYAD, ARENA])
@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_is_told_what_was_seen_taken_and_just_that(agent: str, scenario: str) -> None:
    steps = played(agent, scenario)
    reports = list(told(steps))
    assert reports
    for number, player, present in reports:
        seen = seen_until(steps, number, player.player)
        assert seen is not None
        assert (present, present.pickups) == (seen, seen.pickups)


@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_reads_of_pickups_and_may_collect_unseen(agent: str) -> None:
    prompts = prompts_of(played(agent, DYAD))
    assert any("has most likely taken (* before your eyes, else found gone then)" in prompt for prompt in prompts)
    assert any("collect_unseen()" in prompt for prompt in prompts)
    assert any("shadow(" in prompt for prompt in prompts)


@pytest.mark.parametrize(("agent", "scenario", "steps"), [("hypothetical_minds", ARENA, 100), ("react", DYAD, 200)])
def test_without_clues_no_agent_is_told_anything_of_pickups(agent: str, scenario: str, steps: int) -> None:
    seen = play_steps(find_scenarios([scenario])[0], agent, steps, bots="scripted", clues="off")
    assert not [event for step in seen for event in step.decision.events if isinstance(event, Clue)]
    assert not list(told(seen))
    prompts = prompts_of(seen)
    assert len(prompts) > 5
    assert not [prompt for prompt in prompts if "likely taken" in prompt or "seen to take rock" in prompt]


HINTS = {"none": None, "generic": "a rule of its own", "families": "for example always play the same"}


@pytest.mark.parametrize(
    ("agent", "hints"), [("hypothetical_minds", "none"), *product(AGENTS, ("generic", "families"))]
)
def test_every_agent_is_given_the_same_hint_at_rules(agent: str, hints: str) -> None:
    steps = played(agent, DYAD)  # with the default, "generic"
    if hints != "generic":
        steps = play_steps(find_scenarios([DYAD])[0], agent, STEPS[DYAD], bots="scripted", hints=hints)
    prompts = prompts_of(steps)
    assert prompts
    for of_hints, words in HINTS.items():
        assert words is None or any(words in prompt for prompt in prompts) == (of_hints == hints)
