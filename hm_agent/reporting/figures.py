"""The figures of a report on whole episodes: means by scenario, ablations, results against effort."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import mean
from textwrap import wrap
from typing import TYPE_CHECKING

from hm_agent.catalogue.registry import ablated_agent
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.questions import Usage
from hm_agent.reporting.conditions import Condition, Labels, in_order
from hm_agent.reporting.drawing import BAND, MUTED, PAGE, STYLES
from hm_agent.reporting.pictures import (
    Key,
    Keys,
    LegendEntry,
    Panel,
    Picture,
    add_title,
    in_picture,
    legend,
    width_in_em,
    wrap_axis_label,
)
from hm_agent.reporting.tables import Row, by_group
from hm_agent.wording import FEW_HAVE_NONE, listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Means by scenario and agent (the paper's figures 3 and 6): a panel for each group, a row for each scenario

HEADING, LABEL_LINE, LANE, GAP = 74, 15, 11, 12
"""Heights in pixels: of title and axis, of a further line of its label, of a condition within a scenario, between
scenarios."""
_FILLED = 0.8
"""The share of a scenario's height that its lanes fill."""


def means_picture(rows: Sequence[Row], labels: Labels, keys: Keys) -> Picture | None:
    """The means of all but references and ablations; of references if nothing else was played; None without means."""
    compared = [row for row in compared_rows(rows) if ablated_agent(row.condition.agent) is None]
    return _by_scenario("means", "Means by scenario and agent", compared, labels, keys)


def ablation_picture(rows: Sequence[Row], labels: Labels, keys: Keys) -> Picture | None:
    """The ablations beside the agents that they are parts of; None if there are no ablations."""
    ablations = {row.condition.agent: full for row in rows if (full := ablated_agent(row.condition.agent))}
    shown = {*ablations, *ablations.values()}
    compared = [row for row in compared_rows(rows) if row.condition.agent in shown]
    return _by_scenario("ablations", "Ablations beside the full agent", compared, labels, keys)


def compared_rows(rows: Iterable[Row]) -> list[Row]:
    """The rows with a mean but for references; these, too, if there is nothing else."""
    known = [row for row in rows if row.estimate is not None]
    return [row for row in known if not row.is_reference] or known


def _by_scenario(name: str, title: str, rows: Sequence[Row], labels: Labels, keys: Keys) -> Picture | None:
    if not rows:
        return None
    conditions = in_order(row.condition for row in rows)
    panels = [
        _means_panel(f"{name}-{place}", group, of_group, keys)
        for place, (group, of_group) in enumerate(by_group(rows).items())
    ]
    caption = [f"Means with 95% intervals over episodes (Student's t, cut at the bounds of a share); {FEW_HAVE_NONE}."]
    if any(row.normalised_score is not None for row in rows):
        caption.append("The bar behind the marks spans from the floor agent's mean to the ceiling agent's.")
    entries = legend(name, conditions, labels, keys)
    if sources := dict.fromkeys(row.published.source for row in rows if row.published):
        caption.append(f"Hollow marks are published figures: {listed(list(sources))}.")
        hollow = Key(MUTED, keys[conditions[0]].marker, is_hollow=True)
        entries.append(LegendEntry(f"{name}-key-published", "published (hollow)", hollow))
    return Picture(name, title, " ".join(caption), tuple(panels), tuple(entries))


