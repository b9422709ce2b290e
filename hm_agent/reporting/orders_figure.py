"""The picture of the study of orders: reward by the opponents' order, and by pairs of agents in self-play."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from hm_agent.grouping import grouped
from hm_agent.reporting.conditions import Condition
from hm_agent.reporting.drawing import COLOURS, MUTED, FigureFiles, drawn_grid
from hm_agent.reporting.orders import OrderStudy
from hm_agent.reporting.payoff_map import paint_payoffs
from hm_agent.reporting.pictures import MARKERS
from hm_agent.reporting.seats import Matchups
from hm_agent.wording import FEW_HAVE_NONE, with_error

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = 3
PANEL_WIDTH, PANEL_HEIGHT = 331, 288
"""In points."""
SPREAD = 0.4
"""The width over which the conditions at one order are spread; the distance between two orders is 1."""


def orders_figure(study: OrderStudy, files: FigureFiles) -> bytes:
    """A panel for each combination of settings and family of opponents, then one for each scenario of self-play."""
    by_settings = grouped(((one.model, one.settings, one.measure), one) for one in study.conditions)
    paints = [
        partial(_paint_means, study, family, of_settings)
        for of_settings in by_settings.values()
        for family in study.families
        if any(study.means_of(family, condition) for condition in of_settings)
    ]
    paints += [partial(_paint_matchups, study, matchup) for matchup in study.matchups]
    return drawn_grid(files, paints, COLUMNS, PANEL_WIDTH, PANEL_HEIGHT)


def _paint_means(study: OrderStudy, family: str, conditions: Sequence[Condition], axes: Axes) -> None:
    """Draws each condition's means over rounds with their intervals; references are dashed."""
    agents = list(dict.fromkeys(condition.agent for condition in study.conditions))
    for place, condition in enumerate(conditions):
        means = study.means_of(family, condition)
        style = agents.index(condition.agent)
        colour, shift = COLOURS[style % len(COLOURS)], SPREAD * (place / max(1, len(conditions) - 1) - 0.5)
        orders = [order + shift for order in means]
        dashes = "--" if condition.is_world_reference else "-"
        axes.plot(
            orders,
            [mean.estimate.mean for mean in means.values()],
            dashes,
            marker=MARKERS[style % len(MARKERS)],
            color=colour,
            label=study.labels[condition],
        )
        for order, mean in zip(orders, means.values(), strict=True):
            if mean.interval:
                axes.plot((order, order), mean.interval, color=colour, linewidth=1.5)
    axes.set_xticks(ticks := study.orders(family))
    if len(ticks) == 1:  # the spread of the conditions would fill the panel
        axes.set_xlim(ticks[0] - 0.5, ticks[0] + 0.5)
    axes.axhline(0, color=MUTED, linewidth=1, zorder=0)
    axes.set_xlabel(f"order of the opponents\n({FEW_HAVE_NONE})")
    axes.set_ylabel(study.unit(family))
    axes.set_title(family, fontsize="medium")
    # Below the labels of the axis, where no line crosses it.
    axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.3), ncols=2)


def _paint_matchups(study: OrderStudy, matchup: Matchups, axes: Axes) -> None:
    """Draws a table of what the agent of a row earned against that of a column."""
    names = [study.players[player] for player in matchup.players]
    paint_payoffs(
        axes, matchup.players, names, matchup.rewards, lambda one: with_error(one.mean, one.error, matchup.digits)
    )
    axes.set_title(f"{matchup.title}: {matchup.unit}", fontsize="medium")
