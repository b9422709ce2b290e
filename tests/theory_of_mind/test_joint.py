"""The mind reader that asks one question after an interaction, with a scripted model."""

from __future__ import annotations

from dataclasses import replace

from hm_agent.testing.scripted_model import ScriptedModel, each
from hm_agent.theory_of_mind.hypotheses import TABLE_2
from hm_agent.theory_of_mind.joint import JointMind
from hm_agent.theory_of_mind.mind_questions import Revise, RevisedBeliefs, RevisedMind
from hm_agent.worlds.melting_pot.facts import Length
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.seat import AgainstOne, AmongMany, NextLead
from hm_agent.worlds.melting_pot.scenarios import game_named
from tests.strategists import PAPERS, ROCKS, SCISSORS, against, among, arena, begin, dyad, interact, lead, see_pickup

PAPER = {"rock": 1, "paper": 6, "scissors": 1}


def revised(words: str = "", then: str = "rock", of: int = 0) -> RevisedMind[NextLead]:
    return RevisedMind(of=of, hypothesis=words, next=lead(then))


ALWAYS, ANSWERS = revised("It always plays rock."), revised("It answers what it saw.", "paper")


def answer(*revisions: RevisedMind[NextLead]) -> RevisedBeliefs[NextLead, AgainstOne]:
    strategy = against("rock", PAPER, words="It is simple.")
    return RevisedBeliefs(hypotheses=list(revisions), strategy=strategy)


def mind_of(*answers: RevisedBeliefs[NextLead, AgainstOne]) -> tuple[JointMind, ScriptedModel]:
    model = ScriptedModel({Revise: each(list(answers))})
    return JointMind(dyad().mind, model, TABLE_2), model


def test_an_interaction_costs_one_question_that_shows_every_hypothesis_with_its_record() -> None:
    mind, model = mind_of(answer(ALWAYS, ANSWERS), answer(revised(of=1)))
    interact(mind, 10, ROCKS)
    interact(mind, 60, ROCKS)
    first, second = model.of(Revise)
    assert (len(first.history), first.hypotheses) == (1, ())
    records = [(known.words, known.right, known.tested) for known in second.hypotheses]
    assert records == [(ALWAYS.hypothesis, 1, 1), (ANSWERS.hypothesis, 0, 1)]


def test_a_hypothesis_kept_by_number_keeps_value_and_record_and_the_others_are_dropped() -> None:
    mind, _ = mind_of(answer(ALWAYS, ANSWERS), answer(revised("Rock, always.", of=1)))
    interact(mind, 10, ROCKS)
    interact(mind, 60, ROCKS)
    (kept,) = mind.hypotheses
    assert (kept.words, kept.value, kept.right, kept.prediction) == ("Rock, always.", 0.3, 1, "rock")


def test_words_repeated_as_new_keep_their_record_and_are_held_once() -> None:
    mind, _ = mind_of(answer(ALWAYS), answer(revised("it always plays ROCK"), ALWAYS))
    interact(mind, 10, ROCKS)
    interact(mind, 60, ROCKS)
    (kept,) = mind.hypotheses
    assert (kept.right, kept.tested) == (1, 1)


def test_the_reason_is_among_the_strategys_words_and_planning_sees_the_evidence() -> None:
    mind, _ = mind_of(answer(ALWAYS))
    strategy = interact(mind, 10, ROCKS)
    assert strategy is not None
    assert "It is simple." in strategy.words
    assert [met.step for met in mind.history] == [10]


def test_an_unanswered_question_keeps_strategy_and_hypotheses() -> None:
    mind, _ = mind_of(answer(ALWAYS))
    interact(mind, 10, ROCKS)
    assert interact(mind, 60, PAPERS) is None
    assert [known.words for known in mind.hypotheses] == [ALWAYS.hypothesis]


def test_a_clue_that_fits_asks_nothing_and_one_that_contradicts_asks_again() -> None:
    mind, model = mind_of(answer(ALWAYS), answer(ALWAYS))
    interact(mind, 10, ROCKS)
    assert see_pickup(mind, 40, "rock", (1, 0, 0)) is None
    assert len(model.asked) == 1
    see_pickup(mind, 45, "paper", (0, 1, 0))
    assert len(model.asked) == 2


def test_a_clue_contradicts_what_is_expected_in_view_of_all_hypotheses() -> None:
    mind, model = mind_of(answer(ALWAYS, ANSWERS), answer(ALWAYS, ANSWERS))
    interact(mind, 10, ROCKS)
    assert [known.prediction for known in mind.hypotheses] == ["rock", "paper"]
    assert see_pickup(mind, 40, "rock", (2, 0, 0)) is None
    assert len(model.asked) == 1
    see_pickup(mind, 45, "paper", (0, 2, 0))
    assert len(model.asked) == 2


def test_nothing_is_asked_once_no_interaction_can_be_paid() -> None:
    game = dyad()
    model = ScriptedModel({Revise: each([answer(ALWAYS)] * 3)})
    mind = JointMind(game.mind, model, TABLE_2)
    game.rules = replace(game.rules, length=Length(300, 1, 1.0))
    see_pickup(mind, 100, "paper")
    for step, held, questions in ((284, (2, 1, 1), 1), (283, (1, 1, 1), 1), (282, (1, 1, 1), 2)):
        game.step, game.held = step, held
        see_pickup(mind, step, "scissors")
        assert len(model.asked) == questions
    game.rules = replace(game.rules, length=Length(200, 100, 0.1))
    assert not game.mind.is_over


