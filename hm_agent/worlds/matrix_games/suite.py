"""What matrix games hand out to experiments, results, reports and replays. The module itself imports no NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from hm_agent.core import Agent, World
from hm_agent.extensions import ADDED
from hm_agent.models.builtin import ReasonerTable
from hm_agent.suite import (
    FULL,
    SMALL,
    AgentSetup,
    BatteryPart,
    Metric,
    OwnAgent,
    ScenarioInfo,
    Setting,
    ShareMetric,
    Suite,
    Viewer,
)
from hm_agent.theory_of_mind.mind import JointMindReading, MindPrompting, MindReading, StrategyMaking
from hm_agent.theory_of_mind.predictions import BASE_RATE, RIGHT
from hm_agent.worlds.matrix_games.settings import TableScenario, content_of_own, table_scenarios

if TYPE_CHECKING:
    from hm_agent.agents.agent import BodyBuilder

UNIT = "reward per round"
METRIC = Metric("reward_per_round", UNIT, floor="random", ceiling="oracle", digits=2)
SELF_PLAY_METRIC = Metric("reward_per_round", UNIT, floor="random", digits=2)
"""Nobody is told how another agent will play, so self-play has no ceiling."""


class MatrixGamesSuite(Suite):
    """Repeated games of two by their payoff tables, against named opponents and in self-play."""

    name = "matrix_games"
    title = "Matrix games"
    offers = (MindReading, JointMindReading, MindPrompting, StrategyMaking)
    literal = ShareMetric(RIGHT, "the share of predicted actions of the other that were played", BASE_RATE)
    battery: Mapping[str, BatteryPart] = {
        SMALL: BatteryPart(("mg_pd_tit_for_tat", "mg_pd_grim", "mg_rps_pure", "mg_rps_counter"), episodes=1),
        FULL: BatteryPart(("mg_*",), episodes=2),
    }

    @property
    def scenarios(self) -> Sequence[ScenarioInfo]:
        return _infos_in(tuple(ADDED.folders))

    def content(self, scenario: ScenarioInfo) -> str | None:
        return content_of_own(table_scenarios()[scenario.name].path)

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
        def own(name: str, about: str, *, needs_opponent: bool = False) -> OwnAgent:
            plays = _has_opponent if needs_opponent else lambda scenario: True
            return OwnAgent(about, partial(_build, name), plays, is_reference=True)

        return {
            "random": own("random", "draws every action alike; marks the floor"),
            "constant": own("constant", "plays the action whose least payoff is the largest, in every round"),
            "equilibrium": own("equilibrium", "draws every action from an equilibrium of the game played once"),
            "bayes": own("bayes", "plays best against the mixture of all opponents of the game", needs_opponent=True),
            "oracle": own(
                "oracle", "plays the best response to the opponent's rule, of which it is told", needs_opponent=True
            ),
        }


def _has_opponent(scenario: ScenarioInfo) -> bool:
    return len(scenario.seats) == 1


def _build(name: str, setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.worlds.matrix_games.agents import PLAYERS
    from hm_agent.worlds.matrix_games.world import MatrixGameWorld

    assert isinstance(setup.world, MatrixGameWorld)
    return PLAYERS[name](setup.world, setup.seed)


@cache
def _infos_in(folders: tuple[str, ...]) -> tuple[ScenarioInfo, ...]:
    """All scenarios. folders: the registered ones, which the cache goes by."""
    return tuple(map(_scenario_info, table_scenarios().values()))


def _scenario_info(scenario: TableScenario) -> ScenarioInfo:
    game, group = scenario.game, scenario.group
    return ScenarioInfo(
        world="matrix_games",
        name=scenario.name,
        short_name=scenario.name,
        group=f"{game.title} by its table{'' if group else ', self-play'}",
        about=group.about if group else "no opponent in the world: 2 seats for agents",
        seats=scenario.seats,
        metric=METRIC if group else SELF_PLAY_METRIC,
        asked_by="mg_" if group else "selfplay",
        held_out=group.held_out if group else False,
        order=group.order if group else None,
        family=f"{game.title} by its table" if group else "",
    )


SUITE = MatrixGamesSuite()
