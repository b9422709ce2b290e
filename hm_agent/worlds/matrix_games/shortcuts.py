"""The agents without a mind: rules of thumb that see a few rounds back and ask nothing of how the other plays."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from functools import lru_cache, partial

from hm_agent.repeated_games.equilibria import equilibrium, safest_action
from hm_agent.repeated_games.learners import LEARNERS, Learner, Moves, commonest, mutual_action
from hm_agent.repeated_games.payoffs import Side
from hm_agent.worlds.matrix_games.table_agent import TableAgent
from hm_agent.worlds.matrix_games.views import RoundView
from hm_agent.worlds.matrix_games.world import MatrixGameWorld


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


class LearningPlayer(TableAgent):
    """Plays by one of `LEARNERS`."""

    def __init__(self, world: MatrixGameWorld, seed: int, *, learner: Learner) -> None:
        super().__init__(world, seed)
        self._learner = learner

    def choose(self, view: RoundView) -> tuple[int, None]:
        return self._learner(view.side, view.moves), None


_equilibrium = lru_cache(64)(equilibrium)


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
    **{name: partial(LearningPlayer, learner=learner) for name, learner in LEARNERS.items()},
}
