"""What EnactToM hands out to experiments, results, reports and replays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import FULL, SMALL, AgentSetup, Option, OwnAgent, OwnCommand, Setting, Suite, Viewer
from hm_agent.config import ConfigError
from hm_agent.core import World
from hm_agent.metrics import ShareMetric
from hm_agent.models.builtin import ReasonerTable
from hm_agent.theory_of_mind.mind import JointMindReading, MindPrompting, MindReading, OddsReading, StrategyMaking
from hm_agent.worlds.enacttom.own_agents import OWN_AGENTS, SHORTCUTS
from hm_agent.worlds.enacttom.scenarios import FILES, listed_scenarios, task_of

if TYPE_CHECKING:
    from hm_agent.agents.agent import BodyBuilder

_COMMAND_LINE = "hm_agent.worlds.enacttom.command_line"
OPEN = "open"
"""The value of --literal with which agents are also asked for reports (house/open_probes.py)."""


class EnacttomSuite(Suite):
    """Verified household tasks, one a scenario."""

    name = "enacttom"
    offers = (MindReading, JointMindReading, MindPrompting, OddsReading, StrategyMaking)
    title = "EnactToM"
    own_files = FILES
    needs_are = "proved of each task"
    per_order: Mapping[str, int] = {SMALL: 5, FULL: 20}  # a pair asks few questions
    shortcuts = SHORTCUTS
    options = (
        Option(
            "literal",
            "Agents are asked at the end for every K operator of the goal, unless this is 0; open asks for structured "
            "reports as in EnactToM's appendix H, too.",
        ),
    )
    literal = ShareMetric(
        "literal_thoughts",
        "the share of rightly answered questions of what others think, in pairs that every shortcut answers alike",
        "literal_thoughts_chance",
        given_by="questions in pairs are asked in half of the tasks, unless --literal=0 leaves them out",
    )
    functional = ShareMetric(
        "functional_success",
        "the share of tasks whose physical goals hold at the end, which telling everybody everything reaches, too",
    )
    environments: Mapping[str, str] = {"hm_agent/EnactToM-v0": "enacttom_appendix_e"}
    commands: Mapping[str, OwnCommand] = {
        "verify": OwnCommand("prove tasks", f"{_COMMAND_LINE}:verify_command"),
        "depths": OwnCommand("show measures by K depth", "hm_agent.worlds.enacttom.measure_command:main"),
        "generate": OwnCommand("make tasks, with proofs", "hm_agent.worlds.enacttom.author.author_command:main"),
        "export": OwnCommand("write the PDDL of tasks", f"{_COMMAND_LINE}:export_command"),
        "browse": OwnCommand("write a page to browse tasks", f"{_COMMAND_LINE}:browse_command"),
    }

    @property
    def scenarios(self) -> Sequence[ScenarioInfo]:
        return listed_scenarios()

    def open(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> World[Any, Any]:
        from hm_agent.worlds.enacttom.world import EnacttomWorld

        literal = options.get("literal")
        asks = literal in (None, OPEN) or int(literal or 0) > 0
        return EnacttomWorld(task_of(scenario), asks=asks, asks_open=literal == OPEN)

    def settle(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> Mapping[str, Setting]:
        literal = options.get("literal")
        if literal not in (None, OPEN) and not str(literal).isdecimal():
            asked = f"0 to ask nothing at the end of an episode, 1, or {OPEN} to ask for reports, too"
            raise ConfigError(f"--literal={literal}: say {asked}")
        task_of(scenario)
        return options

    def parallel_env(self, scenario: ScenarioInfo, options: Mapping[str, Setting], render_mode: str | None) -> Any:
        from hm_agent.worlds.enacttom.parallel import EnacttomParallelEnv

        return EnacttomParallelEnv(task_of(scenario), render_mode)

    def body(self, setup: AgentSetup) -> BodyBuilder:
        from hm_agent.worlds.enacttom.language.body import enacttom_body
        from hm_agent.worlds.enacttom.world import EnacttomWorld

        assert isinstance(setup.world, EnacttomWorld)
        return partial(enacttom_body, setup.seat, setup.world.task.agents)

    def viewer(self, scenario: ScenarioInfo) -> Viewer:
        from hm_agent.worlds.enacttom.viewer.viewer import HouseViewer

        return HouseViewer(task_of(scenario))

    def answers(self) -> ReasonerTable:
        from hm_agent.worlds.enacttom.language.reasoner import ANSWERS

        return ANSWERS

    @property
    def own_agents(self) -> Mapping[str, OwnAgent]:
        return OWN_AGENTS


SUITE = EnacttomSuite()
