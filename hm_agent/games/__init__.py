"""What substrates mean, by the `game` of their facts in scenarios/."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hm_agent.config import GameFacts
from hm_agent.games.game import Game, Inference
from hm_agent.games.matrix.game import MatrixGame
from hm_agent.perception.perceiver import Eyes

GAMES: Mapping[str, Callable[[GameFacts, Eyes, Inference], Game]] = {"matrix": MatrixGame}


def build_game(facts: GameFacts, eyes: Eyes, inference: Inference = Inference.EXACT) -> Game:
    """The game as one player plays it through one episode."""
    return GAMES[facts.game](facts, eyes, inference)
