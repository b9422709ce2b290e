"""The rules of SymmToM, version 1: pure functions on integer arrays, for one game or a batch of games at once.

They are the reference that faster implementations must equal bit for bit; what calculates by operators alone serves
JAX's arrays, too. All randomness comes from a seed by integer
arithmetic (`random_keys`), which other libraries can reproduce. The order within a step:

1. Agents move. A wall cancels a move. While several agents are about to be in one cell, moves into it are cancelled:
   an agent that stays there, or whose own move was cancelled, keeps the cell; else the moving agent of the highest
   priority gets it. This goes on until no two agents are in one cell. Swapping and following are legal. Priorities are
   drawn anew for every step, so the agent that gets a cell is a random one of those that move into it.
2. Agents speak. An agent that says a piece which it did not know at the start of the turn is silent.
3. Agents hear all agents within the hearing range after the movement. A piece is new to a listener that did not know it
   at the start of the turn. An agent earns +1 for each new piece that it hears, however many agents say it, and +1 for
   each listener to whom the piece that it said was new, however many agents said it.
4. An agent that is on its own base now, and knew all pieces at the start of the turn, recharges: it is paid (n - 1) c
   and loses all second-hand knowledge.
5. In the competitive variant, the episode ends when an agent has recharged `WINNING_RECHARGES` times; then each agent
   that has not pays c to each agent that has.

A game that is over stays as it is and pays nothing.

The code that the paper's authors published differs in two rules (`GameSettings.has_published_rules`): an agent can say
what it knew at the start of the turn before, so a piece that it has just learnt is silent and one that it has just
forgotten is not; and a listener earns +1 for a new piece from each speaker that says it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.symmtom.settings import WINNING_RECHARGES, GameSettings

VERSION = 1
"""Incremented whenever a rule changes, including how random numbers are drawn."""
SILENT = -1
"""The piece that a silent agent says."""

Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]
Keys = npt.NDArray[np.uint32]


class Direction(IntEnum):
    """x grows to the right, y downwards."""

    LEFT = 0
    RIGHT = 1
    UP = 2
    DOWN = 3
    STAY = 4


OFFSETS: Ints = np.array([(-1, 0), (1, 0), (0, -1), (0, 1), (0, 0)], np.int32)
"""(5, 2): the (x, y) offset of each direction."""


@dataclass(frozen=True)
class GameState:
    """B games between two steps.

    seeds: (B,) uint32. step: (B,), the number of steps taken. positions, bases: (B, n, 2), each an (x, y) from 0.
    first_hand, second_hand: (B, n, c), True where an agent knows a piece; never both. recharges: (B, n), their number
    so far. changed: (B, n, c), True where an agent learnt a piece in the latest step, or forgot one.
    """

    seeds: Keys
    step: Ints
    positions: Ints
    bases: Ints
    first_hand: Bools
    second_hand: Bools
    recharges: Ints
    changed: Bools

    @property
    def knows(self) -> Bools:
        """(B, n, c): True where an agent knows a piece, first-hand or second-hand."""
        return self.first_hand | self.second_hand


@dataclass(frozen=True)
class Effects:
    """The outcome of a step.

    rewards: (B, n). said: (B, n), the piece that each agent said, or SILENT. heard_from: (B, n, n), True where the
    first agent heard the second one say a piece. news: (B, n, c), the pieces heard that were new to an agent. taught:
    (B, n), the number of listeners to whom an agent's piece was new. recharged: (B, n), True for agents that recharged.
    """

    rewards: Ints
    said: Ints
    heard_from: Bools
    news: Bools
    taught: Ints
    recharged: Bools


def reset(settings: GameSettings, seeds: npt.ArrayLike) -> GameState:
    """Returns new games, one for each seed (B,), taken modulo 2**32.

    Agents start in random cells, no two in the same one; so do bases. Pieces in random order are dealt in turn to the
    agents in random order, so each agent gets c // n of them, and c % n random agents get one more.
    """
    seeds = np.atleast_1d(np.asarray(seeds, object) % 2**32).astype(np.uint32)
    n, c, cells = settings.agents, settings.pieces, settings.width**2
    pieces, owners = _shuffled(seeds, _PIECES, c), _shuffled(seeds, _OWNERS, n)
    games = np.arange(len(seeds))[:, None]
    first_hand = np.zeros((len(seeds), n, c), bool)
    first_hand[games, owners[:, np.arange(c) % n], pieces] = True
    return GameState(
        seeds=seeds,
        step=np.zeros(len(seeds), np.int32),
        positions=_as_pairs(_shuffled(seeds, _POSITIONS, cells)[:, :n], settings.width),
        bases=_as_pairs(_shuffled(seeds, _BASES, cells)[:, :n], settings.width),
        first_hand=first_hand,
        second_hand=np.zeros_like(first_hand),
        recharges=np.zeros((len(seeds), n), np.int32),
        changed=np.zeros_like(first_hand),
    )


def step(
    settings: GameSettings,
    state: GameState,
    directions: npt.ArrayLike,
    pieces: npt.ArrayLike,
    priorities: Keys | None = None,
) -> tuple[GameState, Effects]:
    """Takes one step in every game; games that are over stay as they are.

    directions, pieces: (B, n), a `Direction` and a piece (0 to c - 1) of every agent. priorities: (B, n); a cell that
    several agents move into goes to the one of highest priority, on a tie to the last one. None draws priorities from
    the seeds.
    """
    directions, pieces = np.asarray(directions, np.int32), np.asarray(pieces, np.int32)
    keys = draw_priorities(state.seeds, state.step, settings.agents) if priorities is None else priorities
    positions = move(settings, state.positions, directions, keys)
    knows = state.knows
    can_say = np.take_along_axis(sayable(settings, state), pieces[..., None], -1)[..., 0]
    said = np.where(can_say, pieces, SILENT)
    heard_from = within_hearing(settings, positions) & (said != SILENT)[:, None, :]
    is_new = heard_from & ~_knows_what_is_said(knows, said)
    news = _heard_pieces(is_new, said, settings.pieces)
    taught = is_new.sum(1, dtype=np.int32)
    recharged = knows.all(-1) & (positions == state.bases).all(-1)
    recharges = state.recharges + recharged
    heard = (is_new if settings.has_published_rules else news).sum(-1, dtype=np.int32)
    rewards = heard + taught + recharged * np.int32(settings.recharge_reward)
    rewards += prizes(settings, recharges)
    second_hand = (state.second_hand | news) & ~recharged[..., None]
    after = replace(state, step=state.step + 1, positions=positions, second_hand=second_hand, recharges=recharges)
    after = replace(after, changed=after.knows ^ knows)
    effects = Effects(rewards.astype(np.int32), said.astype(np.int32), heard_from, news, taught, recharged)
    over = is_over(settings, state)
    return _freeze_finished(state, after, effects, over) if over.any() else (after, effects)


def sayable(settings: GameSettings, state: Any) -> Bools:
    """(..., n, c), or sets of FastState: the pieces that each agent can say in the next step; others are silence."""
    can_say: Bools = state.knows ^ state.changed if settings.has_published_rules else state.knows
    return can_say


def is_over(settings: GameSettings, state: Any) -> Bools:
    """(...): True for games that have ended. state: a GameState, or that of fast/core.py."""
    over: Bools = state.step >= settings.steps
    return over | (state.recharges >= WINNING_RECHARGES).any(-1) if settings.is_competitive else over


def move(settings: GameSettings, positions: Ints, directions: Ints, priorities: Keys) -> Ints:
    """Returns the positions (B, n, 2) after all agents moved at once, by rule 1 of the module's docstring."""
    destinations = np.clip(positions + OFFSETS[directions], 0, settings.width - 1)
    moves = (destinations != positions).any(-1)
    here, there = as_cells(positions, settings.width), as_cells(destinations, settings.width)
    order = np.arange(settings.agents)
    goes_first = priorities[:, None, :] > priorities[:, :, None]  # (B, n, n): the second agent before the first
    goes_first |= (priorities[:, None, :] == priorities[:, :, None]) & (order > order[:, None])
    others = ~np.eye(settings.agents, dtype=bool)
    for _ in range(settings.agents):  # each round cancels at least one more move, or is the last
        target = np.where(moves, there, here)
        collides = (target[:, :, None] == target[:, None, :]) & others
        is_cancelled = moves & (collides & (goes_first | ~moves[:, None, :])).any(-1)
        if not is_cancelled.any():
            break
        moves &= ~is_cancelled
    after: Ints = np.where(moves[..., None], destinations, positions)
    return after


