"""Builds games from their facts, and registers the reasoner's answers and the filters of the games' templates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jinja2 import Environment, pass_environment
from jinja2.filters import make_attrgetter

from hm_agent.models.builtin import ReasonerTable
from hm_agent.models.prompts import register_filter
from hm_agent.worlds.melting_pot.facts import GameFacts, KitchenFacts, MatrixFacts, argmax
from hm_agent.worlds.melting_pot.games.cooking.game import CookingGame
from hm_agent.worlds.melting_pot.games.cooking.reasoner import answers as cooking
from hm_agent.worlds.melting_pot.games.game import Game
from hm_agent.worlds.melting_pot.games.matrix.game import MatrixGame
from hm_agent.worlds.melting_pot.games.matrix.reasoner import answers as matrix
from hm_agent.worlds.melting_pot.games.options import DEFAULT, AgentOptions
from hm_agent.worlds.melting_pot.grid import Cell, distance
from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision

ANSWERS: ReasonerTable = {**matrix.ANSWERS, **cooking.ANSWERS}
"""The built-in reasoner's functions for the questions of all games."""


def build_game(facts: GameFacts, vision: SubstrateVision, options: AgentOptions = DEFAULT, slot: int = 0) -> Game:
    """Returns the game that fits the facts, as the player of a slot plays it through one episode."""
    match facts:
        case MatrixFacts():
            return MatrixGame(facts, vision, options, slot)
        case KitchenFacts():
            return CookingGame(facts, vision, options, slot)
    raise TypeError(f"a game needs MatrixFacts or KitchenFacts, not {type(facts).__name__}")


@pass_environment
def nearest(environment: Environment, items: Iterable[Any], start: Cell, attribute: str | int) -> list[Any]:
    """Sorts items by their distance from a start, then by cell.

    attribute: where an item holds its cell, as in Jinja2's `sort`.
    """
    cell_of = make_attrgetter(environment, attribute)
    return sorted(items, key=lambda item: (distance(start, cell_of(item)), cell_of(item)))


register_filter("nearest", nearest)
register_filter("argmax", argmax)
