"""The figures of a report on single interactions: reward by how often two players have met, and around validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hm_agent.reporting.conditions import Labels, in_order
from hm_agent.reporting.curves import EARLY
from hm_agent.reporting.drawing import INK, MUTED
from hm_agent.reporting.interactions import FEWEST, Curve
from hm_agent.reporting.pictures import Key, Keys, Panel, Picture, add_title, distinct_keys, legend, reference_keys
from hm_agent.reporting.statistics import Estimate
from hm_agent.wording import FEW_HAVE_NONE, counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = 290
MOST_BANDS = 3
"""The largest number of curves of adaptation in one panel that are drawn with their intervals; more would hide each
other."""


@dataclass(frozen=True)
class _Form:
    """How the panels of a figure look.

    line: the place, colour and width of the vertical line. bands: the most curves of a panel with intervals, None: all.
    """

    name: str
    label: str
    x_label: str
    line: tuple[float, str, float]
    bands: int | None


_BY_NUMBER = "number of the interaction with the same partner"
_ADAPTATION = _Form("adaptation", f"by the {_BY_NUMBER}", _BY_NUMBER, (EARLY + 0.5, MUTED, 1), MOST_BANDS)
_VALIDATION = _Form("validation", "before and after validation", "interactions after validation", (0, INK, 1.5), None)


def adaptation_picture(curves: Sequence[Curve], labels: Labels, keys: Keys) -> Picture | None:
    """A panel for each group; None if only references have curves."""
    if all(curve.of.is_reference for curve in curves):
        return None
    conditions = in_order(curve.of.condition for curve in curves)
    measured = {curve.of.condition for curve in curves if not curve.of.is_reference}
    compared = [condition for condition in conditions if condition in measured]
    references = [condition for condition in conditions if condition not in measured]
    drawn_as = {**distinct_keys(compared, keys), **reference_keys(references)}
    caption = (
        "Interactions of a seat with each partner are numbered from the start of the episode; the first "
        f"{EARLY} are left of the line. Rewards are averaged over the partners of each episode, then over episodes. "
        f"Grey: references. With at most {MOST_BANDS} agents, 95% intervals are shown; {FEW_HAVE_NONE}. "
        f"Numbers that occur in fewer than {FEWEST} episodes, or in less than a third of them, are left out."
    )
    key = legend("adaptation", [*compared, *references], labels, drawn_as)
    title = "Adaptation: reward per interaction with the same partner"
    return Picture("adaptation", title, caption, _panels(_ADAPTATION, curves, drawn_as), tuple(key))


def validation_picture(curves: Sequence[Curve], labels: Labels, keys: Keys) -> Picture | None:
    """A panel for each group (the paper's figure 4); None if there are no curves."""
    if not curves:
        return None
    conditions = in_order(curve.of.condition for curve in curves)
    keys = distinct_keys(conditions, keys)
    streams = [stream for curve in curves for episode in curve.of.episodes for stream in episode]
    streams = [stream for stream in streams if stream.has_hypotheses]
    validated = sum(stream.validated is not None for stream in streams)
    caption = (
        "Offset 0 is the interaction whose outcome first raised a hypothesis to the threshold; from offset 1 on, "
        "strategies follow a validated hypothesis. An agent has hypotheses about each other player, so interactions "
        f"with each player form a stream: {validated} of {counted(len(streams), 'stream')} reached the threshold, the "
        "others are not shown. Rewards are averaged over the streams of each episode, then over episodes, with 95% "
        f"intervals; {FEW_HAVE_NONE}. Offsets that occur in fewer than {FEWEST} episodes, or in less than a "
        "third of them, are left out."
    )
    key = legend("validation", conditions, labels, keys)
    panels = _panels(_VALIDATION, curves, keys)
    return Picture("validation", "Reward per interaction around validation", caption, panels, tuple(key))


def _panels(form: _Form, curves: Sequence[Curve], keys: Keys) -> tuple[Panel, ...]:
    """A panel for each group of scenarios."""
    groups = dict.fromkeys(curve.of.group for curve in curves)
    return tuple(
        _panel(form, place, group, [curve for curve in curves if curve.of.group == group], keys)
        for place, group in enumerate(groups)
    )


def _panel(form: _Form, place: int, group: str, curves: Sequence[Curve], keys: Keys) -> Panel:
    has_bands = form.bands is None or sum(not curve.of.is_reference for curve in curves) <= form.bands

    def paint(axes: Axes) -> None:
        from matplotlib.ticker import MaxNLocator

        at, colour, width = form.line
        axes.axhline(0, color=MUTED, linewidth=1)
        axes.axvline(at, color=colour, linewidth=width)
        for curve in curves:
            _draw(axes, curve.points, keys[curve.of.condition], has_band=has_bands and not curve.of.is_reference)
        add_title(axes, group)
        axes.set_xlabel(form.x_label)
        axes.set_ylabel("reward")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))

    return Panel(f"{form.name}-{place}", f"{group}: reward per interaction {form.label}", HEIGHT, paint)


def _draw(axes: Axes, points: Mapping[int, Estimate], key: Key, *, has_band: bool) -> None:
    places = list(points)
    if has_band:
        ends = [point.interval or (point.mean, point.mean) for point in points.values()]
        low, high = zip(*ends, strict=True)
        axes.fill_between(places, low, high, color=key.colour, alpha=0.18, linewidth=0)
    means = [point.mean for point in points.values()]
    axes.plot(places, means, marker=key.marker, color=key.colour, linewidth=1.8, markersize=4)
