"""The agents without a mind: rules of thumb that see a few rounds back and ask nothing of how the other plays."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import pairwise, product, takewhile
from statistics import mean

from hm_agent.repeated_games.equilibria import equilibrium, safest_action
from hm_agent.repeated_games.payoffs import Side
from hm_agent.worlds.matrix_games.table_agent import TableAgent
from hm_agent.worlds.matrix_games.views import RoundView
from hm_agent.worlds.matrix_games.world import MatrixGameWorld

Moves = Sequence[tuple[int, int]]
"""The numbers of the agent's own action and of the other's, for each round."""


class UniformPlayer(TableAgent):
    """Draws every action alike."""

    def choose(self, view: RoundView) -> tuple[int, None]:
        return self._rng.randrange(len(view.side.actions)), None


class SafestActionPlayer(TableAgent):
    """Plays the action whose least payoff is the largest, the first of several, in every round."""

    def choose(self, view: RoundView) -> tuple[int, None]:
        return safest_action(view.side), None


class MutualActionPlayer(TableAgent):
    """Plays its part of what pays both together the most, in every round: it always cooperates."""

    def choose(self, view: RoundView) -> tuple[int, None]:
        return mutual_action(view.side), None


class EquilibriumPlayer(TableAgent):
    """Draws every action from the mixture of one equilibrium of the game played once (`equilibrium`)."""

    def choose(self, view: RoundView) -> tuple[int, None]:
        return self._rng.choices(range(len(view.side.actions)), _equilibrium(view.side))[0], None


class HistoryPlayer(TableAgent):
    """Begins with its part of what pays both together the most, and then answers the rounds so far."""

    def choose(self, view: RoundView) -> tuple[int, None]:
        return self.answer(view.side, view.moves) if view.history else mutual_action(view.side), None

    @abstractmethod
    def answer(self, side: Side, moves: Moves) -> int:
        """The next action after these rounds, at least one."""


class CopyPlayer(HistoryPlayer):
    """Plays what the other played last: tit-for-tat; by its number where the other's actions have other names."""

    def answer(self, side: Side, moves: Moves) -> int:
        return moves[-1][1] % len(side.actions)


class WinStayLoseShiftPlayer(HistoryPlayer):
    """Stays with an action that paid more than the table's mean, else takes the next (Nowak and Sigmund, 1993)."""

    def answer(self, side: Side, moves: Moves) -> int:
        own, other = moves[-1]
        paid = [payoff for row in side.payoff for payoff in row]
        return own if side.payoff[own][other] > sum(paid) / len(paid) else (own + 1) % len(side.actions)


class CounterLastPlayer(HistoryPlayer):
    """Best-responds to what the other played last."""

    def answer(self, side: Side, moves: Moves) -> int:
        return side.best_response(moves[-1][1])


class CounterCommonestPlayer(HistoryPlayer):
    """Best-responds to what the other has played most often, the latest of several."""

    def answer(self, side: Side, moves: Moves) -> int:
        return side.best_response(commonest([other for _, other in moves]))


class MatchFrequenciesPlayer(HistoryPlayer):
    """Best-responds to an action drawn from all that the other has played."""

    def answer(self, side: Side, moves: Moves) -> int:
        return side.best_response(self._rng.choice(moves)[1])


class DoubleCounterPlayer(HistoryPlayer):
    """Best-responds to the other's last action; after a round that paid more than 0, to the answer to that."""

    def answer(self, side: Side, moves: Moves) -> int:
        own, other = moves[-1]
        counter = side.best_response(other)
        has_won = side.payoff[own][other] > 0
        return side.best_response(side.opposite.best_response(counter)) if has_won else counter


