"""What reflectors ask about finished plans, and what the next plan is shown, in real episodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest

from hm_agent.agents.reflection import EVALUATIONS_SHOWN
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.questions import AnswerT, ModelCall, Question, Unanswered, ignore
from hm_agent.testing.episodes import SeatStep
from hm_agent.theory_of_mind.decision_questions import CallsAnswer, Critique, Plan, ReviewPlan
from hm_agent.worlds.melting_pot.games import answers
from hm_agent.worlds.melting_pot.games.cooking.failures import CritiqueInteraction
from hm_agent.worlds.melting_pot.planning.calls import FireAt, FireOnSight, Interact, SubstratePlanRecord
from tests.agents.test_registry import play
from tests.worlds.melting_pot.games.kitchen_examples import room_of

DYAD, ARENA, KITCHEN = "rws_repeated_1", "rws_arena_3", "cooking_asymmetric_1"
STEPS = 400
Asked = tuple[int, Question[Any], Any]
"""The number of the step, the question and its answer."""


class Numbering:
    """The built-in reasoner with numbered critiques.

    mute: gives no answer instead of every second critique. clumsy: with empty hands it uses a counter of the
    kitchen that was never in view, which fails.
    """

    name = "numbering"

    def __init__(self, mute: bool = False, clumsy: bool = False) -> None:
        self._mute, self._clumsy = mute, clumsy
        self._count = 0

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        answer = await BuiltinReasoner(answers()).answer(question, note)
        if self._clumsy and isinstance(question, Plan) and isinstance(answer, CallsAnswer):
            seat = room_of(question)
            if seat.unseen and seat.hands is None:
                answer.calls = [str(Interact(seat.unseen[-1]))]
        if isinstance(answer, Critique):
            self._count += 1
            answer.critique = f"critique {self._count}"
            if self._mute and self._count % 2 == 0:
                raise Unanswered("it is an even one")
        return answer


@cache
def steps_of(scenario: str, mute: bool = False, clumsy: bool = False) -> Sequence[SeatStep]:
    return play("reflexion", STEPS, find_scenarios([scenario])[0], Numbering(mute, clumsy))


def asked(steps: Sequence[SeatStep]) -> list[Asked]:
    return [(n, each.question, each.answer) for n, step in enumerate(steps) for each in step.decision.exchanges]


def is_plan(question: Question[Any]) -> bool:
    return isinstance(question, Plan)


@pytest.mark.parametrize("scenario", [DYAD, ARENA, KITCHEN])
def test_every_plan_is_evaluated_before_the_next_is_made(scenario: str) -> None:
    kinds = [is_plan(question) for _, question, _ in asked(steps_of(scenario))]
    assert len(kinds) > 10
    assert kinds == [number % 2 == 0 for number in range(len(kinds))]


@pytest.mark.parametrize("scenario", [DYAD, ARENA, KITCHEN])
def test_an_evaluation_shows_the_plan_and_the_moments_before_and_after(scenario: str) -> None:
    exchanges = asked(steps_of(scenario))
    for (_, planned, plan), (now, question, _) in zip(exchanges[::2], exchanges[1::2], strict=False):
        assert isinstance(question, ReviewPlan)
        assert list(map(str, question.plan.calls)) == plan.calls
        assert question.before == planned.situation  # type: ignore[attr-defined]
        assert question.situation.step == now  # type: ignore[attr-defined]


def test_an_evaluation_shows_a_shot_on_sight_beside_the_calls_that_it_replaced() -> None:
    reviewed = [question.plan for _, question, _ in asked(steps_of(ARENA)) if isinstance(question, ReviewPlan)]
    plans = [plan for plan in reviewed if isinstance(plan, SubstratePlanRecord)]
    fired = [plan for plan in plans if plan.shot]
    assert 0 < len(fired) < len(plans)
    for plan in fired:
        assert isinstance(plan.shot, FireAt)
        assert any(isinstance(call, FireOnSight) for call in plan.calls[: plan.done])
        assert plan.done < len(plan.calls)


@pytest.mark.parametrize("scenario", [DYAD, ARENA, KITCHEN])
def test_an_evaluation_shows_the_reward_since_the_plan_was_made(scenario: str) -> None:
    steps = steps_of(scenario)
    exchanges = asked(steps)
    rewards = []
    for (planned, _, _), (now, question, _) in zip(exchanges[::2], exchanges[1::2], strict=False):
        assert isinstance(question, ReviewPlan)
        assert question.reward == pytest.approx(sum(step.reward for step in steps[planned:now]))
        rewards.append(question.reward)
    assert len(set(rewards)) > 1


@pytest.mark.parametrize("mute", [False, True])
def test_a_plan_is_shown_the_latest_critiques(mute: bool) -> None:
    critiques: list[str] = []
    for _, question, answer in asked(steps_of(DYAD, mute)):
        if is_plan(question):
            assert list(question.critiques) == critiques[-EVALUATIONS_SHOWN:]  # type: ignore[attr-defined]
        elif answer is not None:
            critiques.append(answer.critique)
    assert EVALUATIONS_SHOWN == 3
    assert len(critiques) > EVALUATIONS_SHOWN
    assert ("critique 2" in critiques) is not mute


def test_an_evaluation_in_a_kitchen_names_the_call_that_failed() -> None:
    exchanges = asked(steps_of(KITCHEN, clumsy=True))
    reviewed = [(question, question.plan) for _, question, _ in exchanges if isinstance(question, ReviewPlan)]
    records = [(each.because, plan) for each, plan in reviewed if isinstance(plan, SubstratePlanRecord)]
    failures = [(because, plan) for because, plan in records if plan.failed]
    assert 0 < len(failures) < len(reviewed) / 2
    for because, plan in failures:
        assert isinstance(plan.failed, Interact)
        assert plan.failed == plan.left[0]
        assert because.startswith(f"{plan.failed} has failed")


def test_failure_reflection_critiques_only_failures_and_only_for_the_next_plan() -> None:
    explained: tuple[str, ...] = ()
    count = 0
    steps = play("hypothetical_minds", STEPS, find_scenarios([KITCHEN])[0], Numbering(clumsy=True))
    for _, question, answer in asked(steps):
        if isinstance(question, CritiqueInteraction):
            explained, count = (answer.critique,), count + 1
        elif isinstance(question, Plan):
            assert question.critiques == explained
            explained = ()
    assert count == 1
