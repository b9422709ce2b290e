"""The networks of the MADDPG family, for NumPy and JAX alike: every agent has an actor of its own.

    last turn, K ─▶ relu ─▶ relu (or an LSTM) ─┬▶ 5 directions
                                               └▶ c pieces

An actor that estimates K (the paper's MADDPG-EE) first applies a network of its own, f: given the K of the turn before,
f tells for every agent that could not be heard the probability of each piece that it may have said. The rule of K is
then applied to numbers between 0 and 1, so that the gradient of the actor's loss reaches f.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import mul
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from hm_agent.learning.layers import Array, Weights, linear, relu, sigmoid
from hm_agent.worlds.symmtom.fast.observations import DIRECTIONS, EgoView, flat, observe_turn, turn_size
from hm_agent.worlds.symmtom.learning.networks import Logits
from hm_agent.worlds.symmtom.rules import Bools, within_hearing
from hm_agent.worlds.symmtom.settings import GameSettings

MemoryKind = Literal["none", "lstm", "estimate"]


WITHOUT_BIAS = ("lstm_memory",)
"""Layers without a bias, since their output is added to that of a layer that has one."""


class Linear(NamedTuple):
    """The size of a linear layer."""

    rows: int
    columns: int


@dataclass(frozen=True)
class ActorShape:
    """The shape of an actor.

    hidden: units of each layer. sees_k: True if K is part of the input. memory: what an actor hands to its next turn:
    nothing, an LSTM's state, or its own estimate of K.
    """

    hidden: int = 64
    sees_k: bool = False
    memory: MemoryKind = "none"

    def memory_size(self, settings: GameSettings) -> int:
        sizes = {"none": 0, "lstm": 2 * self.hidden, "estimate": settings.agents * settings.pieces}
        return sizes[self.memory]

    def feature_size(self, settings: GameSettings) -> int:
        """The length of `features`."""
        return turn_size(settings) + self.sees_k * settings.agents * settings.pieces

    def initial_weights(self, settings: GameSettings, seed: int) -> dict[str, npt.NDArray[np.float32]]:
        """The weights of all agents' actors, (n, ...) each: Glorot's uniform distribution, zero biases."""
        return glorot(np.random.default_rng(seed), settings.agents, self._layers(settings))

    def _layers(self, settings: GameSettings) -> dict[str, Linear]:
        h, n, c = self.hidden, settings.agents, settings.pieces
        k = n * c if self.memory == "estimate" else 0
        layers = {
            "first": Linear(self.feature_size(settings) + k, h),
            "directions": Linear(h, DIRECTIONS),
            "pieces": Linear(h, c),
        }
        if self.memory == "lstm":
            return layers | {"lstm": Linear(h, 4 * h), "lstm_memory": Linear(h, 4 * h)}
        if self.memory == "estimate":
            layers |= {"f_first": Linear(k, h), "f_second": Linear(h, h), "f_said": Linear(h, c + 1)}
        return layers | {"second": Linear(h, h)}

    def no_memory(self, settings: GameSettings, agents: int) -> Array:
        """(agents, M): the memories at the beginning of a game."""
        return np.zeros((agents, self.memory_size(settings)), np.float32)

    def play(
        self, settings: GameSettings, weights: Weights, view: EgoView, me: npt.NDArray[np.intp], memory: Array
    ) -> Logits:
        """Returns the logits of R agents, in NumPy. view: theirs, (R, ...). me: (R,), their numbers."""
        seen = features(np, settings, self, view)
        directions = np.zeros((len(me), DIRECTIONS), np.float32)
        pieces, after = np.zeros((len(me), settings.pieces), np.float32), np.zeros_like(memory)
        for agent in np.unique(me):
            rows = me == agent
            own = {name: value[agent] for name, value in weights.items()}
            part = EgoView(*(field[rows] for field in view))
            directions[rows], pieces[rows], after[rows] = act(np, settings, self, own, seen[rows], part, memory[rows])
        return Logits(directions, pieces, after)

    def believed(self, settings: GameSettings, me: npt.NDArray[np.intp], memory: Array) -> Bools | None:
        """(R, n, c): the K that memories hold, agents in order of their numbers; None if they hold none."""
        if self.memory != "estimate":
            return None
        known = memory.reshape(-1, settings.agents, settings.pieces) >= 0.5
        place = (np.arange(settings.agents) - me[:, None]) % settings.agents
        by_number: Bools = np.take_along_axis(known, place[..., None], 1)
        return by_number


def glorot(rng: np.random.Generator, copies: int, layers: Mapping[str, Linear]) -> dict[str, npt.NDArray[np.float32]]:
    """Draws (copies, rows, columns) for each layer by Glorot's uniform distribution, and zero biases."""
    weights: dict[str, npt.NDArray[np.float32]] = {}
    for name, (rows, columns) in layers.items():
        most = (6 / (rows + columns)) ** 0.5
        weights[name] = rng.uniform(-most, most, (copies, rows, columns)).astype(np.float32)
        if name not in WITHOUT_BIAS:
            weights[f"{name}_bias"] = np.zeros((copies, columns), np.float32)
    return weights


