"""The agents by name: each a composition of the same parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from hm_agent.agents.agent import ComposedAgent, Strategist
from hm_agent.agents.reference import NoopAgent, RandomAgent, ToldStrategist
from hm_agent.config import GameFacts
from hm_agent.core import Agent, Model, Strategy
from hm_agent.models.builtin.counters import best_target, expected_inventories
from hm_agent.models.transcript import Transcript
from hm_agent.perception.perceiver import Eyes
from hm_agent.planning.action_planner import ActionPlanner
from hm_agent.theory_of_mind.hypotheses import Hyperparameters
from hm_agent.theory_of_mind.module import TheoryOfMind
from hm_agent.worlds.melting_pot.games.matrix.game import Inference, MatrixGame


@dataclass(frozen=True)
class Ingredients:
    """What an agent is made of. tell: what the others are after; only reference agents that are told may use it."""

    facts: GameFacts
    eyes: Eyes
    model: Model
    seed: int
    tell: Callable[[], Sequence[str | None]]
    parameters: Hyperparameters = field(default_factory=Hyperparameters)
    inference: Inference = Inference.EXACT


def _compose(ingredients: Ingredients, strategist: Callable[[MatrixGame, Model], Strategist]) -> ComposedAgent:
    game = MatrixGame(
        ingredients.facts, ingredients.eyes.layout, ingredients.eyes.window, ingredients.inference
    )
    model = Transcript(ingredients.model)
    planner = ActionPlanner(game.layout, ingredients.facts.beam, game.ready_mark)
    return ComposedAgent(game, ingredients.eyes, planner, strategist(game, model), model)


def _hypothetical_minds(ingredients: Ingredients) -> Agent:
    return _compose(ingredients, lambda game, model: TheoryOfMind(game, model, ingredients.parameters))


def _oracle(ingredients: Ingredients) -> Agent:
    def strategist(game: MatrixGame, model: Model) -> Strategist:
        return ToldStrategist(ingredients.tell, lambda told: _answer(game, told))

    return _compose(ingredients, strategist)


def _answer(game: MatrixGame, told: str | None) -> Strategy:
    """The best that can be held against a pure strategy; a first commitment where none was told."""
    odds = tuple(float(told in (None, name)) for name in game.facts.behaviours)
    expected = expected_inventories(game.rules, ())
    target = best_target(game.rules, odds, expected)
    return game.strategy_for(target, expected[odds.index(1.0)] if told else None)


AGENTS: Mapping[str, Callable[[Ingredients], Agent]] = {
    "hypothetical_minds": _hypothetical_minds,
    "oracle": _oracle,
    "random": lambda ingredients: RandomAgent(ingredients.seed),
    "noop": lambda ingredients: NoopAgent(),
}
