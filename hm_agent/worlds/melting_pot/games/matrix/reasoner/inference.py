"""Bayesian inference over an opponent's rules: which one is in force after a history, and what it will play next.

The rule in force is a hidden state: it errs with an unknown probability, and in every interaction it may be replaced by
another rule, drawn from the prior. The filter goes forward through a history, one interaction at a time.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import exp
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hm_agent.core import Hypothesis
from hm_agent.repeated_games.payoffs import Shares
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.matrix.moves import UNKNOWN, Moves, SeenCollecting, moves_in
from hm_agent.worlds.melting_pot.games.matrix.opponent_rules import Answer, Mixture, OpponentStrategy
from hm_agent.worlds.melting_pot.games.matrix.reasoner.rule_class import mass_of, rule_class, rules_by_words
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, MatrixRules, StageGame

CHANGE_RATE = 0.01
"""The probability that another rule is in force in the next interaction."""
NOISE: Mapping[float, float] = {0.03: 0.5, 0.15: 0.35, 0.35: 0.15}
"""The probabilities with which a rule may err, and the prior of each."""
MIXTURE_MEMORY = 0.9
"""The weight of an interaction, relative to the one after it, in the estimate of a mixture's shares."""
HIT_MEMORY = 0.9
"""The weight of a prediction, relative to the one after it, in the estimate of a rule's accuracy."""
LOG_ODDS_PER_VALUE = 2.0
"""The log odds that a hypothesis gains for each point of its value: it predicted before the fact."""
ACCURACY_PRIOR = 4.0, 5.0
"""Beta prior on a rule's accuracy: 4 of 5 pseudo-observations correct."""
COVERT_FROM = 0.2
"""The agent collects unseen if the opponent's rule looks at what it sees collected with at least this probability."""
NEGLIGIBLE = 1e-3
"""`posterior` leaves out strategies with a smaller probability."""
RELIABILITY_PRIOR = 9.0, 10.0
"""Beta prior on the share of pickups that are of the kind a player will play: 9 of 10 pseudo-observations."""

Weights = npt.NDArray[np.float64]


class Fit(NamedTuple):
    """How well a strategy has predicted a history.

    state: the strategy's state after it. correct, total: the number of its right predictions and of all of them, later
    ones weighing more; 0 for a strategy that names no single behaviour.
    """

    strategy: OpponentStrategy
    state: Hashable
    correct: float = 0.0
    total: float = 0.0

    def prediction(self, prior: tuple[float, float] = ACCURACY_PRIOR) -> Shares:
        """The distribution over the next behaviour, with the probability of an error by the strategy's accuracy.

        prior: the correct pseudo-observations of the accuracy, and their total.
        """
        return with_errors(self.strategy.chances(self.state), self.accuracy(prior))

    def accuracy(self, prior: tuple[float, float] = ACCURACY_PRIOR) -> float:
        """The posterior mean of the share of right predictions. prior: as in `prediction`."""
        return (prior[0] + self.correct) / (prior[1] + self.total)


def with_errors(predicted: Shares, accuracy: float) -> Shares:
    """Lowers the probability of a certain prediction to its accuracy, and shares the rest among the other behaviours.

    Returns any other prediction unchanged.
    """
    if max(predicted) < 1.0:
        return predicted
    return tuple(accuracy if share else (1 - accuracy) / (len(predicted) - 1) for share in predicted)


