"""Scenarios x agents x episodes: what a command line asks for, checked first and then played."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from hm_agent.agents.registry import AGENTS
from hm_agent.config import ConfigError
from hm_agent.models.providers import ModelSettings, provider_of
from hm_agent.recording.result import FILE, Result, Setting, read_result
from hm_agent.theory_of_mind.by_reward import TABLE_3
from hm_agent.theory_of_mind.hypotheses import Hyperparameters
from hm_agent.worlds.melting_pot.games.game import Inference
from hm_agent.worlds.melting_pot.scenarios import Scenario

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots


@dataclass(frozen=True)
class Experiment:
    """What to play, and where to leave it.

    max_steps: cuts episodes short; None plays them to their end. overwrite: whether what is there is played anew.
    retry_failed: whether of that, what failed is. workers: how many episodes are played at once. engine: where they
    are. ray_address: of a Ray cluster; None for the one that Ray finds by itself.
    """

    scenarios: tuple[Scenario, ...]
    agents: tuple[str, ...] = ("hypothetical_minds",)
    model: ModelSettings = field(default_factory=ModelSettings)
    episodes: int = 1
    seed: int = 0
    out: Path = Path("runs")
    record_video: bool = False
    record_replay: bool = True
    max_steps: int | None = None
    bots: str = "auto"
    bots_dir: Path | None = None
    overwrite: bool = False
    retry_failed: bool = False
    workers: int = 1
    engine: str = "local"
    ray_address: str | None = None
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
    def bots_by_scenario(self) -> Mapping[str, Bots]:
        """Who plays the background of each scenario."""
        from hm_agent.worlds.melting_pot.simulator.bots.casting import choose_bots

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
        """Raises ConfigError where the experiment can't be played, or would mix with another one."""
        provider = provider_of(self.model)
        try:
            provider.check()
        finally:
            provider.close()
        for parent in (self.out, *self.out.parents):
            if parent.exists() and not parent.is_dir():
                raise ConfigError(f"--out={self.out}: {parent} is a file; name a folder")
        _ = self.bots_by_scenario
        self.due()

    def due(self) -> list[Episode]:
        """The episodes that are yet to be played; raises ConfigError where others were played in another way."""
        return [episode for episode in self.plan() if self.overwrite or not self._is_there(episode)]

    def _is_there(self, episode: Episode) -> bool:
        result = read_result(episode.folder / FILE)
        if result is None:
            return False
        episode.check_same(result)
        return result.is_finished or not self.retry_failed


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
    def bots(self) -> Bots:
        return self.experiment.bots_by_scenario[self.scenario.name]

    @property
    def settings(self) -> Mapping[str, Setting]:
        """All that may change its outcome, by flag."""
        return {**self.experiment.settings, "bots": str(self.bots)}

    def check_same(self, result: Result) -> None:
        """Raises ConfigError where a result was played with other settings."""
        before = {**result.settings, "bots": result.bots}
        for name, value in self.settings.items():
            if before.get(name) != value:
                raise ConfigError(
                    f"{self.folder} was played {_flag(name, before.get(name))}, not {_flag(name, value)}: "
                    "say the same as before, name another --out, or play all anew with --overwrite"
                )

    @property
    def title(self) -> str:
        return f"{self.scenario.short_name}  {self.agent}"


def _flag(name: str, value: Setting) -> str:
    return f"without --{name}" if value is None else f"with --{name}={value}"


def find_agents(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """The agents that names or globs stand for, each once."""
    found: dict[str, None] = {}
    for pattern in patterns:
        matching = [name for name in AGENTS if fnmatchcase(name, pattern)]
        if not matching:
            raise ConfigError(f"unknown agent {pattern!r}: there are {', '.join(AGENTS)}")
        found |= dict.fromkeys(matching)
    return tuple(found)
