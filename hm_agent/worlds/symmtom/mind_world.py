"""A test of mind as a world with one seat: all other agents follow scripts (the paper's figure 3 and appendix A.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from hm_agent.core import Seat, Turn
from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.mind_facts import DIRECTIONS, MindTest
from hm_agent.worlds.symmtom.rules import OFFSETS, SILENT, Direction, GameState, Ints, Keys, within_hearing
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.views import BoardView, Cell, SpokenMove
from hm_agent.worlds.symmtom.world import SymmtomWorld

TESTED = 0
"""The number of the tested agent."""
SUCCESS, FAILURE, TURNS, OVER_OPTIMUM = "success", "failure", "turns", "turns_over_optimum"
_MIRRORING, _RELABELLING = 0x3E57, 0x3E58
"""Random-number streams by which the trials of a test differ."""


class MindTestWorld(SymmtomWorld):
    """One trial. The seed mirrors and transposes the board and renumbers the pieces; otherwise all trials are the same.

    In the prelude the tested agent is held in place and its script speaks for it. Every other agent is held as soon as
    its script moves it no more; the views of all agents show who is held.
    """

    def __init__(
        self, test: MindTest, *, has_public_first_hand: bool = True, has_greedy_speakers: bool = False
    ) -> None:
        super().__init__(
            replace(test.settings, has_public_first_hand=has_public_first_hand, has_greedy_speakers=has_greedy_speakers)
        )
        self.seats = self.settings.seats[:1]
        self._test = test
        self._outcome: bool | None = None
        self._turns = 0

    def _initial_state(self, seed: int) -> GameState:
        self._trial = self._draw_trial(seed)
        self._outcome, self._turns = None, 0
        return self._trial.initial_state(super()._initial_state(seed))

    def _draw_trial(self, seed: int) -> Trial:
        return Trial(self._test, np.array([seed % 2**32], np.uint32))

    def step(self, actions: Mapping[Seat, SpokenMove]) -> Turn[BoardView]:
        step = int(self.state.step[0])
        chosen = [self._trial.action(agent, step) for agent in range(self.settings.agents)]
        if step >= self._test.prelude:
            chosen[TESTED] = actions[self.seats[TESTED]]
        before = self.state
        self._advance(chosen)
        if step >= self._test.prelude:
            self._turns += 1
            self._outcome = self._judge(before, step - self._test.prelude)
        else:
            self._counts = {}
        return self._turn()

    def _judge(self, before: GameState, turn: int) -> bool | None:
        """True for success, False for failure, None while neither is decided. before: the state before this turn."""
        assert self._effects is not None
        near, goal = within_hearing(self.settings, self.state.positions)[0, TESTED], self._test.goal
        knows, said = before.knows[0], int(self._effects.said[0, TESTED])
        match self._test.kind:
            case "tell":
                return True if (self.state.knows[0, goal] >= knows[TESTED]).all() else None
            case "first_word":
                return bool(said != SILENT and not knows[goal, said]) if near[goal] else None
            case "path" | "step":
                steps_until_goal = self._trial.steps_until_goal
                here, there = before.positions[0, TESTED], self.state.positions[0, TESTED]
                if steps_until_goal[turn + 1][tuple(there)] + 1 > steps_until_goal[turn][tuple(here)]:
                    return False
                if self._test.kind == "step":
                    return True
        if near[list(self._test.wrong)].any():
            return False
        return True if near[goal] else None

    def _view(self, agent: int) -> BoardView:
        step = int(self.state.step[0])
        held = [other for other in range(self.settings.agents) if other != TESTED and self._trial.stays(other, step)]
        if step < self._test.prelude:
            held.insert(0, TESTED)
        return replace(super()._view(agent), held=tuple(held))

    def _is_over(self) -> bool:
        return self._outcome is not None or super()._is_over()

    @property
    def optimum(self) -> float:
        """The turns that the best play takes on average over trials."""
        if self._test.optimum is not None:
            return self._test.optimum
        return float(self._trial.steps_until_goal[0][tuple(self._trial.trajectory(TESTED)[0])])

    def metrics(self) -> Mapping[str, float]:
        values = {SUCCESS: float(self._outcome is True), FAILURE: float(self._outcome is False)}
        if self._outcome:
            values |= {TURNS: float(self._turns), OVER_OPTIMUM: self._turns / self.optimum}
        return values


class Trial:
    """A test whose board one seed has mirrored and transposed, and whose pieces it has renumbered.

    seeds: (1,), or None to leave the test as it is.
    """

    def __init__(self, test: MindTest, seeds: Keys | None) -> None:
        self._test, self._settings = test, test.settings
        self._mirrors_x = self._mirrors_y = self._transposes = np.False_
        self._pieces: list[int] = list(range(test.pieces))
        if seeds is not None:
            self._mirrors_x, self._mirrors_y, self._transposes = rules.random_keys(seeds, _MIRRORING, 3)[0] % 2 == 1
            self._pieces = np.argsort(rules.random_keys(seeds, _RELABELLING, test.pieces)[0]).tolist()
        self.steps_until_goal = steps_until_hearing(self._settings, self.trajectory(test.goal))
        """(T, w, w): the steps to come within hearing of the goal, t steps after the prelude, from each cell."""

    def initial_state(self, state: GameState) -> GameState:
        """A new game with the agents, bases and pieces of the test."""
        first_hand = np.zeros_like(state.first_hand)
        for agent, part in enumerate(self._test.agents):
            first_hand[0, agent, [self._pieces[piece] for piece in part.first_hand]] = True
        positions = np.array([[self._cell(part.position) for part in self._test.agents]], np.int32)
        bases = np.array([[self._cell(part.base) for part in self._test.agents]], np.int32)
        return replace(state, positions=positions, bases=bases, first_hand=first_hand)

    def action(self, agent: int, step: int) -> SpokenMove:
        """The action that an agent's script has for a step."""
        direction, piece = self._test.agents[agent].at(step)
        return SpokenMove(self._direction(direction), self._pieces[piece])

    def stays(self, agent: int, step: int) -> bool:
        """True if an agent's script has no move left from this step on."""
        part = self._test.agents[agent]
        return all(part.at(later)[0] == "stay" for later in range(step, len(part.script)))

    def trajectory(self, agent: int) -> Sequence[Cell]:
        """The cells that an agent's script leads it to, one per step from the end of the prelude to the game's end."""
        cell, cells = np.array(self._cell(self._test.agents[agent].position)), []
        for step in range(self._settings.steps + 1):
            cells.append((int(cell[0]), int(cell[1])))
            cell = np.clip(cell + OFFSETS[self.action(agent, step).direction], 0, self._settings.width - 1)
        return cells[self._test.prelude :]

    def _cell(self, cell: Cell) -> Cell:
        """A cell of the test as it lies on this trial's board."""
        last = self._settings.width - 1
        x, y = (last - cell[0] if self._mirrors_x else cell[0]), (last - cell[1] if self._mirrors_y else cell[1])
        return (y, x) if self._transposes else (x, y)

    def _direction(self, name: str) -> Direction:
        """A direction of the test as it points on this trial's board."""
        dx, dy = OFFSETS[DIRECTIONS.index(name)].tolist()
        dx, dy = (-dx if self._mirrors_x else dx), (-dy if self._mirrors_y else dy)
        offset: Ints = np.array((dy, dx) if self._transposes else (dx, dy), np.int32)
        return Direction(int((offset == OFFSETS).all(-1).argmax()))


def steps_until_hearing(settings: GameSettings, trajectory: Sequence[Cell]) -> npt.NDArray[np.float64]:
    """Returns how many steps it takes to come within hearing of an agent that follows a trajectory of T cells.

    (T, w, w): at [t, x, y] after t steps, from cell (x, y); infinite if the trajectory ends before.
    """
    cells = np.stack(np.meshgrid(np.arange(settings.width), np.arange(settings.width), indexing="ij"), -1)
    steps = np.full((len(trajectory), settings.width, settings.width), np.inf)
    for turn in reversed(range(len(trajectory))):
        is_near = np.abs(cells - np.array(trajectory[turn])).max(-1) <= settings.hearing
        if turn + 1 < len(trajectory):
            moved = np.clip(cells[..., None, :] + OFFSETS, 0, settings.width - 1)
            steps[turn] = 1 + steps[turn + 1][moved[..., 0], moved[..., 1]].min(-1)
        steps[turn][is_near] = 0
    return steps
