"""Means, errors and intervals against numbers worked out by hand."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap, ttest_1samp

from hm_agent.reporting.statistics import (
    Interval,
    bootstrap_interval,
    clustered_mean,
    estimate,
    holm,
    interquartile_mean,
    mean_and_error,
    normalised_score,
    stratified_interval,
    t_interval,
)


def test_the_error_has_one_degree_of_freedom_less() -> None:
    assert mean_and_error([1, 2, 3, 4]) == pytest.approx((2.5, (5 / 3) ** 0.5 / 2))


def test_a_single_value_has_neither_error_nor_interval() -> None:
    found = estimate([7.0])
    assert found is not None
    assert (found.mean, found.n, found.error, found.interval) == (7.0, 1, None, None)
    assert t_interval([7.0]) is None


def test_no_values_have_no_estimate() -> None:
    assert estimate([]) is None
    assert clustered_mean({}) is None
    assert clustered_mean({"scenario": []}) is None


def test_students_interval_is_that_of_the_table() -> None:
    reach = 2.776445 * (2.5 / 5) ** 0.5  # t with 4 degrees of freedom, variance 2.5
    assert t_interval([1, 2, 3, 4, 5]) == pytest.approx((3 - reach, 3 + reach))


def test_an_interval_is_cut_at_the_bounds_of_what_is_measured() -> None:
    shares = [1.0, 1.0, 1.0, 1.0, 0.6]
    free, cut = t_interval(shares), t_interval(shares, bounds=(0, 1))
    assert free is not None
    assert free[1] > 1
    assert cut == (free[0], 1)
    assert t_interval([0.0, 0.0, 0.0, 0.0, 0.4], bounds=(0, 1)) == pytest.approx((0, 1 - free[0]))
    found = clustered_mean({"first": shares}, (0, 1))
    assert found is not None
    assert found.interval == cut
    bounded = estimate(shares, (0, 1))
    assert bounded is not None
    assert bounded.interval == cut


def covered(interval: Callable[[Sequence[float]], Interval | None]) -> float:
    """In how many of 1,000 studies an interval holds the true mean: five scenarios, each of five episodes."""
    rng, hits = np.random.default_rng(0), 0
    for _ in range(1_000):
        episodes = rng.normal(rng.normal(0, 1, (5, 1)), 2, (5, 5))
        low, high = interval(episodes.mean(1).tolist()) or (0.0, 0.0)
        hits += low <= 0 <= high
    return hits / 1_000


def test_students_interval_over_five_scenarios_holds_the_mean_in_95_percent_of_studies_and_a_bootstrap_in_82() -> None:
    def bootstrapped(values: Sequence[float]) -> Interval:
        drawn = np.random.default_rng(1).choice(values, (400, len(values))).mean(1)
        low, high = np.percentile(drawn, (2.5, 97.5))
        return float(low), float(high)

    assert covered(t_interval) == pytest.approx(0.95, abs=0.015)
    assert covered(bootstrapped) == pytest.approx(0.82, abs=0.03)


def test_the_p_of_a_mean_is_that_of_students_test_and_falls_below_five_percent_with_the_interval() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        values = rng.normal(0.8, 1, 6).tolist()
        found = clustered_mean({str(place): [value] for place, value in enumerate(values)})
        assert found is not None
        assert found.p == pytest.approx(ttest_1samp(values, 0).pvalue)
        assert found.p is not None
        assert (found.p < 0.05) != found.holds_zero


def test_holm_multiplies_each_p_by_the_number_of_those_not_yet_decided() -> None:
    assert holm([0.04, 0.01, 0.03, 0.5]) == pytest.approx([0.09, 0.04, 0.09, 0.5])
    assert holm([0.3, 0.9]) == pytest.approx([0.6, 0.9])
    assert holm([]) == []


def test_fewer_than_five_values_have_no_bootstrap_interval() -> None:
    assert bootstrap_interval([0.0, 1.0] * 2) is None
    # Of five draws, all are 0 with a chance of 1%, and at most one is 1 with one of 9%.
    assert bootstrap_interval([0.0, 0.0, 1.0, 1.0, 1.0]) == (0.2, 1.0)


def test_the_bootstrap_of_many_episodes_takes_little_memory_and_draws_the_same() -> None:
    values = np.random.default_rng(7).normal(size=2_000)
    tracemalloc.start()
    found = bootstrap_interval(values.tolist())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200_000_000
    at_once = bootstrap((values,), np.mean, n_resamples=9_999, method="percentile", rng=np.random.default_rng(0))
    assert found == tuple(map(float, at_once.confidence_interval))


def test_equal_values_leave_nothing_open() -> None:
    assert bootstrap_interval([5.0] * 5) == (5.0, 5.0)
    assert t_interval([5.0] * 5) == (5.0, 5.0)


def test_an_interquartile_mean_leaves_out_a_quarter_at_either_end() -> None:
    assert interquartile_mean([8, 1, 7, 2, 6, 3, 5, 4]) == 4.5
    assert interquartile_mean([0, 0, 3, 1000]) == 1.5
    assert interquartile_mean([1, 2, 9]) == 4
    assert interquartile_mean([7]) == 7


def test_a_stratified_bootstrap_draws_within_each_stratum() -> None:
    # Each draw has five of either kind, so that its middle half has three of either; across strata it would vary.
    assert stratified_interval([[0.0] * 5, [1.0] * 5]) == (0.5, 0.5)
    low, high = stratified_interval([[0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 2.0, 3.0, 4.0]]) or (0, 0)
    assert 0 < low < 2 < high < 4


def test_a_stratum_of_fewer_than_five_leaves_no_interval() -> None:
    assert stratified_interval([[0.0, 1.0] * 3, [1.0, 2.0, 3.0, 4.0]]) is None
    assert stratified_interval([]) is None


def test_many_values_are_bootstrapped_to_the_normal_interval() -> None:
    values = np.random.default_rng(1).normal(10, 3, 400).tolist()
    mean, error = mean_and_error(values)
    assert error is not None
    assert bootstrap_interval(values) == pytest.approx((mean - 1.96 * error, mean + 1.96 * error), abs=0.1 * error)


def test_an_interval_is_the_same_every_time() -> None:
    assert bootstrap_interval([1.0, 2.0, 4.0, 8.0, 16.0]) == bootstrap_interval([1.0, 2.0, 4.0, 8.0, 16.0])


@given(st.lists(st.floats(-1000, 1000), min_size=5, max_size=8))
def test_a_bootstrap_interval_lies_within_the_values(values: list[float]) -> None:
    interval = bootstrap_interval(values)
    assert interval is not None
    assert min(values) - 1e-9 <= interval[0] <= interval[1] <= max(values) + 1e-9


def test_every_scenario_weighs_the_same_whatever_was_played_of_it() -> None:
    found = clustered_mean({"one": [1.0, 3.0] * 2, "other": [6.0]})
    assert found is not None
    assert (found.mean, found.clusters, found.pairs, found.unit) == (4.0, 2, 5, "scenarios")
    assert found.interval == pytest.approx((4 - 12.706205 * 2, 4 + 12.706205 * 2))  # t with 1 degree of freedom


def test_scenarios_are_the_sample_and_not_their_episodes() -> None:
    few, many = (clustered_mean({"one": [1.0] * n, "other": [2.0] * n, "third": [4.0] * n}) for n in (2, 50))
    assert few is not None
    assert many is not None
    assert few.interval is not None
    assert few.interval == many.interval


def test_within_one_scenario_episodes_are_the_sample() -> None:
    values = [1.0, 2.0, 3.0, 4.0, 4.0]
    found = clustered_mean({"one": values})
    assert found is not None
    assert (found.unit, found.clusters, found.pairs) == ("episodes", 1, 5)
    assert found.interval == t_interval(values)


@pytest.mark.parametrize(
    "differences", [{"one": [1.0, 1.1, 0.9, 1.0]}, {"one": [1.0, 1.1], "other": [0.9]}, {"one": [1.0], "other": [1.1]}]
)
def test_fewer_than_five_pairs_have_no_interval_in_however_many_scenarios(differences: dict[str, list[float]]) -> None:
    found = clustered_mean(differences)
    assert found is not None
    assert (found.interval, found.is_open, found.holds_zero) == (None, True, False)


@pytest.mark.parametrize(
    ("differences", "is_open"),
    [([1.0, 1.1, 0.9, 1.0, 1.0], False), ([-1.0, 1.0, 0.5, 0.1, 0.2], True), ([3.0], True), ([0.0] * 5, True)],
)
def test_a_difference_is_open_while_its_interval_holds_nothing_or_zero(differences: list[float], is_open: bool) -> None:
    found = clustered_mean({"one": differences})
    assert found is not None
    assert found.is_open == is_open


@pytest.mark.parametrize(
    ("value", "floor", "ceiling", "expected"),
    [
        (5, 0, 10, 0.5),
        (-2, -2, 8, 0.0),
        (12, 0, 10, 1.2),
        (-5, 0, 10, -0.5),
        (5, None, 10, None),
        (5, 0, None, None),
        (5, 3, 3, None),
        (5, 9, 3, None),
    ],
)
def test_a_score_says_where_between_floor_and_ceiling(
    value: float, floor: float | None, ceiling: float | None, expected: float | None
) -> None:
    assert normalised_score(value, floor, ceiling) == expected


def test_where_lower_is_better_the_ceiling_lies_below_the_floor() -> None:
    assert normalised_score(4, 10, 2, higher_is_better=False) == 0.75
    assert normalised_score(4, 2, 10, higher_is_better=False) is None
    assert normalised_score(4, 3, 3, higher_is_better=False) is None
