"""The five steps of the Theory of Mind, whole and with parts switched off, with a scripted model."""

from __future__ import annotations

import asyncio

import pytest

from hm_agent.testing.scripted_model import ScriptedModel, each
from hm_agent.theory_of_mind.decision_questions import ChooseStrategy, StrategyAnswer
from hm_agent.theory_of_mind.hypotheses import TABLE_2
from hm_agent.theory_of_mind.mind_questions import HypothesisAnswer, Predict, Prediction, Propose
from hm_agent.theory_of_mind.module import Parts, TheoryOfMind
from hm_agent.worlds.melting_pot.games.matrix.questions import InferInventory
from hm_agent.worlds.melting_pot.games.matrix.seat import AgainstOne, NextLead
from tests.strategists import PAPERS, ROCKS, against, among, arena, begin, dyad, encounter, interact, lead, see_pickup

ROCK, PAPER = {"rock": 6}, {"paper": 6}
MMP, MMP_HE = Parts(evaluation=False, refinement=False), Parts(refinement=False)


def predicts(words: str | None) -> str:
    """What a hypothesis predicts: the kind that its first word names, scissors if it names none."""
    first = (words or "").partition(" ")[0]
    return first if first in ("rock", "paper") else "scissors"


def counter(asked: Predict) -> Prediction[NextLead, AgainstOne]:
    kinds = [predicts(known.words) for known in asked.hypotheses] or [predicts(None)]
    return Prediction(player=asked.about, next=list(map(lead, kinds)), strategy=against(kinds[-1], PAPER))


def model_proposing(*words: str) -> ScriptedModel:
    """Proposes these hypotheses one by one, then gives no valid answer."""
    return ScriptedModel({Propose: each([HypothesisAnswer(hypothesis=said) for said in words]), Predict: counter})


ALL_PARTS = Parts()


def mind_of(model: ScriptedModel, parts: Parts = ALL_PARTS) -> TheoryOfMind:
    return TheoryOfMind(dyad().mind, model, TABLE_2, parts)


@pytest.mark.parametrize("parts", [Parts(), MMP_HE], ids=["whole", "without refinement"])
def test_a_hypothesis_is_validated_by_four_hits_in_a_row_and_then_asked_alone(parts: Parts) -> None:
    model = model_proposing("rock", "paper", "scissors", "rock")
    mind = mind_of(model, parts)
    for step in range(4):
        interact(mind, step)
        assert mind.validated is None
    interact(mind, 4)
    assert mind.validated is not None
    assert mind.validated.words == "rock"
    model.asked.clear()
    for step in (5, 6, 7):
        interact(mind, step)
    assert model.kinds() == [Predict]


def test_what_repeats_as_expected_is_asked_about_every_fourth_time_only() -> None:
    model = model_proposing("rock")
    mind = mind_of(model)
    asked = []
    for step in range(9):
        model.asked.clear()
        interact(mind, step)
        asked.append(Predict in model.kinds())
    assert asked == [True, True, True, True, False, False, False, True, False]
    value = mind.hypotheses[0].value
    interact(mind, 9)
    assert mind.hypotheses[0].value > value
    assert interact(mind, 10, PAPERS) is not None


def test_what_was_decided_on_by_a_clue_is_thought_over_after_the_interaction() -> None:
    model = model_proposing("rock")
    mind = mind_of(model)
    for step in range(5):
        interact(mind, step)
    see_pickup(mind, 5, "paper", (0, 1, 0))
    see_pickup(mind, 6, "rock", (1, 1, 0))
    model.asked.clear()
    interact(mind, 7)
    assert Predict in model.kinds()
    model.asked.clear()
    interact(mind, 8)
    assert not model.asked


def test_the_prediction_acted_on_is_judged_by_the_game() -> None:
    told, predicted = [], []
    mind = mind_of(model_proposing("rock", "paper", "paper"))
    for step, other in enumerate([ROCKS, ROCKS, ROCKS, PAPERS]):
        asyncio.run(mind.revise([encounter(step, other)]))
        told.append(mind.thoughts().right)
        predicted += [relied_on and relied_on.prediction for relied_on in mind.thoughts().relied_on]
    assert told == [(None,), (True,), (False,), (True,)]
    assert predicted == [None, "rock", "paper", "paper"]
    asyncio.run(mind.revise([]))
    assert mind.thoughts().right == ()


def test_validation_is_lost_with_a_miss_and_a_new_hypothesis_is_asked_for() -> None:
    model = model_proposing(*["rock"] * 3, "paper")
    mind = mind_of(model)
    for step in range(5):
        interact(mind, step)
    assert mind.validated is not None
    interact(mind, 5, PAPERS)
    assert mind.validated is None
    assert mind.hypotheses[-1].words == "paper"


