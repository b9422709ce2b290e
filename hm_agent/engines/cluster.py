"""Several episodes at once on the nodes of a Ray cluster, each in a process of its own."""

from __future__ import annotations

import pickle
import time
from collections import deque
from collections.abc import Collection, Generator, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import ray
from ray.exceptions import RayError

from hm_agent.config import ConfigError
from hm_agent.engines import post
from hm_agent.engines.anywhere import anywhere, needs_of
from hm_agent.engines.crew import Crew, Gone, Line
from hm_agent.engines.engine import Progress
from hm_agent.engines.joining import joined
from hm_agent.engines.worker import Word
from hm_agent.experiment import Episode
from hm_agent.models.budget import Account
from hm_agent.recording.result import Result

SHARE = 0.01
"""Of a core, asked for each worker: most wait for a model, so that many more than cores may work at once."""
PATIENCE = 60.0
"""For how many seconds workers may be waited for to find a place."""
SPARE = 3
"""So many workers more than are wanted may be lost before they have begun."""
FAREWELL = 1.0
"""For how many seconds a worker may be waited for to end."""


class ClusterEngine:
    """Workers behind Ray actors, which are spread over the nodes. address: as `joined` takes it."""

    def __init__(self, workers: int, address: str | None) -> None:
        self._workers, self._address = workers, address

    def play(self, episodes: Sequence[Episode], account: Account, progress: Progress) -> Generator[Result]:
        if not episodes:
            return
        experiment = anywhere(episodes[0].experiment)
        with joined(self._address), needs_of(experiment) as needs:
            crew = Crew(_Cluster(self._workers, needs), self._workers, progress)
            yield from crew.play([replace(episode, experiment=experiment) for episode in episodes], account)


class _Cluster:
    """Finds places for workers on its nodes."""

    def __init__(self, workers: int, needs: post.Needs) -> None:
        self._needs = needs
        ray.cloudpickle.register_pickle_by_value(post)  # so that it can be read where the package is not installed
        self._posts = ray.remote(num_cpus=SHARE, max_concurrency=4, scheduling_strategy="SPREAD")(post.Post)
        self._to_lose = workers + SPARE
        self._found = self._find(workers)

    def open(self) -> _Seat:
        return (self._found or self._find(1)).popleft()

    def wait(self, lines: Collection[Line], timeout: float | None = None) -> Iterable[Line]:
        first, rest = ray.wait(list(lines), timeout=timeout)
        return [*first, *(ray.wait(rest, num_returns=len(rest), timeout=0)[0] if rest else ())]

    def _find(self, wanted: int) -> deque[_Seat]:
        """So many workers on nodes that lack nothing; raises ConfigError where there is no place for them."""
        found, looking = deque[_Seat](), dict[Line, Any]()
        deadline = time.monotonic() + PATIENCE
        while len(found) < wanted:
            looking |= dict(self._knock() for _ in range(wanted - len(found) - len(looking)))
            for line in self._await(looking, deadline):
                place = looking.pop(line)
                if self._is_fit(line):
                    found.append(_Seat(place))
        return found

    def _knock(self) -> tuple[Line, Any]:
        place = self._posts.remote()
        return place.begin.remote(self._needs), place

    def _await(self, looking: Collection[Line], deadline: float) -> Iterable[Line]:
        lines = self.wait(looking, max(0.0, deadline - time.monotonic()))
        if not lines:
            raise ConfigError(
                f"the Ray cluster has no place for {len(looking)} more workers: "
                f"each asks for {SHARE:g} of a core; say fewer --workers, or add nodes"
            )
        return lines

    def _is_fit(self, line: Line) -> bool:
        """Whether a worker has begun. Raises ConfigError where its node lacks something, or too many were lost."""
        try:
            lack = ray.get(line)
        except RayError as error:
            self._to_lose -= 1
            if self._to_lose < 0:
                raise ConfigError(f"workers on the Ray cluster end before they begin: {_cause(error)}") from error
            return False
        if lack:
            raise ConfigError(lack)
        return True


class _Seat:
    """A worker process on some node, behind an actor. line: what brings its next word."""

    def __init__(self, place: Any) -> None:
        self._place = place
        self.line = place.hear.remote()

    def send(self, word: object) -> None:
        self._place.send.remote(pickle.dumps(word))

    def hear(self) -> Word:
        try:
            said = ray.get(self.line)
        except RayError as error:
            raise Gone(f"it was lost with its node or its actor: {_cause(error)}") from None
        if isinstance(said, int):
            raise Gone(f"its process ended with exit code {said}")
        self.line = self._place.hear.remote()
        word: Word = pickle.loads(said)
        return word

    def is_taken(self) -> bool:
        # An idle worker says nothing: whatever came would be its end.
        return not ray.wait([self.line], timeout=0)[0]

    def interrupt(self) -> None:
        self._place.interrupt.remote()

    def end(self, grace: float) -> None:
        """At once: what an idle worker holds is not worth waiting for."""
        with suppress(RayError):
            ray.get(self._place.end.remote(), timeout=FAREWELL)
        ray.kill(self._place)


def _cause(error: Exception) -> str:
    """The last of what Ray says, up to its advice."""
    return str(error).strip().splitlines()[-1].partition(" Some common causes")[0]
