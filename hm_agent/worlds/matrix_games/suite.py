"""What matrix games hand out to experiments, results, reports and replays. The module itself imports no NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import AgentSetup, OwnAgent, OwnCommand, Setting, Suite, Viewer
from hm_agent.config import content_hash
from hm_agent.core import Agent, World
from hm_agent.extensions import ADDED
from hm_agent.metrics import UNBOUNDED, Bounds, Metric, ShareMetric
from hm_agent.models.builtin import ReasonerTable
from hm_agent.repeated_games.learners import LEARNERS_ABOUT
from hm_agent.theory_of_mind.mind import JointMindReading, MindPrompting, MindReading, OddsReading, StrategyMaking
from hm_agent.theory_of_mind.predictions import BASE_RATE, FROM_PREDICTIONS, RIGHT
from hm_agent.worlds.matrix_games.settings import FILES, PayoffGame, TableScenario, table_scenarios

if TYPE_CHECKING:
    from hm_agent.agents.agent import BodyBuilder

UNIT = "reward per round"
LEAST_SHARE_OF_PAYOFFS = 0.1
"""A scale that is shorter than this share of the range of payoffs is narrow: the scenario separates nobody."""
SHORTCUTS: Mapping[str, str] = {
    "random": "draws every action alike",
    "constant": "plays the action whose least payoff is the largest, in every round",
    "average": "plays the action that pays most if the other draws every action alike",
    "boldest": "plays the action with the largest payoff",
    "cooperate": "plays its part of what pays both together the most, in every round",
    "equilibrium": "draws every action from an equilibrium of the game played once",
    "step_1": "goes one action on from its own last one, whatever the other does",
    "step_2": "the same, two actions on",
    "step_3": "the same, three actions on",
    "copy_last": "plays what the other played last: tit-for-tat",
    "win_stay_lose_shift": "stays with an action that paid more than the table's mean, else takes the next",
    "counter_last": "best-responds to the other's last action",
    "counter_commonest": "best-responds to the other's commonest action",
    "match_frequencies": "best-responds to an action drawn from all that the other has played",
    "double_counter": "best-responds to the other's last action; after a win, to the answer to that",
    **LEARNERS_ABOUT,
    "leader": "plays by the rule of thumb for one table that would have paid most so far",
    "automata": "answers what 560 automata of one or two habits foretell, by how well they foretold the other so far",
    "regression": "answers what a logistic regression on both players' payoffs foretells, fitted to the other so far",
}
"""The agents that model no mind, with what they do."""
LADDER = {f"order_{order}": f"knows how opponents up to order {order} play" for order in range(4)}
TOLD = {
    "bayes": "plays best against the mixture of all opponents of the game",
    "oracle": "plays the best response to the opponent's rule, of which it is told",
}
"""The agents that are told of opponents, with what they do."""


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
        return _infos_in(tuple(ADDED.folders))

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

    @cached_property
    def own_agents(self) -> Mapping[str, OwnAgent]:
        return {
            **{name: OwnAgent(about, partial(_build, name), is_reference=True) for name, about in SHORTCUTS.items()},
            **{
                name: OwnAgent(about, partial(_build, name), _has_opponent, asked_by="order", uses=())
                for name, about in LADDER.items()
            },
            **{
                name: OwnAgent(about, partial(_build, name), _has_opponent, is_reference=True)
                for name, about in TOLD.items()
            },
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
        group=_group(scenario),
        about=group.about if group else "no opponent in the world: 2 seats for agents",
        seats=scenario.seats,
        has_like_seats=game.column_payoff is None,
        metric=_metric(scenario),
        asked_by="mg_" if group else "selfplay",
        held_out=group.held_out if group else False,
        order=group.order if group else None,
        needs_order=group.needs_order if group else None,
        separates_nobody=group.separates_nobody if group else False,
        family=_title(game) if group else "",
    )


def _metric(scenario: TableScenario) -> Metric:
    """In self-play there is no ceiling, since nobody is told how another agent will play."""
    bounds = _bounds(scenario.game)
    if scenario.group is None:
        return Metric("reward_per_round", UNIT, digits=2, per_steps=1, bounds=bounds)
    return Metric(
        "reward_per_round", UNIT, ceiling="oracle", digits=2, least_scale=least_scale(scenario), bounds=bounds
    )


def _title(game: PayoffGame) -> str:
    """The game's title, told apart from that of a substrate of the same name."""
    return game.title if game.highest_drawn is not None else f"{game.title} by its table"


def _group(scenario: TableScenario) -> str:
    """Scenarios that need different orders are apart, since each group has a best shortcut of its own."""
    title, group = _title(scenario.game), scenario.group
    if group is None:
        return f"{title}, self-play"
    needs = "" if group.needs_order is None else f", order {group.needs_order} needed"
    return f"{title}{needs}"


def _bounds(game: PayoffGame) -> Bounds:
    """The least and the greatest payoff of either player; unbounded where tables are drawn."""
    if game.highest_drawn is not None:
        return UNBOUNDED
    paid = [payoff for table in (game.row.payoff, game.row.others_payoff) for row in table for payoff in row]
    return min(paid), max(paid)


def least_scale(scenario: TableScenario) -> float:
    """How much better than the best shortcut the ceiling must be, per round, for a scenario to count."""
    paid = [payoff for row in scenario.side.payoff for payoff in row]
    return LEAST_SHARE_OF_PAYOFFS * (max(paid) - min(paid))


SUITE = MatrixGamesSuite()
