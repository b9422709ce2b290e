"""Episodes as tests and benchmarks set them up."""

from __future__ import annotations

from statistics import mean

from hm_agent.catalogue.registry import scenario_named
from hm_agent.testing.episodes import play_out, set_up


def test_agents_that_draw_at_random_do_not_draw_alike() -> None:
    scenario = scenario_named("symmtom_w6_n3_c9")
    rewards = []
    for seed in range(30):
        world, agents = set_up(scenario, "random", seed=seed)
        rewards.append(play_out(world, agents, seed=seed).reward)
    assert mean(rewards) < 7, "agents of the same seed go the same ways, meet all the time, and are paid twice as much"
