"""The scenarios of matrix games as lists, experiments and reports know them. Imports no NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.extensions import ADDED
from hm_agent.metrics import UNBOUNDED, Bounds, Metric
from hm_agent.worlds.matrix_games.settings import PayoffGame, TableScenario, table_scenarios

UNIT = "reward per round"
LEAST_SHARE_OF_PAYOFFS = 0.1
"""A scale that is shorter than this share of the range of payoffs is narrow: the scenario separates nobody."""


def listed_scenarios() -> Sequence[ScenarioInfo]:
    """All scenarios: those that ship, and those of users' folders."""
    return _infos_in(tuple(ADDED.folders))


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
