"""Means with what they leave open: standard errors, intervals, paired differences. Nothing here knows of episodes.

All intervals are to 95%. SciPy takes a second to import, so it waits until an interval is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

CONFIDENCE = 0.95
RESAMPLES = 9_999
SEED = 0
"""Of the resampling, so that the same episodes give the same report."""

Interval = tuple[float, float]


@dataclass(frozen=True)
class Estimate:
    """The mean of n values. error: its standard error; interval: a bootstrap one. None for a single value."""

    mean: float
    n: int
    error: float | None = None
    interval: Interval | None = None


@dataclass(frozen=True)
class Difference:
    """The mean of paired differences, each of `clusters` scenarios weighing the same.

    interval: Student's t over the scenarios or, where there is but one, over its `pairs` episodes; None where there is
    but one of these, too. unit: which of the two it is over.
    """

    mean: float
    interval: Interval | None
    clusters: int
    pairs: int
    unit: str

    @property
    def is_open(self) -> bool:
        """Whether the interval holds 0, so that nothing is known of the sign."""
        return self.interval is None or self.interval[0] <= 0 <= self.interval[1]


def mean_and_error(values: Sequence[float]) -> tuple[float, float | None]:
    """The mean and its standard error (n - 1 degrees of freedom), None for a single value."""
    if len(values) < 2:
        return float(values[0]), None
    return float(np.mean(values)), float(np.std(values, ddof=1) / len(values) ** 0.5)


def estimate(values: Sequence[float]) -> Estimate | None:
    """The mean with all that is said of it; None for no values."""
    if not values:
        return None
    mean, error = mean_and_error(values)
    return Estimate(mean, len(values), error, bootstrap_interval(values))


def bootstrap_interval(values: Sequence[float]) -> Interval | None:
    """The percentile bootstrap interval of the mean; None for a single value."""
    if len(values) < 2:
        return None
    if len(set(values)) == 1:
        return values[0], values[0]
    from scipy.stats import bootstrap

    found = bootstrap(
        (np.asarray(values, float),),
        np.mean,
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return float(found.low), float(found.high)


def t_interval(values: Sequence[float]) -> Interval | None:
    """Student's interval of the mean; None for a single value."""
    mean, error = mean_and_error(values)
    if error is None:
        return None
    from scipy.special import stdtrit

    reach = float(stdtrit(len(values) - 1, (1 + CONFIDENCE) / 2)) * error
    return mean - reach, mean + reach


def paired_difference(differences: Mapping[str, Sequence[float]]) -> Difference | None:
    """From paired differences by scenario: episodes of one scenario are alike, so scenarios are the sample.

    None where there are none.
    """
    clusters = [values for values in differences.values() if values]
    if not clusters:
        return None
    pairs = sum(map(len, clusters))
    if len(clusters) == 1:
        return Difference(float(np.mean(clusters[0])), t_interval(clusters[0]), 1, pairs, "episodes")
    means = [float(np.mean(values)) for values in clusters]
    return Difference(float(np.mean(means)), t_interval(means), len(clusters), pairs, "scenarios")


def score(value: float, floor: float | None, ceiling: float | None) -> float | None:
    """Where a value lies between floor (0) and ceiling (1); None where there are not both, the ceiling above."""
    if floor is None or ceiling is None or ceiling <= floor:
        return None
    return (value - floor) / (ceiling - floor)
