"""The only loop: it knows no game, no agent and no model."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from hm_agent.core import Agent, ModelUnavailable, Observation, Recorder, Step, World


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an episode went. status: `completed`, or why it ended before the world ended it."""

    status: str
    steps: int
    reward: float
    decision_seconds: Sequence[float]


async def run_episode(
    world: World, agent: Agent, *, seed: int, max_steps: int | None = None, recorders: Sequence[Recorder] = ()
) -> Outcome:
    """Plays one episode and hands every step to the recorders, which are closed however it ends."""
    seconds: list[float] = []
    total = 0.0
    try:
        observation = world.reset(seed)
        while not observation.last and observation.step != max_steps:
            started = time.perf_counter()
            decision = await agent.act(observation)
            seconds.append(time.perf_counter() - started)
            after = world.step(decision.action)
            total += after.reward
            for recorder in recorders:
                recorder.record(Step(observation, decision, after.reward, total))
            observation = after
        status = _status(observation)
    except ModelUnavailable:
        status = "model_unavailable"
    finally:
        for recorder in recorders:
            recorder.close()
    return Outcome(status, len(seconds), total, seconds)


def _status(observation: Observation) -> str:
    return "completed" if observation.last else "max_steps"
