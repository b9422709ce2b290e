"""What SymmToM hands out to experiments, results, reports and replays. The module itself imports no NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import AgentSetup, Option, OwnAgent, OwnCommand, Setting, Suite, Viewer
from hm_agent.config import ConfigError, existing_file
from hm_agent.core import World
from hm_agent.matched_pairs import PAIRS
from hm_agent.metrics import ShareMetric
from hm_agent.models.builtin import ReasonerTable
from hm_agent.recording.result import NETWORKS
from hm_agent.theory_of_mind.mind import JointMindReading, MindPrompting, MindReading, OddsReading, StrategyMaking
from hm_agent.wording import listed
from hm_agent.worlds.symmtom.mind_facts import mind_tests
from hm_agent.worlds.symmtom.own_agents import OWN_AGENTS, SHORTCUTS, TRAINED, board_of
from hm_agent.worlds.symmtom.pairs.kinds import PAIR_SCENARIOS
from hm_agent.worlds.symmtom.scenarios import (
    game_settings,
    listed_scenarios,
    literal_steps,
    mind_facts_of,
    settings_by_name,
    size_info,
    size_settings,
)
from hm_agent.worlds.symmtom.settings import COMPETITIVE, COOPERATIVE, PAPER, PRIVATE, PUBLIC, PUBLISHED, parse_name
from hm_agent.worlds.symmtom.tables.table import MIXED_SCENARIOS

if TYPE_CHECKING:
    from hm_agent.agents.agent import BodyBuilder


class SymmtomSuite(Suite):
    """The paper's twelve settings, any other size by its name, the tests of mind, their pairs, and mixed tables."""

    name = "symmtom"
    offers = (MindReading, JointMindReading, MindPrompting, OddsReading, StrategyMaking)
    title = "SymmToM"
    needs_are = "proved of each pair, and of sizes measured on seeds"
    shortcuts = ("random", "heuristic", "k_first", *(f"shortcut_{name}" for name in SHORTCUTS))
    options = (
        Option(
            "first_hand",
            "Whether everyone knows who knows what first-hand, or everyone only its own.",
            PUBLIC,
            (PUBLIC, PRIVATE),
            changes_world=True,
        ),
        Option(
            "rewards",
            "Cooperative as in the paper, or competitive: the second recharge of an agent ends the episode, and the "
            "others pay.",
            COOPERATIVE,
            (COOPERATIVE, COMPETITIVE),
            changes_world=True,
        ),
        Option(
            "rules",
            "Those of the paper or, if `published`, of its authors' code: what can be said is a turn old, and a new "
            "piece pays its listener once for each speaker.",
            choices=(PAPER, PUBLISHED),
            changes_world=True,
        ),
        Option(
            "literal",
            "At how many steps of an episode language agents are asked whether others know pieces; none by default. "
            "In a test of mind, at as many steps of its prelude as there are.",
        ),
        Option(
            "checkpoint",
            "The file that a trained agent plays by, if not the one that comes with the package for the scenario.",
        ),
    )
    network_options: Mapping[str, str] = {NETWORKS: "checkpoint"}
    commands: Mapping[str, OwnCommand] = {
        "train": OwnCommand("train agents", "hm_agent.worlds.symmtom.learning.command:main"),
    }
    literal = ShareMetric(
        "literal_right",
        "the share of rightly answered questions on who knows which piece",
        "literal_true",
        is_binary=True,
        habits=("literal_by_hearing",),
        given_by="language agents are asked with --literal, e.g. at five steps with --literal=5",
    )
    battery_items = "symmtom_pairs_*"
    battery_options: Mapping[str, Setting] = {"literal": "1"}
    environments: Mapping[str, str] = {"hm_agent/SymmToM-v0": "symmtom_w6_n3_c3"}

    @cached_property
    def scenarios(self) -> Sequence[ScenarioInfo]:
        return tuple(listed_scenarios())

    def find(self, name: str) -> ScenarioInfo | None:
        game = parse_name(name)
        return size_info(game) if game else None

    def settle(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> Mapping[str, Setting]:
        if options.get("rules") == PAPER:
            options = {**options, "rules": None}
        if mind_facts_of(scenario.name) and options.get("rewards") == COMPETITIVE:
            raise ConfigError(f"--rewards={COMPETITIVE}: {scenario.name} is cooperative, as every test of mind is")
        if mind_facts_of(scenario.name) and options.get("rules") == PUBLISHED:
            raise ConfigError(f"--rules={PUBLISHED}: {scenario.name} has the paper's rules, as every test of mind has")
        if scenario.name in MIXED_SCENARIOS:
            options = {**options, "first_hand": PRIVATE}
        if scenario.name in PAIR_SCENARIOS and options.get("first_hand", PUBLIC) != PUBLIC:
            raise ConfigError(
                f"--first_hand={options['first_hand']}: what is right in {scenario.name} is so if all know"
            )
        count, steps = options.get("literal"), game_settings(scenario, options).steps
        if count is not None and not (str(count).isdecimal() and int(count) < steps):
            raise ConfigError(f"--literal={count}: say at how many of the {steps} steps to ask, 0 to {steps - 1}")
        if path := existing_file("checkpoint", options.get("checkpoint")):
            from hm_agent.worlds.symmtom.learning.checkpoints import load

            load(path, game_settings(scenario, options))
        return options

    def networks(
        self, scenario: ScenarioInfo, agents: Sequence[str], options: Mapping[str, Setting]
    ) -> Mapping[str, Path]:
        path = options.get("checkpoint")
        return {NETWORKS: Path(str(path))} if path and not TRAINED.keys().isdisjoint(agents) else {}

    def unused(
        self, scenario: ScenarioInfo, agents: Sequence[str], options: Mapping[str, Setting]
    ) -> Mapping[str, str]:
        from hm_agent.agents.registry import AGENTS

        unused = {}
        if scenario.name in MIXED_SCENARIOS:
            unused["first_hand"] = "first-hand knowledge is private at every mixed table"
        if all(agent in self.own_agents for agent in agents):
            unused["literal"] = f"it is for language agents, such as react, and not for {listed(agents)}"
        if not any(agent in TRAINED or agent not in {*self.own_agents, *AGENTS} for agent in agents):
            unused["checkpoint"] = f"it is for trained agents, such as ippo, and not for {listed(agents)}"
        return unused

    def open(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> World[Any, Any]:
        from hm_agent.worlds.symmtom.mind_world import MindTestWorld
        from hm_agent.worlds.symmtom.world import SymmtomWorld

        if pairs := PAIR_SCENARIOS.get(scenario.name):
            from hm_agent.worlds.symmtom.pairs.pair_world import MindPairWorld

            return MindPairWorld(pairs.kind, pairs.half)
        if found := MIXED_SCENARIOS.get(scenario.name):
            from hm_agent.worlds.symmtom.tables.table_world import MixedTableWorld

            return MixedTableWorld(found.facts, found.half)
        if scenario.name in mind_tests():
            return MindTestWorld(mind_tests()[scenario.name], has_public_first_hand=options["first_hand"] == PUBLIC)
        return SymmtomWorld(size_settings(scenario, options))

    def parallel_env(self, scenario: ScenarioInfo, options: Mapping[str, Setting], render_mode: str | None) -> Any:
        if mind_facts_of(scenario.name):
            return super().parallel_env(scenario, options, render_mode)
        from hm_agent.worlds.symmtom.parallel import SymmtomParallelEnv

        return SymmtomParallelEnv(size_settings(scenario, options), render_mode)

    def body(self, setup: AgentSetup) -> BodyBuilder:
        from hm_agent.worlds.symmtom.language.body import symmtom_body

        board = board_of(setup)
        steps = min(board.settings.steps, setup.max_steps or board.settings.steps)
        probed, last = int(setup.options["literal"] or 0), literal_steps(setup.scenario, steps)
        seat = board.seats[0] if setup.scenario.name in PAIR_SCENARIOS else setup.seat
        return partial(symmtom_body, board, seat, setup.seed, steps, probed, last)

    def episodes(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> int | None:
        return PAIRS if scenario.name in PAIR_SCENARIOS else None

    def seed(self, scenario: ScenarioInfo, base: int, number: int) -> int | None:
        return base * PAIRS + number if scenario.name in PAIR_SCENARIOS else None

    def viewer(self, scenario: ScenarioInfo) -> Viewer:
        from hm_agent.worlds.symmtom.viewer.viewer import SymmtomViewer

        facts = mind_facts_of(scenario.name)
        return SymmtomViewer(facts.settings if facts else settings_by_name(scenario), mind_tests().get(scenario.name))

    def answers(self) -> ReasonerTable:
        from hm_agent.worlds.symmtom.language.reasoner import ANSWERS

        return ANSWERS

    @property
    def own_agents(self) -> Mapping[str, OwnAgent]:
        return OWN_AGENTS


SUITE = SymmtomSuite()
