"""A matched pair as a world with two seats, one on each board: nobody on a board sees or hears of the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any

import dm_env
import numpy as np
import numpy.typing as npt

from hm_agent.core import Observation, Seat, Turn
from hm_agent.matched_pairs import BOARDS, BOTH_BOARDS, HalfOfKind, MatchedPairWorld
from hm_agent.worlds.melting_pot.facts import FOCAL, argmax
from hm_agent.worlds.melting_pot.games.game import LED, View
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.pairs.kinds import ANSWERS, CREED, FREE, PRELUDE, Creed, MatrixPairKind
from hm_agent.worlds.melting_pot.games.matrix.pairs.scripts import (
    AGENT,
    OPPONENT,
    Opening,
    Script,
    Unplayable,
    drawn_scripts,
)
from hm_agent.worlds.melting_pot.grid import Move, Pose
from hm_agent.worlds.melting_pot.scene import Bot, held_in_interaction
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of
from hm_agent.worlds.melting_pot.simulator.world import SubstrateWorld

DRAWS = 4
"""How many scripts are drawn on one map before another one is."""
RIGHT = "right_kind"
"""The metric of a board: 1 if the kind that beats the opponent's led in what the seat held in the interaction."""


@dataclass(frozen=True)
class DrawnPair:
    """Both boards of a pair. seed: the pair's. map_seed: the engine's, on both boards."""

    seed: int
    map_seed: int
    scripts: tuple[Script, Script]


class MatrixPairBoard(SubstrateWorld):
    """One board of every pair of a kind and half, by its place; the seed says which pair.

    latest: holds the pair that was drawn last, if any; shared by both boards, so that each pair is drawn once.

    For `PRELUDE` steps both players are led, whatever the seat does. Then it is free for `FREE` steps, while the
    opponent stands still, with what it has collected.
    """

    def __init__(
        self, facts: MatrixFacts, pairs: HalfOfKind[MatrixPairKind], place: int, latest: list[DrawnPair]
    ) -> None:
        super().__init__(facts, (FOCAL,), ground_truth=True)
        self._facts, self._side = facts, facts.side
        self._vision = vision_of(facts.short_name, AGENT)
        self._pairs, self._place, self._latest = pairs, place, latest
        self._script: Script | None = None
        self._is_right: bool | None = None
        """Whether the right kind led in the interaction; None before."""

    def reset(self, seed: int) -> Turn[View]:
        self._script, self._is_right = None, None
        drawn = next((pair for pair in self._latest if pair.seed == seed), None)
        turn, drawn = (super().reset(drawn.map_seed), drawn) if drawn else self._draw(seed)
        self._latest[:], self._script = [drawn], drawn.scripts[self._place]
        return self._told(turn)

    def _draw(self, seed: int) -> tuple[Turn[View], DrawnPair]:
        """Draws maps, and some scripts on each, until both boards can be played; returns the first turn on that map."""
        creed, first = Creed(self._pairs.facts.order, seed % ANSWERS), seed // ANSWERS % len(BOARDS)
        rng = Random(f"{self._pairs.kind} {self._pairs.half} {seed}")
        while True:
            turn = super().reset(map_seed := rng.getrandbits(32))
            for _ in range(DRAWS):
                with suppress(Unplayable):
                    return turn, DrawnPair(seed, map_seed, drawn_scripts(self._opening(), creed, first, rng))

    def step(self, actions: Mapping[Seat, int]) -> Turn[View]:
        move = self._move(FOCAL, actions[FOCAL])
        return self._told(self._advance(self.script.moves[self._step] if self._is_led else (move, Move.NOOP)))

    def _turn(self, timestep: dm_env.TimeStep) -> Turn[View]:
        turn = super()._turn(timestep)
        if (held := held_in_interaction(timestep.observation[AGENT])) is not None:
            own, _ = held
            self._is_right = argmax(own) == self._side.best_response(self.script.plays)
        return turn

    def _told(self, turn: Turn[View]) -> Turn[View]:
        """The turn with what the seat is told, and the end where nothing was played in time."""
        seen = turn.observations[FOCAL]
        told: dict[str, npt.NDArray[Any]] = {CREED: np.array([self.script.creed.order, self.script.creed.answer])}
        if self._is_led:
            told[LED] = np.array(self.script.moves[self._step][AGENT])
        is_late = self._step >= PRELUDE + FREE and self._is_right is None
        observation = Observation(seen.step, {**seen.view, **told}, seen.reward)
        return Turn(turn.step, {FOCAL: observation}, turn.rewards, turn.is_over or is_late)

    @property
    def script(self) -> Script:
        assert self._script is not None, "reset the world first"
        return self._script

    @property
    def _is_led(self) -> bool:
        return self._step < PRELUDE

    def _opening(self) -> Opening:
        assert self.timestep is not None
        players = self.timestep.observation
        poses = (_pose(players[AGENT]), _pose(players[OPPONENT]))
        kinds = {resource.sprite: kind for kind, resource in enumerate(self._facts.resources)}
        things = self._vision.atlas.places(players[AGENT]["WORLD.RGB"], kinds)
        return Opening(self._vision.layout, self._vision.window, self._side, things, poses)

    def opponent_plays(self) -> str:
        """The kind that the opponent plays: for the metrics and for viewers, never for an agent."""
        return self._side.others[self.script.plays]

    def _told_bots(self) -> Sequence[Bot]:
        return (("witness", self.opponent_plays(), None),)

    def metrics(self) -> Mapping[str, float]:
        return {RIGHT: float(self._is_right is True)}


class MatrixPairWorld(MatchedPairWorld[View, int]):
    """Both boards of a pair side by side, each with an agent in the first player's place."""

    def __init__(self, facts: MatrixFacts, pairs: HalfOfKind[MatrixPairKind]) -> None:
        latest: list[DrawnPair] = []
        boards = {seat: MatrixPairBoard(facts, pairs, place, latest) for place, seat in enumerate(BOARDS)}
        super().__init__(boards, RIGHT, (BOTH_BOARDS,))
        self.actions = boards[BOARDS[0]].actions


def _pose(seen: Mapping[str, Any]) -> Pose:
    x, y = map(int, seen["POSITION"])
    return Pose(x, y, int(seen["ORIENTATION"]))
