"""Measures which order of mind each scenario needs: `hm-agent needs 'mg_mod_*' --episodes=40`.

A scenario needs the least order of the ladder that reaches 80% of the way from the best shortcut (0) to the
ceiling (1), where all lower orders stay below 40%. It is measured on seeds. No scenario needs order 0: shortcuts find
habits out, and what being told of one is worth beyond that is no matter of minds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from statistics import mean

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import register_scenarios
from hm_agent.config import ConfigError
from hm_agent.episode import run_episode
from hm_agent.flags.parsing import argument_parser
from hm_agent.wording import NOTHING, number
from hm_agent.worlds.matrix_games.agents import LADDER, PLAYERS
from hm_agent.worlds.matrix_games.scenarios import least_scale
from hm_agent.worlds.matrix_games.settings import TableScenario, table_scenarios
from hm_agent.worlds.matrix_games.shortcuts import SHORTCUTS
from hm_agent.worlds.matrix_games.world import MatrixGameWorld

REACHED, MISSED = 0.8, 0.4
CEILING = "oracle"
AGENTS = (*LADDER, CEILING, *SHORTCUTS)


@dataclass(frozen=True)
class Item:
    """A scenario. earned: by agent, the reward per round."""

    scenario: TableScenario
    earned: Mapping[str, float]

    @cached_property
    def best_shortcut(self) -> str:
        return max(SHORTCUTS, key=self.earned.__getitem__)

    @property
    def is_narrow(self) -> bool:
        """True if the ceiling is hardly better than the best shortcut, so that the scenario is in no score."""
        return self.earned[CEILING] - self.earned[self.best_shortcut] < least_scale(self.scenario)

    def score(self, agent: str) -> float:
        """Where an agent lies between the best shortcut (0) and the ceiling (1)."""
        floor = self.earned[self.best_shortcut]
        return (self.earned[agent] - floor) / (self.earned[CEILING] - floor)

    @property
    def need(self) -> str:
        if self.is_narrow:
            return "separates nobody"
        return in_words(self.needs_order)

    @cached_property
    def needs_order(self) -> int | None:
        return None if self.is_narrow else needed_order(map(self.score, LADDER))


def needed_order(scores: Iterable[float]) -> int | None:
    """The order from 1 on that a scenario needs by the scores of a ladder, from order 0 on; None if it needs none."""
    for order, score in enumerate(scores):
        if score >= MISSED:
            return order if order and score >= REACHED else None
    return None


def in_words(order: int | None) -> str:
    return "none" if order is None else str(order)


def measured(scenarios: Sequence[TableScenario], episodes: int, first: int = 0) -> Iterator[Item]:
    """Plays all of `AGENTS` in each scenario with an opponent. first: the first episode's number, which sets seeds."""
    for scenario in scenarios:
        if scenario.group:
            numbers = range(first, first + episodes)
            earned = {agent: mean(reward_per_round(scenario, agent, number) for number in numbers) for agent in AGENTS}
            yield Item(scenario, earned)


def reward_per_round(scenario: TableScenario, agent: str, number: int) -> float:
    """What an agent earns in an episode, whose seed depends on the scenario and the episode's number alone."""
    seed, world = Random(f"{scenario.name}/{number}").getrandbits(32), MatrixGameWorld(scenario)
    outcome = asyncio.run(run_episode(world, {"player_0": PLAYERS[agent](world, seed)}, seed=seed))
    return outcome.reward / outcome.steps


def _line(item: Item) -> str:
    group = item.scenario.group
    cells = [
        item.scenario.name,
        "yes" if group and group.held_out else "no",
        f"{number(item.earned[item.best_shortcut], 2)} `{item.best_shortcut}`",
        number(item.earned[CEILING], 2),
        *(NOTHING if item.is_narrow else number(item.score(agent), 2) for agent in LADDER),
        item.need,
    ]
    return f"| {' | '.join(cells)} |"


def main(arguments: Sequence[str]) -> int:
    parser = argument_parser("needs", str(__doc__))
    parser.add_argument("scenarios", nargs="+", help="scenarios of matrix games, by name or glob")
    parser.add_argument("--episodes", type=int, default=40, help="how many a scenario and agent (default: 40)")
    parser.add_argument(
        "--first",
        type=int,
        default=0,
        help="the number of the first episode (default: 0), so that other seeds can tell whether a need holds",
    )
    parser.add_argument("--scenarios_dir", action="append", default=[], help="a folder with games of your own")
    asked = parser.parse_intermixed_args(arguments)
    for folder in asked.scenarios_dir:
        register_scenarios(folder)
    found = [table_scenarios().get(info.name) for info in find_scenarios(asked.scenarios)]
    known = [scenario for scenario in found if scenario is not None]
    if len(known) < len(found) or asked.episodes < 1:
        raise ConfigError("say scenarios of matrix games, mg_*, and at least one episode")
    if not any(scenario.group for scenario in known):
        raise ConfigError("no opponent in these scenarios: self-play needs no order")
    ladder = " | ".join(f"`{agent}`" for agent in LADDER)
    print(f"| scenario | held out | best shortcut | `{CEILING}` | {ladder} | needs |")
    print("| --- " * (5 + len(LADDER)) + "|")
    for item in measured(known, asked.episodes, asked.first):
        print(_line(item), flush=True)
    return 0
