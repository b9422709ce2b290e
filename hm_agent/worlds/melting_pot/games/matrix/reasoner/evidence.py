"""What the evidence says of strategies: which explains best what was played, how far to trust it, what clues add."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, log

from hm_agent.core import Counts, Hypothesis
from hm_agent.worlds.melting_pot.games.matrix.best_response import Distribution
from hm_agent.worlds.melting_pot.games.matrix.opponent_strategies import Mixture, Spying, Strategy
from hm_agent.worlds.melting_pot.games.matrix.reasoner.library import library
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, Rules

FADING = 0.9
"""How much less each earlier encounter counts than the one after it: players change their minds."""
FORESIGHT = 2.0
"""The log odds that a hypothesis gains by each point of its value."""
TRUSTED = 4.0, 5.0
"""How many predictions of a strategy are imagined to have come true before any was put to the test, out of how many."""
SUSPICION = 0.2
"""From which probability on an opponent is treated as one that goes by what it sees one collect."""
TELLING = 0.9
"""How likely a thing that a player takes is of the kind it will play."""


def likeliest(rules: Rules, history: Sequence[MatrixInteraction], best: Sequence[Hypothesis]) -> Strategy:
    """The strategy with the most posterior probability after these encounters.

    best: earlier hypotheses that have predicted well; to have foretold is worth more than to fit afterwards.
    """
    values = {hypothesis.words: hypothesis.value for hypothesis in best}

    def odds(strategy: Strategy) -> float:
        merit = FORESIGHT * values.get(strategy.words, 0.0)
        return strategy.prior + merit + log_likelihood(strategy, history)

    return max((*library(rules), Mixture.fitted(rules.behaviours, history)), key=odds)


def weighed(rules: Rules, history: Sequence[MatrixInteraction]) -> list[tuple[Strategy, float]]:
    """Every strategy with its posterior probability after these encounters."""
    strategies = (*library(rules), Mixture.fitted(rules.behaviours, history))
    odds = [exp(strategy.prior + log_likelihood(strategy, history)) for strategy in strategies]
    total = sum(odds)
    return [(strategy, share / total) for strategy, share in zip(strategies, odds, strict=True)]


def may_spy(rules: Rules, history: Sequence[MatrixInteraction]) -> bool:
    """Whether the opponent may well be one that answers what it sees one collect."""
    return any(isinstance(strategy, Spying) and share >= SUSPICION for strategy, share in weighed(rules, history))


def log_likelihood(strategy: Strategy, history: Sequence[MatrixInteraction]) -> float:
    """How well a strategy explains what was played, later encounters weighing more."""
    total, trust = 0.0, Trust()
    for number, said, played in _put_to_the_test(strategy, history):
        total += FADING ** (len(history) - 1 - number) * log(trust.weigh(said)[played])
        trust.learn(said, played)
    return total


def expectation(
    strategy: Strategy,
    history: Sequence[MatrixInteraction],
    taken: Counts | None,
    before: tuple[float, float] = TRUSTED,
) -> Distribution:
    """What the opponent will play: what the strategy says, as far as it was right before, and what taking things says.

    taken: how much of each resource the opponent was found to have taken since the last encounter. before: what is
    thought of the strategy untested.
    """
    odds = trust_in(strategy, history, before).weigh(strategy.predict(history))
    return in_view_of(odds, taken) if taken else odds


class Trust:
    """How often a strategy that names one move is right; learnt, since players stray from their strategies."""

    def __init__(self, before: tuple[float, float] = TRUSTED) -> None:
        self._right, self._tested = before

    def learn(self, said: Distribution, played: int) -> None:
        if max(said) == 1.0:
            self._right += said[played]
            self._tested += 1

    def weigh(self, said: Distribution) -> Distribution:
        """What to expect after a strategy's word; one that leaves the move open is taken at it."""
        if max(said) < 1.0:
            return said
        right = self._right / self._tested
        return tuple(right if share else (1 - right) / (len(said) - 1) for share in said)


def trust_in(strategy: Strategy, history: Sequence[MatrixInteraction], before: tuple[float, float] = TRUSTED) -> Trust:
    """What these encounters have taught. before: what was thought of it untested."""
    trust = Trust(before)
    for _, said, played in _put_to_the_test(strategy, history):
        trust.learn(said, played)
    return trust


def _put_to_the_test(
    strategy: Strategy, history: Sequence[MatrixInteraction]
) -> Iterator[tuple[int, Distribution, int]]:
    """For each encounter whose outcome is clear, its number, what the strategy said before it, and what was played."""
    for number, encounter in enumerate(history):
        if encounter.behaviour is not None:
            said = _foretold(strategy, history[:number])
            yield number, said, strategy.behaviours.index(encounter.behaviour)


def _foretold(strategy: Strategy, before: Sequence[MatrixInteraction]) -> Distribution:
    """What a strategy says next; a mixture, what would have been fitted then."""
    if isinstance(strategy, Mixture):
        return Mixture.fitted(strategy.behaviours, before).odds
    return strategy.predict(before)


def in_view_of(odds: Distribution, taken: Counts) -> Distribution:
    """Each thing taken speaks for its own kind; who takes several kinds has changed its mind, and may do so again."""
    if sum(count > 0 for count in taken) > 1:
        return _shares(taken)
    ratio = TELLING * (len(odds) - 1) / (1 - TELLING)
    weights = [share * ratio**count for share, count in zip(odds, taken, strict=True)]
    return tuple(weight / sum(weights) for weight in weights)


def _shares(taken: Counts) -> Distribution:
    """As things were taken, with half an imagined thing of each kind."""
    return tuple((count + 0.5) / (sum(taken) + 0.5 * len(taken)) for count in taken)