@dataclass(frozen=True, eq=False)
class RuleFilter:
    """The posterior over the rule in force after a history.

    states, correct, total: as in `Fit`, for every rule of the class, in its order. counts: how often the opponent
    played each behaviour, later interactions weighing more, plus a pseudo-count. weights: (rules + 1, noise levels)
    posterior probabilities; the last row is that of mixing at random.
    """

    game: StageGame
    states: tuple[Hashable, ...]
    correct: Weights
    total: Weights
    counts: tuple[float, ...]
    weights: Weights

    def fit(self, position: int) -> Fit:
        """The fit of the rule at this position in the class."""
        rule = rule_class(self.game)[position].rule
        return Fit(rule, self.states[position], float(self.correct[position]), float(self.total[position]))

    @property
    def mixture(self) -> Mixture:
        """The mixture estimated from the interactions, with a pseudo-count of 0.5 for each behaviour."""
        total = sum(self.counts)
        return Mixture(self.game.side.actions, tuple(max(0.01, round(count / total, 2)) for count in self.counts))

    def after(self, moves: Moves) -> RuleFilter:
        """The filter after one more interaction."""
        rules = [each.rule for each in rule_class(self.game)]
        with_states = [*zip(rules, self.states, strict=True)]
        replies = np.array([rule.reply(rule.noticing(state, moves.seen)) for rule, state in with_states])
        weights = self.weights if moves.other == UNKNOWN else self._weights_given(moves.other, replies)
        counts = tuple(
            0.5 + MIXTURE_MEMORY ** (moves.other != UNKNOWN) * (count - 0.5) + (kind == moves.other)
            for kind, count in enumerate(self.counts)
        )
        is_counted = (replies != UNKNOWN) & (moves.other != UNKNOWN)
        correct = np.where(is_counted, HIT_MEMORY * self.correct + (replies == moves.other), self.correct)
        total = np.where(is_counted, HIT_MEMORY * self.total + 1, self.total)
        # Many rules have equal states: these share one object.
        shared: dict[Hashable, Hashable] = {}
        updated = (rule.after(state, moves) for rule, state in with_states)
        states = tuple(shared.setdefault(state, state) for state in updated)
        changed = (1 - CHANGE_RATE) * weights + CHANGE_RATE * _prior(self.game)
        return RuleFilter(self.game, states, correct, total, counts, changed)

    def _weights_given(self, played: int, replies: npt.NDArray[np.int_]) -> Weights:
        """The weights after the opponent has played a behaviour. replies: what each rule predicted."""
        kinds, noise = len(self.game.side.actions), np.array([*NOISE])
        likelihood = np.where((replies == played)[:, None], 1 - noise, noise / (kinds - 1))
        likelihood[replies == UNKNOWN] = 1 / kinds
        mixed = np.full((1, len(noise)), self.counts[played] / sum(self.counts))
        weights = self.weights * np.vstack([likelihood, mixed])
        observed: Weights = weights / weights.sum()
        return observed


@cache
def _prior(game: StageGame) -> Weights:
    """(rules + 1, noise levels) the weights before any interaction."""
    priors = [*(each.prior for each in rule_class(game)), mass_of("mixture", game.side)]
    return np.outer(priors, [*NOISE.values()]) / sum(priors)


@lru_cache(maxsize=32)  # some 20 kB each; an arena has histories with seven opponents
def _filter(game: StageGame, history: tuple[Moves, ...]) -> RuleFilter:
    """The filter after a history. It is cached, so that one more interaction costs one step."""
    if history:
        return _filter(game, history[:-1]).after(history[-1])
    states = tuple(each.rule.start for each in rule_class(game))
    none = np.zeros(len(states))
    return RuleFilter(game, states, none, none, (0.5,) * len(game.side.actions), _prior(game))


def filter_of(rules: MatrixRules, history: Sequence[MatrixInteraction]) -> RuleFilter:
    return _filter(rules.stage_game, moves_in(rules.behaviours, history))


@cache
def _positions(game: StageGame) -> Mapping[OpponentStrategy, int]:
    """The position of each rule in the class."""
    return {each.rule: position for position, each in enumerate(rule_class(game))}


def fit(strategy: OpponentStrategy, rules: MatrixRules, history: Sequence[MatrixInteraction]) -> Fit:
    """The fit of a strategy to these interactions; a mixture has neither state nor accuracy."""
    position = _positions(rules.stage_game).get(strategy)
    return Fit(strategy, strategy.start) if position is None else filter_of(rules, history).fit(position)


