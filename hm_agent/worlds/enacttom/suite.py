"""What EnactToM hands out to experiments, results, reports and replays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hm_agent.config import ConfigError, data_folder
from hm_agent.core import Agent, World
from hm_agent.suite import (
    AgentSetup,
    Metric,
    Option,
    OwnAgent,
    OwnCommand,
    ScenarioInfo,
    Setting,
    ShareMetric,
    Suite,
)

if TYPE_CHECKING:
    from hm_agent.worlds.enacttom.task import HouseholdTask

PREFIX = "enacttom_"
_COMMAND_LINE = "hm_agent.worlds.enacttom.command_line"
METRIC = Metric(
    "functional_success", "share of tasks whose physical goals hold at the end", floor="random", ceiling="planner"
)


LADDER = (
    ("solo", "acts on its own secrets and on what it sees; sends no message and reads none", "solo"),
    ("order1", "also tells what it knows at first hand to those whom it concerns", "order"),
    ("order2", "also passes on what it was told, and thinks of what others know", "order"),
    ("order3", "also passes on what it was told that others know", "order"),
)
"""The agents without a model by the order to which they reason about knowledge: name, what they do, `asked_by`."""


def task_files() -> Mapping[str, Path]:
    """The shipped tasks by scenario name."""
    folder = data_folder("scenarios") / "enacttom"
    return {f"{PREFIX}{path.stem}": path for path in sorted(folder.glob("*.json"))}


class EnacttomSuite(Suite):
    """Verified household tasks, one a scenario."""

    name = "enacttom"
    title = "EnactToM"
    options = (
        Option(
            "literal",
            "In EnactToM agents are asked at the end for every K operator of the goal, unless this is 0.",
        ),
    )
    literal = ShareMetric(
        "literal_right",
        "the share of rightly answered probes of who knows what at the end",
        "literal_true",
        is_binary=True,
    )
    functional = ShareMetric("functional_success", "the share of tasks whose physical goals hold at the end")
    environments: Mapping[str, str] = {"hm_agent/EnactToM-v0": "enacttom_appendix_e"}
    commands: Mapping[str, OwnCommand] = {
        "verify": OwnCommand("prove tasks", f"{_COMMAND_LINE}:verify_command"),
        "depths": OwnCommand("show measures by K depth", "hm_agent.worlds.enacttom.measure_command:main"),
        "export": OwnCommand("write the PDDL of tasks", f"{_COMMAND_LINE}:export_command"),
    }

    @cached_property
    def scenarios(self) -> Sequence[ScenarioInfo]:
        return tuple(_info(name, _task(path)) for name, path in task_files().items())

    def open(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> World[Any, Any]:
        from hm_agent.worlds.enacttom.world import EnacttomWorld

        return EnacttomWorld(_task(_path(scenario)), asks=_asks(options))

    def settle(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> Mapping[str, Setting]:
        asked = options.get("literal")
        if asked is not None and not str(asked).isdecimal():
            raise ConfigError(f"--literal={asked}: say 0 to ask nothing at the end of an episode, or 1")
        return options

    def parallel_env(self, scenario: ScenarioInfo, options: Mapping[str, Setting], render_mode: str | None) -> Any:
        from hm_agent.worlds.enacttom.parallel import EnacttomParallelEnv

        return EnacttomParallelEnv(_task(_path(scenario)), render_mode)

    def plays(self, agent: str, scenario: ScenarioInfo) -> bool:
        return False

    @property
    def own_agents(self) -> Mapping[str, OwnAgent]:  # type: ignore[override]
        return {
            "random": OwnAgent("draws every action uniformly; marks the floor", _random),
            "planner": OwnAgent("follows the verifier's plan and is told everything; marks the ceiling", _planner),
            **{
                name: OwnAgent(about, partial(_ladder, order), is_reference=False, asked_by=asked_by)
                for order, (name, about, asked_by) in enumerate(LADDER)
            },
        }


def _asks(options: Mapping[str, Setting]) -> bool:
    """True if agents are asked at the end who knows what."""
    asked = options.get("literal")
    return asked is None or int(asked) > 0


def _path(scenario: ScenarioInfo) -> Path:
    return task_files()[scenario.name]


def _task(path: Path) -> HouseholdTask:
    from hm_agent.worlds.enacttom.task import load_task

    return load_task(path)


def _info(name: str, task: HouseholdTask) -> ScenarioInfo:
    depth = f"K depth {task.k_depth}"
    return ScenarioInfo(
        world="enacttom",
        name=name,
        short_name=name,
        group=f"EnactToM, {task.file.category}, {depth}",
        about=f"{task.file.title} ({task.file.category}, {depth}, {len(task.agents)} agents)",
        seats=task.agents,
        metric=METRIC,
        asked_by="enacttom",
    )


def _random(setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.worlds.enacttom.agents import RandomHouseAgent

    return RandomHouseAgent(setup.seed)


def _ladder(order: int, setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.worlds.enacttom.ladder.ladder_agent import LadderAgent

    return LadderAgent(order)


def _planner(setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.worlds.enacttom.agents import PlannerHouseAgent
    from hm_agent.worlds.enacttom.world import EnacttomWorld

    assert isinstance(setup.world, EnacttomWorld)
    return PlannerHouseAgent(setup.world, setup.seat)


SUITE = EnacttomSuite()