def _means_panel(name: str, group: str, rows: Sequence[Row], keys: Keys) -> Panel:
    scenarios = list(dict.fromkeys(row.scenario for row in rows))
    conditions = in_order(row.condition for row in rows)
    names, label = [in_picture(scenario.short_name) for scenario in scenarios], _axis_label(rows[0].scenario)

    def paint(axes: Axes) -> None:
        for row in rows:
            lane = (conditions.index(row.condition) + 0.5) / len(conditions) - 0.5
            _mark(axes, row, scenarios.index(row.scenario) + _FILLED * lane, keys)
        for place, scenario in enumerate(scenarios):
            _bars(axes, place, [row for row in rows if row.scenario == scenario], conditions)
        add_title(axes, group)
        axes.set_xlabel("\n".join(wrap_axis_label(names, label, width_in_em(axes))))
        axes.set_yticks(range(len(scenarios)), names)
        axes.set_ylim(len(scenarios) - 0.5, -0.5)
        axes.grid(visible=False, axis="y")
        axes.axvline(0, color=MUTED, linewidth=1, zorder=2)
        if not axes.dataLim.width:  # all means are 0
            axes.set_xlim(-1, 1)

    style = STYLES["screen"]
    more = len(wrap_axis_label(names, label, style.width / style.letters)) - 1
    height = HEADING + more * LABEL_LINE + len(scenarios) * (GAP + LANE * max(2, len(conditions)))
    return Panel(name, f"{group}: {rows[0].scenario.metric.unit} by scenario and agent", height, paint)


def _axis_label(scenario: ScenarioInfo) -> str:
    unit = in_picture(scenario.metric.unit)
    return unit if scenario.metric.higher_is_better else f"{unit} (lower is better)"


def _mark(axes: Axes, row: Row, y: float, keys: Keys) -> None:
    """Draws a row's mean, interval and published figure. y: the height, in scenarios from the top."""
    key, estimate = keys[row.condition], row.estimate
    assert estimate is not None
    if row.published:
        axes.plot(row.published.mean, y, key.marker, color=key.colour, markerfacecolor=PAGE, markersize=6, zorder=3)
    if estimate.interval:
        axes.plot(estimate.interval, (y, y), color=key.colour, linewidth=2, solid_capstyle="butt", zorder=4)
    axes.plot(estimate.mean, y, key.marker, color=key.colour, markersize=7, zorder=5, clip_on=False)


def _bars(axes: Axes, place: int, rows: Sequence[Row], conditions: Sequence[Condition]) -> None:
    """Draws bars from floor to ceiling behind the lanes that have both; neighbours with the same ends share one."""
    height = _FILLED / len(conditions)
    ends = {conditions.index(row.condition): (row.floor, row.ceiling) for row in rows}
    for (floor, ceiling), group in groupby(sorted(ends), key=ends.__getitem__):
        lanes = list(group)
        if floor is not None and ceiling is not None:
            top = place - _FILLED / 2 + lanes[0] * height
            tall = (lanes[-1] - lanes[0] + 1) * height
            axes.barh(top, ceiling - floor, tall, floor, align="edge", color=BAND, linewidth=0, zorder=1)


# Results against what was asked of the model: a panel for each measure that any condition has

EFFORT_HEIGHT = 270
EFFORT_LETTERS = 36
"""How many letters of a label stand along the height of a panel of effort."""
MARGIN = 1.1
"""The end of an axis as a multiple of the outermost mark."""
MARK, RING = 9, 7
"""The diameters in points of a mark, and by how much that of each ring around it is larger."""
SAME = 0.02
"""Marks that lie nearer than this share of both axes would hide each other."""
MEASURES: Mapping[str, Callable[[Usage], float | None]] = {
    "questions an episode": lambda usage: usage.questions,
    "model calls an episode": lambda usage: usage.calls,
    "input tokens an episode": lambda usage: usage.input_tokens,
    "output tokens an episode": lambda usage: usage.output_tokens,
    "cost of an episode, USD": lambda usage: usage.cost,
}


@dataclass(frozen=True)
class Effort:
    """One condition's means over scenarios. amounts: usage by measure, None if unknown; result: score or metric.

    scenarios: the names of those that the means are over.
    """

    condition: Condition
    amounts: Mapping[str, float | None]
    result: float
    scenarios: frozenset[str]


