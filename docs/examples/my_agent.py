"""Walks at random, and fires as soon as it holds five things: `hm-agent play --agent=my_agent:build` plays it, too."""

import random

import hm_agent

FIRE, MOVES = 7, range(1, 7)


class Wanderer(hm_agent.Agent):
    def __init__(self, seed: int) -> None:
        self._random, self._shots = random.Random(seed), 0

    async def act(self, observation: hm_agent.Observation) -> hm_agent.Decision:
        view = observation.view
        if view["READY_TO_SHOOT"] and sum(view["INVENTORY"]) >= 5:
            self._shots += 1
            return hm_agent.Decision(FIRE)
        return hm_agent.Decision(self._random.choice(MOVES))

    def metrics(self) -> dict[str, float]:
        return {"shots": float(self._shots)}  # in results and frames


def build(setup: hm_agent.AgentSetup) -> Wanderer:
    return Wanderer(setup.seed)


if __name__ == "__main__":
    hm_agent.register_agent("wanderer", build)
    results = hm_agent.play("rws_repeated_1", agent=["wanderer", "random"], max_steps=500, out="agents")
    print(results.frame()[["agent", "value", "unit", "metrics.shots"]].to_string())
