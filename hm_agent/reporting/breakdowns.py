"""A metric by kind: e.g. accuracy by the order of the question, for each agent, references among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hm_agent.recording.result import Result
from hm_agent.registry import scenario_named, suites
from hm_agent.reporting.conditions import Condition, conditions_of, in_order
from hm_agent.reporting.drawing import LINE, Keys, Panel, Picture, head, legend, reference_keys
from hm_agent.reporting.statistics import Estimate, estimate
from hm_agent.suite import Breakdown
from hm_agent.wording import FEW_HAVE_NONE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = 260
SPREAD = 0.6
"""How wide the conditions of one kind lie apart, in kinds."""


@dataclass(frozen=True)
class KindMean:
    """The mean of one kind's metric over the finished episodes of a condition in a group of scenarios."""

    breakdown: Breakdown
    group: str
    condition: Condition
    kind: str
    estimate: Estimate


def kind_means(results: Sequence[Result]) -> list[KindMean]:
    """The means by breakdown, group, condition and kind, for those that any episode has; an episode counts once."""
    values: dict[tuple[Breakdown, str, Condition, str], list[float]] = {}
    for result, condition in zip(results, conditions_of(results), strict=True):
        if result.is_finished and result.world in suites():
            group = scenario_named(result.scenario).group
            for breakdown in suites()[result.world].breakdowns:
                for kind, metric in breakdown.kinds:
                    if metric in result.metrics:
                        key = (breakdown, group, condition, kind)
                        values.setdefault(key, []).append(result.metrics[metric])
    means = ((key, estimate(some)) for key, some in values.items())
    return [KindMean(*key, found) for key, found in means if found]


def breakdown_pictures(means: Sequence[KindMean], labels: Mapping[Condition, str], keys: Keys) -> list[Picture]:
    """A picture for each breakdown, with a panel for each group. keys: of the conditions that are no references."""
    return [
        _picture(breakdown, [one for one in means if one.breakdown == breakdown], labels, keys)
        for breakdown in dict.fromkeys(one.breakdown for one in means)
    ]


def _picture(breakdown: Breakdown, means: Sequence[KindMean], labels: Mapping[Condition, str], keys: Keys) -> Picture:
    conditions = in_order(one.condition for one in means)
    references = [one for one in conditions if one not in keys]
    drawn_as = {**keys, **reference_keys(references)}
    groups = dict.fromkeys(one.group for one in means)
    panels = [
        _panel(f"{breakdown.name}-{place}", breakdown, group, [one for one in means if one.group == group], drawn_as)
        for place, group in enumerate(groups)
    ]
    caption = [f"Means over episodes with 95% bootstrap intervals over these; {FEW_HAVE_NONE}.", breakdown.about]
    if references and breakdown.references:
        caption.append(f"Grey: {breakdown.references}.")
    entries = legend(breakdown.name, conditions, labels, drawn_as)
    return Picture(breakdown.name, breakdown.title, " ".join(filter(None, caption)), tuple(panels), tuple(entries))


def _panel(name: str, breakdown: Breakdown, group: str, means: Sequence[KindMean], keys: Keys) -> Panel:
    kinds = [kind for kind, _ in breakdown.kinds if any(one.kind == kind for one in means)]
    conditions = in_order(one.condition for one in means)

    def paint(axes: Axes) -> None:
        for one in means:
            lane = (conditions.index(one.condition) + 0.5) / len(conditions) - 0.5
            x, key, found = kinds.index(one.kind) + SPREAD * lane, keys[one.condition], one.estimate
            if found.interval:
                axes.plot((x, x), found.interval, color=key.colour, linewidth=1.5, solid_capstyle="butt", zorder=3)
            axes.plot(x, found.mean, key.marker, color=key.colour, markersize=6, zorder=4, clip_on=False)
        head(axes, group)
        axes.set_xticks(range(len(kinds)), kinds)
        axes.set_xlim(-0.5, len(kinds) - 0.5)
        axes.set_ylim(0, 1)
        axes.set_ylabel(breakdown.unit)
        axes.grid(visible=False, axis="x")
        for edge in range(1, len(kinds)):
            axes.axvline(edge - 0.5, color=LINE, linewidth=1)

    return Panel(name, f"{group}: {breakdown.title}", HEIGHT, paint)
