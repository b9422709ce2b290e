"""SymmToM as a ParallelEnv of PettingZoo; needs the extra `envs`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from operator import index
from typing import Any, ClassVar, SupportsIndex

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Dict, Discrete

from hm_agent.envs.parallel_episodes import EnvStep, Infos, ParallelEpisodes
from hm_agent.recording.shapes import painted
from hm_agent.worlds.symmtom.one_game import OneGame
from hm_agent.worlds.symmtom.rules import SILENT, Direction
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.viewer.board_picture import figures, ground, picture_of_game

Numbers = tuple[float, ...]
Observations = dict[str, dict[str, npt.NDArray[Any]]]
CELL_PIXELS = 64
"""The side of a cell in a rendered frame."""
_CACHE_SIZE = 1 << 11
"""The size of each of the caches of `_bits` and `_mask`; with many pieces there are far more possible sets."""


class SymmtomParallelEnv(ParallelEpisodes):
    """Games are truncated after 5 w steps; a competitive one terminates when it is won.

    An action is direction * c + piece, directions in the order left, right, up, down, stay. An agent's observation is a
    dictionary of `action_mask`, (5 c,) int8, 1 for moves that no wall cancels with pieces that the agent knows, which
    its info repeats; and `observation`, float32 from 0 to 1, in which agents come in the order i, i + 1, ... from agent
    i itself: the share of the steps taken (1), positions (x, y) / (w - 1) (2 n), bases likewise (2 n), own knowledge
    (c), first-hand knowledge as far as the agent is told it (n c), the piece that it heard each agent, itself included,
    say in the turn before (n c).
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "symmtom_v0", "render_modes": ["rgb_array"], "render_fps": 4}

    def __init__(self, settings: GameSettings, render_mode: str | None = None) -> None:
        n, c = settings.agents, settings.pieces
        self.settings = settings
        self._indices = {agent: at for at, agent in enumerate(settings.seats)}
        inner = {
            "observation": Box(0.0, 1.0, (1 + 4 * n + c + 2 * n * c,), np.float32),
            "action_mask": Box(0, 1, (len(Direction) * c,), np.int8),
        }
        super().__init__(settings.seats, Dict(inner), Discrete(len(Direction) * c), render_mode)
        self.state_space = Box(0.0, 1.0, (1 + 4 * n + 2 * n * c,), np.float32)
        self._game: OneGame
        self._constant_parts: list[tuple[Numbers, Numbers]]
        last = settings.width - 1
        self._scaled_cells = [(x / last, y / last) for y, x in np.ndindex(settings.width, settings.width)]
        """(x, y) / (w - 1) of each cell, by its number."""

    def begin(self, seed: int) -> tuple[Observations, Infos]:
        self._game = OneGame.begin(self.settings, seed)
        self._constant_parts = [self._fixed_parts(agent) for agent in range(self.settings.agents)]
        observations = self._observations()
        return observations, _infos(observations)

    def advance(self, actions: Mapping[str, int]) -> EnvStep:
        chosen = [divmod(self._checked(agent, actions[agent]), self.settings.pieces) for agent in self.agents]
        rewards = self._game.step([direction for direction, _ in chosen], [piece for _, piece in chosen])
        won, is_over, observations = self._game.has_winner, self._game.is_over, self._observations()
        earned = {agent: float(reward) for agent, reward in zip(self.agents, rewards, strict=True)}
        return EnvStep(observations, earned, won, is_over and not won, _infos(observations))

    def _checked(self, agent: str, action: SupportsIndex) -> int:
        """The action of an agent; raises ValueError if it is none of the action space."""
        allowed = range(len(Direction) * self.settings.pieces)
        with suppress(TypeError):  # NumPy's integers have an index; numbers with a fraction and texts have none
            if index(action) in allowed:
                return index(action)
        raise ValueError(f"action {action!r} of {agent}: say a whole number from 0 to {allowed[-1]}")

    def state(self) -> npt.NDArray[np.float32]:
        """The full state: share of the steps taken; then by agent positions, bases, knowledge, first-hand knowledge."""
        game, c = self._game, self.settings.pieces
        cells = [self._scaled_cells[cell] for cell in (*game.cells, *game.bases)]
        sets = [_bits(known, c) for known in (*game.knows, *game.first_hand)]
        return np.array(sum((*cells, *sets), (game.taken / self.settings.steps,)), np.float32)

    def rendered(self) -> npt.NDArray[np.uint8] | None:
        """(64 w, 64 w, 3): the board as in videos, with the latest speech; None unless `render_mode` is rgb_array."""
        if self.render_mode != "rgb_array":
            return None
        picture, width = picture_of_game(self._game), self.settings.width
        return painted([*ground(picture), *figures(picture)], width, width * CELL_PIXELS)

    def _observations(self) -> Observations:
        game, agents, steps = self._game, self.settings.agents, self.settings.steps
        places = [self._scaled_cells[cell] for cell in game.cells]
        observations: Observations = {}
        for name, me in self._indices.items():
            bases, first_hand = self._constant_parts[me]
            positions = places[me:] + places[:me]
            silent = _bits(0, self.settings.pieces)
            hears = {me, *game.near[me]}
            heard: list[Numbers] = []
            for other in (*range(me, agents), *range(me)):
                said = game.said[other]
                heard.append(_bits(1 << said, self.settings.pieces) if other in hears and said != SILENT else silent)
            numbers = [game.taken / steps]
            for part in (*positions, bases, _bits(game.knows[me], self.settings.pieces), first_hand, *heard):
                numbers += part
            mask = _mask(self.settings.width, self.settings.pieces, game.cells[me], game.knows[me])
            observations[name] = {"observation": np.array(numbers, np.float32), "action_mask": mask.copy()}
        return observations

    def _fixed_parts(self, me: int) -> tuple[Numbers, Numbers]:
        """The parts of an agent's observation that do not change in a game: bases, and first-hand knowledge as told."""
        game, order = self._game, [*range(me, self.settings.agents), *range(me)]
        first_hand = [
            game.first_hand[other] if self.settings.has_public_first_hand or other == me else 0 for other in order
        ]
        bases: Numbers = sum((self._scaled_cells[game.bases[other]] for other in order), ())
        return bases, sum((_bits(known, self.settings.pieces) for known in first_hand), ())


def _infos(observations: Observations) -> Infos:
    return {agent: {"action_mask": observation["action_mask"]} for agent, observation in observations.items()}


@lru_cache(_CACHE_SIZE)
def _bits(known: int, pieces: int) -> Numbers:
    """(c,): 1.0 for the pieces in a set, 0.0 for the others."""
    return tuple(float(known >> piece & 1) for piece in range(pieces))


@lru_cache(_CACHE_SIZE)
def _mask(width: int, pieces: int, cell: int, known: int) -> npt.NDArray[np.int8]:
    """(5 c,): 1 for moves that no wall cancels with pieces in the set `known`; with all pieces if it is empty."""
    y, x = divmod(cell, width)
    moves = np.array([x > 0, x < width - 1, y > 0, y < width - 1, True])
    says = np.array(_bits(known, pieces)) > 0 if known else np.ones(pieces, bool)
    mask: npt.NDArray[np.int8] = (moves[:, None] & says).astype(np.int8).reshape(-1)
    return mask
