"""The mind reader that is told chances, with a scripted model."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hm_agent.catalogue.casting import check_agent
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.core import Thoughts
from hm_agent.testing.scripted_model import ScriptedModel, each
from hm_agent.theory_of_mind.calculating import Calculator
from hm_agent.theory_of_mind.odds_questions import GiveOdds, OddsAnswer, RuleChances
from hm_agent.theory_of_mind.predictions import BRIER, LOG_LOSS
from tests.strategists import PAPERS, ROCKS, SCISSORS, arena, begin, dyad, interact, see_pickup

ROCK, PAPER, SCISSOR = [100, 0, 0], [0, 100, 0], [0, 0, 100]


def odds(next_chances: list[int], *then: list[int]) -> OddsAnswer:
    return OddsAnswer(rules=[RuleChances(rule="It has a rule.", share=100, next=next_chances, then=list(then))])


def told(answers: Sequence[OddsAnswer]) -> tuple[Calculator, ScriptedModel]:
    model = ScriptedModel({GiveOdds: each(answers)})
    return Calculator(dyad().mind, model), model


def test_the_first_question_comes_before_anything_is_known_and_code_answers_what_is_likeliest() -> None:
    mind, model = told([odds(ROCK)])
    strategy = begin(mind)
    assert [question.history for question in model.of(GiveOdds)] == [()]
    assert strategy.target is not None
    assert strategy.target.index(max(strategy.target)) == 1, "paper beats rock"
    assert strategy.expected is not None
    assert strategy.expected.index(max(strategy.expected)) == 0


def test_what_was_expected_asks_nothing_and_a_surprise_asks_with_all_interactions() -> None:
    mind, model = told([odds(ROCK), odds(PAPER)])
    begin(mind)
    interact(mind, 10, ROCKS)
    interact(mind, 60, ROCKS)
    assert len(model.asked) == 1
    strategy = interact(mind, 110, PAPERS)
    assert [len(question.history) for question in model.of(GiveOdds)] == [0, 3]
    assert strategy is not None
    assert strategy.target is not None
    assert strategy.target.index(max(strategy.target)) == 2, "scissors beat paper"


def test_it_asks_once_the_answer_tells_no_more_unless_both_repeat_themselves() -> None:
    mind, model = told([odds(ROCK, PAPER), odds(SCISSOR)])
    begin(mind)
    assert interact(mind, 10, ROCKS) is not None
    assert len(model.asked) == 2
    interact(mind, 60, SCISSORS)
    interact(mind, 110, SCISSORS)
    assert len(model.asked) == 2


def test_a_clue_against_the_likeliest_action_asks_and_one_that_fits_does_not() -> None:
    mind, model = told([odds(ROCK), odds(PAPER)])
    begin(mind)
    assert see_pickup(mind, 5, "rock", (1, 0, 0)) is None
    assert len(model.asked) == 1
    see_pickup(mind, 8, "paper", (0, 1, 0))
    assert len(model.asked) == 2


def test_without_a_valid_answer_it_acts_as_on_no_belief_and_keeps_its_strategy() -> None:
    mind, _ = told([])
    begin(mind)
    assert interact(mind, 10, ROCKS) is None
    assert mind.believed_about("opponent") is None
    assert mind.metrics() == {}


def test_of_an_answer_with_unusable_rules_the_others_are_of_use() -> None:
    mind, model = told([odds(ROCK)])
    begin(mind)
    (question,) = model.of(GiveOdds)
    good = RuleChances(rule="It plays rock.", share=60, next=ROCK)
    nothing_is_possible, too_many_lists = (
        good.model_copy(update=change) for change in ({"next": [0, 0, 0]}, {"then": [ROCK] * 2})
    )
    answer = OddsAnswer(rules=[nothing_is_possible, good, too_many_lists])
    with pytest.raises(
        ValueError, match="next: say 3 percentages that add up to 100; then: 2 given; there may be 0, 1, 3"
    ):
        question.check(answer)
    assert question.usable_part(answer) == OddsAnswer(rules=[good])
    assert question.usable_part(OddsAnswer(rules=[nothing_is_possible])) is None


def test_the_question_waits_until_the_agent_can_act() -> None:
    game = arena()
    model = ScriptedModel({GiveOdds: each([odds(ROCK)])})
    mind = Calculator(game.mind, model)
    begin(mind)
    assert not model.asked, "among many nobody is asked about before it was met"
    game.can_act = False
    interact(mind, 100, ROCKS, partner="player_1")
    assert not model.asked
    game.can_act = True
    assert mind.is_outdated
    strategy = begin(mind)
    assert [question.about for question in model.of(GiveOdds)] == ["player_1"]
    assert strategy.target is not None
    assert strategy.target.index(max(strategy.target)) == 1


def test_predictions_are_scored_by_the_chances_that_were_given() -> None:
    mind, _ = told([odds([80, 20, 0])])
    begin(mind)
    chances = mind.chances_of("opponent")
    assert chances is not None
    interact(mind, 10, ROCKS)
    metrics = mind.metrics()
    assert metrics[BRIER] == pytest.approx(sum(chance**2 for chance in chances.values()) - 2 * chances["rock"] + 1)
    assert 0 < metrics[LOG_LOSS] < 0.3
    thoughts: Thoughts = mind.thoughts()
    assert [(rule.words, rule.prediction) for rule in thoughts.hypotheses] == [("It has a rule.", "rock")]
    assert thoughts.hypotheses[0].value == pytest.approx(1)
    assert [hypothesis.prediction for hypothesis in thoughts.relied_on if hypothesis] == ["rock"]


def test_kitchens_refuse_it_in_one_line() -> None:
    (info,) = find_scenarios(["cooking_asymmetric_1"])
    with pytest.raises(
        Exception, match=r"hm_odds can't play .* \(it needs OddsReading, which .* does not offer there\)"
    ):
        check_agent("hm_odds", info, "builtin")


def test_chances_that_a_constant_would_beat_are_not_acted_on() -> None:
    """The answers always expect rock, and the other plays scissors."""
    mind, _ = told([odds(ROCK)] * 8)
    begin(mind)
    led = []
    for step in (10, 60, 110, 160):
        strategy = interact(mind, step, SCISSORS)
        assert strategy is not None
        assert strategy.target is not None
        led.append(strategy.target.index(max(strategy.target)))
    assert led == [1, 1, 0, 0], "paper against rock; then rock against scissors"
    assert mind.chances_of("opponent") is not None
