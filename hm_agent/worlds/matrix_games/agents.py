"""The agents that ask no model: floors that look at nobody, and ceilings that know how opponents play."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from hm_agent.core import Agent, Decision, Observation
from hm_agent.questions import Usage
from hm_agent.repeated_games.best_play import BayesPlay, BestResponse
from hm_agent.repeated_games.equilibria import equilibrium, safest_action
from hm_agent.repeated_games.rules_of_play import RuleOfPlay
from hm_agent.repeated_games.written_rules import rule_in_words
from hm_agent.suite import TOLD_SHARE
from hm_agent.worlds.matrix_games.views import RoundView
from hm_agent.worlds.matrix_games.world import MatrixGameWorld

LOOKAHEAD, DIGITS = 30, 3
"""How far `bayes` looks ahead, which is to the end of the package's games, and the decimals of its probabilities.

With all decimals the sixteen opponents of the Prisoner's Dilemma take minutes.
"""


@dataclass(frozen=True)
class RuleOdds:
    """What a ceiling believes before a round. rule: the likeliest rule of the opponent. chance: its probability."""

    rule: str
    chance: float


class TableAgent(Agent[RoundView, str]):
    """Chooses an action by its number. seed: of its random numbers."""

    usage = Usage()

    def __init__(self, world: MatrixGameWorld, seed: int) -> None:
        self._world, self._rng = world, Random(f"agent/{seed}")

    async def act(self, observation: Observation[RoundView]) -> Decision[str]:
        view = observation.view
        action, state = self.choose(view)
        return Decision(view.side.actions[action], state=state)

    @abstractmethod
    def choose(self, view: RoundView) -> tuple[int, RuleOdds | None]:
        """The action's number, and the belief that it follows from."""


class UniformPlayer(TableAgent):
    """Draws every action alike."""

    def choose(self, view: RoundView) -> tuple[int, None]:
        return self._rng.randrange(len(view.side.actions)), None


class SafestActionPlayer(TableAgent):
    """Plays the action whose least payoff is the largest, the first of several, in every round."""

    def choose(self, view: RoundView) -> tuple[int, None]:
        return safest_action(view.side), None


class EquilibriumPlayer(TableAgent):
    """Draws every action from the mixture of one equilibrium of the game played once (`equilibrium`)."""

    def choose(self, view: RoundView) -> tuple[int, None]:
        return self._rng.choices(range(len(view.side.actions)), _equilibrium(view.side))[0], None


class OraclePlayer(TableAgent):
    """Plays the exact best response to the opponent, whose rule and state it is told."""

    def choose(self, view: RoundView) -> tuple[int, RuleOdds]:
        opponent = self._world.opponent
        assert opponent is not None
        action = _best_response(opponent, view.rounds).action(self._world.opponent_state, view.left)
        return action, RuleOdds(rule_in_words(opponent), 1.0)

    def metrics(self) -> Mapping[str, float]:
        return {TOLD_SHARE: 1.0}


class BayesPlayer(TableAgent):
    """Plays best against a mixture of rules: those of all scenarios of the game, each with the same share.

    It knows by which rules opponents play and how often each comes, but is not told which one is here.
    """

    def __init__(self, world: MatrixGameWorld, seed: int) -> None:
        super().__init__(world, seed)
        rules = world.scenario.mixture()
        self._rules = tuple(rules)
        self._play = _bayes_play(self._rules, tuple(rules.values()), world.scenario.game.rounds)
        self._beliefs = self._play.prior

    def choose(self, view: RoundView) -> tuple[int, RuleOdds]:
        if view.history:
            self._beliefs = self._play.updated(self._beliefs, *view.moves[-1])
        number, _, chance = max(self._beliefs, key=lambda belief: belief[2])
        return self._play.action(self._beliefs, view.left), RuleOdds(rule_in_words(self._rules[number]), chance)


_equilibrium = lru_cache(64)(equilibrium)
_best_response = lru_cache(64)(BestResponse)


@lru_cache(16)
def _bayes_play(rules: tuple[RuleOfPlay, ...], shares: tuple[float, ...], rounds: int) -> BayesPlay:
    return BayesPlay(rules, shares, rounds, LOOKAHEAD, DIGITS)


PLAYERS: Mapping[str, type[TableAgent]] = {
    "random": UniformPlayer,
    "constant": SafestActionPlayer,
    "equilibrium": EquilibriumPlayer,
    "bayes": BayesPlayer,
    "oracle": OraclePlayer,
}
