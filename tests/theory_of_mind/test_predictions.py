from __future__ import annotations

from dataclasses import dataclass

from hm_agent.core import Interaction
from hm_agent.theory_of_mind.predictions import BASE_RATE, PREDICTED, RIGHT, PredictionRecord


@dataclass(frozen=True)
class Seen:
    behaviour: str | None
    step: int = 0
    partner: str = "player_1"
    reward: float = 0.0


def is_right(prediction: str, interaction: Interaction) -> bool | None:
    return None if interaction.behaviour is None else prediction == interaction.behaviour


def test_shares_are_of_the_predictions_that_could_be_judged() -> None:
    record = PredictionRecord(is_right)
    said = [("rock", "rock"), ("rock", "paper"), (None, "paper"), ("paper", None), ("paper", "paper")]
    assert [record.judge(prediction, Seen(did)) for prediction, did in said] == [True, False, None, None, True]
    assert record.metrics() == {PREDICTED: 3, RIGHT: 2 / 3, BASE_RATE: 2 / 3}


def test_base_rate_is_of_the_one_best_behaviour_in_hindsight() -> None:
    record = PredictionRecord(is_right)
    for did in ("rock", "rock", "rock", "paper"):
        record.judge("scissors", Seen(did))
    assert record.metrics() == {PREDICTED: 4, RIGHT: 0, BASE_RATE: 3 / 4}


def test_there_are_no_shares_of_nothing() -> None:
    record = PredictionRecord(is_right)
    record.judge(None, Seen("rock"))
    assert record.metrics() == {}
