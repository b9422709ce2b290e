"""Means of items with intervals, and the order at which an agent plays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from hm_agent.cards.statistics import RESAMPLES, ItemScores, Sample, position, sampled


def sample(mean: float, spread: float = 0.0, episodes: int = 20) -> Sample:
    return Sample(mean, np.random.default_rng(1).normal(mean, spread, RESAMPLES), episodes)


def at(*scores: tuple[int, float]) -> float:
    placed = position([(order, sample(score)) for order, score in scores])
    assert placed is not None
    return placed.at.mean


@pytest.mark.parametrize(
    ("scores", "order"),
    [
        ([(0, 1.0), (1, 1.0), (2, 0.0)], 1.0),  # an agent of order 1
        ([(0, 1.0), (1, 1.0), (2, 1.0)], 2.0),
        ([(0, 0.0), (1, 0.0), (2, 0.0)], -1.0),  # the best shortcut
        ([(1, 0.0), (2, 0.0)], 0.0),
        ([(0, 0.8), (1, 0.4), (2, 0.0)], 0.5),
        ([(0, 1.2), (1, -0.4), (2, 1.0)], 0.0),  # neither more than 1 nor less than 0, nor more than a lower order
        ([(1, 0.4), (2, 0.4), (3, 0.4)], 1.5),  # parts add up, though no order is passed
        ([(1, 1.0), (3, 0.4)], 2.0),  # order 3 stands for 2 and 3 where nothing needs order 2
    ],
)
def test_position_is_the_order_of_the_ladders_agents_and_between_them_by_score(
    scores: Sequence[tuple[int, float]], order: float
) -> None:
    assert at(*scores) == pytest.approx(order)


def test_position_has_an_interval_only_if_all_orders_have_episodes_enough() -> None:
    placed = position([(0, sample(0.72, 0.08)), (1, sample(0.32, 0.16))])
    assert placed is not None
    assert placed.at.low is not None
    assert placed.at.high is not None
    assert placed.at.mean == pytest.approx(0.3)
    assert -1 < placed.at.low < placed.at.mean < placed.at.high < 1
    few = position([(0, sample(0.72, 0.08)), (1, sample(0.32, 0.16, episodes=4))])
    assert few is not None
    assert few.at.low is None


def test_below_the_best_shortcut_goes_by_the_lowest_order() -> None:
    placed = [position([(0, sample(low)), (1, sample(1.0))]) for low in (-0.1, 0.0, 0.1)]
    assert [found.is_below_shortcuts for found in placed if found] == [True, True, False]
    assert position([]) is None


def test_of_a_pair_the_lesser_score_counts_and_items_have_equal_weight() -> None:
    pair = ItemScores(((1.0, 1.0), (0.0, 0.5)), ((0.8, 0.8), (0.4, 0.4)))
    single = ItemScores(((1.0,) * 10,), ((1.0,) * 10,))
    functional, skill, gap = sampled([pair, single])
    assert functional is not None
    assert skill is not None
    assert gap is not None
    assert (functional.mean, skill.mean, gap.mean) == pytest.approx((0.625, 0.8, 0.175))


def test_the_interval_is_over_items_and_over_their_episodes() -> None:
    rng = np.random.default_rng(5)

    def width(items: int, episodes: int, between: float, within: float) -> float:
        means = rng.normal(0.5, between, items)
        scores = [ItemScores((tuple(rng.normal(mean, within, episodes)),)) for mean in means]
        functional, _, _ = sampled(scores)
        assert functional is not None
        figure = functional.figure
        assert figure.low is not None
        assert figure.high is not None
        assert figure.low < figure.mean < figure.high
        return figure.high - figure.low

    assert width(16, 4, 0.4, 0.0) > 2 * width(16, 4, 0.05, 0.0), "scenarios that differ"
    assert width(4, 4, 0.0, 0.4) > 1.5 * width(4, 40, 0.0, 0.4), "more seeds"


def test_an_item_without_a_score_still_says_something() -> None:
    functional, skill, gap = sampled([ItemScores((), ((0.5,) * 6,)), ItemScores(((0.2,) * 6,), ())])
    assert functional is not None
    assert skill is not None
    assert (functional.mean, skill.mean) == pytest.approx((0.2, 0.5))
    assert gap is None
    assert sampled([]) == (None, None, None)
