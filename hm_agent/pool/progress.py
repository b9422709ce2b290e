"""Reports the progress of a run's episodes while they are played."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from hm_agent.core import Recorder, Step, per_capita
from hm_agent.experiment.planned_episode import Episode
from hm_agent.questions import Usage
from hm_agent.recording.result import Result

INTERVAL = 0.2
"""Minimum seconds between two pulses of an episode that is played alone."""
INTERVAL_PER_EPISODE = 0.02
"""Minimum seconds between two pulses of all episodes together, if several are played at once."""


@dataclass(frozen=True, slots=True)
class Pulse:
    """An episode's state while it is played: the last step, and the reward and model usage up to it."""

    step: int
    reward: float
    usage: Usage


class Progress(Protocol):
    """Receives the start, the pulses and the result of every episode of a run; by default it does nothing with them."""

    def begin(self, episode: Episode) -> None:
        return

    def pulse(self, episode: Episode, pulse: Pulse) -> None:
        return

    def end(self, episode: Episode, result: Result) -> None:
        return

    def finishing(self, episodes: int, seconds: float) -> None:
        """After the first Ctrl-C: `episodes` are running and have `seconds` to end."""
        return


class NoProgress(Progress):
    """Shows nothing."""


class Heartbeat(Recorder):
    """A recorder that emits a pulse at a step if the last one is old enough. at_once: how many episodes do so."""

    def __init__(self, emit: Callable[[Pulse], None], at_once: int = 1) -> None:
        self._emit = emit
        self._interval = max(INTERVAL, INTERVAL_PER_EPISODE * at_once)
        self._usage = Usage()
        self._emitted = time.monotonic()

    def record(self, step: Step) -> None:
        for decision in step.decisions.values():
            for exchange in decision.exchanges:
                self._usage += Usage(questions=1, unanswered=int(exchange.answer is None))
                self._usage = sum(map(Usage.of, exchange.calls), self._usage)
        if time.monotonic() - self._emitted >= self._interval:
            self._emitted = time.monotonic()
            self._emit(Pulse(step.turn.step, per_capita(step.totals.values()), self._usage))
