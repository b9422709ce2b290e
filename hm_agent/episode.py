"""The only loop: it knows no game, no agent and no model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from hm_agent.core import Agent, Decision, Observation, Recorder, Step, World
from hm_agent.questions import ModelUnavailable


@dataclass
class Outcome:
    """How an episode went.

    status: `completed`, or why it ended before the world ended it. reward: the sum of all rewards. decision_seconds:
    how long the agent took for each step in which it asked nothing. error: what ended the episode before its time.
    """

    status: str = "completed"
    steps: int = 0
    reward: float = 0.0
    decision_seconds: list[float] = field(default_factory=list)
    error: Exception | None = None

    def fail(self, error: Exception) -> None:
        """Notes what the episode failed of; of several errors, the first. A disk's trouble is not the episode's."""
        if self.error is None:
            is_disk = isinstance(error, OSError)
            self.status = "interrupted" if is_disk else f"failed: {type(error).__name__}: {error}"
            self.error = error


async def run_episode(
    world: World, agent: Agent, *, seed: int, max_steps: int | None = None, recorders: Sequence[Recorder] = ()
) -> Outcome:
    """Plays one episode, hands every step to the recorders, and closes them however it ends.

    An interruption and a failure end the episode with a status, so that what was played is not lost.
    """
    outcome = Outcome()
    try:
        await _play(world, agent, seed, max_steps, recorders, outcome)
    except ModelUnavailable as error:
        outcome.status, outcome.error = error.status, error
    except asyncio.CancelledError:
        outcome.status = "interrupted"
    except Exception as error:  # noqa: BLE001 - kept in the outcome, and told in the result
        outcome.fail(error)
    for recorder in recorders:
        try:
            recorder.close()
        except OSError as error:
            outcome.fail(error)
    return outcome


async def _play(
    world: World, agent: Agent, seed: int, max_steps: int | None, recorders: Sequence[Recorder], outcome: Outcome
) -> None:
    observation = world.reset(seed)
    while not observation.last:
        if outcome.steps == max_steps:
            outcome.status = "max_steps"
            return
        decision = await _timed(agent, observation, outcome)
        after = world.step(decision.action)
        outcome.steps += 1
        outcome.reward += after.reward
        for recorder in recorders:
            recorder.record(Step(observation, decision, after.reward, outcome.reward))
        observation = after
        await asyncio.sleep(0)  # lets an interruption through: an agent that asks nobody never waits


async def _timed(agent: Agent, observation: Observation, outcome: Outcome) -> Decision:
    started = time.perf_counter()
    decision = await agent.act(observation)
    if not decision.exchanges:
        outcome.decision_seconds.append(time.perf_counter() - started)
    return decision
