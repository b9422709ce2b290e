"""What substrates mean, by the kind of their facts."""

from __future__ import annotations

from hm_agent.worlds.melting_pot.facts import GameFacts, KitchenFacts, MatrixFacts
from hm_agent.worlds.melting_pot.games.cooking.game import CookingGame
from hm_agent.worlds.melting_pot.games.game import Game, Inference
from hm_agent.worlds.melting_pot.games.matrix.game import MatrixGame
from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision


def build_game(facts: GameFacts, eyes: SubstrateVision, inference: Inference = Inference.EXACT) -> Game:
    """The game as one player plays it through one episode."""
    match facts:
        case MatrixFacts():
            return MatrixGame(facts, eyes, inference)
        case KitchenFacts():
            return CookingGame(facts, eyes)
    raise TypeError(f"no game is known by {type(facts).__name__}")
