"""The games, by the kind of their facts."""

from __future__ import annotations

from hm_agent.models.prompts import register_filter
from hm_agent.worlds.melting_pot.facts import GameFacts, KitchenFacts, MatrixFacts
from hm_agent.worlds.melting_pot.games.cooking.game import CookingGame
from hm_agent.worlds.melting_pot.games.game import Game, Inference
from hm_agent.worlds.melting_pot.games.matrix.game import MatrixGame
from hm_agent.worlds.melting_pot.games.template_filters import nearest
from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision

register_filter("nearest", nearest)


def build_game(
    facts: GameFacts, vision: SubstrateVision, inference: Inference = Inference.EXACT, slot: int = 0
) -> Game:
    """The game as the player of a slot plays it through one episode."""
    match facts:
        case MatrixFacts():
            return MatrixGame(facts, vision, inference, slot)
        case KitchenFacts():
            return CookingGame(facts, vision, slot)
    raise TypeError(f"no game is known by {type(facts).__name__}")
