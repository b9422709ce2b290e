"""Reward around the moment a hypothesis is validated (the paper's figure 4): a panel for each matrix game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from hm_agent.reporting.conditions import Condition, in_order
from hm_agent.reporting.figures.drawing import INK, MUTED, Keys, draw, head, legend
from hm_agent.reporting.figures.picture import Panel, Picture
from hm_agent.reporting.validation import FEWEST, Curve
from hm_agent.reporting.wording import counted

HEIGHT = 290


def validation_picture(curves: Sequence[Curve], labels: Mapping[Condition, str], keys: Keys) -> Picture | None:
    if not curves:
        return None
    games = list(dict.fromkeys(curve.game for curve in curves))
    panels = [
        _panel(f"validation-{place}", game, [curve for curve in curves if curve.game == game], keys)
        for place, game in enumerate(games)
    ]
    contestants = in_order(curve.contestant for curve in curves)
    shown = legend("validation", contestants, labels, keys)
    title = "Reward per interaction around validation"
    return Picture("validation", title, _caption(curves), tuple(panels), tuple(shown))


def _caption(curves: Sequence[Curve]) -> str:
    streams, met = (sum(getattr(curve, name) for curve in curves) for name in ("streams", "validated"))
    return (
        "At 0 lies the interaction whose outcome first brought a hypothesis to the threshold; from 1 on, strategies "
        "follow a validated one. Hypotheses are kept about each other player, so each makes a stream of its own: "
        f"{met} of {counted(streams, 'stream')} met the threshold, the others are not shown. Mean over episodes, which "
        f"average their streams, with 95% bootstrap intervals; offsets that fewer than {FEWEST} episodes or a third of "
        "them have are cut."
    )


def _panel(name: str, game: str, curves: Sequence[Curve], keys: Keys) -> Panel:
    def paint(axes: Axes) -> None:
        axes.axvline(0, color=INK, linewidth=1.5)
        axes.axhline(0, color=MUTED, linewidth=1)
        for curve in curves:
            _line(axes, curve, keys)
        head(axes, game)
        axes.set_xlabel("interactions after validation")
        axes.set_ylabel("reward")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))

    return draw(name, f"{game}: reward per interaction before and after validation", HEIGHT, paint)


def _line(axes: Axes, curve: Curve, keys: Keys) -> None:
    key = keys[curve.contestant]
    offsets = list(curve.points)
    means = [curve.points[offset].mean for offset in offsets]
    ends = [curve.points[offset].interval or (curve.points[offset].mean,) * 2 for offset in offsets]
    low, high = zip(*ends, strict=True)
    axes.fill_between(offsets, low, high, color=key.colour, alpha=0.18, linewidth=0)
    axes.plot(offsets, means, marker=key.marker, color=key.colour, linewidth=1.8, markersize=4)
