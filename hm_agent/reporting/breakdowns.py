"""Metrics broken down by kind, e.g. accuracy by the order of the question, for each agent, references included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hm_agent.catalogue.registry import suites
from hm_agent.grouping import grouped
from hm_agent.metrics import SHARE, Breakdown
from hm_agent.recording.result import Result
from hm_agent.reporting.conditions import Condition, Labels, conditions_of, in_order, scenario_of
from hm_agent.reporting.drawing import LINE
from hm_agent.reporting.pictures import Keys, Panel, Picture, add_title, legend, reference_keys
from hm_agent.reporting.statistics import Estimate, estimate
from hm_agent.wording import FEW_HAVE_NONE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = 260
SPREAD = 0.6
"""The width over which the conditions of one kind are spread; the distance between two kinds is 1."""


@dataclass(frozen=True)
class KindMean:
    """The mean of one kind's metric over the finished episodes of a condition in a group of scenarios."""

    breakdown: Breakdown
    group: str
    condition: Condition
    kind: str
    estimate: Estimate


def kind_means(results: Sequence[Result]) -> list[KindMean]:
    """Averages each kind's metric over the finished episodes that have it, by breakdown, group and condition."""
    values = grouped(
        ((breakdown, scenario_of(result).group, condition, kind), result.metrics[metric])
        for result, condition in zip(results, conditions_of(results), strict=True)
        if result.is_finished and result.world in suites()
        for breakdown in suites()[result.world].breakdowns
        for kind, metric in breakdown.kinds
        if metric in result.metrics
    )
    means = ((key, estimate(of_key, SHARE)) for key, of_key in values.items())
    return [KindMean(*key, mean) for key, mean in means if mean]


def breakdown_pictures(means: Sequence[KindMean], labels: Labels, keys: Keys) -> list[Picture]:
    """A picture for each breakdown, with a panel for each group. keys: of the conditions that are no references."""
    return [
        _picture(breakdown, [mean for mean in means if mean.breakdown == breakdown], labels, keys)
        for breakdown in dict.fromkeys(mean.breakdown for mean in means)
    ]


def _picture(breakdown: Breakdown, means: Sequence[KindMean], labels: Labels, keys: Keys) -> Picture:
    conditions = in_order(mean.condition for mean in means)
    references = [condition for condition in conditions if condition not in keys]
    drawn_as = {**keys, **reference_keys(references)}
    groups = dict.fromkeys(mean.group for mean in means)
    panels = [
        _panel(f"{breakdown.name}-{place}", breakdown, group, [mean for mean in means if mean.group == group], drawn_as)
        for place, group in enumerate(groups)
    ]
    caption = [f"Means over episodes with 95% intervals; {FEW_HAVE_NONE}.", breakdown.about]
    if references and breakdown.references:
        caption.append(f"Grey: {breakdown.references}.")
    entries = legend(breakdown.name, conditions, labels, drawn_as)
    return Picture(breakdown.name, breakdown.title, " ".join(filter(None, caption)), tuple(panels), tuple(entries))


def _panel(name: str, breakdown: Breakdown, group: str, means: Sequence[KindMean], keys: Keys) -> Panel:
    kinds = [kind for kind, _ in breakdown.kinds if any(mean.kind == kind for mean in means)]
    conditions = in_order(mean.condition for mean in means)

    def paint(axes: Axes) -> None:
        for mean in means:
            lane = (conditions.index(mean.condition) + 0.5) / len(conditions) - 0.5
            x, key, value = kinds.index(mean.kind) + SPREAD * lane, keys[mean.condition], mean.estimate
            if value.interval:
                axes.plot((x, x), value.interval, color=key.colour, linewidth=1.5, solid_capstyle="butt", zorder=3)
            axes.plot(x, value.mean, key.marker, color=key.colour, markersize=6, zorder=4, clip_on=False)
        add_title(axes, group)
        axes.set_xticks(range(len(kinds)), kinds)
        axes.set_xlim(-0.5, len(kinds) - 0.5)
        axes.set_ylim(0, 1)
        axes.set_ylabel(breakdown.unit)
        axes.grid(visible=False, axis="x")
        for edge in range(1, len(kinds)):
            axes.axvline(edge - 0.5, color=LINE, linewidth=1)

    return Panel(name, f"{group}: {breakdown.title}", HEIGHT, paint)
