from __future__ import annotations

from collections.abc import Callable

import pytest

from hm_agent.core import Hypothesis
from hm_agent.theory_of_mind.hypotheses import (
    TABLE_2,
    Bank,
    Hyperparameters,
    add,
    best_earlier,
    ranked,
    score,
    validated,
    with_predictions,
)


def predicting(words: str, prediction: str | None, value: float = 0.0) -> Hypothesis:
    return Hypothesis(words, value, prediction)


def equal_to(behaviour: str | None) -> Callable[[str], bool | None]:
    """A prediction is right if it equals this behaviour; unknown if that is None."""
    return lambda prediction: None if behaviour is None else prediction == behaviour


def after(hits: str) -> Bank:
    """A bank of one hypothesis after a series of hits (+) and misses (-)."""
    bank: Bank = (Hypothesis("plays rock"),)
    for hit in hits:
        bank = with_predictions(bank, bank, ["rock"])
        bank = score(bank, equal_to("rock" if hit == "+" else "paper"), TABLE_2)
    return bank


def test_table_2_has_the_papers_hyperparameters() -> None:
    assert (TABLE_2.learning_rate, TABLE_2.reward, TABLE_2.threshold, TABLE_2.top_k) == (0.3, 1.0, 0.7, 5)


def test_values_of_hits_in_a_row_are_the_papers() -> None:
    values = [after("+" * hits)[0].value for hits in (1, 2, 3, 4)]
    assert values == pytest.approx([0.30, 0.51, 0.657, 0.7599])


def test_wrong_prediction_lowers_value() -> None:
    (missed,) = score((predicting("wrong", "paper", 0.5),), equal_to("rock"), TABLE_2)
    assert missed.value == pytest.approx(0.05)


def test_value_stays_within_the_reward() -> None:
    bank = predicting("best", "rock", 2.0), predicting("worst", "paper", -2.0)
    scored = score(bank, equal_to("rock"), Hyperparameters(reward=2.0))
    assert [hypothesis.value for hypothesis in scored] == pytest.approx([2.0, -2.0])


def test_validation_takes_four_hits_in_a_row() -> None:
    assert validated(after("+++"), TABLE_2) is None
    assert validated(after("++++"), TABLE_2) is not None


def test_validation_is_lost_after_a_miss() -> None:
    assert validated(after("++++-"), TABLE_2) is None


def test_most_valuable_of_several_valid_hypotheses_is_validated() -> None:
    best = Hypothesis("better", 0.8)
    assert validated((Hypothesis("good", 0.75), best, Hypothesis("poor", -0.2)), TABLE_2) is best


def test_empty_bank_has_nothing_validated() -> None:
    assert validated((), TABLE_2) is None


def test_each_hypothesis_is_scored_on_its_own_prediction() -> None:
    bank = (predicting("right", "rock"), predicting("wrong", "paper"))
    assert [hypothesis.value for hypothesis in score(bank, equal_to("rock"), TABLE_2)] == pytest.approx([0.3, -0.3])


def test_stale_prediction_is_never_scored() -> None:
    once = score((predicting("right", "rock"),), equal_to("rock"), TABLE_2)
    assert score(once, equal_to("paper"), TABLE_2) == once


def test_hypothesis_without_a_prediction_keeps_its_value() -> None:
    (silent,) = score((predicting("silent", None, 0.4),), equal_to("rock"), TABLE_2)
    assert silent.value == 0.4


def test_unknown_behaviour_clears_predictions_without_changing_values() -> None:
    assert score((predicting("right", "rock", 0.4),), equal_to(None), TABLE_2) == (predicting("right", None, 0.4),)


def test_only_hypotheses_asked_get_a_prediction() -> None:
    first, second = Hypothesis("first", prediction="paper"), Hypothesis("second")
    bank = with_predictions((first, second), [second], ["rock"])
    assert [hypothesis.prediction for hypothesis in bank] == [None, "rock"]


def test_new_words_push_out_the_least_valuable_beyond_the_top_k() -> None:
    bank = tuple(Hypothesis(f"value {n}", n / 10) for n in (3, 0, 4, 1, 2, 5))
    kept = add(bank, "new", 7, TABLE_2)
    assert [hypothesis.words for hypothesis in kept] == ["value 3", "value 4", "value 1", "value 2", "value 5", "new"]


def test_new_words_start_at_zero() -> None:
    assert add((), "new", 7, TABLE_2) == (Hypothesis("new", 0.0, None, born=7),)


def test_repeated_words_keep_their_value_and_become_the_newest() -> None:
    known, other = Hypothesis("known", 0.51, born=1), Hypothesis("other", 0.3, born=2)
    assert add((known, other), "known", 7, TABLE_2) == (other, known)


def test_newest_comes_first_among_equals() -> None:
    bank = (Hypothesis("old"), Hypothesis("best", 0.3), Hypothesis("new"))
    assert [hypothesis.words for hypothesis in ranked(bank)] == ["best", "new", "old"]


def test_refinement_is_shown_the_best_with_a_value_above_zero() -> None:
    bank = tuple(Hypothesis(f"value {n}", n / 10) for n in (-1, 0, 2, 6, 1))
    assert [hypothesis.value for hypothesis in best_earlier(bank, TABLE_2)] == [0.6, 0.2, 0.1]


def test_refinement_is_shown_no_more_than_the_top_k() -> None:
    bank = tuple(Hypothesis(f"value {n}", n / 10) for n in range(1, 9))
    assert [hypothesis.value for hypothesis in best_earlier(bank, Hyperparameters(top_k=2))] == [0.8, 0.7]
