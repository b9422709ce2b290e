"""The loop of an episode, the same for every world, agent and model."""

from __future__ import annotations

import asyncio
import time
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hm_agent.core import Agent, Decision, Observation, Recorder, Seat, Step, World, per_capita
from hm_agent.questions import ModelUnavailable, together
from hm_agent.storage.files import DiskError, disk_errors

STEPS_BETWEEN_PAUSES = 10
"""Steps after which the loop yields to asyncio to let an interruption through: agents without a model never yield."""


@dataclass
class EpisodeOutcome:
    """How an episode went.

    status: `completed`, or why the episode ended before the world ended it. rewards: the sum of all rewards, by seat.
    decision_seconds: the duration of each decision for which no model was asked. error: the exception that ended the
    episode early.
    """

    status: str = "completed"
    steps: int = 0
    rewards: dict[Seat, float] = field(default_factory=dict)
    decision_seconds: array[float] = field(default_factory=lambda: array("d"))
    error: Exception | None = None

    @property
    def reward(self) -> float:
        """The mean reward of the seats."""
        return per_capita(self.rewards.values()) if self.rewards else 0.0

    def fail(self, error: Exception) -> None:
        """Keeps the first error that ended the episode. After a DiskError it counts as interrupted, not as failed."""
        if self.error is None:
            is_disk = isinstance(error, DiskError)
            self.status = "interrupted" if is_disk else f"failed: {type(error).__name__}: {error}"
            self.error = error


async def run_episode(
    world: World[Any, Any],
    agents: Mapping[Seat, Agent[Any, Any]],
    *,
    seed: int,
    max_steps: int | None = None,
    recorders: Sequence[Recorder] = (),
    outcome: EpisodeOutcome | None = None,
) -> EpisodeOutcome:
    """Plays one episode, hands every step to the recorders, and closes them however it ends.

    agents: one for each seat of the world. outcome: a new one, with a reward of 0 for each seat; it is filled in as
    steps come, and returned. Interruptions and errors are not raised but end the episode with a status, so that the
    steps played so far are kept.
    """
    outcome = outcome or EpisodeOutcome(rewards=dict.fromkeys(world.seats, 0.0))
    try:
        await _play(world, agents, seed, max_steps, recorders, outcome)
    except ModelUnavailable as error:
        outcome.status, outcome.error = error.status, error
    except asyncio.CancelledError as error:
        if is_being_cancelled():
            outcome.status = "interrupted"
        else:
            outcome.fail(RuntimeError(f"the episode raised {error!r}"))
    except Exception as error:  # noqa: BLE001 - kept in the outcome, and written to the result
        outcome.fail(error)
    for recorder in recorders:
        try:
            with disk_errors():
                recorder.close()
        except Exception as error:  # noqa: BLE001 - a user's recorder may raise anything; kept in the outcome
            outcome.fail(error)
    return outcome


def is_being_cancelled() -> bool:
    """True if somebody has cancelled the present task, so that a CancelledError is not an agent's or a world's own."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _play(
    world: World[Any, Any],
    agents: Mapping[Seat, Agent[Any, Any]],
    seed: int,
    max_steps: int | None,
    recorders: Sequence[Recorder],
    outcome: EpisodeOutcome,
) -> None:
    turn = world.reset(seed)
    while not turn.is_over:
        if outcome.steps == max_steps:
            outcome.status = "max_steps"
            return
        waiting = turn.observations
        decided = await together(_timed(agents[seat], observed, outcome) for seat, observed in waiting.items())
        decisions = dict(zip(waiting, decided, strict=True))
        after = world.step({seat: decision.action for seat, decision in decisions.items()})
        outcome.steps += 1
        for seat, reward in after.rewards.items():
            outcome.rewards[seat] += reward
        if recorders:
            step = Step(turn, decisions, after.rewards, dict(outcome.rewards), world.scene())
            with disk_errors():
                for recorder in recorders:
                    recorder.record(step)
        turn = after
        if outcome.steps % STEPS_BETWEEN_PAUSES == 0:
            await asyncio.sleep(0)


async def _timed(agent: Agent[Any, Any], observation: Observation[Any], outcome: EpisodeOutcome) -> Decision[Any]:
    """Returns an agent's decision; adds its duration to the outcome if no model was asked.

    Raises RuntimeError in place of SystemExit: an agent that exits ends its episode, not the run.
    """
    started = time.perf_counter()
    try:
        decision = await agent.act(observation)
    except SystemExit as error:
        raise RuntimeError(f"the agent raised {error!r}") from error
    if not decision.exchanges:
        outcome.decision_seconds.append(time.perf_counter() - started)
    return decision
