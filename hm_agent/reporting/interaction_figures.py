"""The figures of a report on single interactions: reward by how often two players have met, and around validation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from hm_agent.reporting.adaptation import EARLY, AdaptationCurve
from hm_agent.reporting.conditions import Labels, in_order
from hm_agent.reporting.drawing import (
    INK,
    MUTED,
    Key,
    Keys,
    Panel,
    Picture,
    add_title,
    distinct_keys,
    legend,
    reference_keys,
)
from hm_agent.reporting.interactions import FEWEST
from hm_agent.reporting.statistics import Estimate
from hm_agent.reporting.validation import ValidationCurve
from hm_agent.wording import FEW_HAVE_NONE, counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = 290
MOST_BANDS = 3
"""The largest number of curves of one panel that are drawn with their intervals; more would hide each other."""


# By the number of the interaction: a panel for each group


def adaptation_picture(curves: Sequence[AdaptationCurve], labels: Labels, keys: Keys) -> Picture | None:
    """A panel for each group; None if only references have curves."""
    if all(curve.is_reference for curve in curves):
        return None
    conditions = in_order(curve.condition for curve in curves)
    measured = {curve.condition for curve in curves if not curve.is_reference}
    compared = [condition for condition in conditions if condition in measured]
    references = [condition for condition in conditions if condition not in measured]
    drawn_as = {**distinct_keys(compared, keys), **reference_keys(references)}
    panels = [
        _adaptation_panel(f"adaptation-{place}", group, [curve for curve in curves if curve.group == group], drawn_as)
        for place, group in enumerate(dict.fromkeys(curve.group for curve in curves))
    ]
    caption = (
        "Interactions of a seat with each partner are numbered from the start of the episode; the first "
        f"{EARLY} are left of the line. Rewards are averaged over the partners of each episode, then over episodes. "
        f"Grey: references. With at most {MOST_BANDS} agents, 95% bootstrap intervals are shown; {FEW_HAVE_NONE}. "
        f"Numbers that occur in fewer than {FEWEST} episodes, or in less than a third of them, are left out."
    )
    key = legend("adaptation", [*compared, *references], labels, drawn_as)
    return Picture(
        "adaptation", "Adaptation: reward per interaction with the same partner", caption, tuple(panels), tuple(key)
    )


def _adaptation_panel(name: str, group: str, curves: Sequence[AdaptationCurve], keys: Keys) -> Panel:
    has_bands = sum(not curve.is_reference for curve in curves) <= MOST_BANDS

    def paint(axes: Axes) -> None:
        axes.axvline(EARLY + 0.5, color=MUTED, linewidth=1)
        for curve in curves:
            _draw(axes, curve.points, keys[curve.condition], has_band=has_bands and not curve.is_reference)

    label = f"{group}: reward per interaction by the number of the interaction with the same partner"
    return Panel(name, label, HEIGHT, _framed(paint, group, "number of the interaction with the same partner"))


# Around the moment a hypothesis is validated (the paper's figure 4): a panel for each group


def validation_picture(curves: Sequence[ValidationCurve], labels: Labels, keys: Keys) -> Picture | None:
    """None if there are no curves."""
    if not curves:
        return None
    conditions = in_order(curve.condition for curve in curves)
    keys = distinct_keys(conditions, keys)
    panels = [
        _validation_panel(f"validation-{place}", group, [curve for curve in curves if curve.group == group], keys)
        for place, group in enumerate(dict.fromkeys(curve.group for curve in curves))
    ]
    streams, validated = sum(curve.streams for curve in curves), sum(curve.validated for curve in curves)
    caption = (
        "Offset 0 is the interaction whose outcome first raised a hypothesis to the threshold; from offset 1 on, "
        "strategies follow a validated hypothesis. An agent has hypotheses about each other player, so interactions "
        f"with each player form a stream: {validated} of {counted(streams, 'stream')} reached the threshold, the "
        "others are not shown. Rewards are averaged over the streams of each episode, then over episodes, with 95% "
        f"bootstrap intervals; {FEW_HAVE_NONE}. Offsets that occur in fewer than {FEWEST} episodes, or in less than a "
        "third of them, are left out."
    )
    key = legend("validation", conditions, labels, keys)
    return Picture("validation", "Reward per interaction around validation", caption, tuple(panels), tuple(key))


def _validation_panel(name: str, group: str, curves: Sequence[ValidationCurve], keys: Keys) -> Panel:
    def paint(axes: Axes) -> None:
        axes.axvline(0, color=INK, linewidth=1.5)
        for curve in curves:
            _draw(axes, curve.points, keys[curve.condition], has_band=True)

    label = f"{group}: reward per interaction before and after validation"
    return Panel(name, label, HEIGHT, _framed(paint, group, "interactions after validation"))


def _framed(paint: Callable[[Axes], None], group: str, x_label: str) -> Callable[[Axes], None]:
    """Draws curves with the axes that all panels of this module share."""

    def paint_all(axes: Axes) -> None:
        from matplotlib.ticker import MaxNLocator

        axes.axhline(0, color=MUTED, linewidth=1)
        paint(axes)
        add_title(axes, group)
        axes.set_xlabel(x_label)
        axes.set_ylabel("reward")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))

    return paint_all


def _draw(axes: Axes, points: Mapping[int, Estimate], key: Key, *, has_band: bool) -> None:
    places = list(points)
    if has_band:
        ends = [point.interval or (point.mean, point.mean) for point in points.values()]
        low, high = zip(*ends, strict=True)
        axes.fill_between(places, low, high, color=key.colour, alpha=0.18, linewidth=0)
    means = [point.mean for point in points.values()]
    axes.plot(places, means, marker=key.marker, color=key.colour, linewidth=1.8, markersize=4)
