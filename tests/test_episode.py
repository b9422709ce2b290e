"""The only loop: who acts when, how episodes end, and that nothing is lost however they do."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from errno import ENOSPC
from typing import Any

from hm_agent.core import Agent, Decision, Observation, Step, Turn, World
from hm_agent.episode import EpisodeOutcome, run_episode
from hm_agent.questions import ModelUnavailable
from hm_agent.storage.files import DiskError


class CountingWorld(World[int, int]):
    """Ends after ten steps and pays each seat that acts one for each, the second seat two. A view is the step.

    in_turn: only one seat acts in each step.
    """

    def __init__(self, seats: Sequence[str] = ("first",), *, in_turn: bool = False) -> None:
        self.seats, self._in_turn = seats, in_turn
        self._step = 0
        self.taken: list[Mapping[str, int]] = []

    def reset(self, seed: int) -> Turn[int]:
        self._step = 0
        return self._turn({})

    def step(self, actions: Mapping[str, int]) -> Turn[int]:
        self._step += 1
        self.taken.append(actions)
        return self._turn({seat: 1.0 + list(self.seats).index(seat) for seat in actions})

    def _turn(self, rewards: Mapping[str, float]) -> Turn[int]:
        waiting = self.seats if not self._in_turn else [self.seats[self._step % len(self.seats)]]
        seen = {seat: Observation(self._step, self._step, rewards.get(seat, 0.0)) for seat in waiting}
        return Turn(self._step, seen, rewards, self._step == 10)


class Keeper:
    """Counts what it is given."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.closed = 0

    def record(self, step: Step) -> None:
        self.steps.append(step)

    def close(self) -> None:
        self.closed += 1


class AgentThatStops(Agent[Any, int]):
    """Plays three steps and then raises."""

    def __init__(self, error: BaseException | None = None) -> None:
        self._error = error

    async def act(self, observation: Observation[Any]) -> Decision[int]:
        if observation.step == 3 and self._error is not None:
            raise self._error
        return Decision(0)


def play(agent: Agent[Any, Any], max_steps: int | None = None) -> tuple[EpisodeOutcome, Keeper]:
    keeper = Keeper()
    world = CountingWorld()
    outcome = asyncio.run(run_episode(world, {"first": agent}, seed=0, max_steps=max_steps, recorders=[keeper]))
    assert keeper.closed == 1
    return outcome, keeper


def test_an_episode_is_completed_when_the_world_ends_it() -> None:
    outcome, keeper = play(AgentThatStops())
    assert (outcome.status, outcome.steps, outcome.reward) == ("completed", 10, 10.0)
    assert [step.totals["first"] for step in keeper.steps] == [float(n) for n in range(1, 11)]


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


def test_an_agent_that_exits_fails_its_episode() -> None:
    outcome, keeper = play(AgentThatStops(SystemExit(0)))
    assert (outcome.status, len(keeper.steps)) == ("failed: RuntimeError: the agent raised SystemExit(0)", 3)


def test_an_agents_lost_connection_is_a_failure_and_no_trouble_with_the_disk() -> None:
    outcome, keeper = play(AgentThatStops(ConnectionResetError("it hung up")))
    assert (outcome.status, len(keeper.steps)) == ("failed: ConnectionResetError: it hung up", 3)
    assert not isinstance(outcome.error, DiskError)


class FullDisk(Keeper):
    """Has room for three steps."""

    def record(self, step: Step) -> None:
        if len(self.steps) == 3:
            raise OSError(ENOSPC, "no space", "trace.jsonl")
        super().record(step)


def test_trouble_with_a_disk_is_no_failure_of_the_episode() -> None:
    keeper = FullDisk()
    outcome = asyncio.run(run_episode(CountingWorld(), {"first": AgentThatStops()}, seed=0, recorders=[keeper]))
    assert (outcome.status, len(keeper.steps), keeper.closed) == ("interrupted", 3, 1)
    assert isinstance(outcome.error, DiskError)
    assert (outcome.error.errno, outcome.error.filename) == (ENOSPC, "trace.jsonl")


