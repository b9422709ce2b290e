"""The agents that ask no model: a ladder of orders, shortcuts, and ceilings that know how opponents play."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache, partial

from hm_agent.metrics import TOLD_SHARE
from hm_agent.repeated_games.best_play import BayesPlay, best_response
from hm_agent.repeated_games.payoffs import Shares, Side
from hm_agent.repeated_games.rules_of_play import RuleOfPlay, SlippingRule
from hm_agent.repeated_games.written_rules import rule_in_words
from hm_agent.worlds.matrix_games.shortcuts import SHORTCUTS
from hm_agent.worlds.matrix_games.table_agent import RuleOdds, TableAgent
from hm_agent.worlds.matrix_games.views import RoundView
from hm_agent.worlds.matrix_games.world import MatrixGameWorld

LOOKAHEAD, DIGITS = 30, 3
"""How far `bayes` looks ahead, which is to the end of the package's games, and the decimals of its probabilities.

With all decimals the sixteen opponents of the Prisoner's Dilemma take minutes.
"""
MOST_ACTIONS_LOOKED_AHEAD = 3
"""In games with more actions than this `bayes`, too, takes the rule as known from the next round on."""
SLIP = 0.05
"""The chance with which the ladder's agents take a rule to play any action, so that no rule is ever ruled out."""
ORDERS = range(4)


class OraclePlayer(TableAgent):
    """Plays the exact best response to the opponent, whose rule and state it is told."""

    def choose(self, view: RoundView) -> tuple[int, RuleOdds]:
        opponent = self._world.opponent
        assert opponent is not None
        action = best_response(opponent, view.rounds).action(self._world.opponent_state, view.left)
        return action, RuleOdds(rule_in_words(opponent), 1.0)

    def metrics(self) -> Mapping[str, float]:
        return {TOLD_SHARE: 1.0}


class BayesPlayer(TableAgent):
    """Plays best against a mixture of rules: those of all scenarios of the game, each with the same share.

    It knows by which rules opponents play and how often each comes, but is not told which one is here. order: None for
    all rules; else it knows those of this order and below alone, and one that draws every action alike. Any deeper rule
    is to it then the rule that it slips from least, and it takes the rule as known from the next round on, so it tries
    nothing out for the sake of finding out.
    """

    def __init__(self, world: MatrixGameWorld, seed: int, order: int | None = None) -> None:
        super().__init__(world, seed)
        scenario, ahead = world.scenario, 1
        mixture = tuple(scenario.mixture(order).items())
        if order is None:
            ahead = lookahead(scenario.side)
        else:
            mixture = tuple((SlippingRule(rule.side, rule, SLIP), share) for rule, share in mixture)
        self._play = _bayes_play(mixture, scenario.game.rounds, ahead)
        self._beliefs = self._play.prior

    def choose(self, view: RoundView) -> tuple[int, RuleOdds]:
        if view.history:
            self._beliefs = self._play.updated(self._beliefs, *view.moves[-1])
        number, _, chance = max(self._beliefs, key=lambda belief: belief[2])
        return self._play.action(self._beliefs, view.left), RuleOdds(rule_in_words(self._play.rules[number]), chance)


def lookahead(side: Side) -> int:
    """How far `bayes` looks ahead in a game."""
    return LOOKAHEAD if len(side.actions) <= MOST_ACTIONS_LOOKED_AHEAD else 1


class TableByTable(TableAgent):
    """As `BayesPlayer`, where every round has a table of its own: what pays most now, by each rule's fit so far."""

    def __init__(self, world: MatrixGameWorld, seed: int, order: int | None = None) -> None:
        super().__init__(world, seed)
        self._odds = dict(world.scenario.mixture(order))

    def choose(self, view: RoundView) -> tuple[int, RuleOdds]:
        if view.tables:
            self._odds = {
                rule: share * _chances(rule, view.tables[-1])[view.moves[-1][1]] for rule, share in self._odds.items()
            }
        total, count = sum(self._odds.values()), len(view.side.others)
        likeliest = max(self._odds, key=self._odds.__getitem__)
        chances = [0.0] * count
        for rule, share in self._odds.items():
            for action, chance in enumerate(_chances(rule, view.side)):
                chances[action] += share / total * chance
        return view.side.best_against(chances), RuleOdds(rule_in_words(likeliest), self._odds[likeliest] / total)


def _chances(rule: RuleOfPlay, side: Side) -> Shares:
    """How a rule that has no memory plays against a player who sees the table as `side`; it may slip."""
    at = replace(rule, side=side.opposite)
    return SlippingRule(at.side, at, SLIP).chances(at.start)


def bayes_player(world: MatrixGameWorld, seed: int, order: int | None = None) -> TableAgent:
    """The player that knows rules (`BayesPlayer`), for tables of either kind."""
    is_drawn = world.scenario.game.highest_drawn is not None
    return (TableByTable if is_drawn else BayesPlayer)(world, seed, order)


@lru_cache(32)
def _bayes_play(mixture: tuple[tuple[RuleOfPlay, float], ...], rounds: int, ahead: int) -> BayesPlay:
    rules, shares = zip(*mixture, strict=True)
    return BayesPlay(rules, shares, rounds, ahead, DIGITS)


LADDER: Mapping[str, Callable[[MatrixGameWorld, int], TableAgent]] = {
    f"order_{order}": partial(bayes_player, order=order) for order in ORDERS
}
PLAYERS: Mapping[str, Callable[[MatrixGameWorld, int], TableAgent]] = {
    **SHORTCUTS,
    **LADDER,
    "bayes": bayes_player,
    "oracle": OraclePlayer,
}
