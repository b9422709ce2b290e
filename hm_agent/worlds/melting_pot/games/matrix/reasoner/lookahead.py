"""What to play where it decides on what the opponent plays later: reckoned to the end of the episode.

It does not matter where one's gain is the other's loss: there, nothing the opponent wants can be offered.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from hm_agent.worlds.melting_pot.games.matrix.opponent_strategies import Strategy
from hm_agent.worlds.melting_pot.games.matrix.reasoner.evidence import Trust, trust_in, weighed
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, Rules

DEPTH = 4
"""So many rounds are thought through, move by move and by what the opponent's answers would tell."""
AHEAD = 6
"""So many more rounds are played in mind, with one move; the rest of the episode is taken to go on like the last."""
PACE = 55.0
"""How many steps a round is expected to take before any was played."""
FIRM = 9.0, 10.0
"""As TRUSTED, of strategies that mean to be understood."""
PLAUSIBLE = 0.05
"""A risk counts if a strategy this likely poses it."""
STAKE = 0.4
"""So much of what has been earned may be staked on finding out whether the opponent lets itself be exploited."""


def best_course(
    rules: Rules, history: Sequence[MatrixInteraction], believed: Strategy | None, *, certain: bool = False
) -> int:
    """The behaviour to play next: the one that promises most, unless it risks too much.

    It begins nicely, with what is best where both play it. certain: whether the belief is known to be true.
    """
    moves = range(len(rules.behaviours))
    if not history and not certain:
        return max(moves, key=lambda move: rules.payoff[move][move])
    rounds = _rounds_left(rules, history)
    known = [_future(rules, believed, history, 1.0)] if certain and believed else []
    futures = known or _futures(rules, history, believed)
    steady = max(moves, key=lambda move: _kept(futures, move, rounds))
    stake = STAKE * max(0.0, sum(encounter.reward for encounter in history))
    allowed = [move for move in moves if move == steady or _risk(futures, steady, move, rounds) <= stake]
    return max(allowed, key=lambda move: (_begun(futures, move, rounds, DEPTH), move == steady))


@dataclass(frozen=True)
class Future:
    """The rest of the episode against one strategy, which is as likely as its weight says."""

    rules: Rules
    strategy: Strategy
    trust: Trust
    met: tuple[MatrixInteraction, ...]
    weight: float

    def expects(self) -> tuple[float, ...]:
        return self.trust.weigh(self.strategy.predict(self.met))

    def pays(self, own: int, odds: Sequence[float]) -> float:
        return sum(share * paid for share, paid in zip(odds, self.rules.payoff[own], strict=True))

    def after(self, own: int, other: int) -> Future:
        """One round later."""
        names = self.rules.behaviours
        nothing = (0,) * len(names)
        round_ = MatrixInteraction(0, "", nothing, 0.0, nothing, names[other], names[own], nothing)
        return replace(self, met=(*self.met, round_))

    def kept(self, own: int, rounds: float) -> float:
        """What it brings to play one move in all rounds that are left."""
        future, total, latest = self, 0.0, 0.0
        played = min(AHEAD, max(1, round(rounds)))
        for _ in range(played):
            odds = future.expects()
            latest = self.pays(own, odds)
            total += latest
            future = future.after(own, odds.index(max(odds)))
        return total + latest * max(0.0, rounds - played)


def _begun(futures: Iterable[Future], own: int, rounds: float, depth: int) -> float:
    """What a move brings, and then what seems best by the opponent's answer to it."""
    paid = 0.0
    answers: dict[int, list[Future]] = {}
    for future in futures:
        odds = future.expects()
        paid += future.weight * future.pays(own, odds)
        other = odds.index(max(odds))
        answers.setdefault(other, []).append(future.after(own, other))
    return paid + sum(_best(group, rounds - 1, depth - 1) for group in answers.values())


def _best(futures: Sequence[Future], rounds: float, depth: int) -> float:
    moves = range(len(futures[0].rules.behaviours))
    if rounds <= 0:
        return 0.0
    if depth == 0:
        return max(_kept(futures, move, rounds) for move in moves)
    return max(_begun(futures, move, rounds, depth) for move in moves)


def _kept(futures: Iterable[Future], move: int, rounds: float) -> float:
    return sum(future.weight * future.kept(move, rounds) for future in futures)


def _risk(futures: Sequence[Future], steady: int, move: int, rounds: float) -> float:
    """The most that a plausible strategy would make one lose by a move, even if one answered it best from then on."""
    plausible = [replace(future, weight=1.0) for future in futures if future.weight >= PLAUSIBLE]
    return max(
        (future.kept(steady, rounds) - _begun([future], move, rounds, DEPTH) for future in plausible), default=0.0
    )


def _futures(rules: Rules, history: Sequence[MatrixInteraction], believed: Strategy | None) -> list[Future]:
    """By strategy; one that is believed counts as much as all others together."""
    return [
        _future(rules, strategy, history, share + (strategy == believed)) for strategy, share in weighed(rules, history)
    ]


def _future(rules: Rules, strategy: Strategy, history: Sequence[MatrixInteraction], weight: float) -> Future:
    return Future(rules, strategy, trust_in(strategy, history, FIRM), tuple(history), weight)


def _rounds_left(rules: Rules, history: Sequence[MatrixInteraction]) -> float:
    step = history[-1].step if history else 0
    pace = step / len(history) if history else PACE
    return max(1.0, rules.length.left(step) / max(1.0, pace))
