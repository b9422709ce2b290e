"""The agents without a mind: rules of thumb that see a few rounds back and ask nothing of how the other plays."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial

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


class ForecastPlayer(HistoryPlayer):
    """Expects an action as far from a move of the last round as it mostly was, in rounds like this, and answers it.

    is_reaction: True to count on from its own last action, False from the other's. memory: how many rounds before must
    have paid the same for rounds to be alike; for 0 all are. Where no round was, all count.
    """

    def __init__(self, world: MatrixGameWorld, seed: int, *, is_reaction: bool, memory: int = 0) -> None:
        super().__init__(world, seed)
        self._anchor, self._memory = int(not is_reaction), memory

    def answer(self, side: Side, moves: Moves) -> int:
        count, paid = len(side.others), [side.payoff[own][other] for own, other in moves]
        before = [paid[max(0, place - self._memory) : place] for place in range(len(moves) + 1)]
        went = {
            place: (moves[place][1] - moves[place - 1][self._anchor]) % count for place in range(1, len(moves))
        }
        alike = [distance for place, distance in went.items() if before[place] == before[-1]]
        return side.best_response((moves[-1][self._anchor] + commonest(alike or [*went.values()] or [0])) % count)


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
    "habit": partial(ForecastPlayer, is_reaction=False),
    "habit_by_payoff": partial(ForecastPlayer, is_reaction=False, memory=1),
    "habit_by_payoffs": partial(ForecastPlayer, is_reaction=False, memory=2),
    "reaction": partial(ForecastPlayer, is_reaction=True),
    "reaction_by_payoff": partial(ForecastPlayer, is_reaction=True, memory=1),
    "reaction_by_payoffs": partial(ForecastPlayer, is_reaction=True, memory=2),
}
