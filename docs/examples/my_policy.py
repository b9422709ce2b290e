"""Trains a table against one rule of play, keeps it in a file, and plays it as an agent: `python my_policy.py`."""

import json
import random
from pathlib import Path

import hm_agent
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites

TRAINED_ON, NEW, FILE = "mg_rps_counter", "mg_rps_noisy_copy", Path("my_policy.json")


def state(view) -> str:
    """All that the table knows of a round: what both played in the one before."""
    return " ".join(f"{past.own}/{past.other}" for past in view.history[-1:])


def train(episodes: int) -> dict[str, dict[str, float]]:
    """The mean reward of each action in each state (a tenth of the way to each reward), a third of them at random."""
    (scenario,), rng, table = find_scenarios([TRAINED_ON]), random.Random(0), {}
    world = suites()[scenario.world].open(scenario, {})
    for seed in range(episodes):
        turn = world.reset(seed)
        while not turn.is_over:
            view = turn.observations["player_0"].view
            values = table.setdefault(state(view), dict.fromkeys(view.side.actions, 0.0))
            action = rng.choice(list(values)) if rng.random() < 1 / 3 else max(values, key=values.get)
            turn = world.step({"player_0": action})
            values[action] += 0.1 * (turn.rewards["player_0"] - values[action])
    return table


class Trained(hm_agent.Agent):
    def __init__(self, setup: hm_agent.AgentSetup) -> None:
        self._table = json.loads(FILE.read_text())

    async def act(self, observation: hm_agent.Observation) -> hm_agent.Decision:
        values = self._table.get(state(observation.view), {observation.view.side.actions[0]: 0.0})
        return hm_agent.Decision(max(values, key=values.get))


if __name__ == "__main__":
    FILE.write_text(json.dumps(train(30)))
    hm_agent.register_agent("trained", Trained)
    results = hm_agent.play([TRAINED_ON, NEW], agent=["trained", "random"], episodes=5, out="trained", report=False)
    print(results.frame().groupby(["scenario", "agent"])["value"].mean())