def strategy_from_words(words: str, rules: MatrixRules, history: Sequence[MatrixInteraction]) -> OpponentStrategy:
    """The strategy that a hypothesis describes; for unknown words, a mixture fitted to the interactions."""
    if (rule := rules_by_words(rules.stage_game).get(words.strip().casefold())) is not None:
        return rule
    percentages = [re.search(rf"\b{re.escape(name)} ([0-9]{{1,3}})%", words) for name in rules.behaviours]
    if all(percentages):
        return Mixture(rules.behaviours, tuple(int(percent[1]) / 100 for percent in percentages if percent))
    return filter_of(rules, history).mixture


def likeliest_strategy(
    rules: MatrixRules, history: Sequence[MatrixInteraction], best: Sequence[Hypothesis]
) -> OpponentStrategy:
    """The strategy with the highest posterior probability after these interactions. best: as in `posterior`."""
    return max(posterior(rules, history, best), key=lambda pair: pair[1])[0].strategy


def posterior(
    rules: MatrixRules, history: Sequence[MatrixInteraction], best: Sequence[Hypothesis] = ()
) -> list[tuple[Fit, float]]:
    """The fits of all strategies that are not negligible, each with its posterior probability.

    best: the earlier hypotheses that predicted best. Their values add to their log odds, since a correct prediction is
    stronger evidence than a good fit in hindsight.
    """
    latest = filter_of(rules, history)
    mixture = latest.mixture
    weights: list[float] = latest.weights.sum(axis=1).tolist()
    if best:
        bonuses = {hypothesis.words: exp(LOG_ODDS_PER_VALUE * hypothesis.value) for hypothesis in best}
        words = [*(each.rule.words for each in rule_class(latest.game)), mixture.words]
        weights = [weight * bonuses.get(said, 1.0) for said, weight in zip(words, weights, strict=True)]
    total, count = sum(weights), len(latest.states)
    probable = [(place, weight) for place, weight in enumerate(weights) if weight >= NEGLIGIBLE * total]
    total = sum(weight for _, weight in probable)
    return [
        (latest.fit(place) if place < count else Fit(mixture, mixture.start), weight / total)
        for place, weight in probable
    ]


def may_respond_to_observation(rules: MatrixRules, history: Sequence[MatrixInteraction]) -> bool:
    """True if the opponent looks at what it sees the agent collect with a probability of at least COVERT_FROM."""
    probabilities = (
        weight
        for each, weight in posterior(rules, history)
        if isinstance(each.strategy, Answer) and isinstance(each.strategy.feature, SeenCollecting)
    )
    return sum(probabilities) >= COVERT_FROM


def predict_behaviour(
    strategy: OpponentStrategy,
    rules: MatrixRules,
    history: Sequence[MatrixInteraction],
    taken: Counts | None,
    prior: tuple[float, float] = ACCURACY_PRIOR,
) -> Shares:
    """The distribution over the opponent's next behaviour, by its strategy, the accuracy of that, and its pickups.

    taken: the count of each resource that it is known to have taken since the last interaction. prior: of the
    strategy's accuracy, as in `Fit.prediction`.
    """
    probabilities = fit(strategy, rules, history).prediction(prior)
    return update_on_pickups(probabilities, taken, pickup_reliability(rules, history)) if taken else probabilities


def pickup_reliability(rules: MatrixRules, history: Iterable[MatrixInteraction]) -> float:
    """The probability that a thing a player takes is of the kind it will play, by past interactions."""
    right, total = RELIABILITY_PRIOR
    for interaction in history:
        if interaction.behaviour is not None and interaction.taken:
            right += interaction.taken[rules.behaviours.index(interaction.behaviour)]
            total += sum(interaction.taken)
    return right / total


def update_on_pickups(probabilities: Shares, taken: Counts, reliability: float) -> Shares:
    """Updates a distribution on the resources that a player took. reliability: as in `pickup_reliability`."""
    ratio = reliability * (len(probabilities) - 1) / (1 - reliability)
    weights = [share * ratio**count for share, count in zip(probabilities, taken, strict=True)]
    return tuple(weight / sum(weights) for weight in weights)
