"""Shows the progress of a run in a terminal, a notebook or a file."""

from __future__ import annotations

import io
import time
from dataclasses import dataclass
from threading import Event, Thread
from types import TracebackType
from typing import Any, Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from hm_agent.experiment.planned_episode import Episode
from hm_agent.pool.progress import Pulse
from hm_agent.process.shell import printable
from hm_agent.questions import Usage
from hm_agent.recording.result import Result
from hm_agent.wording import bill, counted, number

MOST_SHOWN = 8
"""The most running episodes that are listed: those whose last pulse is oldest."""


@dataclass
class _Running:
    """A running episode's last pulse, and when it came (`time.monotonic`)."""

    pulse: Pulse
    heard: float


class ConsoleProgress:
    """Shows a run's progress: a bar, the usage and running episodes in a terminal.

    Elsewhere it prints a line as the first episode begins, one for each that ended, and every `PERIOD` seconds the
    totals, with how long no episode has had anything new. lists_episodes: False for the totals alone.
    """

    PERIOD = 60.0
    SILENCE = 5.0
    """Seconds without a pulse after which they are shown: the model's endpoint may be slow or out of order."""

    def __init__(self, console: Console, episodes: int, *, lists_episodes: bool = True) -> None:
        self._console, self._episodes, self._lists_episodes = console, episodes, lists_episodes
        columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left:"), TimeRemainingColumn())
        self._bar = Progress(*columns, console=console)
        self._task = self._bar.add_task("episodes", total=episodes)
        self._running: dict[str, _Running] = {}
        self._usage = Usage()
        self._done = self._failed = 0
        self._began, self._is_over = time.monotonic(), Event()
        self._ending, self._has_begun = "", False
        self._live = Live(get_renderable=self._picture, console=console, refresh_per_second=4, transient=True)

    def __enter__(self) -> Self:
        if self._console.is_terminal and self._episodes:
            self._live.start()
        elif self._episodes:
            Thread(target=self._tell_totals, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._live.stop()

    def _tell_totals(self) -> None:
        while not self._is_over.wait(self.PERIOD):
            minutes = (time.monotonic() - self._began) / 60
            latest = max((one.heard for one in list(self._running.values())), default=None)
            silence = "" if latest is None else self._silence(latest)
            self._say(f"[{self._done}/{self._episodes}] after {minutes:.0f} min: {self._totals()}{silence}")

    def _say(self, line: str) -> None:
        self._console.out(printable(line), highlight=False)

    def begin(self, episode: Episode) -> None:
        if self._lists_episodes and not (self._has_begun or self._live.is_started):
            self._say(f"[0/{self._episodes}] {counted(self._episodes, 'episode')} to play")
        self._has_begun = True
        self._running[_title(episode)] = _Running(Pulse(0, 0.0, Usage()), time.monotonic())

    def pulse(self, episode: Episode, pulse: Pulse) -> None:
        self._running[_title(episode)] = _Running(pulse, time.monotonic())

    def _count(self, episode: Episode, result: Result) -> None:
        self._running.pop(_title(episode), None)
        self._usage += result.usage
        self._done += 1
        self._failed += result.has_failed
        self._bar.update(self._task, completed=self._done)

    def end(self, episode: Episode, result: Result) -> None:
        self._count(episode, result)
        if self._lists_episodes and not self._live.is_started:
            outcome = f"{result.status}, {result.steps} steps, {_rewards(episode, result)}{_unanswered(result)}"
            self._say(f"[{self._done}/{self._episodes}] {_title(episode)}: {outcome}{bill(result.usage)}")

    def finishing(self, episodes: int, seconds: float) -> None:
        what = counted(episodes, "running episode")
        self._ending = f"interrupted: {what} may end within {seconds:.0f} s; Ctrl-C again stops at once"
        if not self._live.is_started:
            self._say(self._ending)

    def _picture(self) -> Group:
        quietest = sorted(self._running.items(), key=lambda entry: entry[1].heard)[:MOST_SHOWN]
        lines = []
        for title, running in sorted(quietest):
            played = f"step {running.pulse.step}, reward {running.pulse.reward:.1f}"
            lines.append(f"  {title}: {played}{self._silence(running.heard)}")
        return Group(self._bar, Text(self._totals()), *map(Text, (*lines, *filter(None, [self._ending]))))

    def _silence(self, heard: float) -> str:
        """Says how long ago a pulse was heard; empty for less than `SILENCE` seconds."""
        silent = time.monotonic() - heard
        return f", nothing new for {silent:.0f} s" if silent >= self.SILENCE else ""

    def _totals(self) -> str:
        """How many episodes are running or have failed, and what all have used so far."""
        running = list(self._running.values())
        usage = sum((one.pulse.usage for one in running), self._usage)
        unanswered = f", {usage.unanswered} of {usage.questions} questions unanswered" if usage.unanswered else ""
        return f"{len(running)} running, {self._failed} failed{unanswered}{bill(usage)}"


class NotebookProgress(ConsoleProgress):
    """Shows the same picture in the output of a notebook's cell, drawn anew at most every `REDRAW` seconds."""

    REDRAW = 0.5

    def __init__(self, console: Console, episodes: int, *, lists_episodes: bool = True) -> None:
        super().__init__(console, episodes, lists_episodes=lists_episodes)
        self._drawn = 0.0
        self._has_begun = True  # the picture says so
        self._cell: Any = None

    def __enter__(self) -> Self:
        self._draw()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._draw()

    def pulse(self, episode: Episode, pulse: Pulse) -> None:
        super().pulse(episode, pulse)
        if time.monotonic() - self._drawn >= self.REDRAW:
            self._draw()

    def end(self, episode: Episode, result: Result) -> None:
        self._count(episode, result)
        self._draw()

    def _draw(self) -> None:
        from IPython.display import display

        self._drawn = time.monotonic()
        plain = Console(width=self._console.width, file=io.StringIO(), color_system=None, force_jupyter=False)
        with plain.capture() as captured:
            plain.print(self._picture())
        bundle = {"text/plain": captured.get()}
        if self._cell is None:
            self._cell = display(bundle, raw=True, display_id=True)
        else:
            self._cell.update(bundle, raw=True)


def progress_for(console: Console, episodes: int, *, lists_episodes: bool = True) -> ConsoleProgress:
    """Returns the progress display for a notebook, a terminal or a file."""
    return (NotebookProgress if console.is_jupyter else ConsoleProgress)(
        console, episodes, lists_episodes=lists_episodes
    )


def _title(episode: Episode) -> str:
    """`rws_repeated_1 react #0`; with the models of the seats where they differ, or may between episodes."""
    models = f" ({episode.model})" if len(episode.experiment.model_names) > 1 else ""
    return f"{episode.scenario.short_name} {episode.agent}{models} #{episode.number}"


def _rewards(episode: Episode, result: Result) -> str:
    """Formats the reward of an episode and, if agents are compared by another metric, that."""
    metric = episode.scenario.metric
    value = None if metric.name == "reward" else result.metric(metric.name)
    compared = "" if value is None else f" ({metric.unit}: {number(value, metric.digits)})"
    return f"reward {number(result.reward)} in all{compared}"


def _unanswered(result: Result) -> str:
    """Says how many questions went unanswered; empty if none."""
    if not result.unanswered_note:
        return ""
    return f", {result.unanswered_note}{'' if result.is_answered else ': no result'}"
