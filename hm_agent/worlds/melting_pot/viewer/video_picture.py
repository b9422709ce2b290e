"""The picture of one step for a video: the world, a seat's view of it, and what that seat's agent thinks."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from hm_agent.core import Hypothesis, Seat, Step, Strategy, Thoughts
from hm_agent.recording.drawing import (
    ACCENT,
    BRIGHT,
    FAINT,
    FRAME,
    GAIN,
    LOSS,
    RAISED,
    SOFT,
    Box,
    Canvas,
    Pen,
    Pixels,
    clock,
    heading,
)
from hm_agent.worlds.melting_pot.body import SubstrateAgentState
from hm_agent.worlds.melting_pot.facts import Counts, GameFacts
from hm_agent.worlds.melting_pot.games import kind_of
from hm_agent.worlds.melting_pot.grid import Cell
from hm_agent.worlds.melting_pot.perception.sprites import SPRITE_SIZE
from hm_agent.worlds.melting_pot.scene import Scene
from hm_agent.worlds.melting_pot.viewer.avatars import avatars_of

# Even coordinates keep the edges of enlarged pixels sharp, since video stores one colour for each 2 x 2 pixels.
WORLD = Box(24, 36, 736, 480)
VIEW = Box(24, 540, 176, 176)
WORLD_CAPTION = Box(24, 14, 736, 20)
VIEW_CAPTION = Box(24, 519, 176, 20)
OWN = Box(228, 519, 156, 181)
OTHER = Box(412, 519, 156, 181)
REWARD = Box(596, 519, 164, 181)
HEADING = Box(792, 12, 464, 56)
CLOCK = Box(1136, 48, 120, 20)
STRATEGY = Box(792, 92, 464, 124)
CALL = Box(792, 232, 464, 52)
HYPOTHESES = Box(792, 304, 464, 408)

COURSE = 80
"""How many of the latest rewards the chart shows."""

Course = Sequence[tuple[int, float]]
"""Steps in which a reward came, each with the total reward after it."""

TOP = 24
"""Where a card's content begins, below its caption."""
ROW = 74
"""The height of one hypothesis, with PADDING above its words."""
PADDING = 7
STOCK = 52
"""The height of one resource of an inventory."""
VALUES = 92
"""The width of the column of values beside the hypotheses."""


