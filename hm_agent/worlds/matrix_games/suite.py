"""What matrix games hand out to experiments, results, reports and replays. The module itself imports no NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import AgentSetup, OwnAgent, OwnCommand, Setting, Suite, Viewer
from hm_agent.config import content_hash
from hm_agent.core import World
from hm_agent.metrics import ShareMetric
from hm_agent.models.builtin import ReasonerTable
from hm_agent.theory_of_mind.mind import JointMindReading, MindPrompting, MindReading, OddsReading, StrategyMaking
from hm_agent.theory_of_mind.predictions import BASE_RATE, FROM_PREDICTIONS, RIGHT
from hm_agent.worlds.matrix_games.own_agents import OWN_AGENTS, SHORTCUTS
from hm_agent.worlds.matrix_games.scenarios import listed_scenarios
from hm_agent.worlds.matrix_games.settings import FILES, table_scenarios

if TYPE_CHECKING:
    from hm_agent.agents.agent import BodyBuilder


class MatrixGamesSuite(Suite):
    """Repeated games of two by their payoff tables, against named opponents and in self-play."""

    name = "matrix_games"
    title = "Matrix games"
    own_files = FILES
    offers = (MindReading, JointMindReading, MindPrompting, OddsReading, StrategyMaking)
    shortcuts = tuple(SHORTCUTS)
    scored_by = 100
    needs_are = "measured on seeds"
    commands: Mapping[str, OwnCommand] = {
        "needs": OwnCommand("measure which order of mind scenarios need", "hm_agent.worlds.matrix_games.needs:main")
    }
    literal = ShareMetric(
        RIGHT, "the share of predicted actions of the other that were played", BASE_RATE, given_by=FROM_PREDICTIONS
    )

    @property
    def scenarios(self) -> Sequence[ScenarioInfo]:
        return listed_scenarios()

    def content(self, scenario: ScenarioInfo) -> str | None:
        found = table_scenarios()[scenario.name]
        return content_hash(found.path) if found.is_own else None

    def open(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> World[Any, Any]:
        from hm_agent.worlds.matrix_games.world import MatrixGameWorld

        return MatrixGameWorld(table_scenarios()[scenario.name])

    def body(self, setup: AgentSetup) -> BodyBuilder:
        from hm_agent.worlds.matrix_games.language.round_body import matrix_game_body

        return matrix_game_body

    def answers(self) -> ReasonerTable:
        from hm_agent.worlds.matrix_games.language.reasoner import ANSWERS

        return ANSWERS

    def viewer(self, scenario: ScenarioInfo) -> Viewer:
        from hm_agent.worlds.matrix_games.viewer.rounds_viewer import RoundsViewer

        return RoundsViewer(table_scenarios()[scenario.name])

    @property
    def own_agents(self) -> Mapping[str, OwnAgent]:
        return OWN_AGENTS


SUITE = MatrixGamesSuite()
