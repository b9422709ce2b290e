"""Means with their uncertainty (standard errors, intervals, paired differences), whatever the values are.

All intervals are 95% intervals. SciPy takes a second to import, so it is imported when an interval is calculated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb

import numpy as np
import numpy.typing as npt

from hm_agent.metrics import UNBOUNDED, Bounds

CONFIDENCE = 0.95
RESAMPLES = 9_999
DRAWN_AT_ONCE = 5_000_000
"""The most values that a bootstrap draws in one batch: all resamples of many episodes would take gigabytes."""
LEAST_EPISODES = 5
"""Fewer episodes, or pairs of them, get no interval.

Student's t assumes a normal distribution, which so few values cannot support.
"""
CUT = 0.25
"""The share of values that an interquartile mean leaves out at each end."""
STRATIFIED_RESAMPLES = 2_000
SEED = 0
"""The seed of the bootstrap, so that the same episodes give the same report."""

TINY = 1e-9
"""A number closer to 0 is 0 but for rounding errors, e.g. the mean reward of a zero-sum game's seats."""

Interval = tuple[float, float]


@dataclass(frozen=True)
class Estimate:
    """The mean of some values, at least one, with its uncertainty, which is None for a single value.

    bounds: of what the values measure, which the interval does not leave.
    """

    values: tuple[float, ...]
    bounds: Bounds = UNBOUNDED

    @property
    def n(self) -> int:
        return len(self.values)

    @cached_property
    def mean(self) -> float:
        return mean_and_error(self.values)[0]

    @cached_property
    def error(self) -> float | None:
        """The standard error."""
        return mean_and_error(self.values)[1]

    @cached_property
    def interval(self) -> Interval | None:
        """Student's t interval: a bootstrap's is too narrow for few values."""
        return t_interval(self.values, bounds=self.bounds)


@dataclass(frozen=True)
class ClusteredMean:
    """A mean, often of paired differences, in which each of `clusters` scenarios has the same weight.

    interval: Student's t over the scenarios' means or, if there is only one, over its `pairs` of episodes; None for
    fewer pairs than LEAST_EPISODES. The means vary with scenarios and with seeds, so that the interval is over both.
    p: the chance of a mean as far from 0 if the true one is 0, by the same t; None without an interval. unit:
    `scenarios` or `episodes`, whichever the interval is over.
    """

    mean: float
    interval: Interval | None
    clusters: int
    pairs: int
    unit: str
    p: float | None = None

    @property
    def holds_zero(self) -> bool:
        """True if the interval is known and contains 0."""
        return self.interval is not None and self.interval[0] <= 0 <= self.interval[1]

    @property
    def is_open(self) -> bool:
        """True if the interval contains 0 or is unknown, so that the sign is undecided."""
        return self.interval is None or self.holds_zero


def mean_and_error(values: Sequence[float]) -> tuple[float, float | None]:
    """The mean and its standard error (n - 1 degrees of freedom), None for a single value."""
    if len(values) < 2:
        return float(values[0]), None
    return float(np.mean(values)), float(np.std(values, ddof=1) / len(values) ** 0.5)


def without_noise(value: float) -> float:
    return 0.0 if abs(value) < TINY else value


def estimate(values: Sequence[float], bounds: Bounds = UNBOUNDED) -> Estimate | None:
    """The estimate from some values; None if there are none."""
    return Estimate(tuple(values), bounds) if values else None


def bootstrap_interval(values: Sequence[float]) -> Interval | None:
    """The percentile bootstrap interval of the mean; None for fewer values than LEAST_EPISODES.

    For many values that are far from normal, e.g. shares of success: of few it is too narrow.
    """
    if len(values) < LEAST_EPISODES:
        return None
    if len(set(values)) == 1:
        return values[0], values[0]
    return _resampled(tuple(values))


