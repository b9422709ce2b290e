"""Maps of payoffs: what the agent of a row earned against that of a column, in colours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from hm_agent.reporting.conditions import Labels
from hm_agent.reporting.pictures import Panel, Picture, add_title
from hm_agent.reporting.seats import Player
from hm_agent.reporting.statistics import Estimate
from hm_agent.reporting.tournament import Tournament
from hm_agent.wording import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEADING, LANE = 130, 30
"""Heights in pixels: of the title and the columns' names, and of a row."""
SLANT = 30
"""The degrees by which the names of columns are turned."""


def payoff_picture(played: Sequence[Tournament], labels: Labels) -> Picture | None:
    """A panel for each tournament; None if there is none."""
    panels = tuple(
        Panel(
            f"tournament-{place}",
            f"payoffs in {one.title}",
            HEADING + LANE * len(one.players),
            partial(_paint_tournament, one, labels),
        )
        for place, one in enumerate(played)
    )
    caption = "The payoff of the row's agent with the column's, a mean over seeds; losses are red, gains blue."
    return Picture("tournament", "Payoffs of the tournament", caption, panels) if panels else None


def _paint_tournament(one: Tournament, labels: Labels, axes: Axes) -> None:
    names = [labels[player] for player in one.players]
    paint_payoffs(axes, one.players, names, one.payoffs, lambda payoff: number(payoff.mean, one.digits))
    axes.set_xticks(range(len(names)), names, rotation=SLANT, ha="right", rotation_mode="anchor")
    add_title(axes, f"{one.title}: {one.unit}")


def paint_payoffs(
    axes: Axes,
    players: Sequence[Player],
    names: Sequence[str],
    payoffs: Mapping[tuple[Player, Player], Estimate],
    words: Callable[[Estimate], str],
) -> None:
    """Draws a table of what the player of a row earned against that of a column; losses are red, gains blue.

    words: what a cell says.
    """
    cells = {pair: estimate.mean for pair, estimate in payoffs.items()}
    table = [[cells.get((row, column), float("nan")) for column in players] for row in players]
    most = max((abs(value) for value in cells.values()), default=0.0) or 1.0
    axes.imshow(table, cmap="RdBu", vmin=-most, vmax=most, alpha=0.4, aspect="auto")
    for row, player in enumerate(players):
        for column, other in enumerate(players):
            if (player, other) in cells:
                axes.text(column, row, words(payoffs[player, other]), ha="center", va="center")
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("against")
    axes.grid(visible=False)
