"""Measures the memory, open files and threads of a process that plays long episodes or many episodes."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.core import Recorder, Seat, Step, Turn, World
from hm_agent.experiment import Experiment
from hm_agent.models.settings import ModelSettings
from hm_agent.pool.progress import NoProgress
from hm_agent.pool.run import run
from hm_agent.recording.replay.recorder import ReplayRecorder
from hm_agent.recording.result import Result
from hm_agent.recording.trace import TraceRecorder
from hm_agent.testing.endpoint import Endpoint
from hm_agent.testing.episodes import play_out, set_up
from tests.support.melting_pot import text_player

SCENARIO = "rws_arena_0"
WARM_UP_STEPS = 500
"""Memory should not grow after this step."""
MAX_GROWTH = 10_000_000
"""The most bytes by which a process may grow after warming up."""
PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")


class EndlessWorld(World[Any, Any]):
    """Plays episode after episode as if they were one: hides the end of each and goes on counting steps."""

    def __init__(self, world: World[Any, Any]) -> None:
        self._world, self.seats = world, world.seats
        self._seed = self._before = 0

    def reset(self, seed: int) -> Turn[Any]:
        self._seed, self._before = seed, 0
        return self._world.reset(seed)

    def step(self, actions: Mapping[Seat, Any]) -> Turn[Any]:
        turn = self._world.step(actions)
        if turn.is_over:
            self._before += turn.step
            self._seed += 1
            turn = replace(self._world.reset(self._seed), rewards=turn.rewards)
        step = self._before + turn.step
        return replace(turn, step=step, observations={s: replace(o, step=step) for s, o in turn.observations.items()})

    def scene(self) -> object | None:
        return self._world.scene()

    def close(self) -> None:
        self._world.close()


@dataclass
class MemoryRecorder(Recorder):
    """A recorder that keeps the process's resident memory, in bytes, after each `every` steps."""

    every: int = WARM_UP_STEPS
    bytes_by_step: dict[int, int] = field(default_factory=dict)

    def record(self, step: Step) -> None:
        done = step.turn.step + 1
        if done % self.every == 0:
            pages = Path("/proc/self/statm").read_text().split()[1]
            self.bytes_by_step[done] = int(pages) * PAGE_SIZE


def memory_by_step(folder: Path, steps: int, every: int = WARM_UP_STEPS) -> dict[int, int]:
    """Plays one long episode with trace and replay; returns the process's resident bytes by step."""
    (scenario,) = find_scenarios([SCENARIO])
    world, agents = set_up(scenario, bots="scripted")
    viewer = suites()[scenario.world].viewer(scenario)
    memory, replay = MemoryRecorder(every), ReplayRecorder(viewer, folder, scenario)
    recorders: list[Recorder] = [memory, TraceRecorder(folder / "trace.jsonl"), replay]
    outcome = play_out(EndlessWorld(world), agents, seed=0, steps=steps, recorders=recorders)
    assert (outcome.status, outcome.steps) == ("max_steps", steps), outcome
    return memory.bytes_by_step


@dataclass(frozen=True)
class OpenResources:
    """The open files and sockets of this process, and the number of its threads, native ones included."""

    files: tuple[str, ...]
    threads: int

    @classmethod
    def settled(cls) -> OpenResources:
        """The sample with the fewest threads of 20 within a second, so that threads about to end do not count."""
        samples = []
        for _ in range(20):
            samples.append(cls.now())
            time.sleep(0.05)
        return min(samples, key=lambda sample: (sample.threads, len(sample.files)))

    @classmethod
    def now(cls) -> OpenResources:
        files: list[str] = []
        for handle in Path("/proc/self/fd").iterdir():
            with suppress(OSError):  # this listing's own descriptor is gone
                files.append(str(handle.readlink()).split("[")[0])  # without a socket's or pipe's number
        return cls(tuple(sorted(filter(None, files))), len(list(Path("/proc/self/task").iterdir())))


def play(out: Path, episodes: int) -> list[Result]:
    """Plays episodes in this process with all that opens files or threads: an endpoint, a cache, traces and videos."""
    with Endpoint(text_player.answer) as server:
        model = ModelSettings("loopback", base_url=server.base_url, cache=out / "answers.sqlite")
        experiment = Experiment(find_scenarios(["rws_repeated_1"]), model=model, episodes=episodes, out=out)
        return run(replace(experiment, options={"bots": "scripted"}, max_steps=40, record_video=True), NoProgress())


def resources_around(folder: Path, episodes: int) -> tuple[OpenResources, OpenResources]:
    """The open resources after two episodes, and after `episodes` more."""
    play(folder / "first", 2)
    before = OpenResources.settled()
    results = play(folder / "more", episodes)
    assert [result.status for result in results] == ["max_steps"] * episodes
    return before, OpenResources.settled()