def within_hearing(settings: GameSettings, positions: Ints) -> Bools:
    """(..., n, n): True where two different agents are at most h cells apart, diagonals included."""
    x, y = (abs(along[..., :, None] - along[..., None, :]) for along in (positions[..., 0], positions[..., 1]))
    near: Bools = (x <= settings.hearing) & (y <= settings.hearing) & ~np.eye(settings.agents, dtype=bool)
    return near


def _knows_what_is_said(knows: Bools, said: Ints) -> Bools:
    """(B, n, n): True where the first agent knows the piece that the second says; arbitrary where that is silent."""
    games = np.arange(len(said))[:, None, None]
    knows_piece: Bools = knows[games, np.arange(knows.shape[1])[:, None], np.maximum(said, 0)[:, None, :]]
    return knows_piece


def _heard_pieces(is_heard: Bools, said: Ints, pieces: int) -> Bools:
    """(B, n, c): True where an agent hears a piece from any speaker. is_heard: (B, n, n), by listener and speaker."""
    spoken = said[..., None] == np.arange(pieces)
    heard: Bools = (is_heard[..., None] & spoken[:, None]).any(2)
    return heard


def prizes(settings: GameSettings, recharges: Any) -> Any:
    """(..., n): at the end of a competitive episode, c from each agent that did not win to each that did; else zero."""
    if not settings.is_competitive:
        return 0
    wins = (recharges >= WINNING_RECHARGES).astype(np.int32)
    return (settings.agents * wins - wins.sum(-1, keepdims=True, dtype=np.int32)) * settings.pieces


