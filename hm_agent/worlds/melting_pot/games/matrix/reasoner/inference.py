"""Bayesian inference over an opponent's strategies: the hypothesis space, its posterior, and predictions from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import permutations
from math import exp, log
from typing import NamedTuple

from hm_agent.core import Hypothesis
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.matrix.best_response import Distribution
from hm_agent.worlds.melting_pot.games.matrix.opponent_strategies import (
    Always,
    Corrigible,
    Flip,
    GrimTrigger,
    Mixture,
    ObservationResponder,
    OpponentStrategy,
    Reaction,
    tit_for_tat,
)
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, MatrixRules, Payoff

FLIPS = range(1, 6)
"""The numbers of interactions after which an opponent may flip to another pure strategy."""
GRUDGES = range(1, 5)
"""The numbers of moves against it after which an opponent may change its strategy."""

DISCOUNT = 0.9
"""The weight of each interaction relative to the next one: opponents change their strategies."""
LOG_ODDS_PER_VALUE = 2.0
"""The log odds that a hypothesis gains for each point of its value."""
ACCURACY_PRIOR = 4.0, 5.0
"""Beta prior on a strategy's accuracy: 4 of 5 pseudo-observations correct."""
COVERT_FROM = 0.2
"""The posterior probability of an observation responder from which the agent collects out of the opponent's view."""
PICKUP_RELIABILITY = 0.9
"""The probability that a resource which a player takes is that of the behaviour it will play."""


@cache
def strategy_library(rules: MatrixRules) -> tuple[OpponentStrategy, ...]:
    """All strategies in the hypothesis space, except mixtures, which are fitted to the interactions."""
    names = rules.behaviours
    flips = (Flip(names, first, then, after) for first, then in permutations(names, 2) for after in FLIPS)
    own = _zero_sum_strategies if rules.is_zero_sum else _mixed_motive_strategies
    return (*own(names, rules.payoff), *flips)


def _zero_sum_strategies(names: tuple[str, ...], payoff: Payoff) -> Iterator[OpponentStrategy]:
    """Strategies that try to predict the agent's next move."""
    yield from (Always(names, name) for name in names)
    best = _replies(names, payoff, max)
    worst = _replies(names, payoff, min)
    yield Reaction(names, "The opponent plays the best response to what I played last.", -0.5, False, best)
    yield ObservationResponder(names, best)
    yield Reaction(names, "The opponent repeats its own last move.", -1.0, True, names)
    yield Reaction(names, "The opponent copies what I played last.", -1.5, False, names)
    yield Reaction(names, "The opponent plays what does worst against what I played last.", -2.0, False, worst)
    yield Reaction(names, "The opponent cycles: it plays the best response to its own last move.", -1.5, True, best)
    yield Reaction(names, "The opponent cycles: it plays what its own last move does best against.", -1.5, True, worst)


def _mixed_motive_strategies(names: tuple[str, ...], payoff: Payoff) -> Iterator[OpponentStrategy]:
    """Strategies that reward and punish, in games where both players can gain."""
    yield from (Always(names, name, prior=-0.7) for name in names)
    mutual = {name: payoff[n][n] for n, name in enumerate(names)}  # each player's payoff if both play the same
    yield tit_for_tat(names, first=max(names, key=mutual.__getitem__))
    yield Reaction(names, "The opponent repeats its own last move.", -2.5, True, names)
    for kind, harsh in permutations(names, 2):
        if mutual[kind] > mutual[harsh]:
            yield from (GrimTrigger(names, kind, harsh, after) for after in GRUDGES)
            yield from (Corrigible(names, harsh, kind, after) for after in GRUDGES)


def _replies(names: tuple[str, ...], payoff: Payoff, choose: Callable[..., int]) -> tuple[str, ...]:
    """For each pure strategy the reply with the highest payoff against it, or the lowest. choose: max or min."""
    columns = range(len(names))
    return tuple(names[choose(columns, key=lambda row: payoff[row][column])] for column in columns)


@cache
def _library_by_words(rules: MatrixRules) -> Mapping[str, OpponentStrategy]:
    return {strategy.words.casefold(): strategy for strategy in strategy_library(rules)}


def strategy_from_words(words: str, rules: MatrixRules, history: Sequence[MatrixInteraction]) -> OpponentStrategy:
    """The strategy that a hypothesis describes; for unknown words, a mixture fitted to the interactions."""
    if (strategy := _library_by_words(rules).get(words.strip().casefold())) is not None:
        return strategy
    shares = [re.search(rf"\b{re.escape(name)} ([0-9]{{1,3}})%", words) for name in rules.behaviours]
    if all(shares):
        return Mixture(rules.behaviours, tuple(int(share[1]) / 100 for share in shares if share))
    return Mixture.fitted(rules.behaviours, history)


def likeliest_strategy(
    rules: MatrixRules, history: Sequence[MatrixInteraction], best: Sequence[Hypothesis]
) -> OpponentStrategy:
    """The strategy with the highest posterior probability after these interactions. best: as of `log_odds`."""
    odds = log_odds(rules, history, best)
    return max(odds, key=lambda weighed: weighed[1])[0].strategy


