"""Scenarios x agents x episodes: what a command line asks for, checked first and then played."""

from __future__ import annotations

import asyncio
import hashlib
import re
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Protocol

from hm_agent.agents.registry import AGENTS, Ingredients
from hm_agent.asking import Model
from hm_agent.config import ConfigError, Scenario
from hm_agent.core import Agent, Recorder, Vitals
from hm_agent.episode import Outcome, run_episode
from hm_agent.games.game import Inference
from hm_agent.models.providers import ModelSettings, Provider, provider_of
from hm_agent.recording.result import FILE, Result, Setting, versions, write_result
from hm_agent.recording.trace import TraceRecorder
from hm_agent.recording.video import VideoRecorder
from hm_agent.theory_of_mind.by_reward import TABLE_3
from hm_agent.theory_of_mind.hypotheses import Hyperparameters

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.bots.casting import Bots
    from hm_agent.worlds.melting_pot.world import MeltingPotWorld


class Progress(Protocol):
    """Whoever wants to know how far an experiment is."""

    def begin(self, episode: Episode) -> Recorder:
        """Told before each episode; what it returns is given every step."""
        ...

    def end(self, result: Result) -> None: ...


@dataclass(frozen=True)
class Experiment:
    """What to play, and where to leave it. max_steps: cuts episodes short; None plays them to their end."""

    scenarios: tuple[Scenario, ...]
    agents: tuple[str, ...] = ("hypothetical_minds",)
    model: ModelSettings = field(default_factory=ModelSettings)
    episodes: int = 1
    seed: int = 0
    out: Path = Path("runs")
    record_video: bool = False
    max_steps: int | None = None
    bots: str = "auto"
    bots_dir: Path | None = None
    overwrite: bool = False
    inference: Inference = Inference.EXACT
    parameters: Hyperparameters = field(default_factory=Hyperparameters)
    by_reward: Hyperparameters = TABLE_3

    def plan(self) -> Iterator[Episode]:
        """All episodes, in the order they are played."""
        for scenario in self.scenarios:
            for agent in self.agents:
                for number in range(self.episodes):
                    yield Episode(self, scenario, agent, number)

    @cached_property
    def provider(self) -> Provider:
        """Who answers the agents' questions."""
        return provider_of(self.model)

    @cached_property
    def bots_by_scenario(self) -> Mapping[str, Bots]:
        """Who plays the background of each scenario."""
        from hm_agent.worlds.melting_pot.bots.casting import choose_bots

        return {scenario.name: choose_bots(scenario, self.bots, self.bots_dir) for scenario in self.scenarios}

    @property
    def settings(self) -> Mapping[str, Setting]:
        """All but scenario, agent and model that may change an outcome, by flag."""
        parameters = asdict(self.parameters)
        return {
            "seed": self.seed,
            "max_steps": self.max_steps,
            "inference": str(self.inference),
            "intrinsic_reward": parameters.pop("reward"),
            **parameters,
            "counterfactual_reward": self.by_reward.reward,
            "reward_threshold": self.by_reward.threshold,
            **asdict(self.model.sampling),
        }

    def check(self) -> None:
        """Raises ConfigError where the experiment can't be played or would overwrite an earlier one."""
        self.provider.check()
        for parent in (self.out, *self.out.parents):
            if parent.exists() and not parent.is_dir():
                raise ConfigError(f"--out={self.out}: {parent} is a file; name a folder")
        there = [episode.folder for episode in self.plan() if (episode.folder / FILE).exists()]
        if there and not self.overwrite:
            raise ConfigError(
                f"{there[0]} holds an episode already ({len(there)} in all): name another --out, or say --overwrite"
            )
        _ = self.bots_by_scenario


@dataclass(frozen=True)
class Episode:
    """One episode of an experiment."""

    experiment: Experiment
    scenario: Scenario
    agent: str
    number: int

    @property
    def seed(self) -> int:
        """From the base seed, the scenario and the episode, never from the agent: agents meet the same opponents."""
        text = f"{self.experiment.seed}/{self.scenario.name}/{self.number}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])

    @property
    def folder(self) -> Path:
        model = re.sub(r"[^\w.-]+", "-", self.experiment.model.name)
        return self.experiment.out / self.scenario.name / self.agent / model / f"episode-{self.number}"

    @property
    def title(self) -> str:
        return f"{self.scenario.short_name}  {self.agent}"


