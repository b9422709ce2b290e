"""Inference over the strategies that the teammate may follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

from hm_agent.core import Hypothesis
from hm_agent.worlds.melting_pot.games.cooking.roles import (
    EVERYTHING,
    LOADS,
    PROMPTLY,
    ROLES,
    SERVES,
    SLOWLY,
    STANDS,
    behaviour_of,
)
from hm_agent.worlds.melting_pot.games.cooking.rounds import KitchenInteraction, Pace, tempo_of

DISCOUNT = 0.8
"""The weight of each round relative to the next one: cooks change their strategies."""
LOG_ODDS_PER_VALUE = 2.0
"""The log odds that a hypothesis gains for each point of its value."""
ALWAYS, MOSTLY, AGAIN = 0.9, 0.65, 0.75
"""The probability that each kind of strategy predicts a round correctly."""

PARTS = {
    LOADS: "loads pots with tomatoes and leaves serving to me",
    SERVES: "serves: it fetches dishes, takes soup and delivers it, and leaves loading to me",
    EVERYTHING: "does everything: it loads pots and serves soup",
    STANDS: "stands around and does nothing useful",
}
LAPSES = {
    LOADS: "loads pots, but slowly or not in every round",
    SERVES: "serves soup, but slowly or not in every round",
    EVERYTHING: "does a bit of everything, slowly and in no steady order",
    STANDS: "mostly stands around and seldom helps",
}


@dataclass(frozen=True, slots=True)
class TeammateStrategy:
    """A strategy of the teammate. role: the role in every round, None for the role of the round before.

    reliability: the probability that it predicts a round correctly. prior: its log odds before any evidence. tempo: the
    tempo in every round, None for the measured one.
    """

    words: str
    role: str | None
    reliability: float
    prior: float
    tempo: str | None = None

    def predict(self, history: Sequence[KitchenInteraction]) -> str | None:
        """The role in the next round; None if it depends on earlier rounds and none of their roles is known."""
        return self.role or next((each.behaviour for each in reversed(history) if each.behaviour), None)


LIBRARY = (
    *(TeammateStrategy(f"The teammate {PARTS[role]}.", role, ALWAYS, 0.0) for role in ROLES),
    *(TeammateStrategy(f"The teammate {LAPSES[role]}.", role, MOSTLY, -0.7, SLOWLY) for role in ROLES),
    TeammateStrategy("The teammate does again what it did in the round before.", None, AGAIN, -1.0),
)


def likeliest_strategy(history: Sequence[KitchenInteraction], best: Sequence[Hypothesis]) -> TeammateStrategy:
    """The strategy with the highest posterior probability after these rounds. best: as in `posterior`."""
    chances = posterior(history, best)
    return max(LIBRARY, key=lambda strategy: chances[strategy])


def posterior(history: Sequence[KitchenInteraction], best: Sequence[Hypothesis]) -> Mapping[TeammateStrategy, float]:
    """The probability of each strategy after these rounds.

    best: the earlier hypotheses that predicted best. Their values add to their log odds, since a correct prediction is
    stronger evidence than a good fit in hindsight.
    """
    values = {hypothesis.words: hypothesis.value for hypothesis in best}
    weights = [DISCOUNT ** (len(history) - 1 - n) for n in range(len(history))]

    def log_odds(strategy: TeammateStrategy) -> float:
        """Prior, value and discounted log-likelihood of the teammate's roles; rounds of unknown role are left out."""
        chances = _likelihoods(strategy, history)
        fit = sum(weight * log(chance) for weight, chance in zip(weights, chances, strict=True) if chance)
        return strategy.prior + LOG_ODDS_PER_VALUE * values.get(strategy.words, 0.0) + fit

    odds = {strategy: exp(log_odds(strategy)) for strategy in LIBRARY}
    return {strategy: chance / sum(odds.values()) for strategy, chance in odds.items()}


def _likelihoods(strategy: TeammateStrategy, history: Sequence[KitchenInteraction]) -> Iterator[float]:
    """The probability of the role in each round under a strategy; 0 if the role is unknown."""
    for n, interaction in enumerate(history):
        predicted = strategy.predict(history[:n])
        right, others = strategy.reliability, len(ROLES) - 1
        if interaction.behaviour is None:
            yield 0.0
        elif predicted is None:
            yield 1 / len(ROLES)
        else:
            has_tempo = strategy.tempo is None or interaction.tempo in (None, strategy.tempo)
            yield right if predicted == interaction.behaviour and has_tempo else (1 - right) / others


def predict_behaviour(words: str | None, history: Sequence[KitchenInteraction], pace: Pace, limit: int) -> str:
    """The role and tempo that a hypothesis predicts; for unknown words the most common role so far.

    pace: the teammate's of late, by which the tempo is measured unless the hypothesis names one. limit: as in
    `tempo_of`.
    """
    strategy = next((strategy for strategy in LIBRARY if strategy.words == words), None)
    roles = Counter(interaction.behaviour for interaction in history if interaction.behaviour)
    commonest = roles.most_common(1)[0][0] if roles else EVERYTHING
    role = (strategy.predict(history) if strategy else None) or commonest
    tempo = (strategy.tempo if strategy else None) or tempo_of(role, pace, limit) or PROMPTLY
    return behaviour_of(role, tempo) or role