def posterior(
    rules: MatrixRules, history: Sequence[MatrixInteraction], best: Sequence[Hypothesis] = ()
) -> list[tuple[Fit, float]]:
    """The fit of every strategy to these interactions, with its posterior probability. best: as of `log_odds`."""
    weights = [(fit, exp(odds)) for fit, odds in log_odds(rules, history, best)]
    total = sum(weight for _, weight in weights)
    return [(fit, weight / total) for fit, weight in weights]


def log_odds(
    rules: MatrixRules, history: Sequence[MatrixInteraction], best: Sequence[Hypothesis]
) -> list[tuple[Fit, float]]:
    """The fit of every strategy to these interactions, with its log odds.

    best: the earlier hypotheses that predicted best. Their values add to their log odds, since a correct prediction is
    stronger evidence than a good fit in hindsight.
    """
    bonuses = {hypothesis.words: LOG_ODDS_PER_VALUE * hypothesis.value for hypothesis in best}
    return [
        (fit, fit.strategy.prior + (bonuses.get(fit.strategy.words, 0.0) if bonuses else 0.0) + fit.log_likelihood)
        for fit in fit_all(rules, tuple(history))
    ]


def may_respond_to_observation(rules: MatrixRules, history: Sequence[MatrixInteraction]) -> bool:
    """True if the opponent may well play the best response to what it sees the agent collect."""
    return any(
        isinstance(fit.strategy, ObservationResponder) and probability >= COVERT_FROM
        for fit, probability in posterior(rules, history)
    )


def predict_behaviour(
    strategy: OpponentStrategy,
    history: Sequence[MatrixInteraction],
    taken: Counts | None,
    prior: tuple[float, float] = ACCURACY_PRIOR,
) -> Distribution:
    """The distribution over the opponent's next behaviour, by its strategy's accuracy so far and its pickups.

    taken: the count of each resource that it is known to have taken since the last interaction. prior: on the
    strategy's accuracy, as correct predictions and their total.
    """
    tested = fit(strategy, history)
    probabilities = tested.accuracy(prior).weigh(strategy.prediction(tested.state))
    return update_on_pickups(probabilities, taken) if taken else probabilities


class Accuracy:
    """The posterior of a strategy's accuracy, learnt from its predictions that name a single behaviour."""

    def __init__(self, prior: tuple[float, float] = ACCURACY_PRIOR) -> None:
        self._correct, self._total = prior

    def count(self, hit: float) -> None:
        """Counts one such prediction. hit: 1 if it came true, else 0."""
        self._correct += hit
        self._total += 1

    def weigh(self, predicted: Distribution) -> Distribution:
        """Spreads the probability of error of a certain prediction over the other behaviours; keeps any other one."""
        if max(predicted) < 1.0:
            return predicted
        correct = self._correct / self._total
        return tuple(correct if share else (1 - correct) / (len(predicted) - 1) for share in predicted)


class Fit(NamedTuple):
    """How a strategy fits a history.

    state: the strategy's after that history. log_likelihood: the discounted one of the opponent's moves, under a
    strategy of unknown accuracy. hits: for each prediction that named a single behaviour, 1 if it came true, else 0.
    """

    strategy: OpponentStrategy
    state: Hashable
    log_likelihood: float
    hits: Sequence[float]

    def accuracy(self, prior: tuple[float, float] = ACCURACY_PRIOR) -> Accuracy:
        """The strategy's accuracy. prior: correct pseudo-observations and their total."""
        accuracy = Accuracy(prior)
        for hit in self.hits:
            accuracy.count(hit)
        return accuracy


@lru_cache(maxsize=64)
def fit_all(rules: MatrixRules, history: tuple[MatrixInteraction, ...]) -> Sequence[Fit]:
    """The fit of every strategy. Kept, since several questions are asked between two interactions."""
    return [
        fit(strategy, history) for strategy in (*strategy_library(rules), Mixture.fitted(rules.behaviours, history))
    ]


def fit(strategy: OpponentStrategy, history: Sequence[MatrixInteraction]) -> Fit:
    """Goes through a history once. The prediction of a mixture is that of the one fitted to the interactions before."""
    state, accuracy = strategy.start, Accuracy()
    total = 0.0
    hits = []
    for number, interaction in enumerate(history):
        if interaction.behaviour is not None:
            predicted = strategy.prediction(state)
            if isinstance(strategy, Mixture):
                predicted = Mixture.fitted(strategy.behaviours, history[:number]).probabilities
            played = strategy.behaviours.index(interaction.behaviour)
            total += DISCOUNT ** (len(history) - 1 - number) * log(accuracy.weigh(predicted)[played])
            if max(predicted) == 1.0:
                hits.append(predicted[played])
                accuracy.count(predicted[played])
        state = strategy.updated(state, interaction)
    return Fit(strategy, state, total, hits)


def update_on_pickups(probabilities: Distribution, taken: Counts) -> Distribution:
    """Updates a distribution on the resources a player took.

    A player who took several kinds has changed its strategy and may do so again; then the shares of the kinds taken
    replace the distribution, with a pseudo-count of 0.5 for each.
    """
    if sum(count > 0 for count in taken) > 1:
        return tuple((count + 0.5) / (sum(taken) + 0.5 * len(taken)) for count in taken)
    ratio = PICKUP_RELIABILITY * (len(probabilities) - 1) / (1 - PICKUP_RELIABILITY)
    weights = [share * ratio**count for share, count in zip(probabilities, taken, strict=True)]
    return tuple(weight / sum(weights) for weight in weights)