class VideoPicture:
    """Draws the steps of one episode; keeps the latest rewards for the chart, and the latest inferred inventory."""

    def __init__(self, game: GameFacts, seat: Seat, title: str, player: Seat = "") -> None:
        """player: what the seat's player is called on its map, if not as the seat."""
        self._game, self._seat, self._player = game, seat, player or seat
        self._canvas = Canvas()
        self._course: deque[tuple[int, float]] = deque([(0, 0.0)], maxlen=COURSE + 1)
        self._last_reward: float | None = None
        self._other: Counts | None = None
        self._framed = "; framed: where the agent is" if kind_of(game).is_framed else ""
        """What the caption says of an agent without a body."""
        self._canvas.draw(HEADING, heading, title, game.title)
        self._canvas.draw(VIEW_CAPTION, Pen.caption, "What the agent sees")

    def __call__(self, step: Step) -> Pixels:
        """The (720, 1280, 3) picture of a step."""
        scene, decision = step.scene, step.decisions[self._seat]
        assert isinstance(scene, Scene)
        state = decision.state if isinstance(decision.state, SubstrateAgentState) else None
        self._canvas.show(WORLD, scene.frame)
        takes_itself = "; framed: where the agent takes itself to be"
        framed = takes_itself if state and not state.is_own_map else self._framed
        self._canvas.draw(WORLD_CAPTION, Pen.caption, f"The world, for the viewer only{framed}")
        if cell := self._cell(state, scene):
            self._canvas.frame(WORLD, scene.frame, cell, SPRITE_SIZE, ACCENT, "agent")
        view = np.asarray(step.turn.observations[self._seat].view["RGB"], np.uint8)
        self._canvas.show(VIEW, view)
        if state and not state.view.present:
            self._canvas.cover(VIEW, view, "off the map, until it respawns")
        if paid := step.rewards.get(self._seat, 0.0):
            self._last_reward = paid
            self._course.append((step.turn.step, step.totals[self._seat]))
        self._draw_gains(state, step.totals[self._seat])
        self._draw_thoughts(step.turn.step, state, decision.thoughts)
        return self._canvas.pixels.copy()

    def _cell(self, state: SubstrateAgentState | None, scene: Scene) -> Cell | None:
        """Where the agent takes itself to be; where it is, if it does not say that by the cells of the map."""
        if state is None:
            return scene.cell(self._player)
        if state.is_own_map:
            return avatars_of(self._game).places(scene.frame).get(self._player)
        return state.pose.cell if state.pose else None

    def _draw_gains(self, state: SubstrateAgentState | None, total: float) -> None:
        """Draws the inventories and the reward."""
        self._other = (state and state.other_inventory) or self._other
        self._canvas.draw(OWN, inventory, "Inventory", self._game, state.inventory if state else None)
        if kind_of(self._game).infers_inventories:
            self._canvas.draw(OTHER, inventory, "The other's last, inferred", self._game, self._other)
        self._canvas.draw(REWARD, reward, total, self._last_reward, tuple(self._course))

    def _draw_thoughts(self, step: int, state: SubstrateAgentState | None, thoughts: Thoughts) -> None:
        self._canvas.draw(CLOCK, clock, step)
        self._canvas.draw(STRATEGY, strategy, self._game, thoughts.strategy)
        self._canvas.draw(CALL, call, *((state.subgoal, state.over_because) if state else (None, None)))
        self._canvas.draw(HYPOTHESES, hypotheses, thoughts.about, tuple(thoughts.hypotheses), thoughts.validated)


class PairPicture:
    """Draws the boards of a matched pair, one above the other; one that is over stays as it was."""

    def __init__(self, boards: Mapping[Seat, VideoPicture]) -> None:
        self._boards, self._latest = boards, dict[Seat, Pixels]()

    def __call__(self, step: Step) -> Pixels:
        """The (720 for each board, 1280, 3) picture of a step."""
        assert isinstance(step.scene, Mapping)
        for seat in step.decisions:
            self._latest[seat] = self._boards[seat](replace(step, scene=step.scene[seat]))
        return np.concatenate([self._latest[seat] for seat in self._boards])


def strategy(pen: Pen, game: GameFacts, current: Strategy | None) -> None:
    """Writes the strategy in words and, if it says that, the inventory to reach."""
    target = kind_of(game).target(current)
    pen.caption("Strategy")
    _write_body(pen, current.words if current else None, lines=3 if target else 4)
    if target:
        pen.paragraph((0, TOP + 76), f"wants {game.words(target)}", 15, SOFT, lines=1)


def call(pen: Pen, current: str | None, over_because: str | None) -> None:
    """Writes the current call or, once the plan is over, why it is; the next plan waits until the agent can act."""
    pen.caption("Call")
    if over_because:
        pen.paragraph((0, TOP), f"over, because {over_because}", 17, FAINT, lines=1)
    else:
        _write_body(pen, current, lines=1)


