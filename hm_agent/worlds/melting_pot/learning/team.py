"""The actors of a run as its learner asks them: all play the same rollout at once, and one that dies ends the run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from hm_agent.learning.runs import TrainingFailed
from hm_agent.process.interruptions import starting_processes
from hm_agent.worlds.melting_pot.learning.actor import ActorPlan, PlayRequest, act_as_asked

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""What NumPy reads when it is imported: more threads would be slower for small matrices, and could round otherwise."""


class Team:
    """Actors in processes of their own."""

    def __init__(self, actors: Sequence[tuple[BaseProcess, Connection]]) -> None:
        self._actors = actors

    def ask(self, request: PlayRequest) -> None:
        """Has all begin to play a rollout."""
        for _, connection in self._actors:
            try:
                connection.send(request)
            except OSError as error:
                raise TrainingFailed(DIED) from error

    def await_all(self) -> None:
        """Waits until all have played it; raises TrainingFailed if one has died, or can't go on."""
        waiting = {connection: process for process, connection in self._actors}
        while waiting:
            for connection in wait([*waiting]):
                assert isinstance(connection, Connection)
                try:
                    problem = connection.recv()
                except (EOFError, ConnectionError):  # its end closes with the process, maybe with a request unread
                    raise TrainingFailed(DIED) from None
                if problem:
                    raise TrainingFailed(f"an actor can't go on: {problem}")
                del waiting[connection]


DIED = "an actor was killed, perhaps for want of memory; the same command goes on from the latest checkpoint"


@contextmanager
def at_work(plans: Sequence[ActorPlan]) -> Iterator[Team]:
    """Runs an actor for each plan through the context; all have ended after it."""
    context = get_context("spawn")
    actors: list[tuple[BaseProcess, Connection]] = []
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        with starting_processes():
            for plan in plans:
                own, its = context.Pipe()
                process = context.Process(target=act_as_asked, args=(plan, its), daemon=True)
                process.start()
                its.close()  # else its end would stay open when the process is gone
                actors.append((process, own))
        yield Team(actors)
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
        for actor, connection in actors:
            connection.close()
            actor.terminate()
        for actor, _ in actors:
            actor.join()
