"""Time steps as a puppeteer of a matrix game gets them, and what the puppet's goal in them means."""

from __future__ import annotations

import dm_env
import numpy as np

from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.scenarios import game_named

RWS, PD = (game_named(name, MatrixFacts) for name in ("rws_repeated", "pd_repeated"))


def holding(game: MatrixFacts, kind: str, count: int = 6) -> Counts:
    """An inventory with this many of one kind, and one of each other."""
    return tuple(count if kind == own else 1 for own in game.behaviours)


def timestep(
    game: MatrixFacts,
    inventory: Counts | None = None,
    interaction: tuple[Counts, Counts] | None = None,
    *,
    first: bool = False,
) -> dm_env.TimeStep:
    """A time step as a puppeteer gets it. inventory: the present one; None for that of a new life.

    interaction: the inventories (own, other's) in an interaction in this step; None if there was none, for which the
    engine gives 0 at the first step and -1 later.
    """
    nothing = [[0.0 if first else -1.0] * len(game.resources)] * 2
    observation = {
        "INVENTORY": np.array(inventory or [game.initial_inventory] * len(game.resources), float),
        "INTERACTION_INVENTORIES": np.array(interaction or nothing, float),
    }
    return dm_env.restart(observation) if first else dm_env.transition(0.0, observation)


def meaning(game: MatrixFacts, stepped: dm_env.TimeStep) -> str:
    """`collect` or `play` and the kind, of the goal that a puppeteer has set."""
    goal = stepped.observation["GOAL"]
    assert goal.dtype == np.int32
    assert goal.sum() == 1
    position = int(goal.argmax())
    for resource in game.resources:
        if position == resource.collect_goals[0]:
            return f"collect {resource.behaviour}"
        if position in resource.interact_goals:
            return f"play {resource.behaviour}"
    raise AssertionError(f"goal {position} means nothing")
