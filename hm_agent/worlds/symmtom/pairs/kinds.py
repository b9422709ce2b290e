"""The kinds of matched pairs of tests of mind. Imports no NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hm_agent.matched_pairs import in_halves
from hm_agent.worlds.symmtom.settings import GameSettings

WIDTH, AGENTS, PIECES = 12, 4, 8


@dataclass(frozen=True)
class PairKind:
    """One kind of pairs. order: of mind, as the paper counts.

    overhears: True if all that matters was said within the tested agent's hearing. prelude: the number of steps before
    the decision. turns: up to order 1 the number of steps after it, in which one rival alone can be met; in order 2 the
    number of steps to a meeting.
    """

    about: str
    order: int
    overhears: bool
    prelude: int
    turns: int

    @property
    def settings(self) -> GameSettings:
        length = self.prelude + self.turns if self.order < 2 else None
        return GameSettings(WIDTH, AGENTS, PIECES, length=length)


KINDS: Mapping[str, PairKind] = {
    "order_0": PairKind("goes to the one of two that has more for it, by what it was told", 0, True, 16, 6),
    "order_1_heard": PairKind(
        "goes to the one of two that lacks more, by what it heard them being told", 1, True, 16, 6
    ),
    "order_1": PairKind(
        "goes to the one of two that lacks more, by what they were told where it could not hear", 1, False, 16, 6
    ),
    "order_2": PairKind("foresees to whom another goes, by what that one believes", 2, True, 18, 4),
}
PAIR_SCENARIOS = in_halves("symmtom_pairs_", KINDS)
