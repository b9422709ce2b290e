"""Chooses what to play by simulating the rest of the episode against each strategy the opponent may follow.

In zero-sum games this changes nothing: the agent can offer the opponent nothing that it wants.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from hm_agent.worlds.melting_pot.games.matrix.opponent_strategies import OpponentStrategy
from hm_agent.worlds.melting_pot.games.matrix.reasoner.inference import Accuracy, accuracy_of, posterior
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, MatrixRules

DEPTH = 4
"""The number of interactions in which every sequence of own moves is tried, given the opponent's observed answers."""
REPEATS = 6
"""The number of further interactions simulated with one move; the rest of the episode is taken to pay like the last."""
STEPS_PER_INTERACTION = 55.0
"""The steps that an interaction is expected to take before there was any."""
FIRM_PRIOR = 9.0, 10.0
"""Beta prior on the accuracy of strategies that mean to be understood: 9 of 10 pseudo-observations correct."""
PLAUSIBLE = 0.05
"""The least probability of a strategy whose risk is considered."""
STAKE = 0.4
"""The share of the reward so far that a move may put at risk to find out whether the opponent can be exploited."""


def best_behaviour(
    rules: MatrixRules,
    history: Sequence[MatrixInteraction],
    believed: OpponentStrategy | None,
    *,
    certain: bool = False,
) -> int:
    """The index of the behaviour with the highest expected return among those whose risk is acceptable.

    The first move is the one that pays most if both play it. certain: True if the belief is known to be true.
    """
    moves = range(len(rules.behaviours))
    if not history and not certain:
        return max(moves, key=lambda move: rules.payoff[move][move])
    remaining = _interactions_left(rules, history)
    if certain and believed:
        weights = [(believed, 1.0)]
    else:  # a believed strategy counts as much as all others together
        weights = [(strategy, chance + (strategy == believed)) for strategy, chance in posterior(rules, history)]
    futures = [
        Future(rules, strategy, accuracy_of(strategy, history, FIRM_PRIOR), tuple(history), weight)
        for strategy, weight in weights
    ]
    safe = max(moves, key=lambda move: _repeat_value(futures, move, remaining))
    stake = STAKE * max(0.0, sum(interaction.reward for interaction in history))
    allowed = [move for move in moves if move == safe or _risk(futures, safe, move, remaining) <= stake]
    return max(allowed, key=lambda move: (_move_value(futures, move, remaining, DEPTH), move == safe))


@dataclass(frozen=True)
class Future:
    """A simulated continuation of the episode against one strategy. weight: the strategy's probability."""

    rules: MatrixRules
    strategy: OpponentStrategy
    accuracy: Accuracy
    history: tuple[MatrixInteraction, ...]
    weight: float

    def prediction(self) -> tuple[float, ...]:
        """The distribution over the opponent's next behaviour."""
        return self.accuracy.weigh(self.strategy.predict(self.history))

    def expected_payoff(self, own: int, probabilities: Sequence[float]) -> float:
        return sum(share * paid for share, paid in zip(probabilities, self.rules.payoff[own], strict=True))

    def after(self, own: int, other: int) -> Future:
        """The future with one more interaction, given both moves."""
        names = self.rules.behaviours
        nothing = (0,) * len(names)
        interaction = MatrixInteraction(0, "", nothing, 0.0, nothing, names[other], names[own], nothing)
        return replace(self, history=(*self.history, interaction))

    def repeat_value(self, own: int, remaining: float) -> float:
        """The return of playing one move in all interactions that are left."""
        future, total, latest = self, 0.0, 0.0
        simulated = min(REPEATS, max(1, round(remaining)))
        for _ in range(simulated):
            probabilities = future.prediction()
            latest = self.expected_payoff(own, probabilities)
            total += latest
            future = future.after(own, probabilities.index(max(probabilities)))
        return total + latest * max(0.0, remaining - simulated)


def _move_value(futures: Iterable[Future], own: int, remaining: float, depth: int) -> float:
    """The expected return of a move, followed by the best moves given the opponent's answers to it."""
    paid = 0.0
    by_answer: dict[int, list[Future]] = {}
    for future in futures:
        probabilities = future.prediction()
        paid += future.weight * future.expected_payoff(own, probabilities)
        other = probabilities.index(max(probabilities))
        by_answer.setdefault(other, []).append(future.after(own, other))
    return paid + sum(_best_value(group, remaining - 1, depth - 1) for group in by_answer.values())


def _best_value(futures: Sequence[Future], remaining: float, depth: int) -> float:
    """The expected return of the best move; at depth 0, of the best move to repeat."""
    moves = range(len(futures[0].rules.behaviours))
    if remaining <= 0:
        return 0.0
    if depth == 0:
        return max(_repeat_value(futures, move, remaining) for move in moves)
    return max(_move_value(futures, move, remaining, depth) for move in moves)


def _repeat_value(futures: Iterable[Future], move: int, remaining: float) -> float:
    """The expected return of playing one move in all interactions that are left."""
    return sum(future.weight * future.repeat_value(move, remaining) for future in futures)


def _risk(futures: Sequence[Future], safe: int, move: int, remaining: float) -> float:
    """The largest loss of a move against a plausible strategy, compared with repeating the safe move.

    It assumes that the agent plays best from the second move on.
    """
    plausible = [replace(future, weight=1.0) for future in futures if future.weight >= PLAUSIBLE]
    return max(
        (future.repeat_value(safe, remaining) - _move_value([future], move, remaining, DEPTH) for future in plausible),
        default=0.0,
    )


def _interactions_left(rules: MatrixRules, history: Sequence[MatrixInteraction]) -> float:
    """The number of interactions to expect before the episode ends, by the rate so far, at least one."""
    step = history[-1].step if history else 0
    steps_each = step / len(history) if history else STEPS_PER_INTERACTION
    return max(1.0, rules.length.expected_remaining(step) / max(1.0, steps_each))
