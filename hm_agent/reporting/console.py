"""What a terminal shows: a progress bar while episodes run, a table at the end."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Column, Table

from hm_agent.asking import Usage
from hm_agent.core import Step
from hm_agent.experiment import Episode
from hm_agent.recording.result import Result
from hm_agent.reporting.notes import notes
from hm_agent.reporting.summary import all_cells
from hm_agent.reporting.tables import Row

SHOWN = {"scenario": 0, "agent": 1, "n": 4, "reward": 5, "interactions": 6, "the paper": 7}
"""The columns of the summary that fit 80 characters, by heading; n counts the episodes."""
REFRESH = 50
"""After how many steps the line of the running episode is renewed."""


class ConsoleProgress:
    """A bar over all episodes, with the steps and the reward of the one being played."""

    def __init__(self, console: Console, episodes: int) -> None:
        columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
        self._progress = Progress(*columns, console=console)
        self._task = self._progress.add_task("starting", total=episodes)
        self._title = ""

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def begin(self, episode: Episode) -> Self:
        self._title = f"{episode.scenario.short_name} {episode.agent} #{episode.number}"
        self._progress.update(self._task, description=f"{self._title}: starting")
        return self

    def record(self, step: Step) -> None:
        if step.observation.step % REFRESH == 0:
            line = f"{self._title}: step {step.observation.step}, reward {step.total:.1f}"
            self._progress.update(self._task, description=line)

    def close(self) -> None:
        """Nothing to close for a single episode."""

    def end(self, result: Result) -> None:
        line = f"{self._title}: {result.status}, {result.steps} steps, reward {result.reward:.1f}{_bill(result.usage)}"
        self._progress.update(self._task, advance=1, description=line)


def _bill(usage: Usage) -> str:
    """What a language model was asked and what it cost; nothing where none was."""
    if not usage.calls:
        return ""
    tokens = "" if usage.input_tokens is None else f", {usage.input_tokens:,} tokens in"
    return f", {usage.calls} calls{tokens}{'' if usage.cost is None else f', {usage.cost:.4f} USD'}"


def show_rows(console: Console, rows: Sequence[Row]) -> None:
    """Prints the table of a summary, and below it what holds for all of it."""
    columns = (Column(heading, no_wrap=True) for heading in SHOWN)
    table = Table(*columns, box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for line in all_cells(rows):
        table.add_row(*(line[n] for n in SHOWN.values()))
    console.print(table)
    for note in notes(rows):
        console.out(note, highlight=False)
