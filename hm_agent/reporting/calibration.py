"""How well agents' chances of what others do fit what came: proper scores, skill over the base rate, calibration.

Proper scores are those of `theory_of_mind/predictions.py`, whose records also count the chances that were given, by
size; an agent that gives no chances is certain of what it predicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING

from hm_agent.grouping import grouped
from hm_agent.recording.result import Result
from hm_agent.reporting.conditions import Condition, Labels, conditions_of, in_order, scenario_of
from hm_agent.reporting.drawing import MUTED
from hm_agent.reporting.pictures import Keys, Panel, Picture, add_title, legend
from hm_agent.reporting.runs import result_order
from hm_agent.reporting.statistics import TINY, Interval, t_interval
from hm_agent.theory_of_mind.predictions import BINS, BRIER, BRIER_BASE, LOG_LOSS, LOG_LOSS_BASE, PREDICTED, bin_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = 270


@dataclass(frozen=True)
class ProperScore:
    """A proper score, the mean over scenarios. base: the score of one who had always given the shares in hindsight.

    share: 1 - mean / base, so that 0 is no better than the base and 1 is perfect; None if the base is 0. interval: of
    share, Student's t over the scenarios in which either score is above 0, or over the episodes if there is only one.
    """

    mean: float
    base: float
    share: float | None
    interval: Interval | None


@dataclass(frozen=True)
class ReliabilityBin:
    """The chances of similar size that were given. count: their number. chance: their mean. came: the share that came.

    low, high: between which all of them lie.
    """

    low: float
    high: float
    count: float
    chance: float
    came: float


@dataclass(frozen=True)
class PredictionScores:
    """The predictions of one condition in a group of scenarios. count: how many; bins: those with any chances."""

    group: str
    condition: Condition
    episodes: int
    count: float
    log_loss: ProperScore
    brier: ProperScore
    bins: tuple[ReliabilityBin, ...]


def predictions(results: Iterable[Result]) -> list[PredictionScores]:
    """The predictions in finished episodes with proper scores, by group and condition."""
    ordered = sorted(results, key=result_order)
    scored = [
        ((scenario_of(result).group, condition), result)
        for result, condition in zip(ordered, conditions_of(ordered), strict=True)
        if result.is_finished and LOG_LOSS_BASE in result.metrics
    ]
    by_group: dict[str, dict[Condition, list[Result]]] = {}
    for (group, condition), played in grouped(scored).items():
        by_group.setdefault(group, {})[condition] = played
    return [
        _predictions(group, condition, of_group[condition])
        for group, of_group in by_group.items()
        for condition in in_order(of_group)
    ]


def _predictions(group: str, condition: Condition, played: Sequence[Result]) -> PredictionScores:
    return PredictionScores(
        group,
        condition,
        len(played),
        sum(counts.get(PREDICTED, 0) for counts in seat_counts(played)),
        _proper_score(played, LOG_LOSS, LOG_LOSS_BASE),
        _proper_score(played, BRIER, BRIER_BASE),
        tuple(reliability(seat_counts(played))),
    )


def seat_counts(played: Iterable[Result]) -> list[Mapping[str, float]]:
    """What the agents counted, seat by seat: an episode's own metrics are means over its seats."""
    return [counts for result in played for counts in ([seat.metrics for seat in result.seats] or [result.metrics])]


def _proper_score(played: Sequence[Result], score: str, base: str) -> ProperScore:
    pairs = grouped((result.scenario, (result.metrics[score], result.metrics[base])) for result in played)
    own, base_score = _means([_means(of_scenario) for of_scenario in pairs.values()])
    if base_score < TINY:
        return ProperScore(own, base_score, None, None)
    # Where others always do the same and that was foreseen, both scores are 0: that changes no ratio.
    telling = [of_scenario for of_scenario in pairs.values() if any(map(any, of_scenario))]
    sample = telling[0] if len(telling) == 1 else [_means(of_scenario) for of_scenario in telling]
    share, expected = 1 - own / base_score, _means(sample)[1]
    # A ratio of means varies as the mean of these values does (the delta method).
    values = [share + (of_base - of_own - share * of_base) / expected for of_own, of_base in sample]
    return ProperScore(own, base_score, share, t_interval(values, sum(map(len, telling))))


def _means(pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    own, base = zip(*pairs, strict=True)
    return mean(own), mean(base)


def reliability(counts: Iterable[Mapping[str, float]]) -> list[ReliabilityBin]:
    """The bins that have any chances, from the smallest chance on. counts: metrics of agents' records."""
    known, bins = list(counts), []
    for place in range(BINS):
        number, chance, came = (sum(each.get(name, 0.0) for each in known) for name in bin_names(place))
        if number:
            bins.append(ReliabilityBin(place / BINS, (place + 1) / BINS, number, chance / number, came / number))
    return bins


def calibration_picture(found: Sequence[PredictionScores], labels: Labels, keys: Keys) -> Picture | None:
    """Curves of the share that came by the chance that was given; None if no chances were recorded."""
    shown = [one for one in found if one.bins]
    if not shown:
        return None
    drawn = {one.condition: keys[one.condition] for one in shown if one.condition in keys}
    by_group = grouped((one.group, one) for one in shown if one.condition in drawn)
    panels = [_panel(f"calibration-{place}", group, of, keys) for place, (group, of) in enumerate(by_group.items())]
    caption = (
        "How often came what was given a chance, by the size of the chance (in bins a tenth wide). Marks on the "
        "diagonal are calibrated; below it, the agent was too sure. One that gives no chances has a mark at 1."
    )
    conditions = in_order(drawn)
    return Picture(
        "calibration", "Calibration", caption, tuple(panels), tuple(legend("calibration", conditions, labels, keys))
    )


def _panel(name: str, group: str, found: Sequence[PredictionScores], keys: Keys) -> Panel:
    def paint(axes: Axes) -> None:
        axes.plot((0, 1), (0, 1), color=MUTED, linewidth=1)
        for one in found:
            key = keys[one.condition]
            chances, came = [part.chance for part in one.bins], [part.came for part in one.bins]
            axes.plot(chances, came, marker=key.marker, color=key.colour, linewidth=1.8, markersize=5, clip_on=False)
        add_title(axes, group)
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
        axes.set_xlabel("chance given")
        axes.set_ylabel("share that came")

    return Panel(name, f"{group}: share that came by the chance given", HEIGHT, paint)
