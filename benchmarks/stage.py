"""The agent and the world that are measured."""

from __future__ import annotations

from hm_agent.agents.registry import AGENTS, Ingredients
from hm_agent.core import Agent
from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.questions import Model
from hm_agent.worlds.melting_pot.scenarios import Scenario
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld


def set_up(
    scenario: Scenario, seed: int, model: Model | None = None, *, ground_truth: bool = False
) -> tuple[MeltingPotWorld, Agent]:
    """A world with scripted bots, to be closed by the caller, and Hypothetical Minds.

    model: who answers its questions; the built-in reasoner where none is given.
    """
    world = MeltingPotWorld(scenario, Bots.SCRIPTED, ground_truth=ground_truth)
    eyes = vision_of(scenario.game.short_name)
    ingredients = Ingredients(scenario.game, eyes, model or BuiltinReasoner(), seed, world.tell)
    return world, AGENTS["hypothetical_minds"](ingredients)
