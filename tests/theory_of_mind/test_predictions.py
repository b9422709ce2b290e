from __future__ import annotations

from dataclasses import dataclass
from math import log

import pytest

from hm_agent.core import Interaction
from hm_agent.theory_of_mind.predictions import (
    BASE_RATE,
    BRIER,
    BRIER_BASE,
    LEAST_CHANCE,
    LOG_LOSS,
    LOG_LOSS_BASE,
    PREDICTED,
    RIGHT,
    BaseRates,
    PredictionRecord,
)


@dataclass(frozen=True)
class Seen:
    behaviour: str | None
    step: int = 0
    partner: str = "player_1"
    reward: float = 0.0


def is_right(prediction: str, interaction: Interaction) -> bool | None:
    return None if interaction.behaviour is None else prediction == interaction.behaviour


def shares(record: PredictionRecord) -> dict[str, float]:
    return {name: value for name, value in record.metrics().items() if name in (PREDICTED, RIGHT, BASE_RATE)}


def test_proper_scores_take_a_prediction_without_chances_as_certain() -> None:
    record = PredictionRecord(is_right)
    record.judge("rock", Seen("rock"))
    record.judge("rock", Seen("paper"))
    record.judge("rock", Seen("rock"), {"rock": 0.5, "paper": 0.3, "scissors": 0.2})
    record.judge("rock", Seen("scissors"), {"rock": 0.5, "paper": 0.3, "scissors": 0.2})
    metrics = record.metrics()
    assert metrics[LOG_LOSS] == pytest.approx(-(log(1) + log(LEAST_CHANCE) + log(0.5) + log(0.2)) / 4)
    brier = [0, 2, 0.5**2 + 0.3**2 + 0.2**2, 0.5**2 + 0.3**2 + 0.8**2]
    assert metrics[BRIER] == pytest.approx(sum(brier) / 4)
    assert metrics[LOG_LOSS_BASE] == pytest.approx(-(log(1 / 2) / 2 + log(1 / 4) / 2))
    assert metrics[BRIER_BASE] == pytest.approx(1 - 1 / 4 - 2 / 16)


def test_chances_of_all_names_that_an_interaction_bears_out_add_up_and_what_is_left_open_is_anything_else() -> None:
    record = PredictionRecord(lambda prediction, seen: prediction in (seen.behaviour or "").split())
    record.judge("cup", Seen("cup new"), {"cup": 0.4, "new": 0.2, "bowl": 0.1})
    metrics = record.metrics()
    assert metrics[LOG_LOSS] == pytest.approx(-log(0.6))
    assert metrics[BRIER] == pytest.approx(0.4**2 + 0.1**2 + 0.3**2)


def test_a_known_liar_scores_worse_than_who_says_nothing_is_known() -> None:
    """Honest chances have the least expected loss; who gives the reverse loses most."""

    def loss(chances: dict[str, float] | None) -> tuple[float, float]:
        record = PredictionRecord(is_right)
        for did in ("rock",) * 7 + ("paper",) * 3:
            record.judge("rock", Seen(did), chances)
        return record.metrics()[LOG_LOSS], record.metrics()[BRIER]

    honest, vague, liar = ({"rock": rock, "paper": 1 - rock} for rock in (0.7, 0.5, 0.3))
    assert loss(honest) < loss(vague) < loss(liar)
    assert loss(honest) < loss(None), "to be certain costs more than to be calibrated"


def test_shares_are_of_the_predictions_that_could_be_judged() -> None:
    record = PredictionRecord(is_right)
    said = [("rock", "rock"), ("rock", "paper"), (None, "paper"), ("paper", None), ("paper", "paper")]
    assert [record.judge(prediction, Seen(did)) for prediction, did in said] == [True, False, None, None, True]
    assert shares(record) == {PREDICTED: 3, RIGHT: 2 / 3, BASE_RATE: 2 / 3}


def test_base_rate_is_of_the_one_best_behaviour_in_hindsight() -> None:
    record = PredictionRecord(is_right)
    for did in ("rock", "rock", "rock", "paper"):
        record.judge("scissors", Seen(did))
    assert shares(record) == {PREDICTED: 4, RIGHT: 0, BASE_RATE: 3 / 4}


def test_there_are_no_shares_of_nothing() -> None:
    record = PredictionRecord(is_right)
    record.judge(None, Seen("rock"))
    assert record.metrics() == {}


def rated(predicted: str, came: str) -> BaseRates:
    """After predictions of one player, each by a letter; `-` for none."""
    rates = BaseRates()
    for said, behaviour in zip(predicted, came, strict=True):
        rates.take("player_1", None if said == "-" else said, None if behaviour == "?" else behaviour)
    return rates


def test_the_commonest_behaviour_is_believed_once_it_leads_by_two_right_predictions() -> None:
    assert rated("ppp", "rrr").believed_of("player_1") == {"r": 1}
    assert rated("pp", "rr").believed_of("player_1") is None, "before the first there was no commonest"
    assert rated("rrr", "rrr").believed_of("player_1") is None, "both were right"
    assert rated("-pp", "rrr").believed_of("player_2") is None, "of others nothing is known"


def test_without_a_prediction_or_a_known_behaviour_nothing_is_compared() -> None:
    assert rated("p-p", "rrr").believed_of("player_1") is None
    assert rated("ppp", "r?r").believed_of("player_1") is None


def test_predictions_are_believed_again_once_they_are_right_where_the_commonest_is_not() -> None:
    assert rated("pppp", "rrrr").believed_of("player_1") == {"r": 1}
    assert rated("ppppp", "rrrrp").believed_of("player_1") is None


def test_what_was_right_long_ago_makes_up_for_two_failures_at_most() -> None:
    came = "r" + "rp" * 4 + "rrrr"
    assert rated("r" + "rp" * 4 + "ppp", came[:-1]).believed_of("player_1") is None
    assert rated("r" + "rp" * 4 + "pppp", came).believed_of("player_1") is not None


def test_the_commonest_is_what_was_commonest_before() -> None:
    # The player changes for paper: rock, the commonest until then, is wrong as well.
    assert rated("ssss", "rrpp").believed_of("player_1") is None
