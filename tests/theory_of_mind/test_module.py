"""The five steps of the Theory of Mind, with a model that answers as it is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

import pytest

from hm_agent.core import Strategy
from hm_agent.questions import AnswerT, Call, Question, Unanswered, ignore
from hm_agent.theory_of_mind.hypotheses import Hyperparameters
from hm_agent.theory_of_mind.memory import InteractionMemory
from hm_agent.theory_of_mind.module import HypothesisAnswer, TheoryOfMind
from hm_agent.worlds.melting_pot.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.game import MatrixGame
from hm_agent.worlds.melting_pot.games.matrix.interactions import InteractionEvent
from hm_agent.worlds.melting_pot.games.matrix.payoff import reward
from hm_agent.worlds.melting_pot.games.matrix.pickups import Gathering, Life
from hm_agent.worlds.melting_pot.games.matrix.questions.minds import (
    ChoiceAnswer,
    ChooseOpponents,
    CounterAnswer,
    InferInventory,
    PredictAndCounter,
    ProposeHypothesis,
)
from hm_agent.worlds.melting_pot.scenarios import game_named
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of

RWS = game_named("rws_repeated", MatrixFacts)
ARENA = game_named("rws_arena", MatrixFacts)
ROCK, PAPER, SCISSORS = {"rock": 6}, {"paper": 6}, {"scissors": 6}


class ScriptedModel:
    """Proposes hypotheses from a list and predicts what each of them says; notes every question."""

    name = "told"

    def __init__(self, hypotheses: list[str], predict: Callable[[str | None], dict[str, int]]) -> None:
        self._hypotheses = iter(hypotheses)
        self._predict = predict
        self.asked: list[object] = []

    async def answer(self, question: Question[AnswerT], note: Callable[[Call], None] = ignore) -> AnswerT:
        self.asked.append(question)
        if isinstance(question, ProposeHypothesis):
            words = next(self._hypotheses, None)
            if words is None:
                raise Unanswered
            return cast(AnswerT, HypothesisAnswer(hypothesis=words))
        assert isinstance(question, PredictAndCounter)
        return cast(AnswerT, CounterAnswer(other_next=self._predict(question.hypothesis), own_next=PAPER))


def mind_of(model: ScriptedModel) -> TheoryOfMind:
    game = MatrixGame(RWS, vision_of(RWS.short_name))
    return TheoryOfMind(game.mind, model, InteractionMemory(), Hyperparameters())


def meet(mind: TheoryOfMind, step: int, other: tuple[int, ...]) -> Strategy | None:
    """An interaction in which the other held this and one held a committed paper."""
    own = (1, 7, 1)
    event = InteractionEvent(step, "opponent", own, reward(own, other, RWS.payoff), shown=(0, 0, 0))
    return asyncio.run(mind.revise(event))


def find_gone(mind: TheoryOfMind, step: int, taken: tuple[int, ...], suggests: str | None) -> Strategy | None:
    return asyncio.run(mind.revise(Gathering(step, "opponent", suggests, taken, own=(1, 3, 1))))


def says(words: str | None) -> dict[str, int]:
    return {"rock": ROCK, "paper": PAPER}.get(words or "", SCISSORS)


ROCKS, PAPERS = (6, 1, 1), (1, 6, 1)


def test_a_hypothesis_is_validated_by_four_hits_in_a_row_and_then_asked_alone() -> None:
    model = ScriptedModel(["rock", "paper", "scissors", "rock"], says)
    mind = mind_of(model)
    for step in range(4):
        meet(mind, step, ROCKS)
        assert mind.validated is None
    meet(mind, 4, ROCKS)
    assert mind.validated is not None
    assert mind.validated.words == "rock"
    model.asked.clear()
    meet(mind, 5, ROCKS)
    assert [type(question) for question in model.asked] == [PredictAndCounter]


def test_validation_is_lost_with_a_miss_and_a_new_hypothesis_is_asked_for() -> None:
    model = ScriptedModel(["rock"] * 4 + ["paper"], says)
    mind = mind_of(model)
    for step in range(5):
        meet(mind, step, ROCKS)
    assert mind.validated is not None
    meet(mind, 5, PAPERS)
    assert mind.validated is None
    assert mind.hypotheses[-1].words == "paper"


def test_every_stored_hypothesis_is_scored_on_its_own_fresh_prediction() -> None:
    mind = mind_of(ScriptedModel(["rock", "paper", "scissors"], says))
    for step in range(3):
        meet(mind, step, ROCKS)
    assert all(hypothesis.prediction for hypothesis in mind.hypotheses)
    meet(mind, 3, PAPERS)
    values = {hypothesis.words: hypothesis.value for hypothesis in mind.hypotheses}
    assert values["paper"] > values["scissors"]


def test_refinement_is_shown_the_best_earlier_hypotheses_only() -> None:
    model = ScriptedModel(["rock", "paper", "scissors"], says)
    mind = mind_of(model)
    for step in range(3):
        meet(mind, step, ROCKS)
    proposals = [question for question in model.asked if isinstance(question, ProposeHypothesis)]
    assert [[h.words for h in proposal.best] for proposal in proposals] == [[], ["rock"], ["rock"]]


def test_a_clue_against_the_expectation_is_thought_over_and_scores_nothing() -> None:
    model = ScriptedModel(["rock"], says)
    mind = mind_of(model)
    meet(mind, 0, ROCKS)
    before = mind.hypotheses
    model.asked.clear()
    assert find_gone(mind, 5, (0, 1, 0), "paper") is not None
    (question,) = model.asked
    assert isinstance(question, PredictAndCounter)
    assert (question.hypothesis, question.taken, question.own) == ("rock", (0, 1, 0), (1, 3, 1))
    assert mind.hypotheses == before


@pytest.mark.parametrize(("taken", "suggests"), [((2, 0, 0), "rock"), ((1, 1, 0), None)])
def test_a_clue_that_fits_or_says_nothing_is_not_asked_about(taken: tuple[int, ...], suggests: str | None) -> None:
    model = ScriptedModel(["rock"], says)
    mind = mind_of(model)
    meet(mind, 0, ROCKS)
    model.asked.clear()
    assert find_gone(mind, 5, taken, suggests) is None
    assert not model.asked


def test_a_clue_before_the_first_interaction_gives_a_strategy_without_a_hypothesis() -> None:
    strategy = find_gone(mind_of(ScriptedModel([], says)), 5, (0, 0, 1), "scissors")
    assert strategy is not None
    assert strategy.expected == (1, 1, 6)


def test_without_a_new_hypothesis_the_old_ones_go_on() -> None:
    mind = mind_of(ScriptedModel(["rock"], says))
    meet(mind, 0, ROCKS)
    strategy = meet(mind, 1, ROCKS)
    assert [hypothesis.words for hypothesis in mind.hypotheses] == ["rock"]
    assert strategy is not None
    assert strategy.expected == (6, 1, 1)


def test_a_model_without_an_answer_leaves_a_first_strategy_by_calculation() -> None:
    class Mute(ScriptedModel):
        async def answer(self, question: Question[AnswerT], note: Callable[[Call], None] = ignore) -> AnswerT:
            raise Unanswered

    strategy = asyncio.run(mind_of(Mute([], says)).open())
    assert strategy.target is not None


def test_interactions_are_remembered_with_inventory_reward_partner_and_step() -> None:
    memory = InteractionMemory()
    game = MatrixGame(RWS, vision_of(RWS.short_name))
    mind = TheoryOfMind(game.mind, ScriptedModel(["rock"], says), memory, Hyperparameters())
    meet(mind, 7, ROCKS)
    (met,) = memory.of("opponent")
    assert (met.step, met.partner, met.own, met.other, met.behaviour) == (7, "opponent", (1, 7, 1), ROCKS, "rock")
    assert met.reward == reward((1, 7, 1), ROCKS, RWS.payoff)
    assert memory.of("somebody else") == ()


def test_the_exact_calculation_asks_nothing_of_the_model() -> None:
    model = ScriptedModel(["rock"], says)
    meet(mind_of(model), 0, ROCKS)
    assert not any(isinstance(question, InferInventory) for question in model.asked)


class Chooser:
    """Seeks everybody; notes every question."""

    name = "chooser"

    def __init__(self) -> None:
        self.asked: list[object] = []

    async def answer(self, question: Question[AnswerT], note: Callable[[Call], None] = ignore) -> AnswerT:
        self.asked.append(question)
        assert isinstance(question, ChooseOpponents)
        return cast(AnswerT, ChoiceAnswer(seek=[], own_next=ROCK))


def test_among_many_each_clue_is_thought_over() -> None:
    model = Chooser()
    mind = TheoryOfMind(
        MatrixGame(ARENA, vision_of(ARENA.short_name)).mind, model, InteractionMemory(), Hyperparameters()
    )
    news = [((1, 0, 0), "rock"), ((2, 0, 0), "rock"), ((0, 0, 0), None), ((1, 0, 0), "rock")]
    for step, (taken, suggests) in enumerate(news):
        asyncio.run(mind.revise(Gathering(step, "player_1", suggests, taken, own=(1, 1, 1))))
    present = [question.opponents[0].present for question in model.asked if isinstance(question, ChooseOpponents)]
    assert present == [Life(0, (1, 0, 0)), Life(1, (2, 0, 0)), None, Life(3, (1, 0, 0))]
