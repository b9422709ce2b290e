"""What is known of every substrate's frames: patches that no sprites explain, and the time to label a frame.

Players of every seat move at random; the frames of the first three are read, as in an episode that begins in a process:
pictures that were never seen are explained on the way.
"""

from __future__ import annotations

import random
from statistics import median
from time import process_time

from hm_agent.worlds.melting_pot.perception.atlas import UNKNOWN
from hm_agent.worlds.melting_pot.scenarios import all_scenarios
from hm_agent.worlds.melting_pot.simulator.substrate import atlas_of
from hm_agent.worlds.melting_pot.simulator.world import SelfPlayWorld

STEPS, READ = 250, 3


def main() -> None:
    print("| substrate | players | patches | unknown | pictures | ms a frame, mean | median |\n| --- |" + 6 * " ---: |")
    for scenario in all_scenarios():
        if scenario.is_self_play:
            print(_row(SelfPlayWorld(scenario), scenario.game.substrate), flush=True)


def _row(world: SelfPlayWorld, substrate: str) -> str:
    atlas, rng, times, labels = atlas_of(substrate), random.Random(0), [], []
    turn = world.reset(seed=0)
    for _ in range(STEPS):
        for seat in world.seats[:READ]:
            began = process_time()
            labels += atlas.label(turn.observations[seat].view["RGB"])
            times.append(1000 * (process_time() - began))
        turn = world.step({seat: rng.randrange(len(world.actions)) for seat in world.seats})
        if turn.is_over:
            break
    world.close()
    counts = f"{len(world.seats)} | {len(labels)} | {labels.count(UNKNOWN)} | {len(atlas.labels) - 1}"
    return f"| `{substrate}` | {counts} | {sum(times) / len(times):.2f} | {median(times):.3f} |"
