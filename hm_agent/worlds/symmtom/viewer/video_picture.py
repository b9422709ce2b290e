"""The picture of one step for a video: the board, the first seat's beliefs beside the truth, and its thoughts."""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.agents.planning_body import PlanningState
from hm_agent.core import Seat, Step
from hm_agent.recording.drawing import (
    ACCENT,
    BRIGHT,
    FAINT,
    FRAME,
    GAIN,
    LOSS,
    SOFT,
    Box,
    Canvas,
    Pen,
    Pixels,
    clock,
    heading,
)
from hm_agent.recording.shapes import PALETTE, colour_of, painted
from hm_agent.worlds.symmtom.language.notebook import TalkerNotes
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.viewer.board_picture import figures, ground, picture_of
from hm_agent.worlds.symmtom.views import BelievedKnowledge, BoardScene, BoardView, Pieces

BOARD = 648
PLACE = Box(24, 48, BOARD, BOARD)
CAPTION = Box(24, 18, BOARD, 20)
HEADING = Box(704, 16, 552, 56)
CLOCK = Box(1116, 52, 140, 20)
REWARDS = Box(704, 92, 552, 172)
KNOWLEDGE = Box(704, 276, 552, 236)
THOUGHTS = Box(704, 524, 552, 180)

TOP = 26
"""Where a card's content begins, below its caption."""
MOST_ROWS = 8
"""How many agents the cards have room for."""


class BoardVideo:
    """Draws the steps of one episode, in order, since it sums up rewards."""

    def __init__(self, settings: GameSettings, seats: Sequence[Seat], title: str) -> None:
        self._settings, self._seats = settings, tuple(seats)
        self._canvas = Canvas()
        self._totals = [0.0] * settings.agents
        self._canvas.draw(HEADING, heading, title, "SymmToM")
        self._canvas.draw(CAPTION, Pen.caption, "After the turn; arrows: who heard whom, thick where it was news")

    def __call__(self, step: Step) -> Pixels:
        """The (720, 1280, 3) picture of a step."""
        scene, seat = step.scene, self._seats[0]
        assert isinstance(scene, BoardScene)
        view: BoardView = step.turn.observations[seat].view
        picture = picture_of(self._settings, scene, held=view.held, looked_at=self._settings.seats.index(seat))
        shapes = [*ground(picture), *figures(picture)]
        self._canvas.paint(PLACE, painted(shapes, self._settings.width, BOARD))
        self._totals = [total + paid for total, paid in zip(self._totals, scene.rewards, strict=True)]
        decision = step.decisions[seat]
        state = decision.state
        noted = state.notes if isinstance(state, PlanningState) else state
        believed = noted.believed if isinstance(noted, BelievedKnowledge | TalkerNotes) else None
        self._canvas.draw(CLOCK, clock, step.turn.step, self._settings.steps)
        self._canvas.draw(REWARDS, rewards, tuple(self._totals), scene.rewards, scene.said)
        self._canvas.draw(KNOWLEDGE, knowledge, self._settings, seat, believed, scene.knows)
        strategy = decision.thoughts.strategy
        plan = ", ".join(map(str, state.plan)) if isinstance(state, PlanningState) else ""
        self._canvas.draw(THOUGHTS, thoughts, seat, strategy.words if strategy else "", plan)
        return self._canvas.pixels.copy()


def rewards(pen: Pen, totals: Sequence[float], paid: Sequence[float], said: Sequence[int | None]) -> None:
    """Each agent's reward so far, the reward of this step and the piece it says, in two columns of agents."""
    pen.caption("Reward so far")
    for agent, total in enumerate(totals[:MOST_ROWS]):
        x, y = agent % 2 * 288, TOP + agent // 2 * 36
        _agent_name(pen, x, y + 6, agent)
        pen.write((x + 138, y + 20), f"{total:g}", 20, BRIGHT, anchor="rs")
        if paid[agent]:
            pen.write((x + 148, y + 20), f"{paid[agent]:+g}", 15, GAIN if paid[agent] > 0 else LOSS, anchor="ls")
        words = "silent" if said[agent] is None else f"says {said[agent]}"
        pen.write((x + 196, y + 20), words, 15, SOFT, anchor="ls")


def knowledge(
    pen: Pen, settings: GameSettings, seat: Seat, believed: Sequence[Pieces] | None, truth: Sequence[Pieces]
) -> None:
    """K as one seat believes it, if it records beliefs, beside the true K; wrong beliefs are crossed."""
    left, wide = 84, (pen.width - 84) // 2
    side = min(20, (wide - 16) / settings.pieces)
    pen.caption("Who knows what, before the turn")
    titles = ((left + wide, "as it is"), (left, f"as {seat} believes" if believed else f"{seat} tells no beliefs"))
    for x, words in titles:
        pen.write((x, TOP), words, 13, SOFT)
    step = min(24.0, (pen.height - TOP - 44) / settings.agents)
    for piece in range(settings.pieces):
        if settings.pieces <= 16 or piece % 8 == 0:
            for x in (left, left + wide)[0 if believed else 1 :]:
                pen.write((x + piece * side + side / 2, TOP + 22), str(piece), 11, FAINT, anchor="ma")
    for agent in range(settings.agents):
        y = TOP + 40 + agent * step
        _agent_name(pen, 0, y + 2, agent)
        if believed:
            _knowledge_row(pen, (left, y), side, believed[agent], truth[agent], settings.pieces, agent)
        _knowledge_row(pen, (left + wide, y), side, truth[agent], truth[agent], settings.pieces, agent)


def _knowledge_row(
    pen: Pen, at: tuple[float, float], side: float, known: Pieces, truth: Pieces, pieces: int, agent: int
) -> None:
    """A row with a cell for each piece: filled if it is believed known, crossed if that is wrong."""
    high = min(side, 18) - 2
    for piece in range(pieces):
        x, y = at[0] + piece * side, at[1]
        pen.block((x, y, side - 2, high), PALETTE[colour_of(agent)] if piece in known else FRAME)
        if (piece in known) != (piece in truth):
            pen.line([(x, y), (x + side - 3, y + high - 1)], BRIGHT, width=2)
            pen.line([(x, y + high - 1), (x + side - 3, y)], BRIGHT, width=2)


def thoughts(pen: Pen, seat: Seat, strategy: str, plan: str) -> None:
    if strategy or plan:
        pen.caption(f"What {seat} means to do")
        y = pen.paragraph((0, TOP), strategy, 17, BRIGHT, lines=4)
        pen.paragraph((0, y + 6), plan, 15, ACCENT, lines=2)


def _agent_name(pen: Pen, x: float, y: float, agent: int) -> None:
    """An agent's name beside a dot in its colour."""
    pen.block((x, y, 12, 12), PALETTE[colour_of(agent)], radius=6)
    pen.write((x + 18, y - 2), f"player_{agent}", 14, SOFT)
