"""A matched pair as a world with two seats, one on each board: nobody on a board sees or hears of the other."""

from __future__ import annotations

from collections.abc import Mapping

from hm_agent.core import Seat, Turn, World
from hm_agent.suite import PRIVATE_SEEDS
from hm_agent.worlds.symmtom.mind_world import SUCCESS, MindTestWorld, Trial
from hm_agent.worlds.symmtom.pairs.kinds import BOTH, HALVES, PAIRS, SEATS
from hm_agent.worlds.symmtom.pairs.matching import MindPair, drawn_pair, shipped_pair
from hm_agent.worlds.symmtom.views import BoardScene, BoardView, SpokenMove


class PairBoard(MindTestWorld):
    """One board of every pair of a kind and half, by its place; the seed says which pair, a private one draws it."""

    def __init__(self, kind: str, half: str, place: int) -> None:
        self._kind, self._half, self._place = kind, half, place
        super().__init__(self.pair(0).tests[place])

    def pair(self, seed: int) -> MindPair:
        if seed >= PAIRS * PRIVATE_SEEDS:
            return drawn_pair(self._kind, len(HALVES) * seed + HALVES.index(self._half))
        return shipped_pair(self._kind, seed % PAIRS * len(HALVES) + HALVES.index(self._half))

    def _draw_trial(self, seed: int) -> Trial:
        self._test = self.pair(seed).tests[self._place]
        return Trial(self._test, None)


class MindPairWorld(World[BoardView, SpokenMove]):
    """Both boards of a pair side by side, each with an agent that plays the tested one."""

    seats = SEATS

    def __init__(self, kind: str, half: str) -> None:
        self.boards = {seat: PairBoard(kind, half, place) for place, seat in enumerate(SEATS)}
        self._turns: dict[Seat, Turn[BoardView]] = {}

    def reset(self, seed: int) -> Turn[BoardView]:
        self._turns = {seat: board.reset(seed) for seat, board in self.boards.items()}
        return self._turn()

    def step(self, actions: Mapping[Seat, SpokenMove]) -> Turn[BoardView]:
        for seat, action in actions.items():
            board = self.boards[seat]
            self._turns[seat] = board.step({board.seats[0]: action})
        rewards = {seat: next(iter(self._turns[seat].rewards.values())) for seat in actions}
        return self._turn(rewards)

    def _turn(self, rewards: Mapping[Seat, float] | None = None) -> Turn[BoardView]:
        waiting = {seat: turn.observations for seat, turn in self._turns.items() if not turn.is_over}
        observations = {seat: next(iter(seen.values())) for seat, seen in waiting.items()}
        step = max(turn.step for turn in self._turns.values())
        return Turn(step, observations, rewards or {}, not waiting)

    def scene(self) -> Mapping[Seat, BoardScene | None]:
        return {seat: board.scene() for seat, board in self.boards.items()}

    def metrics(self) -> Mapping[str, float]:
        return {BOTH: float(all(board.metrics()[SUCCESS] for board in self.boards.values()))}

    def seat_metrics(self, seat: Seat) -> Mapping[str, float]:
        return self.boards[seat].metrics()
