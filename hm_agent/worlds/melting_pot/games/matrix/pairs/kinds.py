"""The kinds of matched pairs of matrix games. Imports no simulator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hm_agent.matched_pairs import in_halves
from hm_agent.repeated_games.payoffs import Side
from hm_agent.worlds.melting_pot.facts import Length

PLAYED_ON = "rws_one_shot"
"""The short name of the game that pairs are played on."""
PRELUDE, FREE = 340, 160
"""How many steps the seat is led for, and then has to collect, to meet the opponent and to be paid."""
CREED = "CREED"
"""What the seat is told beside what it sees: the order and the answer of the opponent's creed."""
ANSWERS = 3
"""How many answers there are to what the opponent goes by: the same kind, what beats it, and what it beats."""


@dataclass(frozen=True)
class MatrixPairKind:
    """One kind of pairs. order: of the mind that it needs. prelude: the number of steps in which the seat is led."""

    about: str
    order: int
    prelude: int = PRELUDE

    @property
    def length(self) -> Length:
        """That of an episode."""
        return Length(self.prelude + FREE, every=1, chance=1.0, one_interaction=True)


KINDS: Mapping[str, MatrixPairKind] = {
    "order_0": MatrixPairKind("answers what the opponent was seen to take last", 0),
    "order_1": MatrixPairKind("answers what the opponent expects, by what it saw the agent take", 1),
    "order_2": MatrixPairKind("answers what the opponent expects, by what it noticed that the agent saw it take", 2),
}
PAIR_SCENARIOS = in_halves("rws_pairs_", KINDS)


@dataclass(frozen=True)
class Creed:
    """What the opponent goes by, and how, of which the seat is told.

    order: 0: it goes by the kind that it took last. 1: by the kind that it last saw the agent take, which it expects
    the agent to play. 2: by the best response to the kind that, as far as it noticed, the agent last saw it take, which
    it expects the agent to play. answer: 0: it plays just what it goes by; 1: what beats that; 2: what that beats.
    """

    order: int
    answer: int

    def opponents_kind(self, side: Side, taken: int) -> int:
        """The kind that the opponent plays. taken: the kind that it goes by, as it was taken."""
        return side.best_responses(taken, self.answer + (self.order == 2))
