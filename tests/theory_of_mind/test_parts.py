"""The Theory of Mind with parts switched off, as in the ablations."""

from __future__ import annotations

import pytest

from hm_agent.theory_of_mind.hypotheses import Hyperparameters
from hm_agent.theory_of_mind.memory import InteractionMemory
from hm_agent.theory_of_mind.module import HypothesisAnswer, Parts, TheoryOfMind
from hm_agent.worlds.melting_pot.games.matrix.questions.minds import CounterAnswer, PredictAndCounter, ProposeHypothesis
from tests.strategists import PAPERS, ROCKS, ScriptedModel, dyad, each, meet

MMP, MMP_HE = Parts(evaluation=False, refinement=False), Parts(refinement=False)


def model_thinking(*words: str) -> ScriptedModel:
    """Proposes these hypotheses; each predicts the kind that its first word names."""
    return ScriptedModel(
        {
            ProposeHypothesis: each([HypothesisAnswer(hypothesis=said) for said in words]),
            PredictAndCounter: lambda asked: CounterAnswer(
                other_next={asked.hypothesis.split()[0]: 6}, own_next={"paper": 6}
            ),
        }
    )


def mind_of(model: ScriptedModel, parts: Parts) -> TheoryOfMind:
    return TheoryOfMind(dyad().mind, model, InteractionMemory(), Hyperparameters(), parts)


def test_without_evaluation_only_the_newest_hypothesis_is_kept() -> None:
    mind = mind_of(model_thinking("rock 1", "rock 2", "rock 3"), MMP)
    for step, words in enumerate(("rock 1", "rock 2", "rock 3")):
        meet(mind, step)
        assert [hypothesis.words for hypothesis in mind.hypotheses] == [words]


def test_without_evaluation_a_hypothesis_stays_unscored_and_unvalidated_however_often_it_is_right() -> None:
    mind = mind_of(model_thinking(*["rock"] * 8), MMP)
    for step in range(8):
        meet(mind, step)
        assert [(hypothesis.value, hypothesis.prediction) for hypothesis in mind.hypotheses] == [(0.0, "rock")]
        assert mind.validated is None


def test_without_evaluation_every_interaction_takes_one_hypothesis_and_one_prediction() -> None:
    model = model_thinking(*["rock"] * 6)
    mind = mind_of(model, MMP)
    for step in range(6):
        meet(mind, step)
        assert model.kinds() == [ProposeHypothesis, PredictAndCounter]


def test_without_evaluation_the_last_hypothesis_serves_where_no_new_one_comes() -> None:
    mind = mind_of(model_thinking("paper"), MMP)
    meet(mind, 0)
    strategy = meet(mind, 1)
    assert [hypothesis.words for hypothesis in mind.hypotheses] == ["paper"]
    assert strategy is not None
    assert strategy.expected == PAPERS


def test_without_refinement_hypotheses_are_scored_by_their_predictions_all_the_same() -> None:
    mind = mind_of(model_thinking("rock", "paper", "scissors"), MMP_HE)
    for step in range(3):
        meet(mind, step, ROCKS)
    values = {hypothesis.words: hypothesis.value for hypothesis in mind.hypotheses}
    assert values == pytest.approx({"rock": 0.51, "paper": -0.3, "scissors": 0.0})


def test_without_refinement_a_hypothesis_is_validated_and_then_asked_alone() -> None:
    model = model_thinking("rock", "paper", "scissors", "paper")
    mind = mind_of(model, MMP_HE)
    for step in range(5):
        assert mind.validated is None
        meet(mind, step)
    assert mind.validated is not None
    assert mind.validated.words == "rock"
    model.asked.clear()
    meet(mind, 5)
    assert model.kinds() == [PredictAndCounter]


@pytest.mark.parametrize(("parts", "shown"), [(Parts(), ["rock"]), (MMP_HE, []), (MMP, [])])
def test_only_refinement_is_shown_what_has_foretold_well(parts: Parts, shown: list[str]) -> None:
    model = model_thinking("rock", "paper", "scissors")
    mind = mind_of(model, parts)
    for step in range(3):
        meet(mind, step)
    assert [hypothesis.words for hypothesis in model.of(ProposeHypothesis)[-1].best] == shown
