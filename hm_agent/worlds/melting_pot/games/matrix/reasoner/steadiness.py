"""How steady the players of a population are: whether one that played something still does some lives later.

A life goes from one interaction of a player to its next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from operator import mul

from hm_agent.worlds.melting_pot.games.matrix.best_response import Distribution
from hm_agent.worlds.melting_pot.games.matrix.pickups import LULL

LIFE = 150.0
"""How many steps a life takes on average."""
RATES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.98)
"""How likely a player may be to keep to its kind from one life to the next, rather than to choose anew."""
KEEPING = 10.0
"""How many times as likely as any other rate the last one is thought before there is evidence."""


def lives_between(former: int, later: int) -> float:
    """How many times a player has probably begun anew between two steps of different lives, at least once."""
    return max(1.0, (later - former) / LIFE)


def lives_since(step: int, now: int) -> float:
    """The same where it may still be the same life."""
    return max(0.0, (now - step - LULL) / LIFE)


@dataclass(frozen=True)
class Steadiness:
    """What is known of the lives of players tells.

    kinds: how many there are. pairs: for each two lives of a player that are known, the one after the other, whether
    its kind was the same, and how many lives later that was.
    """

    kinds: int
    pairs: tuple[tuple[bool, float], ...]

    @cached_property
    def _weights(self) -> Sequence[float]:
        """How likely each rate is."""
        prior = [1.0] * (len(RATES) - 1) + [KEEPING]
        seen = [prod(self._chance(rate, *pair) for pair in self.pairs) for rate in RATES]
        weights = [before * likelihood for before, likelihood in zip(prior, seen, strict=True)]
        return [weight / sum(weights) for weight in weights]

    def _chance(self, rate: float, same: bool, lives: float) -> float:
        """How likely it is to be of one certain kind: the one it was, or another."""
        kept: float = rate**lives
        return kept * same + (1 - kept) / self.kinds

    def stays(self, lives: float) -> float:
        """How likely a player is of the kind it was so many lives ago."""
        return sum(weight * self._chance(rate, True, lives) for rate, weight in zip(RATES, self._weights, strict=True))

    def odds(self, kind: int, lives: float) -> Distribution:
        """What to expect of a player that was of a kind so many lives ago."""
        same = self.stays(lives)
        return tuple(same if n == kind else (1 - same) / (self.kinds - 1) for n in range(self.kinds))

    def later(self, odds: Distribution, lives: float) -> Distribution:
        """What odds have become of so many lives later."""
        became = [self.odds(kind, lives) for kind in range(self.kinds)]
        return tuple(sum(map(mul, odds, column)) for column in zip(*became, strict=True))
