"""A progress display for tests and benchmarks."""

from __future__ import annotations

from hm_agent.experiment import Episode
from hm_agent.pool.progress import Pulse
from hm_agent.recording.result import Result


class SilentProgress:
    """A progress display that does nothing."""

    def begin(self, episode: Episode) -> None:
        """Does nothing."""

    def pulse(self, episode: Episode, pulse: Pulse) -> None:
        """Does nothing."""

    def end(self, episode: Episode, result: Result) -> None:
        """Does nothing."""
