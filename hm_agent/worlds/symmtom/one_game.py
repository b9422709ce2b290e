"""The rules of rules.py, version 1, for one game in Python's integers: for environments that are stepped one at a time.

In one small game, the overhead of NumPy or JAX alone takes longer than a whole step takes here. Cells are numbers,
y w + x; sets of pieces are integers whose bit p stands for piece p.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hm_agent.grouping import grouped
from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.rules import SILENT, Direction
from hm_agent.worlds.symmtom.settings import WINNING_RECHARGES, GameSettings

_ALL_BITS = 0xFFFFFFFF


@dataclass
class OneGame:
    """A game between two steps; `step` changes it in place.

    taken: the number of steps taken. cells, bases: by agent. first_hand, knows: sets of pieces by agent. knew: what
    each knew at the start of the turn before. near: the agents within hearing range of each. said: the piece that each
    agent said in the turn before, SILENT for none. recharges: their number by agent.
    """

    settings: GameSettings
    seed: int
    taken: int
    cells: list[int]
    bases: list[int]
    first_hand: list[int]
    knows: list[int]
    knew: list[int]
    recharges: list[int]
    near: list[list[int]]
    said: list[int]

    @classmethod
    def begin(cls, settings: GameSettings, seed: int) -> OneGame:
        """Returns a new game, the one that `rules.reset` gives for this seed."""
        start = rules.reset(settings, [seed % 2**32])
        position, base = start.positions[0].T, start.bases[0].T
        first_hand = [sum(1 << piece for piece in np.flatnonzero(known).tolist()) for known in start.first_hand[0]]
        game = cls(
            settings=settings,
            seed=seed % 2**32,
            taken=0,
            cells=(position[1] * settings.width + position[0]).tolist(),
            bases=(base[1] * settings.width + base[0]).tolist(),
            first_hand=first_hand,
            knows=first_hand.copy(),
            knew=first_hand.copy(),
            recharges=[0] * settings.agents,
            near=[],
            said=[SILENT] * settings.agents,
        )
        game.near = game._within_hearing()
        return game

    @property
    def has_winner(self) -> bool:
        return self.settings.is_competitive and max(self.recharges) >= WINNING_RECHARGES

    @property
    def is_over(self) -> bool:
        return self.taken >= self.settings.steps or self.has_winner

    def step(self, directions: Sequence[int], pieces: Sequence[int]) -> list[int]:
        """Takes one step and returns each agent's reward. The game must not be over."""
        agents, knows = range(self.settings.agents), self.knows
        everything = (1 << self.settings.pieces) - 1
        self._move(directions)
        self.near = self._within_hearing()
        self.taken += 1
        is_published = self.settings.has_published_rules
        sayable = self.knew if is_published else knows
        self.said = [piece if sayable[agent] >> piece & 1 else SILENT for agent, piece in enumerate(pieces)]
        rewards, after = [0] * len(knows), knows.copy()
        for listener in agents:
            for speaker in self.near[listener]:
                piece = self.said[speaker]
                if piece != SILENT and not knows[listener] >> piece & 1:
                    after[listener] |= 1 << piece
                    rewards[speaker] += 1
                    rewards[listener] += is_published
            if not is_published:
                rewards[listener] += (after[listener] ^ knows[listener]).bit_count()
        for agent in agents:
            if knows[agent] == everything and self.cells[agent] == self.bases[agent]:
                after[agent] = self.first_hand[agent]
                rewards[agent] += self.settings.recharge_reward
                self.recharges[agent] += 1
        self.knew, self.knows = knows, after
        if self.has_winner:
            self._pay_prizes(rewards)
        return rewards

    def _pay_prizes(self, rewards: list[int]) -> None:
        """Adds the payments at the end of a competitive game: c from each agent that did not win to each that did."""
        wins = [recharges >= WINNING_RECHARGES for recharges in self.recharges]
        for agent, won in enumerate(wins):
            rewards[agent] += self.settings.pieces * (len(wins) * won - sum(wins))

    def _move(self, directions: Sequence[int]) -> None:
        width, here = self.settings.width, self.cells
        target = [_neighbour(width, cell, direction) for cell, direction in zip(here, directions, strict=True)]
        if len(set(target)) < len(target):
            self._cancel_moves(target)
        self.cells = target

    def _cancel_moves(self, target: list[int]) -> None:
        """Cancels moves in `target`, each agent's next cell, until no two agents are in one cell."""
        here, priorities = self.cells, self._priorities()
        while len(set(target)) < len(target):
            for cell, agents in grouped((cell, agent) for agent, cell in enumerate(target)).items():
                if len(agents) > 1:
                    occupant = next((agent for agent in agents if here[agent] == cell), None)
                    winner = max(agents, key=lambda agent: (priorities[agent], agent)) if occupant is None else occupant
                    for agent in agents:
                        target[agent] = cell if agent == winner else here[agent]

    def _priorities(self) -> list[int]:
        """The agents' priorities in the next step, equal to `rules.draw_priorities`."""
        stream = _mix(_mix(self.seed) ^ (rules._PRIORITIES + self.taken))
        return [_mix(stream ^ agent) for agent in range(self.settings.agents)]

    def _within_hearing(self) -> list[list[int]]:
        """By agent, the others within hearing range."""
        width, reach = self.settings.width, self.settings.hearing
        near: list[list[int]] = [[] for _ in self.cells]
        places = [divmod(cell, width) for cell in self.cells]
        for agent, (y, x) in enumerate(places):
            for other in range(agent + 1, len(places)):
                if -reach <= places[other][0] - y <= reach and -reach <= places[other][1] - x <= reach:
                    near[agent].append(other)
                    near[other].append(agent)
        return near


def _neighbour(width: int, cell: int, direction: int) -> int:
    """The cell that a move leads to; the cell itself at a wall."""
    if direction == Direction.LEFT:
        return cell - (cell % width > 0)
    if direction == Direction.RIGHT:
        return cell + (cell % width < width - 1)
    if direction == Direction.UP:
        return cell - width if cell >= width else cell
    if direction == Direction.DOWN:
        return cell + width if cell + width < width * width else cell
    return cell


def _mix(value: int) -> int:
    """`rules.mix` on Python's integers."""
    value = (value + 0x9E3779B9) & _ALL_BITS
    value = ((value ^ (value >> 16)) * 0x21F0AAAD) & _ALL_BITS
    value = ((value ^ (value >> 15)) * 0xD35A2D97) & _ALL_BITS
    return value ^ (value >> 15)
