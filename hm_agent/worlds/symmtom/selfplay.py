"""Plays many episodes at once, one policy in all seats.

A seed gives the board that it gives in an experiment, and the agent of the first seat the same random numbers; the
other seats draw theirs from other seeds than in an experiment, so an episode of a random policy may differ from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.metrics import count_step
from hm_agent.worlds.symmtom.policies.policy import Policy, own_seeds
from hm_agent.worlds.symmtom.rules import Effects, GameState, Ints, Keys
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.sights import Sights, sights_of


@dataclass(frozen=True)
class Moment:
    """A step of all games. sights: what agents saw before it. after, effects: the outcome."""

    before: GameState
    sights: Sights
    directions: Ints
    pieces: Ints
    after: GameState
    effects: Effects


def play(settings: GameSettings, policy: Policy, seeds: Keys) -> Iterator[Moment]:
    """Plays one game for each seed (B,) to its end."""
    state, effects = rules.reset(settings, seeds), None
    agent_seeds = own_seeds(seeds, settings.agents)
    while not rules.is_over(settings, state).all():
        sights = sights_of(settings, state, effects, agent_seeds)
        shape = len(seeds), settings.agents
        directions, pieces = (chosen.reshape(shape) for chosen in policy.act(sights, state))
        after, effects = rules.step(settings, state, directions, pieces)
        yield Moment(state, sights, directions, pieces, after, effects)
        state = after


def measure(settings: GameSettings, build: Callable[[], Policy], seeds: Keys) -> Mapping[str, Ints]:
    """Plays one game for each seed (B,) to its end; returns (B, n) for each metric, summed over the steps."""
    totals: dict[str, Ints] = {}
    for moment in play(settings, build(), seeds):
        counts = count_step(settings, moment.before, moment.directions, moment.after, moment.effects)
        totals = {name: totals.get(name, np.int32(0)) + count for name, count in counts.items()}
    return totals
