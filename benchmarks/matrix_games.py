"""What agents earn in matrix games, the computed optimum beside it, and how fast they play on one core.

`python -m benchmarks.matrix_games 20` sets the number of episodes in each scenario.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Mapping, Sequence
from math import sqrt
from random import Random
from statistics import mean, stdev

from hm_agent.catalogue.registry import scenario_named
from hm_agent.episode import run_episode
from hm_agent.repeated_games.best_play import BayesPlay, best_response
from hm_agent.testing.episodes import set_up
from hm_agent.worlds.matrix_games.agents import DIGITS, lookahead
from hm_agent.worlds.matrix_games.settings import TableScenario, table_scenarios

EPISODES = 100
SPEED_SCENARIO = "mg_rps_noisy_copy"
AGENTS = ("random", "constant", "equilibrium", "react", "hypothetical_minds", "hm_odds", "bayes", "oracle")
"""Those that ask a model ask the built-in reasoner."""


def scenarios_by_game() -> Mapping[str, Sequence[TableScenario]]:
    """The scenarios with an opponent, by the game's title."""
    known = [scenario for scenario in table_scenarios().values() if scenario.group]
    titles = dict.fromkeys(scenario.game.title for scenario in known)
    return {title: [scenario for scenario in known if scenario.game.title == title] for title in titles}


def earned(scenario: TableScenario, agent: str, number: int) -> float:
    """The reward per round of one episode, whose seed depends on the scenario and the episode's number alone."""
    seed = Random(f"{scenario.name}/{number}").getrandbits(32)
    world, agents = set_up(scenario_named(scenario.name), agent, seed=seed)
    outcome = asyncio.run(run_episode(world, agents, seed=seed))
    return outcome.reward / outcome.steps


def optimum(scenario: TableScenario) -> float:
    """The expected reward per round of the best response, averaged over the scenario's opponents."""
    rounds = scenario.game.rounds
    return mean(best_response(rule, rounds).total / rounds for rule in scenario.rules)


def mean_over(scenarios: Sequence[TableScenario], agent: str, episodes: int) -> str:
    """The mean over scenarios, with the standard error that the episodes' spread leaves."""
    drawn = [[earned(scenario, agent, number) for number in range(episodes)] for scenario in scenarios]
    error = sqrt(sum((stdev(rewards) ** 2 / episodes) for rewards in drawn)) / len(drawn)
    return f"{mean(map(mean, drawn)):.2f} ± {error:.2f}"


def rounds_per_second(agent: str) -> float:
    """Rounds per second of CPU time, without recorders, after a first episode."""
    scenario, episodes = table_scenarios()[SPEED_SCENARIO], 20
    earned(scenario, agent, 0)
    started = time.process_time()
    for number in range(1, episodes + 1):
        earned(scenario, agent, number)
    return episodes * scenario.game.rounds / (time.process_time() - started)


def planning_seconds(scenarios: Sequence[TableScenario]) -> float:
    """Seconds of CPU time that `bayes` plans before the first round of a game's first scenario."""
    mixture, rounds = scenarios[0].mixture(), scenarios[0].game.rounds
    play = BayesPlay(tuple(mixture), tuple(mixture.values()), rounds, lookahead(scenarios[0].side), DIGITS)
    started = time.process_time()
    play.action(play.prior, rounds)
    return time.process_time() - started


def main(episodes: int = EPISODES) -> None:
    print(f"Reward per round, mean ± standard error over each game's opponents, {episodes} episodes each:")
    print(f"| game | opponents | {' | '.join(AGENTS)} | computed optimum |")
    for title, scenarios in scenarios_by_game().items():
        means = (mean_over(scenarios, agent, episodes) for agent in AGENTS)
        print(f"| {title} | {len(scenarios)} | {' | '.join(means)} | {mean(map(optimum, scenarios)):.2f} |", flush=True)
    print(f"Rounds per second of CPU time, {SPEED_SCENARIO}:")
    for agent in AGENTS:
        print(f"| {agent} | {rounds_per_second(agent):,.0f} |", flush=True)
    print("Seconds of CPU time that bayes plans before the first round:")
    for title, scenarios in scenarios_by_game().items():
        print(f"| {title} | {planning_seconds(scenarios):.1f} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
