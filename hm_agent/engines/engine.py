"""Playing many episodes: what an engine is told, and what it tells."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Protocol

from hm_agent.core import Step
from hm_agent.experiment import Episode
from hm_agent.models.budget import Account
from hm_agent.questions import Usage
from hm_agent.recording.result import Result

RARELY = 0.2
"""In seconds, between two words of one episode."""


@dataclass(frozen=True, slots=True)
class Pulse:
    """How far an episode is. usage: what it has asked so far."""

    step: int
    reward: float
    usage: Usage


class Progress(Protocol):
    """Whoever wants to know how far a run is."""

    def begin(self, episode: Episode) -> None: ...

    def pulse(self, episode: Episode, pulse: Pulse) -> None: ...

    def end(self, episode: Episode, result: Result) -> None: ...


class Engine(Protocol):
    """Plays episodes somewhere."""

    def play(self, episodes: Sequence[Episode], account: Account, progress: Progress) -> Generator[Result]:
        """Plays them all and yields each result as it comes.

        No further episode is begun after a result that stops the run. Closing the iterator, or an interruption, ends
        the episodes under way and leaves what they have so far.
        """
        ...


class Heartbeat:
    """A recorder that tells how far an episode is, now and then."""

    def __init__(self, tell: Callable[[Pulse], None]) -> None:
        self._tell = tell
        self._usage = Usage()
        self._told = time.monotonic()

    def record(self, step: Step) -> None:
        for exchange in step.decision.exchanges:
            self._usage = sum(map(Usage.of, exchange.calls), self._usage)
        if time.monotonic() - self._told >= RARELY:
            self._told = time.monotonic()
            self._tell(Pulse(step.observation.step, step.total, self._usage))

    def close(self) -> None:
        """Holds nothing."""