class ForecastPlayer(HistoryPlayer):
    """Expects the other to go as far from a move of the last round as it mostly went from it, and answers that.

    is_reaction: True to count from the agent's own action, False from the other's. alike: from which rounds on. For
    `any`, all; for `payoff`, those after a payoff like the last; for `round`, those after such a payoff and as long a
    way; for `stretch`, the one after the longest stretch of rounds that are like the last ones in both. Without any
    such round, all count.
    """

    def __init__(self, world: MatrixGameWorld, seed: int, *, is_reaction: bool, alike: str = "any") -> None:
        super().__init__(world, seed)
        self._anchor, self._alike = int(not is_reaction), alike

    def answer(self, side: Side, moves: Moves) -> int:
        ways, seen = _ways(side, moves, self._anchor), _seen(side, moves, self._anchor)
        way = commonest([ways[place] for place in self._places(seen)] or ways or [0])
        return side.best_response((moves[-1][self._anchor] + way) % len(side.others))

    def _places(self, seen: Sequence[tuple[int, float]]) -> list[int]:
        """The places of the rounds, but the last, that were like the last."""
        places, last = range(len(seen) - 1), seen[-1]
        if self._alike == "payoff":
            return [place for place in places if seen[place][1] == last[1]]
        if self._alike == "round":
            return [place for place in places if seen[place] == last]
        if self._alike == "stretch":
            longest = max(places, key=lambda place: (_common_end(seen[: place + 1], seen), place), default=0)
            return [longest] if places and seen[longest] == last else []
        return []


class ContextVotePlayer(HistoryPlayer):
    """Answers what most earlier rounds speak for: that the other goes again as far as it went after them.

    That is counted from the agent's last action and from the other's; each round speaks for both. A round like the last
    one in way and payoff counts four times as much; 16 or 64 times if the one or two before it were alike, too.
    """

    WEIGHT, LONGEST = 4, 3

    def answer(self, side: Side, moves: Moves) -> int:
        votes: Counter[int] = Counter()
        for anchor in (0, 1):
            seen = _seen(side, moves, anchor)
            for place, way in enumerate(_ways(side, moves, anchor)):
                alike = min(self.LONGEST, _common_end(seen[: place + 1], seen))
                votes[(moves[-1][anchor] + way) % len(side.others)] += self.WEIGHT**alike
        return side.best_response(max(votes, key=votes.__getitem__, default=moves[-1][1]))


class LagPlayer(HistoryPlayer):
    """Expects the other to be as far from one of the last four moves of either as it most often was, and answers that.

    Of the eight moves it counts from the one for which a distance has come most often. fading: what a round counts for,
    compared to the one after it.
    """

    LONGEST = 4

    def __init__(self, world: MatrixGameWorld, seed: int, *, fading: float) -> None:
        super().__init__(world, seed)
        self._fading = fading

    def answer(self, side: Side, moves: Moves) -> int:
        found = (0.0, moves[-1][1])
        for lag, anchor in product(range(1, self.LONGEST + 1), (0, 1)):
            counts: dict[int, float] = {}
            for age, way in enumerate(reversed(_ways(side, moves, anchor, lag))):
                counts[way] = counts.get(way, 0.0) + self._fading**age
            for way, count in counts.items():
                if count > found[0]:
                    found = count, (moves[-lag][anchor] + way) % len(side.others)
        return side.best_response(found[1])


class BestDistancePlayer(HistoryPlayer):
    """Plays as far from a move of the last round as would have paid most so far, where older rounds fade."""

    FADING = 0.6

    def answer(self, side: Side, moves: Moves) -> int:
        would_pay: dict[tuple[int, int], float] = {(1, side.best_response(moves[-1][1]) - moves[-1][1]): 0.0}
        for anchor, way in product((0, 1), range(len(side.actions))):
            value = 0.0
            for before, (_, other) in pairwise(moves):
                value = self.FADING * value + side.payoff[(before[anchor] + way) % len(side.actions)][other]
            would_pay[anchor, way] = value
        anchor, way = max(would_pay, key=would_pay.__getitem__)
        return (moves[-1][anchor] + way) % len(side.actions)


