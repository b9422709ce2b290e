"""An agent that was made to cheat the battery: it scores in orders of mind that it does not have.

    python -m benchmarks.cheats                                                             # what it reaches
    hm-agent battery --world=matrix_games --size=full --agent=benchmarks.cheats:automata    # its card

It is not among the shortcuts that items are scored by.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from statistics import mean

import numpy as np

from benchmarks.enacttom_ladder import episode_seed
from hm_agent.grouping import grouped
from hm_agent.registry import find_scenarios
from hm_agent.suite import AgentSetup, ScenarioInfo
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.worlds.matrix_games.table_agent import TableAgent
from hm_agent.worlds.matrix_games.views import RoundView
from hm_agent.worlds.matrix_games.world import MatrixGameWorld

PLACE = "benchmarks.cheats"
SLIP = 0.15
"""The chance with which an automaton is taken to play any action."""
MOST_LOSSES = 3
FIRST, EPISODES = 1000, 20


class Automata(TableAgent):
    """Weighs small automata by how well they foretold the other's actions, and answers what they foretell.

    A way goes a fixed number of actions on from one of the last round, the other's or the player's own. An automaton
    has one way, or two between which it changes each time that it lost so many rounds in a row. Half of the weight is
    at first on those with one way.
    """

    def __init__(self, world: MatrixGameWorld, seed: int) -> None:
        super().__init__(world, seed)
        self._side = world.scenario.side
        self._ways = np.array([*product((0, 1), range(len(self._side.others)))])
        two = [
            (*pair, losses) for pair in permutations(range(len(self._ways)), 2) for losses in range(1, MOST_LOSSES + 1)
        ]
        self._automata = np.array([*((way, way, 0) for way in range(len(self._ways))), *two])
        is_single = self._automata[:, 2] == 0
        self._weights = np.where(is_single, 1 / is_single.sum(), 1 / len(two))
        self._changed, self._lost = np.zeros(len(is_single), bool), np.zeros(len(is_single), int)
        self._foretold = np.zeros(len(is_single), int)

    def choose(self, view: RoundView) -> tuple[int, None]:
        moves = view.moves
        if not moves:
            return self._rng.randrange(len(self._side.actions)), None
        self._learn(*moves[-1], is_first=len(moves) == 1)
        chances = np.bincount(self._foretold, self._weights, len(self._side.others))
        return int((np.array(self._side.payoff) @ chances).argmax()), None

    def _learn(self, own: int, other: int, *, is_first: bool) -> None:
        if not is_first:
            slip = SLIP / len(self._side.others)
            self._weights *= np.where(self._foretold == other, 1 - SLIP + slip, slip)
            self._weights /= self._weights.sum()
        self._lost = (self._lost + 1) * (own == self._side.best_response(other))
        changes = (self._lost > 0) & (self._lost == self._automata[:, 2])
        self._changed ^= changes
        self._lost[changes] = 0
        anchor, way = self._ways[np.where(self._changed, self._automata[:, 1], self._automata[:, 0])].T
        self._foretold = (np.array((own, other))[anchor] + way) % len(self._side.others)


def automata(setup: AgentSetup) -> Automata:
    assert isinstance(setup.world, MatrixGameWorld)
    return Automata(setup.world, setup.seed)


def earned(agent: str, scenario: ScenarioInfo) -> float:
    """The mean reward per round over episodes that no shortcut was chosen by."""
    rewards = []
    for number in range(FIRST, FIRST + EPISODES):
        seed = episode_seed(scenario, number)
        world, agents = set_up(scenario, agent, seed=seed)
        outcome = play_out(world, agents, seed=seed)
        rewards.append(outcome.reward / outcome.steps)
    return mean(rewards)


def matrix_lines() -> Iterator[str]:
    """The table of matrix games: the least over the scenarios of an item, for each item that needs an order above 0."""
    agents = ("context_vote", "lag", "best_distance", f"{PLACE}:automata")
    yield f"| item | needs order | {' | '.join(agents)} | that order | oracle |"
    yield "| --- " * (5 + len(agents)) + "|"
    items = grouped((info.item, info) for info in find_scenarios(("mg_*",)) if info.needs_order)
    for item, scenarios in sorted(items.items()):
        order = scenarios[0].needs_order
        played = (*agents, f"order_{order}", "oracle")
        found = (min(earned(agent, scenario) for scenario in scenarios) for agent in played)
        yield f"| {item} | {order} | {' | '.join(f'{each:.2f}' for each in found)} |"


def main() -> None:
    for line in matrix_lines():
        print(line, flush=True)


if __name__ == "__main__":
    main()