def features(xp: Any, settings: GameSettings, shape: ActorShape, view: EgoView) -> Array:
    """(..., F): the input of an actor without its memory."""
    seen = observe_turn(xp, settings, view)
    return xp.concatenate([seen, flat(view.known).astype(xp.float32)], -1) if shape.sees_k else seen


def act(
    xp: Any, settings: GameSettings, shape: ActorShape, weights: Weights, seen: Array, view: EgoView, memory: Array
) -> Logits:
    """Returns one agent's logits. weights: of its actor. seen: (..., F), the features of the view. memory: (..., M)."""
    if shape.memory == "estimate":
        before = memory.reshape(*memory.shape[:-1], settings.agents, settings.pieces)
        memory = flat(estimated_k(xp, settings, weights, view, before))
        seen = xp.concatenate([seen, memory], -1)
    h = relu(xp, linear(weights, "first", seen))
    if shape.memory == "lstm":
        h, memory = lstm(xp, weights, linear(weights, "lstm", h), memory)
    else:
        h = relu(xp, linear(weights, "second", h))
    return heads(weights, h, memory)


def heads(weights: Weights, h: Array, memory: Array) -> Logits:
    """Returns the logits that follow from the last hidden layer h."""
    return Logits(linear(weights, "directions", h), linear(weights, "pieces", h), memory)


def estimated_k(xp: Any, settings: GameSettings, weights: Weights, view: EgoView, before: Array) -> Array:
    """(..., n, c): the probability that each agent knows each piece, by equation 2 of the paper in probabilities.

    view: the agent itself comes first. before: (..., n, c), the estimate of the turn before; ignored in the first turn.
    """
    n = settings.agents
    itself, near = np.eye(n, dtype=bool), within_hearing(settings, view.positions)
    hears = (near | itself)[..., 0, :]
    said = xp.where(hears[..., None], view.heard, _estimated_speech(xp, settings, weights, near, before))
    listens = near | (itself & hears[..., None, :])  # (..., n, n): the first to the second
    unsaid = xp.where(listens[..., None], 1 - said[..., None, :, :], 1)
    told = 1 - reduce(mul, (unsaid[..., speaker, :] for speaker in range(n)))
    is_home = (view.positions == view.bases).all(-1)
    lost = before.prod(-1) * is_home
    after = (1 - (1 - told) * (1 - before)) * (1 - lost[..., None])
    after = xp.where((view.step == 0)[..., None, None], 0, after)
    after = xp.where(view.first_hand, 1, after)
    own = view.knows[..., None, :].astype(xp.float32)
    return xp.concatenate([own, after[..., 1:, :].astype(xp.float32)], -2)


def _estimated_speech(xp: Any, settings: GameSettings, weights: Weights, near: Array, before: Array) -> Array:
    """(..., n, c): the probability that each agent said each piece; the rest to 1 is that of silence.

    f is given, for each speaker, K's rows of the speaker and of the agents in its range; the others' rows are zero.
    """
    n = settings.agents
    takes_part = near | np.eye(n, dtype=bool)
    masked = xp.where(takes_part[..., None], before[..., None, :, :], 0)
    rows = xp.stack([flat(xp.roll(masked[..., speaker, :, :], -speaker, -2)) for speaker in range(n)], -2)
    h = relu(xp, linear(weights, "f_first", rows))
    h = relu(xp, linear(weights, "f_second", h))
    logits = linear(weights, "f_said", h)
    chance = xp.exp(logits - logits.max(-1, keepdims=True))
    return (chance / chance.sum(-1, keepdims=True))[..., : settings.pieces]


def lstm(xp: Any, weights: Weights, new: Array, memory: Array) -> tuple[Array, Array]:
    """One step of a long short-term memory: its output (..., H), and its state (..., 2 H), output and cell.

    new: (..., 4 H), the input's part of the gates before their activation. memory: (..., 2 H), the state before.
    """
    size = new.shape[-1] // 4
    old, cell = memory[..., :size], memory[..., size:]
    gates = new + old @ weights["lstm_memory"]
    enter, forget, leave, candidate = (gates[..., at : at + size] for at in range(0, 4 * size, size))
    cell = sigmoid(xp, forget + 1) * cell + sigmoid(xp, enter) * xp.tanh(candidate)
    output = sigmoid(xp, leave) * xp.tanh(cell)
    return output, xp.concatenate([output, cell], -1)
