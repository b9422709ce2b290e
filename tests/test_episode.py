"""The only loop: how episodes end, and that nothing is lost however they do."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from hm_agent.core import Agent, Decision, EpisodeStats, Observation, Step
from hm_agent.episode import Outcome, run_episode
from hm_agent.questions import ModelUnavailable


class CountingWorld:
    """Ends after ten steps and pays one for each."""

    def __init__(self) -> None:
        self._step = 0

    def reset(self, seed: int) -> Observation:
        self._step = 0
        return Observation(0, {})

    def step(self, action: int) -> Observation:
        self._step += 1
        return Observation(self._step, {}, reward=1.0, last=self._step == 10)

    def background(self) -> Sequence[str]:
        return ()

    def close(self) -> None:
        """Holds nothing."""


class Keeper:
    """Counts what it is given."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.closed = 0

    def record(self, step: Step) -> None:
        self.steps.append(step)

    def close(self) -> None:
        self.closed += 1


class AgentThatStops:
    """Plays three steps and then raises."""

    def __init__(self, error: BaseException | None = None) -> None:
        self._error = error

    async def act(self, observation: Observation) -> Decision:
        if observation.step == 3 and self._error is not None:
            raise self._error
        return Decision(0)

    def vitals(self) -> EpisodeStats:
        return EpisodeStats()


def play(agent: Agent, max_steps: int | None = None) -> tuple[Outcome, Keeper]:
    keeper = Keeper()
    outcome = asyncio.run(run_episode(CountingWorld(), agent, seed=0, max_steps=max_steps, recorders=[keeper]))
    assert keeper.closed == 1
    return outcome, keeper


def test_an_episode_is_completed_when_the_world_ends_it() -> None:
    outcome, keeper = play(AgentThatStops())
    assert (outcome.status, outcome.steps, outcome.reward) == ("completed", 10, 10.0)
    assert [step.total for step in keeper.steps] == [float(n) for n in range(1, 11)]


def test_a_cut_episode_says_so() -> None:
    outcome, keeper = play(AgentThatStops(), max_steps=4)
    assert (outcome.status, outcome.steps, len(keeper.steps)) == ("max_steps", 4, 4)


def test_an_episode_that_ends_with_its_last_permitted_step_is_completed() -> None:
    assert play(AgentThatStops(), max_steps=10)[0].status == "completed"


def test_a_dead_model_ends_the_episode_with_what_was_played() -> None:
    outcome, keeper = play(AgentThatStops(ModelUnavailable("gone")))
    assert (outcome.status, outcome.steps, len(keeper.steps)) == ("model_unavailable", 3, 3)


def test_a_failure_is_named_and_kept() -> None:
    error = ZeroDivisionError("by zero")
    outcome, _ = play(AgentThatStops(error))
    assert outcome.status == "failed: ZeroDivisionError: by zero"
    assert outcome.error is error


def test_trouble_with_a_disk_is_no_failure_of_the_episode() -> None:
    error = OSError("no space")
    outcome, keeper = play(AgentThatStops(error))
    assert (outcome.status, outcome.error, len(keeper.steps)) == ("interrupted", error, 3)


def test_an_interruption_ends_the_episode_with_what_was_played() -> None:
    outcome, keeper = play(AgentThatStops(asyncio.CancelledError()))
    assert (outcome.status, len(keeper.steps)) == ("interrupted", 3)
