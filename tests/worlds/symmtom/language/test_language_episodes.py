"""Whole episodes of the language agents: by the reasoner, by one that errs, and by a model that answers nothing."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import scenario_named
from hm_agent.models.prompts import render
from hm_agent.questions import AnswerT, ModelCall, Question, ignore
from hm_agent.testing.episodes import play_out, play_steps, set_up
from hm_agent.theory_of_mind.decision_questions import CallsAnswer, Plan
from hm_agent.theory_of_mind.odds_questions import GiveChances
from hm_agent.worlds.symmtom.language.board import Board
from hm_agent.worlds.symmtom.language.calls import Meet
from hm_agent.worlds.symmtom.language.reasoner import ANSWERS
from tests.model_stand_ins import CheckedReasoner, Mute

AGENTS = ("hypothetical_minds", "hm_joint", "hm_odds", "react", "reflexion", "plan_react", "mmp", "mmp_he")
BY_CHANCE = 4.0
"""The mean reward of random agents on the small board."""
(SMALL,) = find_scenarios(["symmtom_w6_n3_c3"])
MOST_TOKENS, CHARACTERS_PER_TOKEN = 600, 4
MORE_IN_ONE_PROMPT = 1.3
"""How many times `MOST_TOKENS` one prompt may take."""


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_earns_far_more_than_chance_at_600_tokens_a_decision(agent: str) -> None:
    model, rewards, decisions = CheckedReasoner(ANSWERS), [], 0
    for seed in range(2):
        world, agents = set_up(SMALL, agent, model=model, seed=seed)
        outcome = play_out(world, agents, seed=seed)
        rewards.append(outcome.reward)
        decisions += outcome.steps * len(SMALL.seats)
    sizes = [len(render(question)) / CHARACTERS_PER_TOKEN for question in model.asked]
    assert sum(rewards) / len(rewards) > 6 * BY_CHANCE
    assert sum(sizes) / decisions <= MOST_TOKENS
    assert max(sizes) < MORE_IN_ONE_PROMPT * MOST_TOKENS
    plans = sum(isinstance(question, Plan) for question in model.asked)
    assert plans < 0.7 * decisions


class WalksAlone(CheckedReasoner):
    """Plans one walk to the corner that is farthest; the reasoner answers other questions."""

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        answer = await super().answer(question, note)
        if not isinstance(question, Plan):
            return answer
        board = question.situation
        assert isinstance(board, Board)
        last, (x, y) = board.rules.width - 1, board.cell
        corner = (last if 2 * x < last else 0, last if 2 * y < last else 0)
        return CallsAnswer(calls=[f"go_to({corner})"])  # type: ignore[return-value]


class Runaway(CheckedReasoner):
    """Plans of player_1 lead it clockwise round the border, a cell at a time; the reasoner answers other questions."""

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        answer = await super().answer(question, note)
        board = question.situation if isinstance(question, Plan) else None
        if not isinstance(board, Board) or board.me != "player_1":
            return answer
        (x, y), last = board.cell, board.rules.width - 1
        if y == 0 and x < last:
            cell = (x + 1, y)
        elif x == last and y < last:
            cell = (x, y + 1)
        elif y == last and x > 0:
            cell = (x - 1, y)
        else:
            cell = (x, y - 1)
        return CallsAnswer(calls=[f"go_to({cell})"])  # type: ignore[return-value]


def test_one_of_two_agents_walks_elsewhere_once_it_has_not_reached_the_other() -> None:
    model = Runaway(ANSWERS)
    world, agents = set_up(scenario_named("symmtom_w12_n2_c2"), "react", model=model, seed=2)
    play_out(world, agents, seed=2)  # the model refuses a plan that begins with what has just failed
    plans = [question for question in model.asked if isinstance(question, Plan)]
    barred = [
        plan.barred.call
        for plan in plans
        if isinstance(plan.situation, Board) and plan.situation.me == "player_0" and plan.barred
    ]
    assert Meet("player_1") in barred


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_whose_model_answers_nothing_plays_on(agent: str) -> None:
    steps = play_steps(SMALL, agent, 30, model=Mute())
    asked = [exchange for step in steps for exchange in step.decision.exchanges]
    assert len(steps) == 30
    assert all(exchange.answer is None for exchange in asked)
    assert sum(step.reward for step in steps) > 10


def test_an_agent_that_was_held_plans_anew_once_it_can_move() -> None:
    (held,) = find_scenarios(["symmtom_test_order_1_w6"])
    steps = play_steps(held, "react", 20)
    reasons = [step.decision.state.asked_because for step in steps]  # type: ignore[attr-defined]
    freed = next(n for n, step in enumerate(steps) if step.observation.view.agent not in step.observation.view.held)
    assert reasons[freed] == "you can move again"


def test_a_walk_that_a_held_agent_could_not_take_has_not_failed() -> None:
    held, model = scenario_named("symmtom_test_order_1_w12"), WalksAlone(ANSWERS)
    world, agents = set_up(held, "react", model=model)
    play_out(world, agents, seed=0)
    plans = [question for question in model.asked if isinstance(question, Plan)]
    freed = next(n for n, plan in enumerate(plans) if isinstance(plan.situation, Board) and not plan.situation.is_held)
    assert plans[freed].because == "you can move again"
    assert [plan.barred for plan in plans[: freed + 1]] == [None] * (freed + 1)


def test_nobody_is_said_to_have_won_while_a_competitive_game_goes_on() -> None:
    told, variant = set(), {"rewards": "competitive", "first_hand": "private"}
    for seed in range(6):
        model = CheckedReasoner(ANSWERS)
        world, agents = set_up(SMALL, "react", model=model, seed=seed, **variant)
        play_out(world, agents, seed=seed)
        told |= {player.recharges for question in model.asked for player in question.situation.others}  # type: ignore[attr-defined]
    assert told == {0, 1}


def test_no_prompt_says_what_the_view_does_not_hold() -> None:
    """In private games, what the others know first-hand is in no prompt, whatever it truly is."""
    model = CheckedReasoner(ANSWERS)
    world, agents = set_up(SMALL, "hypothetical_minds", model=model, seed=2, first_hand="private")
    play_out(world, agents, seed=2, steps=8)
    told = "\n".join(map(render, model.asked))
    boards = re.findall(r"^- player_\d \(\d.*$", told, re.MULTILINE)
    assert boards
    assert all("; first-hand unknown; " in board for board in boards)


def test_with_chances_no_plan_is_asked_for_once_they_are_told() -> None:
    steps = play_steps(SMALL, "hm_odds", 40)
    kinds = [type(exchange.question) for step in steps for exchange in step.decision.exchanges]
    assert set(kinds) == {GiveChances, Plan}
    assert Plan not in kinds[kinds.index(GiveChances) :]
