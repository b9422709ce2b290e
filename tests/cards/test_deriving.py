"""A card's figures from results with known numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from hm_agent.cards.battery import Battery, Part
from hm_agent.cards.card import CalibrationBin, WorldFigures
from hm_agent.cards.deriving import PlayedPart, Player, derive
from hm_agent.catalogue.suite import FULL
from hm_agent.recording.result import Result
from hm_agent.theory_of_mind.predictions import PredictionRecord
from tests.reporting.examples import result
from tests.theory_of_mind.test_predictions import Seen, is_right

BATTERY = Battery(FULL, worlds=("symmtom",))
"""Orders 0 to 2; the scale of an item runs from .25 by guessing, or from a better shortcut, to 1."""


def results(part: Part, agent: str, passed: float, model: str = "builtin", **metrics: float) -> list[Result]:
    """Episodes of an agent that passes a share of them, those of the lowest numbers."""
    return [
        result(
            agent,
            model=model,
            world="symmtom",
            scenario=info.name,
            episode=number,
            seed=number,
            metrics={"both_boards": float(number < passed * part.episodes), **metrics},
            settings={"seed": 0, "max_steps": None},
            measure=info.metric.measure,
        )
        for info in part.scenarios
        for number in range(part.episodes)
    ]


def card_of(
    *passed: float,
    left_out: Sequence[int] = (),
    unable: Sequence[int] = (),
    easy: Sequence[int] = (),
    metrics: Mapping[str, float] | None = None,
    kept: Callable[[Result], bool] = lambda result: True,
) -> WorldFigures:
    """The figures of an agent that passes these shares of the items of order 0, 1 and 2. kept: which have a result.

    left_out: the orders of which nothing was played; unable: those that the agent can't play; easy: those whose items a
    shortcut passes.
    """
    played = list[PlayedPart]()
    for part, share in zip(BATTERY.parts(), passed, strict=True):
        assert part.order is not None
        ladder = [results(part, f"order_{order}", float(order >= part.order)) for order in range(3)]
        best = 1.0 if part.order in easy else 0.5 if part.order == 0 else 0.1
        shortcuts = [results(part, "random", 0.0), results(part, "k_first", best)]
        own = [] if part.order in left_out else results(part, "hypothetical_minds", share, "gpt-4o", **(metrics or {}))
        own = list(filter(kept, own))
        references = [one for group in (*ladder, *shortcuts) for one in group]
        played += [PlayedPart(part, tuple(own), tuple(references), 20)] if part.order not in unable else []
    card = derive(Player("hypothetical_minds", "gpt-4o", {}), BATTERY, played, "")
    (world,) = card.worlds
    assert card.episodes == sum(row.episodes for row in world.orders)
    assert card.planned == 20 * len(played)
    return world


def test_scores_run_from_the_best_shortcut_or_guessing_to_the_ceiling() -> None:
    world = card_of(0.8, 0.4, 0.0)
    scores = [row.functional.mean for row in world.orders if row.functional]
    assert scores == pytest.approx([(0.8 - 0.5) / 0.5, (0.4 - 0.25) / 0.75, -0.25 / 0.75], abs=1e-6)
    assert [row.floor for row in world.orders] == [("k_first",)] * 3
    assert [row.ceiling for row in world.orders] == [("order_0",), ("order_1",), ("order_2",)]
    assert world.position is not None
    assert world.position.at.mean == pytest.approx(-1 + 0.75 + 0.25)
    assert world.position.at.low is not None


def test_the_ladders_agents_have_their_own_order_in_the_references() -> None:
    references = [row.references for row in card_of(1.0, 1.0, 1.0).orders]
    assert [found["order_1"] for found in references] == pytest.approx([1.0, 1.0, -1 / 3], abs=1e-6)
    assert all(found["k_first"] <= 0 for found in references), "the best of the shortcuts is shown, too"


def test_the_gap_is_skill_over_the_base_rate_minus_the_functional_score() -> None:
    row = card_of(1.0, 0.4, 0.0, metrics={"literal_right": 0.9, "literal_true": 0.4}).orders[1]
    assert row.literal is not None
    assert row.skill is not None
    assert row.gap is not None
    assert (row.literal.mean, row.base_rate) == (0.9, 0.6)
    assert row.skill.mean == pytest.approx(0.75)
    assert row.gap.mean == pytest.approx(0.75 - 0.2)


def test_chances_are_scored_against_the_frequencies_in_hindsight() -> None:
    chances = {"log_loss": 0.5, "log_loss_base": 1.0, "brier": 0.6, "brier_base": 0.5}
    metrics = {f"predictions_{name}": value for name, value in chances.items()}
    row = card_of(1.0, 1.0, 1.0, metrics=metrics).orders[0]
    assert (row.log_loss_skill, row.brier_skill) == pytest.approx((0.5, -0.2))
    assert row.skill is None


def test_a_known_liars_calibration_is_as_far_off_as_it_lies() -> None:
    """It gives .9 to what comes in three of ten cases, and .1 to what comes in the other seven."""
    record = PredictionRecord(is_right)
    for came in ["rock"] * 3 + ["paper"] * 7:
        record.judge("rock", Seen(came), {"rock": 0.9, "paper": 0.1})
    world = card_of(1.0, 1.0, 1.0, left_out=(1, 2), metrics=record.metrics())
    assert world.calibration == (CalibrationBin(200, 0.1, 0.7), CalibrationBin(200, 0.9, 0.3))
    assert world.calibration_error == pytest.approx(0.6)
    assert world.orders[0].brier_skill is not None
    assert world.orders[0].brier_skill < 0


def test_without_predictions_there_is_no_calibration() -> None:
    world = card_of(1.0, 1.0, 1.0, left_out=(0, 1, 2))
    assert (world.calibration, world.calibration_error) == ((), None)


def test_an_order_that_was_not_played_has_no_figures_and_no_place_in_the_position() -> None:
    world = card_of(1.0, 1.0, 1.0, left_out=(2,))
    row = world.orders[2]
    assert (row.episodes, row.planned, row.functional) == (0, 20, None)
    assert world.position is not None
    assert (world.position.at.mean, world.position.highest) == (1.0, 1)


def is_passed(result: Result) -> bool:
    return result.metrics["both_boards"] == 1


def is_heard(result: Result) -> bool:
    return "order_1_heard" in result.scenario


def test_who_leaves_out_the_items_that_it_fails_gains_nothing() -> None:
    honest, picked = card_of(1.0, 0.4, 0.0), card_of(1.0, 0.4, 0.0, kept=is_passed)
    assert picked.orders[1].functional == honest.orders[1].functional
    assert (picked.orders[1].episodes, honest.orders[1].episodes) == (8, 20)
    assert picked.position
    assert honest.position
    assert picked.position.at == honest.position.at
    one_kind = card_of(1.0, 1.0, 0.0, kept=lambda result: result.metrics["both_boards"] == 0 or is_heard(result))
    assert one_kind.orders[1].functional
    assert one_kind.orders[1].functional.mean == pytest.approx((0.5 - 0.25) / 0.75, abs=1e-6)


def test_a_statement_that_was_left_out_counts_as_wrong() -> None:
    said = {"literal_right": 0.9, "literal_true": 0.4}
    for kept, share in ((is_passed, 8 / 20), (is_heard, 10 / 20)):
        row = card_of(1.0, 0.4, 0.0, metrics=said, kept=kept).orders[1]
        assert row.literal
        assert row.skill
        assert row.literal.mean == pytest.approx(0.9 * share)
        assert row.skill.mean == pytest.approx((0.9 * share - 0.6) / 0.4)
    silent = card_of(1.0, 0.4, 0.0, kept=is_passed).orders[1]
    assert (silent.literal, silent.skill) == (None, None)


def test_no_order_is_passed_by_not_playing_it() -> None:
    for world in (card_of(1.0, 1.0, 1.0, left_out=(0, 1)), card_of(1.0, 1.0, 1.0, unable=(0, 1))):
        assert world.position is not None
        assert (world.position.at.mean, world.position.lowest, world.position.highest) == (-1.0, 0, 2)
        assert world.position.is_below_shortcuts


def test_an_order_whose_items_separate_nobody_is_left_out_of_the_position() -> None:
    world = card_of(1.0, 1.0, 0.0, easy=(0,))
    assert (world.orders[0].left_out, world.orders[0].functional) == (2, None)
    assert world.position is not None
    assert (world.position.at.mean, world.position.lowest) == (1.0, 1)
