"""A matched pair as a world with two seats, one on each board: nobody on a board hears of the other board."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from hm_agent.core import Observation, Seat, Turn, World
from hm_agent.worlds.symmtom.mind_facts import MindTest
from hm_agent.worlds.symmtom.mind_world import SUCCESS, MindTestWorld, Trial
from hm_agent.worlds.symmtom.pairs.courses import KINDS
from hm_agent.worlds.symmtom.pairs.matching import pair_of
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.views import BoardScene, BoardView, SpokenMove

SEATS = ("board_0", "board_1")
BOTH = "both_boards"
"""The metric of a pair: 1 if both boards were passed."""


class PairBoard(MindTestWorld):
    """One board of a pair; each seed has its own test. test_of: the test of a seed."""

    def __init__(self, settings: GameSettings, test_of: Callable[[int], MindTest]) -> None:
        super().__init__(test_of(0))
        self._test_of = test_of

    def _draw_trial(self, seed: int) -> Trial:
        self._test = self._test_of(seed)
        return Trial(self._test, None)


class MindPairWorld(World[BoardView, SpokenMove]):
    """Both boards of a pair side by side; the seed is the pair's number."""

    seats = SEATS

    def __init__(self, kind: str, half: str) -> None:
        self.boards: Mapping[Seat, MindTestWorld] = {
            seat: PairBoard(KINDS[kind].settings, lambda seed, place=place: pair_of(kind, half, seed).tests[place])
            for place, seat in enumerate(SEATS)
        }
        self._turns: dict[Seat, Turn[BoardView]] = {}

    def reset(self, seed: int) -> Turn[BoardView]:
        self._turns = {seat: board.reset(seed) for seat, board in self.boards.items()}
        return self._turn({})

    def step(self, actions: Mapping[Seat, SpokenMove]) -> Turn[BoardView]:
        for seat, action in actions.items():
            board = self.boards[seat]
            self._turns[seat] = board.step({board.seats[0]: action})
        return self._turn(actions)

    def _turn(self, acted: Mapping[Seat, SpokenMove]) -> Turn[BoardView]:
        step = max(turn.step for turn in self._turns.values())
        rewards = {seat: sum(self._turns[seat].rewards.values()) for seat in acted}
        waiting = {seat: turn for seat, turn in self._turns.items() if not turn.is_over}
        observations: dict[Seat, Observation[BoardView]] = {
            seat: next(iter(turn.observations.values())) for seat, turn in waiting.items()
        }
        return Turn(step, observations, rewards, not waiting)

    def scene(self) -> Mapping[Seat, BoardScene | None]:
        return {seat: board.scene() for seat, board in self.boards.items()}

    def metrics(self) -> Mapping[str, float]:
        return {BOTH: float(all(board.metrics()[SUCCESS] for board in self.boards.values()))}

    def seat_metrics(self, seat: Seat) -> Mapping[str, float]:
        return self.boards[seat].metrics()
