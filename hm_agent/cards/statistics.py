"""Means of items with intervals over scenarios and seeds, and the order at which an agent plays.

An item is one scenario, or a pair of them, of which the lesser score counts. Items have equal weight. An interval is
the percentile bootstrap over items and, within each item, over its episodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hm_agent.cards.card import DIGITS, Figure, LadderPosition
from hm_agent.reporting.statistics import CONFIDENCE, LEAST_EPISODES, SEED

RESAMPLES = 2_000
REACHED = 0.8
"""From this functional score on, items count as played as well as they can be, as where needed orders are measured."""
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ItemScores:
    """One item. functional: by scenario, the score of each episode; skill: the same for what was said of other minds.

    Either is empty if it is not known. The episodes of both are the same, in the same order.
    """

    functional: tuple[tuple[float, ...], ...] = ()
    skill: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True)
class Sample:
    """A mean over items and its bootstrap draws, (RESAMPLES,); episodes: how many it is of."""

    mean: float
    draws: Floats
    episodes: int

    @property
    def figure(self) -> Figure:
        if self.episodes < LEAST_EPISODES:
            return Figure(round(self.mean, DIGITS))
        return _figure(self.mean, self.draws)


def _figure(mean: float, draws: Floats) -> Figure:
    low, high = np.percentile(draws, (50 * (1 - CONFIDENCE), 50 * (1 + CONFIDENCE)))
    return Figure(*(round(float(value), DIGITS) + 0.0 for value in (mean, low, high)))


def sampled(items: Sequence[ItemScores]) -> tuple[Sample | None, Sample | None, Sample | None]:
    """The functional score, the skill, and the gap (skill minus functional), each over the items that have it."""
    rng = np.random.default_rng(SEED)
    functional, skill, gap = list[Sample](), list[Sample](), list[Sample]()
    for item in items:
        acted, said = _item(item.functional, item.skill, rng)
        functional += [acted] if acted else []
        skill += [said] if said else []
        if acted and said:
            gap.append(Sample(said.mean - acted.mean, said.draws - acted.draws, acted.episodes))
    return _over(functional, rng), _over(skill, rng), _over(gap, rng)


def _item(
    functional: Sequence[Sequence[float]], skill: Sequence[Sequence[float]], rng: np.random.Generator
) -> tuple[Sample | None, Sample | None]:
    """The two measures of one item, drawn with the same episodes: of a pair the lesser score, and the mean skill."""
    counts = [len(scores) for scores in functional or skill]
    chosen = [rng.integers(0, count, (RESAMPLES, count)) for count in counts]
    measured: list[Sample | None] = []
    for scores, of_pair in ((functional, np.min), (skill, np.mean)):
        if not scores:
            measured.append(None)
            continue
        means = of_pair([float(np.mean(values)) for values in scores])
        draws = of_pair([np.asarray(v, float)[drawn].mean(1) for v, drawn in zip(scores, chosen, strict=True)], axis=0)
        measured.append(Sample(float(means), np.asarray(draws), sum(map(len, scores))))
    return measured[0], measured[1]


def _over(items: Sequence[Sample], rng: np.random.Generator) -> Sample | None:
    """The mean over items, drawn with other items and with other episodes of each; None without any item."""
    if not items:
        return None
    shape = RESAMPLES, len(items)
    drawn = np.stack([item.draws for item in items])[
        rng.integers(0, len(items), shape), rng.integers(0, RESAMPLES, shape)
    ]
    return Sample(float(np.mean([item.mean for item in items])), drawn.mean(1), sum(item.episodes for item in items))


def position(found: Sequence[tuple[int, Sample | None]]) -> LadderPosition | None:
    """The order at which an agent plays, from its functional score by needed order; None without any.

    An order without a score counts as 0 below the highest that has one, so that no order is passed by not playing it.
    """
    known = [place for place, (_, sample) in enumerate(found) if sample]
    if not known:
        return None
    scores = [(order, sample or Sample(0.0, np.zeros(RESAMPLES), LEAST_EPISODES)) for order, sample in found]
    scores = scores[: known[-1] + 1]
    orders = [order for order, _ in scores]
    steps = np.diff([orders[0] - 1, *orders])

    def placed(earned: Floats) -> Floats:
        """earned: (n, orders)."""
        counted = np.minimum.accumulate(np.clip(earned / REACHED, 0, 1), axis=1)
        return np.asarray(orders[0] - 1 + counted @ steps)

    mean = float(placed(np.array([[sample.mean for _, sample in scores]]))[0])
    has_interval = all(sample.episodes >= LEAST_EPISODES for _, sample in scores)
    draws = placed(np.stack([sample.draws for _, sample in scores], axis=1))
    at = _figure(mean, draws) if has_interval else Figure(round(mean, DIGITS))
    return LadderPosition(at, orders[0], orders[-1], scores[0][1].mean <= 0)