def hypotheses(pen: Pen, about: str | None, held: Sequence[Hypothesis], validated: Hypothesis | None) -> None:
    """Draws the validated hypothesis, then the others by value, as far as there is room.

    about: the player that they are about.
    """
    ranked = sorted(held, key=lambda hypothesis: (hypothesis != validated, -hypothesis.value))
    shown = ranked[: (pen.height - TOP) // ROW]
    name = about or "other"
    whom = name.replace("_", " ") if "_" in name else f"the {name}"
    pen.caption(f"Hypotheses about {whom}", f"{len(shown)} of {len(held)}" if len(shown) < len(held) else "")
    if not held:
        _write_body(pen, None, lines=1)
    for row, hypothesis in enumerate(shown):
        _draw_hypothesis(pen, TOP + PADDING + row * ROW, hypothesis, validated=hypothesis == validated)


def inventory(pen: Pen, name: str, game: GameFacts, counts: Counts | None) -> None:
    """Draws the amount of each resource, as blocks and as a number."""
    pen.caption(name)
    if counts is None:
        pen.write((0, TOP), "not known yet", 15, FAINT)
    for index, (held, count) in enumerate(zip(game.holdings, counts or (), strict=False)):
        y = TOP + index * STOCK
        pen.write((0, y), held.name, 15, SOFT)
        pen.write((pen.width, y), f"{count:g}", 15, BRIGHT, anchor="ra")
        for block in range(min(count, pen.width // 12)):
            pen.block((12 * block, y + 22, 10, 10), held.colour)


def reward(pen: Pen, total: float, last: float | None, course: Course) -> None:
    """Draws the reward so far, the last one that was not 0, and a chart of the total up to that one."""
    pen.caption("Reward so far")
    pen.write((0, TOP - 2), f"{total:.1f}", 30, BRIGHT)
    if last is not None:
        pen.write((pen.width, TOP + 12), f"last {last:+.1f}", 15, _sign_colour(last), anchor="ra")
    _draw_chart(pen, TOP + 48, course)


def _write_body(pen: Pen, words: str | None, *, lines: int) -> None:
    pen.paragraph((0, TOP), words or "none", 17, BRIGHT if words else FAINT, lines=lines)


def _draw_hypothesis(pen: Pen, y: int, hypothesis: Hypothesis, *, validated: bool) -> None:
    if validated:
        pen.block((0, y - PADDING, pen.width, ROW - 2), RAISED, radius=6)
        pen.block((0, y - PADDING, 4, ROW - 2), ACCENT)
    pen.write((14, y), f"{hypothesis.value:+.2f}", 17, ACCENT if validated else BRIGHT)
    _draw_value_bar(pen, y + 26, hypothesis.value)
    below = pen.paragraph(
        (VALUES, y), hypothesis.words, 15, BRIGHT if validated else SOFT, lines=2, width=pen.width - VALUES - 12
    )
    predicts = f"predicts {hypothesis.prediction}" if hypothesis.prediction else ""
    note = " · ".join(filter(None, ["validated" if validated else "", predicts]))
    pen.paragraph((VALUES, below), note, 14, ACCENT if validated else FAINT, lines=1)


def _draw_value_bar(pen: Pen, y: int, value: float) -> None:
    """Draws a bar from the middle to either side; values beyond ±1 fill their side."""
    half = 30
    length = half * min(1.0, abs(value))
    pen.block((14, y, 2 * half, 6), FRAME)
    pen.block((14 + half - (length if value < 0 else 0), y, max(1, length), 6), _sign_colour(value))


def _draw_chart(pen: Pen, y: int, course: Course) -> None:
    """Draws the total reward over the steps, in stairs that fill the card from y downwards, with a thin line at 0."""
    steps, totals = zip(*course, strict=True)
    low, high = min(0.0, *totals), max(0.0, *totals)
    scale = (pen.height - y - 4) / ((high - low) or 1)
    across = pen.width / ((steps[-1] - steps[0]) or 1)
    zero = y + high * scale
    pen.line([(0, zero), (pen.width, zero)], FRAME, width=1)
    stairs = [(0.0, totals[0])]
    for step, total in course[1:]:
        right = (step - steps[0]) * across
        stairs += [(right, stairs[-1][1]), (right, total)]
    pen.line([(x, y + (high - total) * scale) for x, total in stairs], _sign_colour(totals[-1]))


def _sign_colour(value: float) -> str:
    return LOSS if value < 0 else GAIN