def test_every_stored_hypothesis_is_scored_on_its_own_fresh_prediction() -> None:
    mind = mind_of(model_proposing("rock", "paper", "scissors"))
    for step in range(3):
        interact(mind, step)
    assert all(hypothesis.prediction for hypothesis in mind.hypotheses)
    interact(mind, 3, PAPERS)
    values = {hypothesis.words: hypothesis.value for hypothesis in mind.hypotheses}
    assert values["paper"] > values["scissors"]


def test_a_clue_against_the_prediction_asks_for_a_new_one_and_scores_no_hypothesis() -> None:
    model = model_proposing("rock")
    mind = mind_of(model)
    interact(mind, 0)
    before = mind.hypotheses
    model.asked.clear()
    assert see_pickup(mind, 5, "paper", (0, 1, 0)) is not None
    (question,) = model.asked
    assert isinstance(question, Predict)
    assert [known.words for known in question.hypotheses] == ["rock"]
    assert mind.hypotheses == before


@pytest.mark.parametrize(("taken", "suggests"), [((2, 0, 0), "rock"), ((1, 1, 0), None)])
def test_a_clue_that_fits_or_suggests_nothing_asks_no_question(taken: tuple[int, ...], suggests: str | None) -> None:
    model = model_proposing("rock")
    mind = mind_of(model)
    interact(mind, 0)
    model.asked.clear()
    assert see_pickup(mind, 5, suggests, taken) is None
    assert not model.asked


def test_a_clue_is_asked_about_again_only_if_it_says_more_than_before() -> None:
    """The answers expect rock whatever is seen."""
    expecting = against("rock", {"paper": 6})
    answer = Prediction(player="opponent", next=[lead("rock")], strategy=expecting)
    model = ScriptedModel({Predict: lambda question: answer})
    mind = mind_of(model)
    asked = []
    for suggests, is_slight in (
        ("paper", True),
        ("paper", True),
        ("paper", False),
        ("paper", True),
        ("paper", False),
        ("rock", False),
        ("paper", False),
        (None, False),
        ("paper", False),
    ):
        model.asked.clear()
        see_pickup(mind, 5, suggests, is_slight=is_slight)
        asked.append(len(model.asked))
    # Rock is news here, too, since before the first interaction nothing is counted on.
    assert asked == [1, 0, 1, 0, 0, 0, 1, 0, 1]


def test_a_clue_that_the_strategy_counts_on_is_no_news_even_if_the_hypothesis_predicts_another() -> None:
    expecting = against("paper", {"scissors": 6})
    answers = {
        Propose: lambda question: HypothesisAnswer(hypothesis="It plays rock."),
        Predict: lambda question: Prediction(
            player="opponent", next=[lead("rock") for _ in question.hypotheses or [0]], strategy=expecting
        ),
    }
    for suggests, count in (("paper", 0), ("rock", 1)):
        model = ScriptedModel(answers)
        mind = mind_of(model)
        mind._strategy = interact(mind, 0)
        model.asked.clear()
        see_pickup(mind, 5, suggests)
        assert len(model.asked) == count


def test_a_clue_that_suggests_what_the_newest_hypothesis_predicts_is_no_news() -> None:
    model = model_proposing("rock", "paper")
    mind = mind_of(model)
    interact(mind, 0)
    interact(mind, 1, PAPERS)
    assert [(known.prediction, known.born) for known in mind.hypotheses] == [("rock", 1), ("paper", 2)]
    model.asked.clear()
    assert see_pickup(mind, 5, "paper") is None
    assert not model.asked


def test_without_an_answer_to_a_clue_the_strategy_stays() -> None:
    model = model_proposing("rock")
    mind = mind_of(model)
    interact(mind, 0)
    model.replies[Predict] = lambda question: None
    assert see_pickup(mind, 5, "paper") is None


def test_without_any_hypothesis_nothing_is_predicted() -> None:
    model = model_proposing()
    assert interact(mind_of(model), 0) is None
    assert model.kinds() == [Propose]


def test_whom_to_meet_is_asked_once_the_agent_can_act() -> None:
    game, model = arena(), model_proposing("rock")
    model.replies[ChooseStrategy] = lambda question: StrategyAnswer(strategy=among(ROCK))
    mind = TheoryOfMind(game.mind, model, TABLE_2)
    game.can_act = False
    assert interact(mind, 0, partner="player_1") is None
    assert model.kinds() == [Propose, Predict]
    game.can_act = True
    assert mind.is_outdated
    begin(mind)
    assert model.kinds()[-1] == ChooseStrategy
    assert not mind.is_outdated


def test_a_clue_before_the_first_interaction_gives_a_strategy_without_a_hypothesis() -> None:
    strategy = see_pickup(mind_of(model_proposing()), 5, "scissors", (0, 0, 1))
    assert strategy is not None
    assert strategy.expected == (1, 1, 6)


