"""Reward by scenario and agent (the paper's figures 3 and 6): a panel for each game, a row for each scenario."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from matplotlib.axes import Axes

from hm_agent.reporting.conditions import Condition, in_order
from hm_agent.reporting.figures.drawing import BAND, MUTED, PAGE, Keys, draw, head, legend
from hm_agent.reporting.figures.picture import Panel, Picture
from hm_agent.reporting.runs import Stage
from hm_agent.reporting.tables import Row

FULL = "hypothetical_minds"
ABLATIONS = ("vmp", "mmp", "mmp_he", "he_hr")
HEADING, LANE, GAP = 74, 11, 12
"""Heights in pixels: of title and axis, of a contestant within a scenario, between scenarios."""
_FILLED = 0.8
"""How much of a scenario's height its lanes fill."""


def reward_picture(rows: Sequence[Row], labels: Mapping[Condition, str], keys: Keys) -> Picture | None:
    """All that compete, but for ablations; None where there is nothing to show."""
    return _picture("reward", "Reward by scenario and agent", _competing(rows, without=ABLATIONS), labels, keys)


def ablation_picture(rows: Sequence[Row], labels: Mapping[Condition, str], keys: Keys) -> Picture | None:
    """The ablations beside the full agent; None where there are none."""
    if not any(row.contestant.agent in ABLATIONS for row in rows):
        return None
    wanted = [row for row in rows if row.contestant.agent in (FULL, *ABLATIONS)]
    return _picture("ablations", "Ablations beside the full agent", _competing(wanted), labels, keys)


def _competing(rows: Iterable[Row], without: Sequence[str] = ()) -> list[Row]:
    shown = (row for row in rows if row.reward is not None and not row.contestant.is_reference)
    return [row for row in shown if row.contestant.agent not in without]


def _picture(name: str, title: str, rows: Sequence[Row], labels: Mapping[Condition, str], keys: Keys) -> Picture | None:
    if not rows:
        return None
    contestants = in_order(row.contestant for row in rows)
    panels = [
        _panel(f"{name}-{place}", game, list(group), keys)
        for place, (game, group) in enumerate(groupby(rows, key=lambda row: row.stage.game))
    ]
    return Picture(name, title, _caption(rows), tuple(panels), tuple(legend(name, contestants, labels, keys)))


def _caption(rows: Sequence[Row]) -> str:
    """What the marks are, as far as there are any."""
    intervals = any(row.reward and row.reward.interval for row in rows)
    said = ["Mean reward with 95% bootstrap intervals." if intervals else "Mean reward."]
    if any(row.score is not None for row in rows):
        said.append("The bar behind reaches from random to oracle.")
    if any(row.paper for row in rows):
        said.append("Hollow marks are the paper's figures: GPT-4 against trained bots.")
    return " ".join(said)


def _panel(name: str, game: str, rows: Sequence[Row], keys: Keys) -> Panel:
    stages = list(dict.fromkeys(row.stage for row in rows))
    contestants = in_order(row.contestant for row in rows)

    def paint(axes: Axes) -> None:
        for row in rows:
            _mark(axes, row, _lane(row, stages, contestants), keys)
        for place, stage in enumerate(stages):
            _bars(axes, place, [row for row in rows if row.stage == stage], contestants)
        _label(axes, game, stages)

    height = HEADING + len(stages) * (GAP + LANE * max(2, len(contestants)))
    return draw(name, f"{game}: reward by scenario and agent", height, paint)


def _lane(row: Row, stages: Sequence[Stage], contestants: Sequence[Condition]) -> float:
    """Where a row lies, in scenarios from the top."""
    lane = (contestants.index(row.contestant) + 0.5) / len(contestants) - 0.5
    return stages.index(row.stage) + _FILLED * lane


def _mark(axes: Axes, row: Row, y: float, keys: Keys) -> None:
    key = keys[row.contestant]
    assert row.reward is not None
    if row.paper:
        axes.plot(row.paper[0], y, key.marker, color=key.colour, markerfacecolor=PAGE, markersize=6, zorder=3)
    if row.reward.interval:
        axes.plot(row.reward.interval, (y, y), color=key.colour, linewidth=2, solid_capstyle="butt", zorder=4)
    axes.plot(row.reward.mean, y, key.marker, color=key.colour, markersize=7, zorder=5)


def _bars(axes: Axes, place: int, rows: Sequence[Row], contestants: Sequence[Condition]) -> None:
    """From floor to ceiling, behind the lanes that have both; as one bar where neighbours share them."""
    height = _FILLED / len(contestants)
    ends = {contestants.index(row.contestant): (row.floor, row.ceiling) for row in rows}
    for (floor, ceiling), group in groupby(sorted(ends), key=ends.__getitem__):
        lanes = list(group)
        if floor is not None and ceiling is not None:
            top = place - _FILLED / 2 + lanes[0] * height
            tall = (lanes[-1] - lanes[0] + 1) * height
            axes.barh(top, ceiling - floor, tall, floor, align="edge", color=BAND, linewidth=0, zorder=1)


def _label(axes: Axes, game: str, stages: Sequence[Stage]) -> None:
    head(axes, game)
    axes.set_xlabel("reward")
    axes.set_yticks(range(len(stages)), [stage.short_name for stage in stages])
    axes.set_ylim(len(stages) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.axvline(0, color=MUTED, linewidth=1, zorder=2)
