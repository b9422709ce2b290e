"""What asking a model took against what came of it: a panel for each measure that any contestant has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from hm_agent.questions import Usage
from hm_agent.reporting.conditions import Condition, in_order
from hm_agent.reporting.figures.drawing import Keys, draw, legend
from hm_agent.reporting.figures.picture import Panel, Picture
from hm_agent.reporting.tables import Row

HEIGHT = 270
ROOM = 1.1
"""How far axes reach, as a multiple of the outermost mark."""
MEASURES: Mapping[str, Callable[[Usage], float | None]] = {
    "questions an episode": lambda usage: usage.questions,
    "model calls an episode": lambda usage: usage.calls,
    "input tokens an episode": lambda usage: usage.input_tokens,
    "output tokens an episode": lambda usage: usage.output_tokens,
    "cost of an episode, USD": lambda usage: usage.cost,
}


@dataclass(frozen=True)
class Effort:
    """One contestant's means over scenarios: what it took (None if that is unknown) and what it earned."""

    contestant: Condition
    taken: Mapping[str, float | None]
    earned: float


def effort_picture(rows: Sequence[Row], labels: Mapping[Condition, str], keys: Keys) -> Picture | None:
    """None where nothing was asked, where there is one contestant alone, or where rewards have no common scale."""
    efforts, unit = efforts_of(rows)
    if len(efforts) < 2:
        return None
    shown = [name for name in MEASURES if any(effort.taken[name] for effort in efforts)]
    if not shown:
        return None
    panels = [_panel(f"effort-{place}", name, unit, efforts, keys) for place, name in enumerate(shown)]
    contestants = [effort.contestant for effort in efforts]
    return Picture(
        "effort",
        "What it takes, and what comes of it",
        f"Each mark is the mean over scenarios of one agent's {unit} and of what its episodes asked of the model.",
        tuple(panels),
        tuple(legend("effort", contestants, labels, keys)),
    )


def efforts_of(rows: Sequence[Row]) -> tuple[list[Effort], str]:
    """Those who compete, by score where there is one and by reward within a single game; and which of the two it is."""
    competing = [row for row in rows if row.reward is not None and not row.contestant.is_reference]
    by_score = all(row.score is not None for row in competing)
    if not by_score and len({row.stage.game for row in competing}) > 1:
        competing, by_score = [row for row in competing if row.score is not None], True
    order = in_order(row.contestant for row in competing)
    grouped = [[row for row in competing if row.contestant == one] for one in order]
    return [_effort(group, by_score=by_score) for group in grouped], "score" if by_score else "reward"


def _effort(rows: Sequence[Row], *, by_score: bool) -> Effort:
    earned = [row.score if by_score else row.normalised_reward for row in rows]
    taken = {
        name: _mean([_per_episode(measure(row.usage_of_finished), row) for row in rows])
        for name, measure in MEASURES.items()
    }
    return Effort(rows[0].contestant, taken, mean(value for value in earned if value is not None))


def _per_episode(value: float | None, row: Row) -> float | None:
    return None if value is None else value / row.finished


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return mean(known) if len(known) == len(values) else None


def _panel(name: str, measure: str, unit: str, efforts: Sequence[Effort], keys: Keys) -> Panel:
    def paint(axes: Axes) -> None:
        for effort in efforts:
            key = keys[effort.contestant]
            if taken := effort.taken[measure]:
                axes.plot(taken, effort.earned, key.marker, color=key.colour, markersize=9, clip_on=False)
        axes.set_xlim(0, ROOM * max(effort.taken[measure] or 0.0 for effort in efforts))
        lowest, highest = (outermost(0.0, *(effort.earned for effort in efforts)) for outermost in (min, max))
        axes.set_ylim(ROOM * lowest, ROOM * highest if highest > lowest else 1.0)
        axes.set_xlabel(measure)
        axes.set_ylabel(unit)
        axes.xaxis.set_major_formatter("{x:,.12g}")
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))

    return draw(name, f"{unit} against {measure}", HEIGHT, paint)
