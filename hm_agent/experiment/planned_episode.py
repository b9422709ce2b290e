"""One episode of an experiment: its seeds, its folder and its settings, which an earlier result must share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import Setting, Suite
from hm_agent.config import ConfigError
from hm_agent.core import Seat
from hm_agent.experiment.lineups import Lineup
from hm_agent.models.prompts import template_hash
from hm_agent.models.settings import BUILTIN
from hm_agent.recording.making import code_hash, file_hash
from hm_agent.recording.result import CODE, ENDPOINT, EXTRA_BODY, OWN_FILE, Result
from hm_agent.seeding import hashed_seed
from hm_agent.storage.files import folder_name
from hm_agent.wording import listed

if TYPE_CHECKING:
    from hm_agent.experiment import Experiment


@dataclass(frozen=True)
class Episode:
    """One episode of an experiment. lineup: a name for each seat."""

    experiment: Experiment
    scenario: ScenarioInfo
    lineup: Lineup
    number: int

    @property
    def suite(self) -> Suite:
        return suites()[self.scenario.world]

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents' names, by seat."""
        return self.lineup.agents

    @property
    def agent(self) -> str:
        """The agents as one name: joined by `+` if they differ."""
        return self.lineup.agent

    @property
    def models(self) -> tuple[str, ...]:
        """The models' names, by seat."""
        return self.lineup.models

    @property
    def model(self) -> str:
        """The models as one name: joined by `+` if they differ."""
        return self.lineup.model

    @property
    def seed(self) -> int:
        """Depends on base seed, scenario and number, never on the agents: all agents meet the same players."""
        own = self.suite.seed(self.scenario, self.experiment.seed, self.number)
        return hashed_seed(f"{self.experiment.seed}/{self.scenario.name}/{self.number}") if own is None else own

    def seed_of(self, seat: Seat) -> int:
        """The seed of a seat's agent and model."""
        return seat_seed(self.seed, self.scenario.seats.index(seat))

    @property
    def folder(self) -> Path:
        return self.experiment.out / folder_name([self.scenario.name]) / self.lineup.folder / f"episode-{self.number}"

    @property
    def options(self) -> Mapping[str, Setting]:
        """The world's settled options."""
        return self.experiment.options_by_scenario[self.scenario.name]

    @property
    def networks(self) -> Mapping[str, Path]:
        """The files of the trained networks that play, by the setting that holds the hash of each."""
        return self.suite.networks(self.scenario, self.agents, self.options)

    @property
    def _files(self) -> Mapping[str, Path]:
        """The files that options name, by the setting that holds the hash of each."""
        named = ((option.hash_setting, self.options[option.name]) for option in self.suite.options)
        return {**{setting: Path(str(path)) for setting, path in named if setting and path}, **self.networks}

    @property
    def settings(self) -> Mapping[str, Setting]:
        """All settings that may change the outcome, by flag."""
        recorded = {option.name: self.options[option.name] for option in self.suite.options if not option.is_folder}
        content, code = self.suite.content(self.scenario), code_hash((*self.agents, *self.models))
        own = {OWN_FILE: content, CODE: code, **{name: _hash(path) for name, path in self._files.items()}}
        return {**self.experiment.settings, **recorded, **{name: value for name, value in own.items() if value}}

    @property
    def asks_language_model(self) -> bool:
        return any(model != BUILTIN for model in self.models)

    def what_differs(self, result: Result) -> Iterator[str]:
        """Yields in what a result was measured or played otherwise than this episode is now: `was played with ...`."""
        measure = self.scenario.metric.measure
        if (was_by := result.measure) not in (None, measure):
            yield f"was measured by {was_by.name} ({was_by.unit}), not by {measure.name} ({measure.unit})"
        if changed := [name for name, digest in result.prompts.items() if template_hash(name) != digest]:
            verb = "was" if len(changed) == 1 else "were"
            yield f"was played with other prompts: {listed(changed[:3])} {verb} changed since"
        recorded = {"scenario": result.scenario, "agent": result.agent, "model": result.model, **result.settings}
        condition = {"scenario": self.scenario.name, "agent": self.agent, "model": self.model}
        requested = {**condition, **dict.fromkeys((OWN_FILE, CODE, ENDPOINT, EXTRA_BODY)), **self.settings}
        files = {option.hash_setting: option.name for option in self.suite.options if option.is_file}
        for name, value in requested.items():
            before = recorded.get(name)
            if before == value:
                continue
            was, now = (
                f"without --{name}" if setting is None else f"with --{name}={setting}" for setting in (before, value)
            )
            how = f"{was}, not {now}"
            if name in files:
                how = f"with another content of --{files[name]}, or before a hash of it was kept"
            elif name == CODE:
                how = "with other code of your own agents or models"
            yield f"was played {how}"

    @property
    def title(self) -> str:
        return f"{self.scenario.short_name}  {self.agent}"


def _hash(path: Path) -> str:
    """A hash of a file; ConfigError if it can't be read."""
    try:
        return file_hash(path)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error


def seat_seed(seed: int, place: int) -> int:
    """The seed of the agent and model in a seat: the episode's own for the first seat, another one for each other."""
    return seed if place == 0 else hashed_seed(f"{seed}/{place}")
