"""What a result measures: the number of an episode, shares and figures beside it, and what publications report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from math import inf

Bounds = tuple[float, float]
"""The least and the greatest value that is possible."""
UNBOUNDED: Bounds = (-inf, inf)
SHARE: Bounds = (0.0, 1.0)
"""The bounds of a share."""
TOLD_SHARE = "told_share"
"""The metric of a ceiling agent that is told about the other players: how often it was; 0 for never, 1 for always.

It is the share of all pairs of a step and another player for which something was known to tell.
"""


@dataclass(frozen=True)
class Measure:
    """What the number of an episode is. Results record it, since the metric of their scenario may change.

    name: its key in a result's metrics. unit: in words, e.g. `reward per 1,200 steps`. per_steps: for a reward per a
    number of steps, that number; None for other measures.
    """

    name: str = "reward"
    unit: str = "reward per episode"
    higher_is_better: bool = True
    per_steps: int | None = None

    @classmethod
    def reward_per(cls, steps: int) -> Measure:
        """The reward per a number of steps; for 0 the reward of the whole episode."""
        return cls("normalised_reward", f"reward per {steps:,} steps", per_steps=steps) if steps else cls()

    def of_reward(self, reward: float, steps: int) -> float:
        """Scales the reward of an episode of `steps` steps to `per_steps` steps; returns it as it is without either."""
        return reward * self.per_steps / steps if self.per_steps and steps else reward


@dataclass(frozen=True)
class Metric(Measure):
    """What the episodes of a scenario are compared by.

    floor, ceiling: the agents whose means stand for 0 and 1 of the normalised score; None without such agents. A floor
    of None is the best shortcut of a suite that has shortcuts. digits: how many decimals its values are shown with; a
    share of 1 needs more than a reward does. least_scale: a scale that is shorter is narrow. guessing: what guessing
    between the answers in question earns, which no floor is below; None if unknown. Only where more is better.
    is_ceiling_told: False if the ceiling agent is one by proof, though it is told nothing of the others. bounds: no
    interval of a mean is shown beyond them.
    """

    floor: str | None = None
    ceiling: str | None = None
    digits: int = 1
    least_scale: float = 0.0
    guessing: float | None = None
    is_ceiling_told: bool = True
    bounds: Bounds = UNBOUNDED

    @property
    def difference_bounds(self) -> Bounds:
        """Those of one value less another."""
        least, most = self.bounds
        return least - most, most - least

    @property
    def measure(self) -> Measure:
        """The part that results record."""
        return Measure(self.name, self.unit, self.higher_is_better, self.per_steps)

    def sentence(self, about: str) -> str:
        """What a table of it shows, e.g. `Reward per episode: mean over scenarios. Lower is better.`"""
        lower = "" if self.higher_is_better else " Lower is better."
        return f"{self.unit[:1].upper()}{self.unit[1:]}: {about}.{lower}"

    def measured_by(self, measure: Measure) -> Metric:
        """The metric with this measure in place of its own; the bounds of another one are unknown."""
        bounds = self.bounds if measure == self.measure else UNBOUNDED
        return replace(self, **asdict(measure), bounds=bounds)


@dataclass(frozen=True)
class Breakdown:
    """A figure of reports that shows a share, from 0 to 1, by kind.

    name: unique among the figures of a report. unit: of the axis. kinds: pairs of a label and a metric of results.
    about: a sentence on what the kinds are. references: a label for the reference agents, which are drawn in grey.
    """

    name: str
    title: str
    unit: str
    kinds: tuple[tuple[str, str], ...]
    about: str = ""
    references: str = ""


@dataclass(frozen=True)
class ShareMetric:
    """A share between 0 and 1 in the metrics of an episode.

    name: its key. about: what it is the share of, in words. base_rate: the key of the share that an answer without any
    knowledge of this mind would get; None if there is none. is_binary: True if that answer is `always yes`, so that
    `always no` would get the rest. habits: the keys of what other such answers would get. given_by: which episodes have
    it, in words for whoever has played others.
    """

    name: str
    about: str
    base_rate: str | None = None
    is_binary: bool = False
    habits: tuple[str, ...] = ()
    given_by: str = ""

    def best_base_rate(self, mean_of: Callable[[str], float | None]) -> float | None:
        """What the best of the answers without any knowledge gets over all episodes; None if there is none.

        mean_of: from a key to the mean over the episodes that have it, None without any.
        """
        keys = (self.base_rate, *self.habits) if self.base_rate else ()
        known = {key: share for key in keys if (share := mean_of(key)) is not None}
        if self.is_binary and self.base_rate in known:
            known["always no"] = 1 - known[self.base_rate]
        return max(known.values(), default=None)


@dataclass(frozen=True)
class PublishedFigure:
    """An agent's result in a publication. error: its standard error; None if the publication gives none.

    place: where it stands, e.g. `Hypothetical Minds' table 1`; a figure that has none is not published. conditions: how
    it was measured there, e.g. with which model.
    """

    mean: float
    error: float | None
    place: str
    conditions: str

    @property
    def source(self) -> str:
        return f"{self.place}, {self.conditions}"
