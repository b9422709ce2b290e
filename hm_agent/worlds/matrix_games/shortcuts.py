"""The agents without a mind: rules of thumb that look at payoffs or count rounds, and take nobody to think."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from random import Random

from hm_agent.repeated_games.automata import Automata
from hm_agent.repeated_games.choice_regression import ChoiceRegression
from hm_agent.repeated_games.equilibria import equilibrium
from hm_agent.repeated_games.learners import LEARNERS, Learner, Moves, begun, by_rule, commonest, mutual_action
from hm_agent.repeated_games.levels import NAIVE, naive_action
from hm_agent.repeated_games.payoffs import Side
from hm_agent.repeated_games.rules_of_play import CopyRule, CounterEarlierRule, StepRule, WinStayLoseShiftRule
from hm_agent.worlds.matrix_games.table_agent import TableAgent
from hm_agent.worlds.matrix_games.views import RoundView
from hm_agent.worlds.matrix_games.world import MatrixGameWorld

Shortcut = Callable[[Side, Moves, Random], int]
"""The number of the next action after these rounds, which may be drawn."""
_equilibrium = lru_cache(64)(equilibrium)


class ShortcutPlayer(TableAgent):
    """Plays by a rule of thumb. rule: which."""

    def __init__(self, world: MatrixGameWorld, seed: int, *, rule: Shortcut) -> None:
        super().__init__(world, seed)
        self._rule = rule

    def choose(self, view: RoundView) -> tuple[int, None]:
        return self._rule(view.side, view.moves, self._rng), None


class LeaderPlayer(TableAgent):
    """Plays by the rule of thumb for one table that would have paid most in the tables so far."""

    def choose(self, view: RoundView) -> tuple[int, None]:
        played = [*zip(view.played_tables, view.moves, strict=True)]

        def earned(rule: Callable[[Side], int]) -> float:
            return sum(table.payoff[rule(table)][other] for table, (_, other) in played)

        return max(_FOR_ONE_TABLE, key=earned)(view.side), None


class AutomataPlayer(TableAgent):
    """Answers what small automata foretell, weighed by how well they foretold the other so far (`Automata`)."""

    def __init__(self, world: MatrixGameWorld, seed: int) -> None:
        super().__init__(world, seed)
        self._automata = Automata(len(world.scenario.side.others))

    def choose(self, view: RoundView) -> tuple[int, None]:
        if not view.moves:
            return self._rng.randrange(len(view.side.actions)), None
        self._automata.learn(view.played_tables[-1], *view.moves[-1])
        return view.side.best_against(self._automata.chances), None


class RegressionPlayer(TableAgent):
    """Answers what a regression on payoffs foretells, which learns from what the other played (`ChoiceRegression`)."""

    def __init__(self, world: MatrixGameWorld, seed: int) -> None:
        super().__init__(world, seed)
        self._regression = ChoiceRegression()

    def choose(self, view: RoundView) -> tuple[int, None]:
        if view.moves:
            self._regression.learn(view.played_tables[-1], view.moves[-1][1])
        return view.side.best_against(self._regression.chances(view.side)), None


def harmful_action(side: Side) -> int:
    """The action against which the other gets least on average; the first of several."""
    paid = [sum(row) for row in side.others_payoff]
    return paid.index(min(paid))


def uniform(side: Side, moves: Moves, rng: Random) -> int:
    """Draws every action alike."""
    return rng.randrange(len(side.actions))


def drawn_equilibrium(side: Side, moves: Moves, rng: Random) -> int:
    """Draws every action from the mixture of one equilibrium of the game played once (`equilibrium`)."""
    return rng.choices(range(len(side.actions)), _equilibrium(side))[0]


def match_frequencies(side: Side, moves: Moves, rng: Random) -> int:
    """Best-responds to an action drawn from all that the other has played; begins as `begun` does."""
    return side.best_response(rng.choice(moves)[1]) if moves else mutual_action(side)


def counter_commonest(side: Side, moves: Moves) -> int:
    """Best-responds to what the other has played most often, the latest of several."""
    return side.best_response(commonest([other for _, other in moves]))


def double_counter(side: Side, moves: Moves) -> int:
    """Best-responds to the other's last action; after a round that paid more than 0, to the answer to that."""
    own, other = moves[-1]
    counter = side.best_response(other)
    return side.outguessing(counter) if side.payoff[own][other] > 0 else counter


def undrawn(learner: Learner) -> Shortcut:
    """A rule that draws nothing."""
    return lambda side, moves, rng: learner(side, moves)


_FOR_ONE_TABLE: Sequence[Callable[[Side], int]] = (
    *(partial(naive_action, naive=naive) for naive in NAIVE),
    mutual_action,
    harmful_action,
)
_RULES: Mapping[str, Shortcut] = {
    "random": uniform,
    "constant": undrawn(lambda side, moves: naive_action(side, "safest")),
    "average": undrawn(lambda side, moves: naive_action(side, "average")),
    "boldest": undrawn(lambda side, moves: naive_action(side, "boldest")),
    "cooperate": undrawn(lambda side, moves: mutual_action(side)),
    "equilibrium": drawn_equilibrium,
    **{f"step_{steps}": undrawn(begun(by_rule(partial(StepRule, step=steps)))) for steps in (1, 2, 3)},
    "copy_last": undrawn(begun(by_rule(CopyRule))),
    "win_stay_lose_shift": undrawn(begun(by_rule(WinStayLoseShiftRule.above_mean))),
    "counter_last": undrawn(begun(by_rule(CounterEarlierRule))),
    "counter_commonest": undrawn(begun(counter_commonest)),
    "match_frequencies": match_frequencies,
    "double_counter": undrawn(begun(double_counter)),
    **{name: undrawn(learner) for name, learner in LEARNERS.items()},
}
SHORTCUTS: Mapping[str, Callable[[MatrixGameWorld, int], TableAgent]] = {
    **{name: partial(ShortcutPlayer, rule=rule) for name, rule in _RULES.items()},
    "leader": LeaderPlayer,
    "automata": AutomataPlayer,
    "regression": RegressionPlayer,
}
