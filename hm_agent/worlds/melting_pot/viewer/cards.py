"""What a video says beside the world: each function draws one card, all of whose content it is given."""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.core import Counts, Hypothesis, Strategy
from hm_agent.worlds.melting_pot.facts import GameFacts
from hm_agent.worlds.melting_pot.viewer.pen import ACCENT, BRIGHT, FAINT, FRAME, GAIN, LOSS, RAISED, SOFT, Pen

TOP = 24
"""Where a card's content begins, below its caption."""
ROW = 74
"""The height of one hypothesis, of which PADDING lies above its words."""
PADDING = 7
STOCK = 52
"""The height of one resource."""
VALUES = 92
"""The width of the column of values beside the hypotheses."""


def caption(pen: Pen, words: str) -> None:
    pen.caption(words)


def heading(pen: Pen, title: str, subtitle: str) -> None:
    pen.paragraph((0, 0), title, 22, BRIGHT, lines=1)
    pen.paragraph((0, 36), subtitle, 15, FAINT, lines=1)


def clock(pen: Pen, step: int) -> None:
    pen.write((pen.width, 0), f"step {step}", 15, SOFT, anchor="ra")


def strategy(pen: Pen, game: GameFacts, current: Strategy | None) -> None:
    """What the agent wants and, where the game has inventories, which to reach."""
    pen.caption("Strategy")
    _say(pen, current.words if current else None, lines=3 if current and current.target else 4)
    if current and current.target:
        pen.paragraph((0, TOP + 76), f"wants {game.words(current.target)}", 15, SOFT, lines=1)


def subgoal(pen: Pen, words: str | None) -> None:
    pen.caption("Subgoal")
    _say(pen, words, lines=1)


def hypotheses(pen: Pen, about: str | None, held: Sequence[Hypothesis], validated: Hypothesis | None) -> None:
    """The validated hypothesis, then the best others, as many as there is room for. about: the player they concern."""
    ranked = sorted(held, key=lambda hypothesis: (hypothesis != validated, -hypothesis.value))
    shown = ranked[: (pen.height - TOP) // ROW]
    name = about or "other"
    whom = name.replace("_", " ") if "_" in name else f"the {name}"
    pen.caption(f"Hypotheses about {whom}", f"{len(shown)} of {len(held)}" if len(shown) < len(held) else "")
    if not held:
        _say(pen, None, lines=1)
    for row, hypothesis in enumerate(shown):
        _hypothesis(pen, TOP + PADDING + row * ROW, hypothesis, validated=hypothesis == validated)


def inventory(pen: Pen, name: str, game: GameFacts, counts: Counts | None) -> None:
    """How much there is of each resource, as blocks and as a number."""
    pen.caption(name)
    if counts is None:
        pen.write((0, TOP), "not known yet", 15, FAINT)
    for index, (held, count) in enumerate(zip(game.holdings, counts or (), strict=False)):
        _stock(pen, TOP + index * STOCK, held.name, held.colour, count)


def reward(pen: Pen, total: float, last: float | None, course: Sequence[float]) -> None:
    """The reward so far, the last one that was not 0, and the course of the total from one such to the next."""
    pen.caption("Reward so far")
    pen.write((0, TOP - 2), f"{total:.1f}", 30, BRIGHT)
    if last is not None:
        pen.write((pen.width, TOP + 12), f"last {last:+.1f}", 15, _gain(last), anchor="ra")
    _chart(pen, TOP + 48, [0.0, *course])


def _say(pen: Pen, words: str | None, *, lines: int) -> None:
    pen.paragraph((0, TOP), words or "none", 17, BRIGHT if words else FAINT, lines=lines)


def _hypothesis(pen: Pen, y: int, hypothesis: Hypothesis, *, validated: bool) -> None:
    if validated:
        pen.block((0, y - PADDING, pen.width, ROW - 2), RAISED, radius=6)
        pen.block((0, y - PADDING, 4, ROW - 2), ACCENT)
    pen.write((14, y), f"{hypothesis.value:+.2f}", 17, ACCENT if validated else BRIGHT)
    _value_bar(pen, y + 26, hypothesis.value)
    below = pen.paragraph(
        (VALUES, y), hypothesis.words, 15, BRIGHT if validated else SOFT, lines=2, width=pen.width - VALUES - 12
    )
    predicts = f"predicts {hypothesis.prediction}" if hypothesis.prediction else ""
    note = " · ".join(filter(None, ["validated" if validated else "", predicts]))
    pen.paragraph((VALUES, below), note, 14, ACCENT if validated else FAINT, lines=1)


def _value_bar(pen: Pen, y: int, value: float) -> None:
    """A bar from the middle to either side; values beyond ±1 fill their side."""
    half = 30
    length = half * min(1.0, abs(value))
    pen.block((14, y, 2 * half, 6), FRAME)
    pen.block((14 + half - (length if value < 0 else 0), y, max(1, length), 6), _gain(value))


def _stock(pen: Pen, y: int, name: str, colour: str, count: int) -> None:
    pen.write((0, y), name, 15, SOFT)
    pen.write((pen.width, y), f"{count:g}", 15, BRIGHT, anchor="ra")
    for index in range(min(count, pen.width // 12)):
        pen.block((12 * index, y + 22, 10, 10), colour)


def _chart(pen: Pen, y: int, course: Sequence[float]) -> None:
    """A curve that fills the card from y downwards, with a thin line at 0."""
    low, high = min(course), max(course)
    scale = (pen.height - y - 4) / ((high - low) or 1)
    heights = [y + (high - value) * scale for value in course]
    across = pen.width / max(1, len(course) - 1)
    zero = y + high * scale
    pen.line([(0, zero), (pen.width, zero)], FRAME, width=1)
    pen.line([(index * across, height) for index, height in enumerate(heights)], _gain(course[-1]))


def _gain(value: float) -> str:
    return LOSS if value < 0 else GAIN
