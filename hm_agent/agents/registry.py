"""The agents by name: each a composition of the same parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from hm_agent.agents.agent import ComposedAgent, Strategist
from hm_agent.agents.reference import NoopAgent, RandomAgent, ToldStrategist
from hm_agent.agents.reflection import GamesOwnReflector
from hm_agent.asking import Model
from hm_agent.core import Agent, Told
from hm_agent.facts import GameFacts
from hm_agent.games import build_game
from hm_agent.games.game import Game, Inference
from hm_agent.memory.interactions import InteractionMemory
from hm_agent.models.transcript import Transcript
from hm_agent.perception.perceiver import Eyes
from hm_agent.planning.action_planner import ActionPlanner
from hm_agent.theory_of_mind.hypotheses import Hyperparameters
from hm_agent.theory_of_mind.module import TheoryOfMind


@dataclass(frozen=True)
class Ingredients:
    """What an agent is made of. tell: what the others are after; only the agent that is told may use it."""

    facts: GameFacts
    eyes: Eyes
    model: Model
    seed: int
    tell: Callable[[], Sequence[Told]]
    parameters: Hyperparameters = field(default_factory=Hyperparameters)
    inference: Inference = Inference.EXACT


def _compose(ingredients: Ingredients, strategist: Callable[[Game, Model], Strategist]) -> ComposedAgent:
    game = build_game(ingredients.facts, ingredients.eyes, ingredients.inference)
    model = Transcript(ingredients.model)
    planner = ActionPlanner(game.layout, ingredients.facts.beam, game.ready_mark)
    reflector = GamesOwnReflector(game, model)
    return ComposedAgent(game, ingredients.eyes, planner, strategist(game, model), reflector, model)


def _hypothetical_minds(ingredients: Ingredients) -> Agent:
    def strategist(game: Game, model: Model) -> Strategist:
        return TheoryOfMind(game, model, InteractionMemory(), ingredients.parameters)

    return _compose(ingredients, strategist)


def _oracle(ingredients: Ingredients) -> Agent:
    def strategist(game: Game, model: Model) -> Strategist:
        return ToldStrategist(ingredients.tell, game, model, InteractionMemory())

    return _compose(ingredients, strategist)


AGENTS: Mapping[str, Callable[[Ingredients], Agent]] = {
    "hypothetical_minds": _hypothetical_minds,
    "oracle": _oracle,
    "random": lambda ingredients: RandomAgent(ingredients.seed),
    "noop": lambda ingredients: NoopAgent(),
}
"""Each builds a player for one episode."""

ABOUT: Mapping[str, str] = {
    "hypothetical_minds": "the full agent: perception, memory, Theory of Mind, subgoals, A*",
    "oracle": "told what the others are after, or their rule; same perception and planning; marks the ceiling",
    "random": "any move, each as likely; marks the floor",
    "noop": "stands still",
}
