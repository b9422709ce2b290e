"""From a command to its result: the processor's seconds, how many of them are the world's, and memory.

The loop of an episode is everything from its first turn to its last, with trace and replay; the command adds starting
Python, importing, building the agents, and the report.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.core import Recorder, Seat, Turn, World
from hm_agent.recording import trace
from hm_agent.recording.replay.recorder import ReplayRecorder
from hm_agent.testing.episodes import play_out, set_up

ROUNDS = 5
PLAY = ("-m", "hm_agent", "play")
COMMANDS = {
    "import hm_agent": (0.3, ("-c", "import hm_agent")),
    "hm-agent --help": (0.6, ("-m", "hm_agent", "--help")),
    "hm-agent list": (0.6, ("-m", "hm_agent", "list")),
    "five steps of Running With Scissors": (2.0, (*PLAY, "--scenario=rws_repeated_1", "--max_steps=5")),
    "five questions of a story": (1.2, (*PLAY, "--scenario=exploretom_functional_a1", "--max_steps=5")),
}
"""Commands by what they do, each with its target in seconds."""
SHARES = {"rws_repeated_1": 0.35, "pd_repeated_6": 0.35, "rws_arena_0": 0.3, "cooking_asymmetric_0": 0.3}
"""By scenario, how much of an episode's loop is to be Melting Pot and its bots, at least."""
MEMORY = 250
"""The most that a process is to take, in MB."""


@dataclass(frozen=True)
class Used:
    """What a command took: seconds of the processor, and the most memory at a time in MB."""

    seconds: float
    memory: float


class TimedWorld(World[Any, Any]):
    """A world with the processor's seconds that building it and its steps take, bots included."""

    def __init__(self, world: World[Any, Any]) -> None:
        self._world, self.seats, self.seconds = world, world.seats, 0.0

    def reset(self, seed: int) -> Turn[Any]:
        return self._timed(lambda: self._world.reset(seed))

    def step(self, actions: Mapping[Seat, Any]) -> Turn[Any]:
        return self._timed(lambda: self._world.step(actions))

    def _timed(self, act: Callable[[], Turn[Any]]) -> Turn[Any]:
        started = time.process_time()
        turn = act()
        self.seconds += time.process_time() - started
        return turn

    def scene(self) -> object | None:
        return self._world.scene()

    def close(self) -> None:
        self._world.close()


RUN_ALONE = """
import resource, subprocess, sys
status = subprocess.call([sys.executable, *sys.argv[1:]], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(status, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000)
"""
"""Runs a command from a small process: a new process counts the memory of the one that starts it as its own."""


def used_by(arguments: Sequence[str]) -> Used:
    """Runs Python with these arguments, with its compiled modules as after an installation."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", RUN_ALONE, *arguments]
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, check=True).stdout
    status, seconds, memory = map(float, said.split())
    if status:
        raise RuntimeError(f"{arguments} ended with status {status:.0f}")
    return Used(seconds, memory)


def loop_seconds(name: str, seed: int) -> tuple[float, float]:
    """The processor's seconds of an episode's loop with the default agent, and how many of them its world took."""
    (scenario,) = find_scenarios([name])
    viewer = suites()[scenario.world].viewer(scenario)
    world, agents = set_up(scenario, seed=seed, bots="scripted")
    world.is_shown, timed = True, TimedWorld(world)
    with TemporaryDirectory() as out:
        recorders: list[Recorder] = [
            trace.TraceRecorder(Path(out, trace.FILE)),
            ReplayRecorder(viewer, Path(out), scenario),
        ]
        started = time.process_time()
        play_out(timed, agents, seed=seed, recorders=recorders)
        return time.process_time() - started, timed.seconds


def time_commands() -> None:
    for what, (target, arguments) in COMMANDS.items():
        with TemporaryDirectory() as out:
            command = [*arguments, *([f"--out={out}", "--overwrite"] if "play" in arguments else [])]
            used_by(command)  # compiles modules and templates, if it is the first
            seconds = median(used_by(command).seconds for _ in range(ROUNDS))
        print(f"| {what}: seconds | {target} | {seconds:.2f} |", flush=True)


def play(name: str) -> tuple[int, float, float]:
    """The seed of a scenario's first episode, and the medians of seconds and memory of the command that plays it."""
    with TemporaryDirectory() as out:
        command = [*PLAY, f"--scenario={name}", "--bots=scripted", f"--out={out}", "--overwrite"]
        used = [used_by(command) for _ in range(ROUNDS)]
        (result,) = Path(out).rglob("result.json")
        seed = json.loads(result.read_bytes())["seed"]
    return seed, median(one.seconds for one in used), median(one.memory for one in used)


def main() -> None:
    print("| what | target | measured |\n| --- | --- | --- |")
    time_commands()
    for name, least in SHARES.items():
        seed, whole, memory = play(name)
        loops = [loop_seconds(name, seed) for _ in range(ROUNDS)]
        share = median(world / loop for loop, world in loops)
        of_all = median(world for _, world in loops) / whole
        print(f"| {name}, an episode's loop: the world's share | {least:.0%} | {share:.0%} |")
        print(f"| {name}, the whole command: the world's share | | {of_all:.0%} of {whole:.1f} s |")
        print(f"| {name}, an episode: memory | {MEMORY} MB | {memory:.0f} MB |", flush=True)