def _freeze_finished(before: GameState, after: GameState, effects: Effects, over: Bools) -> tuple[GameState, Effects]:
    """Undoes a step in the games that were over before it: they keep their state, and their effects are empty."""

    def frozen(old: Any, new: Any) -> Any:
        values = ((name, value, getattr(new, name)) for name, value in vars(old).items())
        return type(new)(**{name: np.where(over.reshape(-1, *[1] * (a.ndim - 1)), a, b) for name, a, b in values})

    no_effects = Effects(
        **{name: np.full_like(value, SILENT if name == "said" else 0) for name, value in vars(effects).items()}
    )
    return frozen(before, after), frozen(no_effects, effects)


def as_cells(pairs: Ints, width: int) -> Ints:
    """The numbers y w + x of cells (..., 2)."""
    cells: Ints = pairs[..., 1] * width + pairs[..., 0]
    return cells


def _as_pairs(cells: npt.NDArray[Any], width: int) -> Ints:
    """The cells (x, y) (..., 2) of these numbers."""
    pairs: Ints = np.stack([cells % width, cells // width], -1).astype(np.int32)
    return pairs


# Random numbers

_POSITIONS, _BASES, _PIECES, _OWNERS, _PRIORITIES = range(5)
"""The random-number streams of a game. Step t draws its priorities from stream `_PRIORITIES` + t."""


def draw_priorities(seeds: Keys, steps: Ints, agents: int) -> Keys:
    """(B, n): the agents' priorities in the next step of each game, which depend on its seed and step alone."""
    return random_keys(seeds, (_PRIORITIES + steps).astype(np.uint32), agents)


def random_keys(seeds: Keys, streams: Any, count: int) -> Keys:
    """(..., count) random uint32: a hash of seed (...), stream, (...) or one for all, and index.

    All arithmetic is modulo 2**32: mix(mix(mix(seed) ^ stream) ^ index).
    """
    return mix(mix(mix(seeds) ^ streams)[..., None] ^ np.arange(count, dtype=np.uint32))


def mix(values: Keys) -> Keys:
    """A bijection on uint32 in which every bit of the input changes every bit of the result with probability 1/2.

    x += 0x9E3779B9; x ^= x >> 16; x *= 0x21F0AAAD; x ^= x >> 15; x *= 0xD35A2D97; x ^= x >> 15.
    """
    values = values + np.uint32(0x9E3779B9)
    values = (values ^ (values >> np.uint32(16))) * np.uint32(0x21F0AAAD)
    values = (values ^ (values >> np.uint32(15))) * np.uint32(0xD35A2D97)
    return values ^ (values >> np.uint32(15))


def _shuffled(seeds: Keys, stream: int, count: int) -> npt.NDArray[np.intp]:
    """(B, count): the numbers 0 to count - 1, shuffled for each seed by sorting them by random keys (stable)."""
    return np.argsort(random_keys(seeds, stream, count), axis=-1, kind="stable")
