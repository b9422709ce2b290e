"""The picture of one step: the world, what the agent sees of it, and beside them what it holds and thinks."""

from __future__ import annotations

from collections import deque

import numpy as np

from hm_agent.core import Counts, Step
from hm_agent.worlds.melting_pot.facts import GameFacts, MatrixFacts
from hm_agent.worlds.melting_pot.perception.atlas import SPRITE_SIZE
from hm_agent.worlds.melting_pot.viewer import cards
from hm_agent.worlds.melting_pot.viewer.canvas import Canvas, Pixels
from hm_agent.worlds.melting_pot.viewer.pen import SELF, Box

WIDTH, HEIGHT = 1280, 720

# Even coordinates keep the edges of enlarged pixels sharp, for video has one colour for 2 x 2 of its own.
WORLD = Box(24, 36, 736, 480)
VIEW = Box(24, 544, 160, 160)
WORLD_CAPTION = Box(24, 14, 736, 20)
VIEW_CAPTION = Box(24, 523, 160, 20)
OWN = Box(212, 523, 156, 181)
OTHER = Box(400, 523, 156, 181)
REWARD = Box(588, 523, 172, 181)
HEADING = Box(792, 12, 464, 56)
CLOCK = Box(1136, 48, 120, 20)
STRATEGY = Box(792, 92, 464, 124)
SUBGOAL = Box(792, 232, 464, 52)
HYPOTHESES = Box(792, 304, 464, 408)

COURSE = 80
"""How many rewards the chart goes back."""


class Picture:
    """Keeps what outlives a step: the course of rewards, and what the other was last thought to hold."""

    def __init__(self, game: GameFacts, title: str) -> None:
        self._game = game
        self._canvas = Canvas(WIDTH, HEIGHT)
        self._course: deque[float] = deque(maxlen=COURSE)
        self._last_reward: float | None = None
        self._other: Counts | None = None
        self._canvas.draw(HEADING, cards.heading, title, game.title)
        self._canvas.draw(
            WORLD_CAPTION, cards.caption, "The world, for the viewer only; framed: where the agent takes itself to be"
        )
        self._canvas.draw(VIEW_CAPTION, cards.caption, "What the agent sees")

    def of(self, step: Step, world: Pixels) -> Pixels:
        """The (720, 1280, 3) picture of a step; valid until the next one."""
        self._remember(step)
        self._canvas.show(WORLD, world)
        if step.decision.pose:
            self._canvas.frame(WORLD, world, step.decision.pose.cell, SPRITE_SIZE, SELF)
        self._canvas.show(VIEW, np.asarray(step.observation.fields["RGB"], np.uint8))
        self._draw_holdings(step)
        self._draw_thoughts(step)
        return self._canvas.pixels

    def _remember(self, step: Step) -> None:
        self._other = step.decision.other_inventory or self._other
        if step.reward:
            self._last_reward = step.reward
            self._course.append(step.total)

    def _draw_holdings(self, step: Step) -> None:
        self._canvas.draw(OWN, cards.inventory, "Inventory", self._game, step.decision.inventory)
        if isinstance(self._game, MatrixFacts):
            self._canvas.draw(OTHER, cards.inventory, "The other's last, inferred", self._game, self._other)
        self._canvas.draw(REWARD, cards.reward, step.total, self._last_reward, tuple(self._course))

    def _draw_thoughts(self, step: Step) -> None:
        decision = step.decision
        self._canvas.draw(CLOCK, cards.clock, step.observation.step)
        self._canvas.draw(STRATEGY, cards.strategy, self._game, decision.strategy)
        self._canvas.draw(SUBGOAL, cards.subgoal, decision.subgoal)
        held = tuple(decision.hypotheses)
        self._canvas.draw(HYPOTHESES, cards.hypotheses, decision.about, held, decision.validated)
