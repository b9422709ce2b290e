"""A process that plays: it steps its tables, chooses actions by the weights in shared memory, writes rollouts there.

What is played depends on the run's seed, the segment and the table alone. So it does not matter which actor is faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hm_agent.process.workers import depend_on_parent
from hm_agent.worlds.melting_pot.learning.inputs import eye_for, numbers_of
from hm_agent.worlds.melting_pot.learning.player_network import Indices, PlayerShape, SeatedNetworks, draw
from hm_agent.worlds.melting_pot.learning.practising import open_world
from hm_agent.worlds.melting_pot.learning.rollouts import Rollout, SharedArrays
from hm_agent.worlds.melting_pot.scenarios import scenario_named


class PlayRequest(NamedTuple):
    """Asks an actor to play a rollout. buffer: its number. segment: the one that begins with it; None if none does."""

    buffer: int
    segment: int | None


@dataclass(frozen=True)
class ActorPlan:
    """What one actor needs to know. tables: the numbers of its own; the run has `of` in all, with as many seats each.

    scenario: the name of a scenario, or of self-play. population: the number of networks.
    """

    scenario: str
    shape: PlayerShape
    seed: int
    population: int
    tables: range
    of: int
    seats: int
    rollouts: Sequence[SharedArrays]
    weights: SharedArrays


def seated(plan_seed: int, segment: int, population: int, tables: int, seats: int) -> Indices:
    """(tables, seats): the networks that play a segment, each as often as any other, in a random order.

    The networks of a table differ, if their number is a multiple of that of the seats.
    """
    rng = np.random.default_rng([plan_seed, segment])
    rounds = [rng.permutation(population) for _ in range(tables * seats // population)]
    return np.concatenate(rounds).reshape(tables, seats)


class PlayedTable:
    """One world through a segment, with the random numbers of its own. begins: True before an episode's first step."""

    def __init__(self, plan: ActorPlan, number: int) -> None:
        self._plan, self._number = plan, number
        self._world = open_world(plan.scenario, is_practice=plan.shape.sizes.goals > 0)
        self._eye = eye_for(scenario_named(plan.scenario).game.substrate, plan.shape.sight)
        self.begins = True

    def begin(self, segment: int) -> None:
        """Begins a new episode."""
        self._rng = np.random.default_rng([self._plan.seed, 1, segment, self._number])
        self._reset()

    def _reset(self) -> None:
        self._turn = self._world.reset(int(self._rng.integers(2**63)))
        self.begins = True

    def look(self, cells: npt.NDArray[np.uint8], numbers: npt.NDArray[np.float32]) -> None:
        """Writes what the seats see now. cells: (seats, ...). numbers: (seats, ...)."""
        for place, seat in enumerate(self._world.seats):
            observation = self._turn.observations[seat]
            cells[place] = self._eye(observation.view["RGB"])
            numbers[place] = numbers_of(observation.view, observation.reward)

    def noise(self) -> npt.NDArray[np.float64]:
        """(seats, actions): random numbers from 0 to 1, by which the seats' actions are drawn."""
        return self._rng.random((self._plan.seats, self._plan.shape.sizes.actions))

    def step(self, actions: Sequence[int]) -> tuple[list[float], bool]:
        """Takes a step; returns the seats' rewards, and False if it ended the episode. Then the next one has begun."""
        seats = self._world.seats
        self._turn = self._world.step(dict(zip(seats, actions, strict=True)))
        rewards, goes_on = [self._turn.rewards[seat] for seat in seats], not self._turn.is_over
        self.begins = False
        if not goes_on:
            self._reset()
        return rewards, goes_on

    def close(self) -> None:
        self._world.close()


class Actor:
    """Plays the tables of a plan, rollout by rollout."""

    def __init__(self, plan: ActorPlan) -> None:
        self._plan = plan
        self._tables = [PlayedTable(plan, number) for number in plan.tables]
        self._rows = slice(plan.tables.start * plan.seats, plan.tables.stop * plan.seats)
        self._rollouts = [Rollout(**each.arrays()).of_seats(self._rows) for each in plan.rollouts]
        self._weights = plan.weights.arrays()
        self._memory = np.zeros((len(self._tables) * plan.seats, plan.shape.hidden), np.float32)
        self._seated = np.zeros(0, np.intp)

    def play(self, request: PlayRequest) -> None:
        """Plays a rollout, and writes it to a buffer."""
        plan, seats = self._plan, self._plan.seats
        if request.segment is not None:
            self._seated = seated(plan.seed, request.segment, plan.population, plan.of, seats).ravel()[self._rows]
            for table in self._tables:
                table.begin(request.segment)
        networks, out = SeatedNetworks(plan.shape, self._weights, self._seated), self._rollouts[request.buffer]
        out.memory[:] = self._memory * ~self._begins()[:, None]
        for step in range(len(out.actions)):
            self._step(networks, out.at(step))
        cells, numbers = np.empty_like(out.cells[0]), np.empty_like(out.numbers[0])
        self._look(cells, numbers)
        out.after[:] = networks.play(cells, numbers, self._memory * ~self._begins()[:, None])[1]

    def _begins(self) -> npt.NDArray[np.bool_]:
        """(R,): True for the seats whose episode is to take its first step."""
        return np.repeat([table.begins for table in self._tables], self._plan.seats)

    def _look(self, cells: npt.NDArray[np.uint8], numbers: npt.NDArray[np.float32]) -> None:
        for place, table in enumerate(self._tables):
            own = slice(place * self._plan.seats, (place + 1) * self._plan.seats)
            table.look(cells[own], numbers[own])

    def _step(self, networks: SeatedNetworks, out: Rollout) -> None:
        """Takes one step at every table, and writes it to `out`."""
        seats = self._plan.seats
        self._look(out.cells, out.numbers)
        out.begins[:] = self._begins()
        memory = self._memory * ~out.begins[:, None]
        logits, out.values[:], self._memory = networks.play(out.cells, out.numbers, memory)
        out.actions[:] = draw(logits, np.concatenate([table.noise() for table in self._tables]))
        logs = logits - logits.max(-1, keepdims=True)
        logs -= np.log(np.exp(logs).sum(-1, keepdims=True))
        out.chance[:] = np.take_along_axis(logs, out.actions[:, None], -1)[:, 0]
        for place, table in enumerate(self._tables):
            own = slice(place * seats, (place + 1) * seats)
            out.rewards[own], out.goes_on[own] = table.step(out.actions[own].tolist())

    def close(self) -> None:
        for table in self._tables:
            table.close()


def act_as_asked(plan: ActorPlan, connection: Connection) -> None:
    """Plays what a connection asks for, until it closes; says after each rollout that it is written, or what failed."""
    depend_on_parent()
    with suppress(EOFError, OSError):  # the learner has ended
        try:
            with closing(Actor(plan)) as actor:
                while True:
                    actor.play(connection.recv())
                    connection.send("")
        except (EOFError, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - the learner says it, in one line
            connection.send(f"{type(error).__name__}: {error}")
