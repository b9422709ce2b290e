"""A library of strategies that a teammate in a kitchen may follow, each with words by which it is known again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

from hm_agent.core import Hypothesis
from hm_agent.worlds.melting_pot.games.cooking.kitchen import EVERYTHING, LOADS, ROLES, SERVES, STANDS
from hm_agent.worlds.melting_pot.games.cooking.rounds import KitchenInteraction

FADING = 0.8
"""How much less each earlier round counts than the one after it: cooks change their minds."""
FORESIGHT = 2.0
"""The log odds that a hypothesis gains by each point of its value."""
ALWAYS, MOSTLY, AGAIN = 0.9, 0.65, 0.75
"""How likely each kind of strategy is right about a round."""

PARTS = {
    LOADS: "specialises in loading pots with tomatoes and leaves serving to me",
    SERVES: "specialises in serving: it fetches dishes, takes soup and delivers it, and leaves loading to me",
    EVERYTHING: "is an all-rounder: it loads pots and serves soup as well",
    STANDS: "does nothing useful: it stands around",
}
LAPSES = {
    LOADS: "loads pots, but slowly or not in every round",
    SERVES: "serves soup, but slowly or not in every round",
    EVERYTHING: "does a bit of everything, in no steady order",
    STANDS: "mostly stands around and seldom helps",
}


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way to help. role: what it comes to in a round, None for what it was in the round before."""

    words: str
    role: str | None
    reliability: float
    prior: float

    def predict(self, history: Sequence[KitchenInteraction]) -> str | None:
        """The role in the next round; None where nothing follows."""
        return self.role or next((known.behaviour for known in reversed(history) if known.behaviour), None)


LIBRARY = (
    *(Strategy(f"The teammate {PARTS[role]}.", role, ALWAYS, 0.0) for role in ROLES),
    *(Strategy(f"The teammate {LAPSES[role]}.", role, MOSTLY, -0.7) for role in ROLES),
    Strategy("The teammate does again what it did in the round before.", None, AGAIN, -1.0),
)


def likeliest(history: Sequence[KitchenInteraction], best: Sequence[Hypothesis]) -> Strategy:
    """The strategy with the most posterior probability after these rounds.

    best: earlier hypotheses that have predicted well; to have foretold is worth more than to fit afterwards.
    """
    values = {hypothesis.words: hypothesis.value for hypothesis in best}

    def odds(strategy: Strategy) -> float:
        return strategy.prior + FORESIGHT * values.get(strategy.words, 0.0) + _log_likelihood(strategy, history)

    return max(LIBRARY, key=odds)


def _log_likelihood(strategy: Strategy, history: Sequence[KitchenInteraction]) -> float:
    """How well a strategy explains the rounds, later ones weighing more."""
    weights = (FADING ** (len(history) - 1 - n) for n in range(len(history)))
    return sum(
        weight * log(chance) for weight, chance in zip(weights, _chances(strategy, history), strict=True) if chance
    )


def _chances(strategy: Strategy, history: Sequence[KitchenInteraction]) -> Iterator[float]:
    """How likely each round was by a strategy; 0 where that can't be told."""
    for n, known in enumerate(history):
        said = strategy.predict(history[:n])
        right, others = strategy.reliability, len(ROLES) - 1
        if known.behaviour is None:
            yield 0.0
        elif said is None:
            yield 1 / len(ROLES)
        else:
            yield right if said == known.behaviour else (1 - right) / others


def prediction(words: str | None, history: Sequence[KitchenInteraction]) -> str:
    """What a hypothesis predicts; one that isn't known here, what has been most common."""
    strategy = next((strategy for strategy in LIBRARY if strategy.words == words), None)
    said = strategy.predict(history) if strategy else None
    seen = Counter(known.behaviour for known in history if known.behaviour)
    return said or (seen.most_common(1)[0][0] if seen else EVERYTHING)