def find_agents(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """The agents that names or globs stand for, each once."""
    found: dict[str, None] = {}
    for pattern in patterns:
        matching = [name for name in AGENTS if fnmatchcase(name, pattern)]
        if not matching:
            raise ConfigError(f"unknown agent {pattern!r}: there are {', '.join(AGENTS)}")
        found |= dict.fromkeys(matching)
    return tuple(found)


def run(experiment: Experiment, progress: Progress) -> list[Result]:
    """Plays all episodes and leaves their files; check the experiment first.

    Raises KeyboardInterrupt after an interruption, `ModelUnavailable` and the error of a failed episode, in each case
    once the episode's own files are written.
    """
    results = []
    with closing(experiment.provider):
        for episode in experiment.plan():
            watcher = progress.begin(episode)
            result, outcome = _play(episode, watcher)
            results.append(result)
            progress.end(result)
            if outcome.error is not None:
                raise outcome.error
            if outcome.status == "interrupted":
                raise KeyboardInterrupt
    return results


def _play(episode: Episode, watcher: Recorder) -> tuple[Result, Outcome]:
    from hm_agent.worlds.melting_pot.world import MeltingPotWorld

    experiment = episode.experiment
    bots = experiment.bots_by_scenario[episode.scenario.name]
    world = MeltingPotWorld(episode.scenario, bots, experiment.bots_dir)
    _clear(episode.folder)
    recorders: list[Recorder] = [watcher, TraceRecorder(episode.folder / "trace.jsonl")]
    if experiment.record_video:
        video = episode.folder / "video.mp4"
        recorders.append(VideoRecorder(video, world.frame, episode.scenario.game, episode.title))
    started = time.perf_counter()
    try:
        vitals, outcome = asyncio.run(_play_with_model(episode, world, recorders))
    finally:
        world.close()
    result = _result(episode, outcome, vitals, tuple(world.background()), bots, time.perf_counter() - started)
    write_result(result, episode.folder)
    return result, outcome


async def _play_with_model(
    episode: Episode, world: MeltingPotWorld, recorders: Sequence[Recorder]
) -> tuple[Vitals, Outcome]:
    experiment = episode.experiment
    async with experiment.provider.model(episode.seed) as model:
        agent = _build_agent(episode, world, model)
        outcome = await run_episode(
            world, agent, seed=episode.seed, max_steps=experiment.max_steps, recorders=recorders
        )
        return agent.vitals(), outcome


def _build_agent(episode: Episode, world: MeltingPotWorld, model: Model) -> Agent:
    from hm_agent.worlds.melting_pot.substrate import eyes_of

    experiment, facts = episode.experiment, episode.scenario.game
    return AGENTS[episode.agent](
        Ingredients(
            facts=facts,
            eyes=eyes_of(facts.short_name),
            model=model,
            seed=episode.seed,
            tell=world.tell,
            parameters=experiment.parameters,
            by_reward=experiment.by_reward,
            inference=experiment.inference,
        )
    )


def _clear(folder: Path) -> None:
    """An empty folder for an episode; what an earlier one left there was to be overwritten."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def _result(
    episode: Episode, outcome: Outcome, vitals: Vitals, background: tuple[str, ...], bots: Bots, seconds: float
) -> Result:
    per = episode.scenario.game.reward_per_steps
    times, usage = outcome.decision_seconds, vitals.usage
    return Result(
        scenario=episode.scenario.name,
        agent=episode.agent,
        model=episode.experiment.model.name,
        episode=episode.number,
        seed=episode.seed,
        status=outcome.status,
        reason=str(outcome.error) if outcome.error else "",
        steps=outcome.steps,
        reward=outcome.reward,
        normalised_reward=outcome.reward * per / outcome.steps if outcome.steps else None,
        interactions=vitals.interactions,
        background=background,
        bots=str(bots),
        questions=usage.questions,
        unanswered_questions=usage.unanswered,
        model_calls=usage.calls,
        cached_calls=usage.cached,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost=usage.cost,
        unknown_patches=vitals.unknown_patches,
        pose_lost_steps=vitals.pose_lost_steps,
        agent_ms_per_step_median=round(1000 * median(times), 4) if times else None,
        wall_seconds=round(seconds, 3),
        versions=versions(),
        settings=episode.experiment.settings,
    )