def effort_picture(rows: Sequence[Row], labels: Labels, keys: Keys) -> Picture | None:
    """None if no model was asked, if there are fewer than two conditions, or if results have no common scale."""
    efforts, scale = efforts_of(rows)
    shown = [name for name in MEASURES if any(effort.amounts[name] for effort in efforts)]
    if len(efforts) < 2 or not shown:
        return None
    about = f"Each mark is one agent's mean over scenarios: its {scale}, against what an episode asked of the model."
    if len({effort.scenarios for effort in efforts}) > 1:
        about += " Some are means over other scenarios than others, and not comparable with those."
    if any(map(any, (hidden_behind(efforts, name) for name in shown))):
        about += " A ring around a mark is the mark of another agent at the same place."
    panels = [_effort_panel(f"effort-{place}", name, scale, efforts, keys) for place, name in enumerate(shown)]
    return Picture(
        "effort",
        "Results against effort",
        about,
        tuple(panels),
        tuple(legend("effort", [effort.condition for effort in efforts], labels, keys)),
    )


def efforts_of(rows: Sequence[Row]) -> tuple[list[Effort], str]:
    """The effort of all but references, and the scale of their results in words.

    The scale is the normalised score if all rows have one or if there are several groups, else the group's metric.
    Scenarios on a narrow scale are left out of means of scores.
    """
    compared = compared_rows(rows)
    by_score = all(row.normalised_score is not None for row in compared)
    if by_score or len({row.scenario.group for row in compared}) > 1:
        compared, by_score = [row for row in compared if row.counted_score is not None], True
    conditions = in_order(row.condition for row in compared)
    grouped = [[row for row in compared if row.condition == condition] for condition in conditions]
    scale = "normalised score" if by_score else _axis_label(compared[0].scenario)
    return [_effort(group, by_score=by_score) for group in grouped], scale


def _effort(rows: Sequence[Row], *, by_score: bool) -> Effort:
    results = [row.normalised_score if by_score else row.mean for row in rows]
    amounts: dict[str, float | None] = {}
    for name, measure in MEASURES.items():
        totals = [measure(row.usage_of_finished) for row in rows]
        per_episode = [total / row.finished for total, row in zip(totals, rows, strict=True) if total is not None]
        amounts[name] = mean(per_episode) if len(per_episode) == len(rows) else None
    played = frozenset(row.scenario.name for row in rows)
    return Effort(rows[0].condition, amounts, mean(value for value in results if value is not None), played)


def hidden_behind(efforts: Sequence[Effort], measure: str) -> list[int]:
    """For each condition, how many earlier ones have their mark at the same place in a panel; 0 without a mark."""
    places = [(effort.amounts[measure], effort.result) for effort in efforts]
    across = SAME * max(amount or 0.0 for amount, _ in places)
    up = SAME * max(abs(result) for _, result in places)

    def is_same(one: tuple[float | None, float], other: tuple[float | None, float]) -> bool:
        if one[0] is None or other[0] is None:
            return False
        return abs(one[0] - other[0]) <= across and abs(one[1] - other[1]) <= up

    return [sum(is_same(place, earlier) for earlier in places[:at]) for at, place in enumerate(places)]


def _effort_panel(name: str, measure: str, scale: str, efforts: Sequence[Effort], keys: Keys) -> Panel:
    def paint(axes: Axes) -> None:
        from matplotlib.ticker import MaxNLocator

        for effort, behind in zip(efforts, hidden_behind(efforts, measure), strict=True):
            key = keys[effort.condition]
            if (amount := effort.amounts[measure]) is not None:
                (mark,) = axes.plot(amount, effort.result, key.marker, color=key.colour, markersize=MARK, clip_on=False)
                if behind:
                    mark.set(markersize=MARK + RING * behind, markerfacecolor="none", markeredgewidth=2.0)
        axes.set_xlim(0, MARGIN * max(effort.amounts[measure] or 0.0 for effort in efforts))
        lowest, highest = (extreme(0.0, *(effort.result for effort in efforts)) for extreme in (min, max))
        axes.set_ylim(MARGIN * lowest, MARGIN * highest if highest > lowest else 1.0)
        axes.set_xlabel(measure)
        axes.set_ylabel("\n".join(wrap(in_picture(scale), EFFORT_LETTERS)))
        axes.xaxis.set_major_formatter("{x:,.12g}")
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))

    return Panel(name, f"{scale} against {measure}", EFFORT_HEIGHT, paint)