class Unclosable(Keeper):
    """Can't be closed."""

    def close(self) -> None:
        super().close()
        raise ValueError("it is open still")


def test_a_recorder_that_can_not_be_closed_costs_neither_the_steps_nor_the_others() -> None:
    recorders = [Unclosable(), keeper := Keeper()]
    outcome = asyncio.run(run_episode(CountingWorld(), {"first": AgentThatStops()}, seed=0, recorders=recorders))
    assert (outcome.status, outcome.steps, outcome.reward) == ("failed: ValueError: it is open still", 10, 10.0)
    assert keeper.closed == 1


class Interrupted(AgentThatStops):
    """Plays three steps and is then cancelled from outside."""

    async def act(self, observation: Observation[Any]) -> Decision[int]:
        if observation.step == 3 and (task := asyncio.current_task()):
            task.cancel()
        await asyncio.sleep(0)
        return await super().act(observation)


def test_an_interruption_ends_the_episode_with_what_was_played() -> None:
    outcome, keeper = play(Interrupted())
    assert (outcome.status, len(keeper.steps)) == ("interrupted", 3)


def test_a_cancellation_of_an_agents_own_fails_its_episode() -> None:
    outcome, keeper = play(AgentThatStops(asyncio.CancelledError()))
    assert (outcome.status, len(keeper.steps)) == ("failed: RuntimeError: the episode raised CancelledError()", 3)


# Several seats


class AgentThatWaitsForTheOther(AgentThatStops):
    """Acts only once the other has begun to act in the same step."""

    def __init__(self, own: asyncio.Barrier) -> None:
        super().__init__()
        self._barrier = own

    async def act(self, observation: Observation[Any]) -> Decision[int]:
        await asyncio.wait_for(self._barrier.wait(), 10)
        return Decision(observation.view)


def test_all_waiting_seats_act_at_the_same_time_and_then_the_world_steps_once() -> None:
    async def played() -> tuple[EpisodeOutcome, CountingWorld]:
        barrier, world = asyncio.Barrier(2), CountingWorld(("first", "second"))
        agents = {seat: AgentThatWaitsForTheOther(barrier) for seat in world.seats}
        return await run_episode(world, agents, seed=0), world

    outcome, world = asyncio.run(played())
    assert (outcome.status, outcome.steps) == ("completed", 10)
    assert world.taken == [{"first": step, "second": step} for step in range(10)]


def test_rewards_are_summed_by_seat_and_the_mean_over_seats_is_the_episode_s() -> None:
    world = CountingWorld(("first", "second"))
    outcome = asyncio.run(run_episode(world, {seat: AgentThatStops() for seat in world.seats}, seed=0))
    assert outcome.rewards == {"first": 10.0, "second": 20.0}
    assert outcome.reward == 15.0


def test_in_a_world_of_turns_only_the_waiting_seat_acts() -> None:
    world, keeper = CountingWorld(("first", "second"), in_turn=True), Keeper()
    agents = {seat: AgentThatStops() for seat in world.seats}
    outcome = asyncio.run(run_episode(world, agents, seed=0, recorders=[keeper]))
    assert [list(step.decisions) for step in keeper.steps] == [["first"], ["second"]] * 5
    assert outcome.rewards == {"first": 5.0, "second": 10.0}


class SlowAgent(AgentThatStops):
    """Takes its time and notes what it has finished."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[int] = []

    async def act(self, observation: Observation[Any]) -> Decision[int]:
        await asyncio.sleep(0.02)
        self.done.append(observation.step)
        return Decision(0)


def test_where_one_seat_fails_the_others_are_awaited_and_the_episode_ends() -> None:
    world, slow = CountingWorld(("first", "second")), SlowAgent()
    agents = {"first": AgentThatStops(ZeroDivisionError("by zero")), "second": slow}
    outcome = asyncio.run(run_episode(world, agents, seed=0))
    assert (outcome.status, outcome.steps) == ("failed: ZeroDivisionError: by zero", 3)
    assert slow.done == [0, 1, 2, 3]
