"""What long and many episodes leave behind in a process: memory, files, threads."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.stage import set_up
from hm_agent.core import Observation, Recorder, Step, World
from hm_agent.engines.engine import Pulse
from hm_agent.engines.run import run
from hm_agent.episode import run_episode
from hm_agent.experiment import Episode, Experiment
from hm_agent.models.providers import ModelSettings
from hm_agent.recording.replay.recorder import ReplayRecorder
from hm_agent.recording.result import Result
from hm_agent.recording.trace import TraceRecorder
from hm_agent.testing.endpoint import Endpoint
from hm_agent.testing.melting_pot import text_player
from hm_agent.worlds.melting_pot.scenarios import find_scenarios

SCENARIO = "rws_arena_0"
STEPS = 5000
WARM = 500
"""From here on memory is to stay."""
EPISODES = 50
MOST = 10_000_000
"""So many bytes a process may grow by."""
PAGE = os.sysconf("SC_PAGE_SIZE")


class Endless:
    """A world that never ends for who plays in it: when it does, the next one goes on with the count of steps."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._seed = self._before = 0

    def reset(self, seed: int) -> Observation:
        self._seed, self._before = seed, 0
        return self._world.reset(seed)

    def step(self, action: int) -> Observation:
        observation = self._world.step(action)
        if observation.last:
            self._before += observation.step
            self._seed += 1
            observation = replace(self._world.reset(self._seed), reward=observation.reward)
        return replace(observation, step=self._before + observation.step)

    def background(self) -> Sequence[str]:
        return self._world.background()

    def close(self) -> None:
        self._world.close()


@dataclass
class Scales:
    """Weighs the process after every so many steps."""

    every: int = WARM
    weights: dict[int, int] = field(default_factory=dict)

    def record(self, step: Step) -> None:
        done = step.observation.step + 1
        if done % self.every == 0:
            self.weights[done] = resident()

    def close(self) -> None:
        """Keeps what it has."""


def resident() -> int:
    """How many bytes of memory the process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


def weigh(folder: Path, steps: int, every: int = WARM) -> dict[int, int]:
    """The weight of the process by steps of one long episode with its trace and replay."""
    (scenario,) = find_scenarios([SCENARIO])
    world, agent = set_up(scenario, 0)
    scales, replay = Scales(every), ReplayRecorder(world, folder, scenario)
    recorders: list[Recorder] = [scales, TraceRecorder(folder / "trace.jsonl"), replay]
    outcome = asyncio.run(run_episode(Endless(world), agent, seed=0, max_steps=steps, recorders=recorders))
    world.close()
    assert (outcome.status, outcome.steps) == ("max_steps", steps), outcome
    return scales.weights


@dataclass(frozen=True)
class Held:
    """What a process has open: files and sockets by what they are, and threads, those of native code included."""

    files: tuple[str, ...]
    threads: int

    @classmethod
    def now(cls) -> Held:
        files = (_target(handle) for handle in Path("/proc/self/fd").iterdir())
        return cls(tuple(sorted(filter(None, files))), len(list(Path("/proc/self/task").iterdir())))


def _target(handle: Path) -> str:
    """What a handle is open on, without what numbers sockets and pipes; nothing for that of this very look."""
    try:
        return str(handle.readlink()).split("[")[0]
    except OSError:
        return ""


class Nobody:
    """A progress that nobody watches."""

    def begin(self, episode: Episode) -> None:
        """Says nothing."""

    def pulse(self, episode: Episode, pulse: Pulse) -> None:
        """Says nothing."""

    def end(self, episode: Episode, result: Result) -> None:
        """Says nothing."""


def play(out: Path, episodes: int) -> list[Result]:
    """Episodes in this process, with all that may be held open: an endpoint, a cache, traces and videos."""
    with Endpoint(text_player.answer) as server:
        model = ModelSettings("loopback", base_url=server.base_url, cache=out / "answers.sqlite")
        experiment = Experiment(find_scenarios(["rws_repeated_1"]), model=model, episodes=episodes, out=out)
        return run(replace(experiment, bots="scripted", max_steps=40, record_video=True), Nobody())


def held(folder: Path, episodes: int) -> tuple[Held, Held]:
    """What is held after the first two episodes, and after so many more."""
    play(folder / "first", 2)
    before = Held.now()
    results = play(folder / "more", episodes)
    assert [result.status for result in results] == ["max_steps"] * episodes
    return before, Held.now()


def main() -> None:
    with TemporaryDirectory() as folder:
        weights = weigh(Path(folder), STEPS)
        before, after = held(Path(folder), EPISODES)
    growth = weights[STEPS] - weights[WARM]
    print("| what | target | measured |\n| --- | --- | --- |")
    print(f"| MB more after {STEPS} steps than after {WARM} of {SCENARIO} | {MOST / 1e6:g} | {growth / 1e6:.1f} |")
    print(f"| files open after {EPISODES} more episodes | {len(before.files)} | {len(after.files)} |")
    print(f"| threads after {EPISODES} more episodes | {before.threads} | {after.threads} |")
    print("\nMB by steps:", ", ".join(f"{steps}: {weight / 1e6:.0f}" for steps, weight in weights.items()))
    if growth > MOST or before != after:
        sys.exit(f"more is held than before: {before} {after}")
