"""Agents' observations as arrays with one row per agent: the input of policies and of estimates of knowledge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.symmtom.rules import SILENT, Bools, Effects, GameState, Ints, Keys, within_hearing
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.views import BoardView


@dataclass(frozen=True)
class Sights:
    """R rows, each what one agent sees at the start of a turn; their games may differ, but not the settings.

    me: (R,), the agent's number. step: (R,), the number of steps taken. positions, bases: (R, n, 2). first_hand:
    (R, n, c), as far as the agent is told it. knows: (R, c), what it knows itself. heard: (R, n), the piece that it
    heard each agent, itself included, say in the turn before; SILENT for none. reward: (R,), what that turn paid it.
    held: (R, n), True for agents that can't move now. seeds: (R,), the seeds of the agents' own random numbers.
    """

    settings: GameSettings
    me: npt.NDArray[np.intp]
    step: Ints
    positions: Ints
    bases: Ints
    first_hand: Bools
    knows: Bools
    heard: Ints
    reward: Ints
    held: Bools
    seeds: Keys

    @property
    def rows(self) -> npt.NDArray[np.intp]:
        """(R,): 0, 1, 2, ... for indexing."""
        return np.arange(len(self.me))

    def taken(self, rows: npt.NDArray[np.intp] | slice) -> Sights:
        """Returns these rows, by index."""
        arrays = {name: value for name, value in vars(self).items() if name != "settings"}
        return Sights(self.settings, **{name: value[rows] for name, value in arrays.items()})

    def row(self, place: int) -> Sights:
        """Returns one row alone."""
        return self.taken(slice(place, place + 1))

    def repeated(self, count: int) -> Sights:
        """Repeats each row `count` times; the copies of a row are adjacent."""
        return self.taken(np.repeat(self.rows, count))

    @property
    def here(self) -> Ints:
        """(R, 2): the agent's position."""
        return self.positions[self.rows, self.me]

    @property
    def own_base(self) -> Ints:
        """(R, 2): the agent's base."""
        return self.bases[self.rows, self.me]

    @property
    def near(self) -> Bools:
        """(R, n, n): True where two agents are within hearing range, as when they spoke in the turn before."""
        return within_hearing(self.settings, self.positions)


def sights_of(settings: GameSettings, state: GameState, effects: Effects | None, seeds: Keys) -> Sights:
    """What all agents of B games see: B n rows, those of a game adjacent.

    effects: of the latest step; None before the first. seeds: (B, n), those of the agents' own random numbers.
    """
    games, n = len(state.step), settings.agents
    me = np.tile(np.arange(n), games)
    rows = np.arange(games * n)
    first_hand = np.repeat(state.first_hand, n, axis=0)
    if not settings.has_public_first_hand:
        first_hand = first_hand & (np.arange(n) == me[:, None])[..., None]
    heard = np.full((games * n, n), SILENT, np.int32)
    reward = np.zeros(games * n, np.int32)
    if effects is not None:
        hears = (effects.heard_from | np.eye(n, dtype=bool)).reshape(-1, n)
        heard = np.where(hears, np.repeat(effects.said, n, axis=0), SILENT)
        reward = effects.rewards.reshape(-1)
    return Sights(
        settings=settings,
        me=me,
        step=np.repeat(state.step, n),
        positions=np.repeat(state.positions, n, axis=0),
        bases=np.repeat(state.bases, n, axis=0),
        first_hand=first_hand,
        knows=np.repeat(state.knows, n, axis=0)[rows, me],
        heard=heard,
        reward=reward,
        held=np.zeros((games * n, n), bool),
        seeds=seeds.reshape(-1),
    )


def sight_of(view: BoardView, step: int, reward: float, seed: int) -> Sights:
    """Returns one agent's view as a single row. seed: that of its own random numbers."""
    settings = view.settings
    first_hand = np.zeros((1, settings.agents, settings.pieces), bool)
    for agent, known in enumerate(view.first_hand):
        first_hand[0, agent, list(known or ())] = True
    knows = np.zeros((1, settings.pieces), bool)
    knows[0, list(view.knows)] = True
    heard = np.full((1, settings.agents), SILENT, np.int32)
    heard[0, view.agent] = SILENT if view.said is None else view.said
    for heard_piece in view.heard:
        heard[0, heard_piece.speaker] = heard_piece.piece
    held = np.zeros((1, settings.agents), bool)
    held[0, list(view.held)] = True
    return Sights(
        settings=settings,
        me=np.array([view.agent]),
        step=np.array([step], np.int32),
        positions=np.array([view.positions], np.int32),
        bases=np.array([view.bases], np.int32),
        first_hand=first_hand,
        knows=knows,
        heard=heard,
        reward=np.array([reward], np.int32),
        held=held,
        seeds=np.array([seed], np.uint32),
    )
