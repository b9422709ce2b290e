"""What is known of every substrate's frames: patches that no sprites explain, the player's pose, and the time it takes.

Players of every seat move at random; the frames of the first three are read, as in an episode that begins in a process:
pictures that were never seen are explained on the way. Poses are compared with the engine's own record.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from statistics import fmean, median
from time import process_time

from hm_agent.worlds.melting_pot.games.open.bearings import START, Bearings
from hm_agent.worlds.melting_pot.grid import Move, Pose
from hm_agent.worlds.melting_pot.perception.atlas import UNKNOWN, Atlas, Labels
from hm_agent.worlds.melting_pot.perception.sprites import Pixels
from hm_agent.worlds.melting_pot.scenarios import all_scenarios
from hm_agent.worlds.melting_pot.simulator.substrate import actions_of, atlas_of
from hm_agent.worlds.melting_pot.simulator.world import SelfPlayWorld

STEPS, READ = 250, 3
OUTCOMES = ("exact", "unknown", "wrong", "off the map")
COLUMNS = ("players", "patches", "unknown", "pictures", "ms, mean", "median", "map", *OUTCOMES, "ms, mean", "median")


def main() -> None:
    print(f"| substrate | {' | '.join(COLUMNS)} |\n| --- |" + len(COLUMNS) * " ---: |")
    for scenario in all_scenarios():
        if scenario.is_self_play:
            print(_row(SelfPlayWorld(scenario, ground_truth=True), scenario.game.substrate), flush=True)


class Reader:
    """Reads the frames of one player, and keeps what came of it.

    labels: of all cells. times, pose_times: the ms that labelling a frame and finding the pose took. outcomes: how the
    poses found compare with the true ones.
    """

    def __init__(self, substrate: str, slot: int, atlas: Atlas) -> None:
        self._atlas, self._bearings, self._actions = atlas, Bearings.of(substrate, slot), actions_of(substrate)
        self._start: tuple[int, Pose] | None = None
        self.is_own_map = self._bearings.is_own_map
        self.labels: Labels = []
        self.times: list[float] = []
        self.pose_times: list[float] = []
        self.outcomes: Counter[str] = Counter()

    def read(self, rgb: Pixels, action: int, truth: Pose) -> None:
        """Reads the next frame. action: the one that led to it."""
        move = Move.__members__.get(self._actions(action).name, Move.NOOP)
        began = process_time()
        labels = self._atlas.label(rgb)
        labelled = process_time()
        pose = self._bearings.update(labels, move)
        self.times.append(1000 * (labelled - began))
        self.pose_times.append(1000 * (process_time() - labelled))
        self.labels += labels
        if not any(self._atlas.labels[label].sprites for label in set(labels)):
            self.outcomes["off the map"] += 1
        else:
            self.outcomes["unknown" if pose is None else "exact" if pose == self._told(truth) else "wrong"] += 1

    def _told(self, truth: Pose) -> Pose:
        """A true pose as the player can tell it: on its own map it is relative to the start."""
        if not self.is_own_map:
            return truth
        if self._start is None or self._start[0] != self._bearings.starts:
            self._start = self._bearings.starts, truth
        start = self._start[1]
        return Pose(*START.place(*start.offset(truth.cell)), (truth.facing - start.facing) % 4)


def _row(world: SelfPlayWorld, substrate: str) -> str:
    atlas, rng, turn = atlas_of(substrate), random.Random(0), world.reset(seed=0)
    readers = {seat: Reader(substrate, slot, atlas) for slot, seat in enumerate(world.seats[:READ])}
    actions = dict.fromkeys(world.seats, 0)
    for _ in range(STEPS):
        for slot, (seat, reader) in enumerate(readers.items()):
            reader.read(turn.observations[seat].view["RGB"], actions[seat], pose_of(world, slot))
        actions = {seat: rng.randrange(len(world.actions)) for seat in world.seats}
        turn = world.step(actions)
        if turn.is_over:
            break
    world.close()
    return _told(substrate, len(world.seats), len(atlas.labels) - 1, list(readers.values()))


def _told(substrate: str, players: int, pictures: int, readers: Sequence[Reader]) -> str:
    labels = [label for reader in readers for label in reader.labels]
    times = [ms for reader in readers for ms in reader.times]
    pose_times = [ms for reader in readers for ms in reader.pose_times]
    outcomes = sum((reader.outcomes for reader in readers), Counter[str]())
    counts = f"{players} | {len(labels)} | {labels.count(UNKNOWN)} | {pictures}"
    poses = " | ".join(str(outcomes[outcome]) for outcome in OUTCOMES)
    whose = "own" if readers[0].is_own_map else "known"
    label_ms, pose_ms = (f"{fmean(each):.2f} | {median(each):.3f}" for each in (times, pose_times))
    return f"| `{substrate}` | {counts} | {label_ms} | {whose} | {poses} | {pose_ms} |"


def pose_of(world: SelfPlayWorld, slot: int) -> Pose:
    """The true pose of a player, from a world that tells it."""
    truth = world.truth(slot)
    x, y = map(int, truth["POSITION"])
    return Pose(x, y, int(truth["ORIENTATION"]))
