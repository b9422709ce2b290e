"""How much of the simulator's own speed is left with agents in every seat: it, perception and agents in one run.

Self-play with `react` and the built-in reasoner, in CPU time; the first steps, in which pictures are explained and plans
made for the first time, count too.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass

from hm_agent.core import Seat, Turn
from hm_agent.testing.episodes import play_out, seat_agents
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.simulator.world import SelfPlayWorld
from tests.support.melting_pot.whole_episodes import self_play

STEPS = 200
AGENT = "react"
TARGETS = {2: 60, 8: 35}
"""The least share in percent, by the least number of seats."""


class TimedWorld(SelfPlayWorld):
    """Counts the CPU seconds of its steps."""

    seconds = 0.0

    def step(self, actions: Mapping[Seat, int]) -> Turn[View]:
        began = time.process_time()
        turn = super().step(actions)
        self.seconds += time.process_time() - began
        return turn


@dataclass(frozen=True)
class Share:
    """steps: as many as were played. engine, loop: milliseconds of a step, of the simulator and of all."""

    steps: int
    engine: float
    loop: float

    @property
    def percent(self) -> float:
        return 100 * self.engine / self.loop


def share(name: str) -> Share:
    """Plays an episode; setting up and the first state don't count."""
    scenario = next(each for each in self_play() if each.name == name)
    world = TimedWorld(scenario_named(name))
    agents = seat_agents(world, scenario, AGENT)
    watch = Stopwatch()
    steps = play_out(world, agents, seed=0, steps=STEPS, recorders=[watch]).steps
    return Share(steps, 1000 * world.seconds / steps, 1000 * watch.seconds / steps)
