"""Chooses what to play by simulating the rest of the episode against each strategy the opponent may follow.

Zero-sum games don't need it: in them the agent can offer the opponent nothing that it wants.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import accumulate

from hm_agent.worlds.melting_pot.games.matrix.moves import Moves
from hm_agent.worlds.melting_pot.games.matrix.opponent_rules import OpponentStrategy
from hm_agent.worlds.melting_pot.games.matrix.reasoner.inference import Fit, fit, posterior, with_errors
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, MatrixRules

DEPTH = 4
"""The number of interactions in which every sequence of own moves is tried, given the opponent's observed answers."""
REPEATS = 6
"""The number of further interactions simulated with one move; the rest of the episode is taken to pay like the last."""
STEPS_PER_INTERACTION = 55.0
"""The steps per interaction that are expected before the first one."""
FIRM_PRIOR = 9.0, 10.0
"""Beta prior on a simulated strategy's accuracy: 9 of 10 pseudo-observations correct.

It exceeds `ACCURACY_PRIOR`, since strategies outside zero-sum games mean to be understood.
"""
CONSIDERED = 0.004
"""Strategies with a smaller posterior probability are not simulated."""
PLAUSIBLE = 0.05
"""The risk of a move is the loss that is reached with this probability."""
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

    The first move is the one that pays most if both play it. believed: the strategy of the hypothesis that is acted on,
    if any. certain: True if this hypothesis is known to be true.
    """
    moves = range(len(rules.behaviours))
    if not history and not certain:
        return max(moves, key=lambda move: rules.payoff[move][move])
    remaining = _interactions_left(rules, history)
    if certain and believed:
        weights = [(fit(believed, rules, history), 1.0)]
    else:  # a believed strategy counts as much as all others together
        considered = [(each, chance) for each, chance in posterior(rules, history) if chance >= CONSIDERED]
        weights = [(each, chance + (each.strategy == believed)) for each, chance in considered]
    futures = [(SimulatedOpponent(rules, each).future(each.state), weight) for each, weight in weights]
    safe = max(moves, key=lambda move: _repeat_value(futures, move, remaining))
    stake = STAKE * max(0.0, sum(interaction.reward for interaction in history))
    allowed = [move for move in moves if move == safe or _risk(futures, safe, move, remaining) <= stake]
    return max(allowed, key=lambda move: (_move_value(futures, move, remaining, DEPTH), move == safe))


class SimulatedOpponent:
    """An opponent that follows one strategy, with the accuracy it has shown so far."""

    def __init__(self, rules: MatrixRules, fitted: Fit) -> None:
        self.rules, self.strategy, self.accuracy = rules, fitted.strategy, fitted.accuracy(FIRM_PRIOR)
        self._futures: dict[Hashable, Future] = {}

    def future(self, state: Hashable) -> Future:
        """The future in a state of the strategy. It is cached, since many sequences of moves lead to the same state."""
        if state not in self._futures:
            self._futures[state] = Future(self, state)
        return self._futures[state]


class Future:
    """A simulated continuation of the episode from one state of an opponent's strategy.

    payoffs: the expected reward of each move of the agent. answer: the opponent's likeliest move.
    """

    def __init__(self, opponent: SimulatedOpponent, state: Hashable) -> None:
        self._opponent, self._state = opponent, state
        probabilities = with_errors(opponent.strategy.chances(state), opponent.accuracy)
        self.answer = probabilities.index(max(probabilities))
        self.payoffs = [
            sum(share * paid for share, paid in zip(probabilities, row, strict=True)) for row in opponent.rules.payoff
        ]
        self._after: dict[int, Future] = {}
        self._repeat_values: dict[tuple[int, float], float] = {}

    def after(self, own: int) -> Future:
        """The future after one more interaction, in which the opponent makes its likeliest move."""
        if own not in self._after:
            moves = Moves(own, self.answer, seen=own)
            self._after[own] = self._opponent.future(self._opponent.strategy.after(self._state, moves))
        return self._after[own]

    def repeat_value(self, own: int, remaining: float) -> float:
        """The return of playing one move in all interactions that are left."""
        known = self._repeat_values.get((own, remaining))
        if known is not None:
            return known
        future, total, latest = self, 0.0, 0.0
        simulated = min(REPEATS, max(1, round(remaining)))
        for _ in range(simulated):
            latest = future.payoffs[own]
            total += latest
            future = future.after(own)
        self._repeat_values[own, remaining] = total + latest * max(0.0, remaining - simulated)
        return self._repeat_values[own, remaining]


Weighted = tuple[Future, float]
"""A future and the probability of its strategy."""


def _move_value(futures: Iterable[Weighted], own: int, remaining: float, depth: int) -> float:
    """The expected return of a move, followed by the best moves given the opponent's answers to it."""
    paid = 0.0
    by_answer: dict[int, list[Weighted]] = {}
    for future, weight in futures:
        paid += weight * future.payoffs[own]
        by_answer.setdefault(future.answer, []).append((future.after(own), weight))
    return paid + sum(_best_value(group, remaining - 1, depth - 1) for group in by_answer.values())


def _best_value(futures: Sequence[Weighted], remaining: float, depth: int) -> float:
    """The expected return of the best move; at depth 0, of the best move to repeat."""
    moves = range(len(futures[0][0].payoffs))
    if remaining <= 0:
        return 0.0
    if depth == 0:
        return max(_repeat_value(futures, move, remaining) for move in moves)
    return max(_move_value(futures, move, remaining, depth) for move in moves)


def _repeat_value(futures: Iterable[Weighted], move: int, remaining: float) -> float:
    """The expected return of playing one move in all interactions that are left."""
    return sum([weight * future.repeat_value(move, remaining) for future, weight in futures])


def _risk(futures: Sequence[Weighted], safe: int, move: int, remaining: float) -> float:
    """The loss of a move, compared with repeating the safe one, that is reached with probability PLAUSIBLE.

    It assumes that the agent plays best from the second move on.
    """
    losses = sorted(
        (
            (future.repeat_value(safe, remaining) - _move_value([(future, 1.0)], move, remaining, DEPTH), weight)
            for future, weight in futures
        ),
        reverse=True,
    )
    reached = accumulate(weight for _, weight in losses)
    return next(loss for (loss, _), weight in zip(losses, reached, strict=True) if weight >= PLAUSIBLE)


def _interactions_left(rules: MatrixRules, history: Sequence[MatrixInteraction]) -> float:
    """The number of interactions to expect before the episode ends, by the rate so far, at least one."""
    if rules.length.one_interaction:
        return 1.0
    step = history[-1].step if history else 0
    steps_each = step / len(history) if history else STEPS_PER_INTERACTION
    return max(1.0, rules.length.expected_remaining(step) / max(1.0, steps_each))