class ExploringPlayer(HistoryPlayer):
    """Plays every action for six rounds, one after another, and then always the one that has paid most on average.

    is_backward: True to begin with the last action.
    """

    ROUNDS = 6

    def __init__(self, world: MatrixGameWorld, seed: int, *, is_backward: bool) -> None:
        super().__init__(world, seed)
        self._is_backward = is_backward

    def choose(self, view: RoundView) -> tuple[int, None]:
        return self.answer(view.side, view.moves), None

    def answer(self, side: Side, moves: Moves) -> int:
        actions = range(len(side.actions))[:: -1 if self._is_backward else 1]
        if len(moves) < self.ROUNDS * len(actions):
            return actions[len(moves) // self.ROUNDS]
        return max(actions, key=lambda action: mean(side.payoff[own][other] for own, other in moves if own == action))


class QLearningPlayer(HistoryPlayer):
    """Plays what pays most by Q-learning (Watkins, 1989) over what both played last, and begins with high hopes."""

    RATE, DISCOUNT = 0.5, 0.9

    def answer(self, side: Side, moves: Moves) -> int:
        actions = range(len(side.actions))
        hope = max(map(max, side.payoff)) / (1 - self.DISCOUNT)
        worth: dict[tuple[tuple[int, int], int], float] = {}

        def value(seen: tuple[int, int], action: int) -> float:
            return worth.get((seen, action), hope)

        for before, after in pairwise(moves):
            paid = side.payoff[after[0]][after[1]] + self.DISCOUNT * max(value(after, action) for action in actions)
            worth[before, after[0]] = (1 - self.RATE) * value(before, after[0]) + self.RATE * paid
        return max(actions, key=lambda action: value(moves[-1], action))


def _ways(side: Side, moves: Moves, anchor: int, lag: int = 1) -> list[int]:
    """How far the other went from a move `lag` rounds before, for each round that has one. anchor: as in a move."""
    pairs = zip(moves, moves[lag:], strict=False)
    return [(after[1] - before[anchor]) % len(side.others) for before, after in pairs]


def _seen(side: Side, moves: Moves, anchor: int) -> list[tuple[int, float]]:
    """For each round how far the other went, -1 in the first, and what the round paid."""
    ways = [-1, *_ways(side, moves, anchor)]
    return [(way, side.payoff[own][other]) for way, (own, other) in zip(ways, moves, strict=True)]


def _common_end(first: Sequence[object], second: Sequence[object]) -> int:
    """How many of the last entries of two sequences are the same."""
    pairs = zip(reversed(first), reversed(second), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


_equilibrium = lru_cache(64)(equilibrium)


def commonest(values: Sequence[int]) -> int:
    """The commonest value; of several the latest."""
    counts = Counter(values)
    return max(reversed(values), key=counts.__getitem__)


@lru_cache(64)
def mutual_action(side: Side) -> int:
    """The player's part of what pays both together the most; the first of several, and 0 in a zero-sum game."""
    rows = zip(side.payoff, side.others_payoff, strict=True)
    best = [max(own + other for own, other in zip(*pair, strict=True)) for pair in rows]
    return best.index(max(best))


SHORTCUTS: Mapping[str, Callable[[MatrixGameWorld, int], TableAgent]] = {
    "random": UniformPlayer,
    "constant": SafestActionPlayer,
    "cooperate": MutualActionPlayer,
    "equilibrium": EquilibriumPlayer,
    "copy_last": CopyPlayer,
    "win_stay_lose_shift": WinStayLoseShiftPlayer,
    "counter_last": CounterLastPlayer,
    "counter_commonest": CounterCommonestPlayer,
    "match_frequencies": MatchFrequenciesPlayer,
    "double_counter": DoubleCounterPlayer,
    "explore": partial(ExploringPlayer, is_backward=False),
    "explore_backward": partial(ExploringPlayer, is_backward=True),
    "q_learning": QLearningPlayer,
    "best_distance": BestDistancePlayer,
    "context_vote": ContextVotePlayer,
    "lag": partial(LagPlayer, fading=1.0),
    "lag_fading": partial(LagPlayer, fading=0.9),
    **{
        f"{name}_{alike}": partial(ForecastPlayer, is_reaction=name == "reaction", alike=alike)
        for name, alike in product(("habit", "reaction"), ("any", "payoff", "round", "stretch"))
    },
}
