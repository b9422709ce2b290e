"""How exact perception is: the pose against the engine's own, over all scenarios."""

from __future__ import annotations

import asyncio
from collections import Counter

from benchmarks.stage import set_up
from hm_agent.core import Step
from hm_agent.episode import run_episode
from hm_agent.worlds.melting_pot.grid import Pose
from hm_agent.worlds.melting_pot.scenarios import Scenario, all_scenarios
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld

STEPS = 1000
SETTLED = 20
"""From this step of each life on, the pose is to be known."""


class PoseCheck:
    """Compares the pose an agent believes in with the true one."""

    def __init__(self, world: MeltingPotWorld) -> None:
        self._world = world
        self._life = 0
        self.verdicts: Counter[str] = Counter()

    def record(self, step: Step) -> None:
        self._life = self._life + 1 if step.observation.fields["RGB"].any() else 0
        if self._life < SETTLED:
            return
        pose = step.decision.pose
        self.verdicts["lost" if pose is None else "exact" if pose == self._true_pose() else "wrong"] += 1

    def _true_pose(self) -> Pose:
        truth = self._world.truth(0, before=True)
        x, y = map(int, truth["POSITION"])
        return Pose(x, y, int(truth["ORIENTATION"]))

    def close(self) -> None:
        """Keeps what it has counted."""


def check(scenario: Scenario, seed: int = 0) -> tuple[Counter[str], int]:
    """The verdicts over 1,000 steps, and the number of unknown patches."""
    world, agent = set_up(scenario, seed, ground_truth=True)
    poses = PoseCheck(world)
    asyncio.run(run_episode(world, agent, seed=seed, max_steps=STEPS, recorders=[poses]))
    world.close()
    return poses.verdicts, agent.vitals().unknown_patches


def main() -> None:
    print("| scenario | exact | wrong | lost | exact, % | unknown patches |\n| --- | --- | --- | --- | --- | --- |")
    total: Counter[str] = Counter()
    for scenario in all_scenarios():
        verdicts, unknown = check(scenario)
        total += verdicts
        _show(scenario.short_name, verdicts, str(unknown))
    _show("all", total, "")


def _show(name: str, verdicts: Counter[str], unknown: str) -> None:
    share = 100 * verdicts["exact"] / verdicts.total()
    print(f"| {name} | {verdicts['exact']} | {verdicts['wrong']} | {verdicts['lost']} | {share:.2f} | {unknown} |")