def test_without_a_new_hypothesis_the_earlier_ones_stay_in_use() -> None:
    mind = mind_of(model_proposing("rock"))
    interact(mind, 0)
    strategy = interact(mind, 1)
    assert [hypothesis.words for hypothesis in mind.hypotheses] == ["rock"]
    assert strategy is not None
    assert strategy.expected == (6, 1, 1)


def test_without_an_answer_the_first_strategy_is_calculated() -> None:
    model = ScriptedModel({Predict: lambda question: None})
    assert begin(mind_of(model)).target is not None
    assert model.kinds() == [Predict]


def test_exact_inference_asks_no_question_about_inventories() -> None:
    model = model_proposing("rock")
    interact(mind_of(model), 0)
    assert not model.of(InferInventory)


def test_among_several_players_a_clue_asks_again_whom_to_meet_if_it_changes_what_is_expected() -> None:
    model = ScriptedModel({ChooseStrategy: lambda question: StrategyAnswer(strategy=among(ROCK))})
    mind = TheoryOfMind(arena().mind, model, TABLE_2)
    clues = [((1, 0, 0), "rock"), ((2, 0, 0), "rock"), ((0, 0, 0), None), ((0, 1, 0), "paper")]
    for step, (taken, suggests) in enumerate(clues):
        see_pickup(mind, step, suggests, taken, partner="player_1")
    expected = [belief.expected for question in model.of(ChooseStrategy) for belief in question.others]
    assert expected == ["rock", "paper"]
    assert model.kinds() == [ChooseStrategy] * 2


@pytest.mark.parametrize(("suggests", "is_asked"), [("rock", False), ("paper", True)])
def test_what_repeats_is_thought_over_if_a_clue_had_made_expect_another_thing(suggests: str, is_asked: bool) -> None:
    model = model_proposing("rock")
    model.replies[ChooseStrategy] = lambda question: StrategyAnswer(strategy=among(ROCK))
    mind = TheoryOfMind(arena().mind, model, TABLE_2)
    for step in range(5):
        interact(mind, step, partner="player_1")
    see_pickup(mind, 5, suggests, partner="player_1")
    model.asked.clear()
    interact(mind, 6, partner="player_1")
    assert (Predict in model.kinds()) == is_asked


# Parts switched off, as in the ablations


def test_without_evaluation_only_the_newest_hypothesis_is_kept() -> None:
    mind = mind_of(model_proposing("rock 1", "rock 2", "rock 3"), MMP)
    for step, words in enumerate(("rock 1", "rock 2", "rock 3")):
        interact(mind, step)
        assert [hypothesis.words for hypothesis in mind.hypotheses] == [words]


def test_without_evaluation_a_hypothesis_stays_unscored_and_unvalidated_however_often_it_is_right() -> None:
    mind = mind_of(model_proposing(*["rock"] * 8), MMP)
    for step in range(8):
        interact(mind, step)
        assert [(hypothesis.value, hypothesis.prediction) for hypothesis in mind.hypotheses] == [(0.0, "rock")]
        assert mind.validated is None


def test_without_evaluation_every_interaction_takes_one_hypothesis_and_one_prediction() -> None:
    model = model_proposing(*["rock"] * 6)
    mind = mind_of(model, MMP)
    for step in range(6):
        interact(mind, step)
        assert model.kinds() == [Propose, Predict]


def test_without_evaluation_the_latest_hypothesis_stays_in_use_without_a_new_one() -> None:
    mind = mind_of(model_proposing("paper"), MMP)
    interact(mind, 0)
    strategy = interact(mind, 1)
    assert [hypothesis.words for hypothesis in mind.hypotheses] == ["paper"]
    assert strategy is not None
    assert strategy.expected == PAPERS


def test_without_refinement_hypotheses_are_still_scored_by_their_predictions() -> None:
    mind = mind_of(model_proposing("rock", "paper", "scissors"), MMP_HE)
    for step in range(3):
        interact(mind, step)
    values = {hypothesis.words: hypothesis.value for hypothesis in mind.hypotheses}
    assert values == pytest.approx({"rock": 0.51, "paper": -0.3, "scissors": 0.0})


@pytest.mark.parametrize(("parts", "shown"), [(Parts(), ["rock"]), (MMP_HE, []), (MMP, [])])
def test_only_refinement_is_shown_hypotheses_that_predicted_well(parts: Parts, shown: list[str]) -> None:
    model = model_proposing("rock", "paper", "scissors")
    mind = mind_of(model, parts)
    for step in range(3):
        interact(mind, step)
    assert [hypothesis.words for hypothesis in model.of(Propose)[-1].best] == shown
