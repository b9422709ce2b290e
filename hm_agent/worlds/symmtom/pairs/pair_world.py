"""A matched pair as a world with two seats, one on each board: nobody on a board sees or hears of the other."""

from __future__ import annotations

from hm_agent.catalogue.suite import PRIVATE_SEEDS
from hm_agent.matched_pairs import BOARDS, BOTH_BOARDS, HALVES, PAIRS, MatchedPairWorld
from hm_agent.worlds.symmtom.mind_world import SUCCESS, MindTestWorld, Trial
from hm_agent.worlds.symmtom.pairs.matching import MindPair, drawn_pair, shipped_pair
from hm_agent.worlds.symmtom.views import BoardView, SpokenMove


class PairBoard(MindTestWorld):
    """One board of every pair of a kind and half, by its place; the seed says which pair, a private one draws it."""

    def __init__(self, kind: str, half: str, place: int) -> None:
        self._kind, self._half, self._place = kind, half, place
        super().__init__(self.pair(0).tests[place], has_greedy_speakers=True)

    def pair(self, seed: int) -> MindPair:
        if seed >= PAIRS * PRIVATE_SEEDS:
            return drawn_pair(self._kind, len(HALVES) * seed + HALVES.index(self._half))
        return shipped_pair(self._kind, seed % PAIRS * len(HALVES) + HALVES.index(self._half))

    def _draw_trial(self, seed: int) -> Trial:
        self._test = self.pair(seed).tests[self._place]
        return Trial(self._test, None)


class MindPairWorld(MatchedPairWorld[BoardView, SpokenMove]):
    """Both boards of a pair side by side, each with an agent that plays the tested one."""

    def __init__(self, kind: str, half: str) -> None:
        self.boards = {seat: PairBoard(kind, half, place) for place, seat in enumerate(BOARDS)}
        super().__init__(self.boards, SUCCESS, (BOTH_BOARDS,))
