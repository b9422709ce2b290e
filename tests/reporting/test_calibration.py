"""Proper scores of predictions, their skill over the base rate, and the calibration of known liars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from hm_agent.recording.result import SeatResult
from hm_agent.reporting.calibration import predictions, reliability
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.writing import write_report
from hm_agent.theory_of_mind.predictions import PredictionRecord
from tests.reporting.examples import RWS, RWS_2, leave, result
from tests.theory_of_mind.test_predictions import Seen, is_right

HONEST, LIAR = {"rock": 0.7, "paper": 0.3}, {"rock": 0.3, "paper": 0.7}


def foretold(chances: Mapping[str, float] | None, came: Iterable[str]) -> dict[str, float]:
    """What is recorded of one who always predicts rock, or gives these chances."""
    record = PredictionRecord(is_right)
    for behaviour in came:
        record.judge("rock", Seen(behaviour), chances)
    return {"normalised_reward": 0.0, **record.metrics()}


SEVEN_OF_TEN = ["rock"] * 7 + ["paper"] * 3


def test_a_calibrated_agent_lies_on_the_diagonal_and_a_known_liar_as_far_from_it_as_it_lies() -> None:
    for chances, expected in (
        (HONEST, [[0.3, 10, 0.3, 0.3], [0.7, 10, 0.7, 0.7]]),
        (LIAR, [[0.3, 10, 0.3, 0.7], [0.7, 10, 0.7, 0.3]]),
        (None, [[0.9, 10, 1.0, 0.7]]),
    ):
        found = reliability([foretold(chances, SEVEN_OF_TEN)])
        told = [[part.low, part.count, part.chance, part.came] for part in found]
        assert told == [pytest.approx(row) for row in expected]


def test_chances_of_all_episodes_and_seats_are_counted_together() -> None:
    one, other = foretold(None, ["rock"] * 2), foretold(HONEST, ["rock"])
    seats = tuple(
        SeatResult(f"player_{n}", "hypothetical_minds", "builtin", 0.0, metrics=m) for n, m in enumerate((one, other))
    )
    (found,) = predictions([result(metrics=one, seats=seats), result(metrics=one, seed=2)])
    assert (found.episodes, found.count) == (2, 5)
    assert [part.count for part in found.bins] == [1, 1, 4]


def test_skill_is_the_share_of_the_base_that_is_saved_over_scenarios_of_equal_weight() -> None:
    """Brier scores 0.42 of 0.42 in one scenario, and in the other 0.18 beside a base of 0, as rock always comes."""
    played = [result(metrics=foretold(HONEST, SEVEN_OF_TEN), seed=n) for n in range(4)]
    (found,) = predictions([*played, result(metrics=foretold(HONEST, ["rock"]), scenario=RWS_2)])
    assert [found.brier.mean, found.brier.base] == pytest.approx([0.3, 0.21])
    assert found.brier.share == pytest.approx(1 - 0.30 / 0.21)
    assert found.brier.interval is not None
    low, high = found.brier.interval
    assert low < 1 - 0.30 / 0.21 < high
    assert found.log_loss.share is not None


def test_a_scenario_that_is_foreseen_and_never_varies_makes_no_skill_surer() -> None:
    """The interval is over the episodes of the scenario that tells anything."""
    varied = [result(metrics=foretold(HONEST, ["rock"] * rocks + ["paper"] * 3), seed=rocks) for rocks in range(2, 7)]
    (alone,) = predictions(varied)
    (both,) = predictions(
        [*varied, *(result(metrics=foretold(None, ["rock"]), scenario=RWS_2, seed=n) for n in (1, 2))]
    )
    assert alone.brier.interval is not None
    assert alone.brier.interval[0] < alone.brier.interval[1]
    assert both.brier.interval == pytest.approx(alone.brier.interval)
    assert both.brier.mean == pytest.approx(alone.brier.mean / 2)


def test_where_the_base_is_perfect_there_is_no_skill() -> None:
    (found,) = predictions([result(metrics=foretold(HONEST, ["rock"]))])
    assert (found.brier.base, found.brier.share, found.brier.interval) == (0, None, None)


def test_episodes_without_proper_scores_are_left_out() -> None:
    assert predictions([result(metrics={"normalised_reward": 1.0, "predictions": 3, "predictions_right": 1.0})]) == []


def test_the_report_has_the_scores_the_curve_and_its_table(tmp_path: Path) -> None:
    leave(tmp_path, *(result(metrics=foretold(LIAR, SEVEN_OF_TEN), seed=n, scenario=RWS) for n in range(5)))
    page = write_report(read_runs((tmp_path,)), tmp_path / "report").read_text("utf-8")
    assert 'id="calibration"' in page
    text = (tmp_path / "report/report.md").read_text("utf-8")
    assert "| 5 | 50 | 0.95 | 0.61 | -0.55 (-0.55 to -0.55) | 0.74 | 0.42 | -0.76 (-0.76 to -0.76) |" in text
    assert "| 30% and 40% | 50 | 30% | 70% |" in text
    assert (tmp_path / "report/figures/calibration-0.svg").exists()