@lru_cache(1024)  # summary and report show the same means
def _resampled(values: tuple[float, ...]) -> Interval:
    from scipy.stats import bootstrap

    ends = bootstrap(
        (np.asarray(values, float),),
        np.mean,
        n_resamples=RESAMPLES,
        batch=max(1, DRAWN_AT_ONCE // len(values)),
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return float(ends.low), float(ends.high)


def interquartile_mean(values: Sequence[float]) -> float:
    """The mean without the lowest n // 4 and the highest n // 4 of n values (Agarwal et al., 2021)."""
    return float(_middle_means(np.array([values], float))[0])


def stratified_interval(strata: Sequence[Sequence[float]]) -> Interval | None:
    """The percentile bootstrap interval of the interquartile mean of all values, resampled within each stratum.

    rliable does the same for runs by task (Agarwal et al., 2021). None if a stratum has fewer than LEAST_EPISODES
    values.
    """
    if not strata or min(map(len, strata)) < LEAST_EPISODES:
        return None
    rng = np.random.default_rng(SEED)
    samples, begin = np.empty((STRATIFIED_RESAMPLES, sum(map(len, strata)))), 0
    for values in strata:
        drawn = rng.integers(0, len(values), (STRATIFIED_RESAMPLES, len(values)))
        samples[:, begin : begin + len(values)] = np.asarray(values, float)[drawn]
        begin += len(values)
    ends = 50 * (1 - CONFIDENCE), 50 * (1 + CONFIDENCE)
    low, high = np.percentile(_middle_means(samples), ends)
    return float(low), float(high)


def _middle_means(samples: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The interquartile mean of each row, (n,). samples: (n, values), sorted in place, since a copy may be large."""
    cut = int(CUT * samples.shape[1])
    samples.sort(axis=1)
    return np.asarray(samples[:, cut : samples.shape[1] - cut].mean(axis=1))


def t_interval(values: Sequence[float], episodes: int | None = None, bounds: Bounds = UNBOUNDED) -> Interval | None:
    """Student's t interval of the mean; None for a single value, and for fewer episodes than LEAST_EPISODES.

    episodes: the number of episodes behind the values; None if each value is of one episode. bounds: where it is cut,
    since Student's t knows none.
    """
    mean, error = mean_and_error(values)
    if error is None or (len(values) if episodes is None else episodes) < LEAST_EPISODES:
        return None
    from scipy.special import stdtrit

    reach = float(stdtrit(len(values) - 1, (1 + CONFIDENCE) / 2)) * error
    return max(bounds[0], mean - reach), min(bounds[1], mean + reach)


def welch_interval(first: Sequence[float], second: Sequence[float]) -> Interval | None:
    """Welch's interval of the mean of the first values less that of the second ones, which are not paired.

    None if either has fewer values than LEAST_EPISODES.
    """
    if min(len(first), len(second)) < LEAST_EPISODES:
        return None
    from scipy.special import stdtrit

    shares = [float(np.var(values, ddof=1)) / len(values) for values in (first, second)]
    difference, variance = float(np.mean(first) - np.mean(second)), sum(shares)
    if not variance:
        return difference, difference
    parts = (share**2 / (len(values) - 1) for share, values in zip(shares, (first, second), strict=True))
    reach = float(stdtrit(variance**2 / sum(parts), (1 + CONFIDENCE) / 2)) * variance**0.5
    return difference - reach, difference + reach


def t_test(values: Sequence[float]) -> float:
    """The two-sided p of Student's t test that the true mean of two values or more is 0."""
    mean, error = mean_and_error(values)
    if not error:
        return 0.0 if mean else 1.0
    from scipy.special import stdtr

    return float(2 * stdtr(len(values) - 1, -abs(mean / error)))


def holm(chances: Sequence[float]) -> list[float]:
    """The p values of several tests, each corrected for the number of tests by Holm's step-down method (1979)."""
    corrected, least = [0.0] * len(chances), 0.0
    for rank, place in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        least = max(least, min(1.0, (len(chances) - rank) * chances[place]))
        corrected[place] = least
    return corrected


def clustered_mean(values: Mapping[str, Sequence[float]], bounds: Bounds = UNBOUNDED) -> ClusteredMean | None:
    """The mean of values given by scenario, e.g. paired differences; None if there are none.

    Episodes of one scenario are not independent, so the scenarios are the sample if there are several. bounds: as in
    `t_interval`.
    """
    clusters = [of_scenario for of_scenario in values.values() if of_scenario]
    if not clusters:
        return None
    pairs, is_one = sum(map(len, clusters)), len(clusters) == 1
    sample = clusters[0] if is_one else [float(np.mean(of_scenario)) for of_scenario in clusters]
    interval, unit = t_interval(sample, pairs, bounds), "episodes" if is_one else "scenarios"
    p = t_test(sample) if interval else None
    return ClusteredMean(float(np.mean(sample)), interval, len(clusters), pairs, unit, p)


def scale_length(floor: float | None, ceiling: float | None, *, higher_is_better: bool = True) -> float | None:
    """Ceiling minus floor, negative where less is better; None unless both are known and the ceiling is better."""
    if floor is None or ceiling is None or floor == ceiling or (ceiling > floor) != higher_is_better:
        return None
    return ceiling - floor


def normalised_score(
    value: float, floor: float | None, ceiling: float | None, *, higher_is_better: bool = True
) -> float | None:
    """A value on the scale from floor (0) to ceiling (1); None unless both are known and the ceiling is better."""
    length = scale_length(floor, ceiling, higher_is_better=higher_is_better)
    return None if floor is None or length is None else (value - floor) / length


def any_of(successes: int, runs: int, count: int) -> float | None:
    """The chance that at least one of `count` runs succeeds (pass@k), from successes among runs of one task.

    Unbiased: the share of all choices of `count` runs in which at least one succeeded (Chen et al., 2021). None if
    there are fewer runs.
    """
    return None if runs < count else 1 - comb(runs - successes, count) / comb(runs, count)


def all_of(successes: int, runs: int, count: int) -> float | None:
    """The chance that all of `count` runs succeed (pass^k): the share of all choices of `count` runs in which all did.

    None if there are fewer runs.
    """
    return None if runs < count else comb(successes, count) / comb(runs, count)