def test_a_slight_clue_contradicts_nothing_that_interactions_have_taught() -> None:
    mind, model = mind_of(answer(ALWAYS), answer(ALWAYS))
    see_pickup(mind, 5, "paper", is_slight=True)
    assert len(model.asked) == 1
    interact(mind, 10, ROCKS)
    see_pickup(mind, 45, "paper", is_slight=True)
    assert len(model.asked) == 2


def test_nothing_is_asked_while_nothing_can_be_done() -> None:
    game = arena()
    choice: RevisedBeliefs[NextLead, AmongMany] = RevisedBeliefs(hypotheses=[ALWAYS], strategy=among(PAPER, "player_2"))
    model = ScriptedModel({Revise: each([choice] * 4)})
    mind = JointMind(game.mind, model, TABLE_2)
    begin(mind)
    game.can_act = False
    assert interact(mind, 100, ROCKS, partner="player_1") is None
    assert len(model.asked) == 1
    assert not mind.is_outdated
    game.can_act = True
    assert mind.is_outdated
    begin(mind)
    assert model.of(Revise)[-1].about == "player_1"
    assert [known.words for known in mind.hypotheses] == [ALWAYS.hypothesis]
    assert not mind.is_outdated
    begin(mind)
    assert model.of(Revise)[-1].about is None


def test_a_hypothesis_is_kept_by_its_number_alone_and_a_revision_without_words_and_number_adds_none() -> None:
    mind, _ = mind_of(answer(ALWAYS, ANSWERS), answer(revised(of=2, then="paper"), revised()))
    interact(mind, 10, ROCKS)
    interact(mind, 60, ROCKS)
    assert [(known.words, known.tested) for known in mind.hypotheses] == [(ANSWERS.hypothesis, 1)]


def test_of_more_hypotheses_than_k_the_most_valuable_stay_and_the_best_of_them_is_believed() -> None:
    """Only the third comes true; the first is the oldest of the wrong ones."""
    first = [revised(f"Rule {n}.", "rock" if n == 3 else "paper") for n in range(1, 6)]
    mind, _ = mind_of(answer(*first), answer(*(revised(of=n) for n in range(1, 6)), revised("Rule 6.")))
    interact(mind, 10, ROCKS)
    interact(mind, 60, ROCKS)
    assert [known.words for known in mind.hypotheses] == [f"Rule {n}." for n in (2, 3, 4, 5, 6)]
    assert mind.hypotheses[-1].born == 2
    believed = mind.believed_about("opponent")
    assert believed is not None
    assert believed.words == "Rule 3."


def test_a_clue_holds_until_the_next_interaction_whatever_an_answer_expects() -> None:
    mind, model = mind_of(*[answer(ALWAYS)] * 3)
    interact(mind, 10, ROCKS)
    for suggests in ("paper", None, "paper"):
        see_pickup(mind, 45, suggests)
    assert [asked.about for asked in model.of(Revise)] == ["opponent"] * 2
    interact(mind, 60, ROCKS)
    assert see_pickup(mind, 90, "rock", (1, 0, 0)) is None
    assert len(model.asked) == 3


def test_a_question_about_one_player_tells_what_is_believed_of_the_others() -> None:
    choice: RevisedBeliefs[NextLead, AmongMany] = RevisedBeliefs(hypotheses=[ALWAYS], strategy=among(PAPER))
    model = ScriptedModel({Revise: each([choice] * 2)})
    mind = JointMind(arena().mind, model, TABLE_2)
    interact(mind, 100, ROCKS, partner="player_1")
    interact(mind, 200, PAPERS, partner="player_2")
    beliefs = {belief.name: (belief.hypothesis, belief.expected) for belief in model.of(Revise)[-1].others}
    assert beliefs["player_1"] == (ALWAYS.hypothesis, "rock")
    assert [met.step for met in model.of(Revise)[-1].history] == [200]
    assert [known.born for known in mind.hypotheses] == [1]


def test_a_decoy_is_believed_until_a_constant_would_have_been_right_more_often() -> None:
    """The other is seen to take rock each time, and plays scissors; the answers expect what it was seen to take."""
    mind, _ = mind_of(*[answer(ALWAYS)] * 8)
    led = []
    for step in (10, 60, 110, 160):
        see_pickup(mind, step, "rock", (2, 0, 0))
        strategy = interact(mind, step + 20, SCISSORS)
        assert strategy is not None
        assert strategy.target is not None
        led.append(strategy.target.index(max(strategy.target)))
    assert led == [1, 1, 0, 0], "paper against rock; then rock against scissors"


def test_a_constant_that_is_no_better_changes_nothing() -> None:
    mind, _ = mind_of(*[answer(ALWAYS)] * 8)
    targets = [strategy.target for step in (10, 60, 110, 160) if (strategy := interact(mind, step, ROCKS))]
    assert targets == [(1, 6, 1)] * 4


def test_where_cooperation_may_matter_predictions_are_acted_on_all_the_same() -> None:
    assert dyad(game_named("pd_repeated", MatrixFacts)).mind.response_to_rates("opponent", {"cooperate": 1.0}) is None
    assert arena().mind.response_to_rates("player_1", {"rock": 1.0}) is None
    response = dyad().mind.response_to_rates("opponent", {"rock": 0.6, "paper": 0.4})
    assert response is not None
    assert response.target is not None
    assert response.target.index(max(response.target)) == 1
