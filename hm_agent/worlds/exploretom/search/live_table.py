"""Shows the progress of searches in the terminal, and the reader's accuracy on the stories that they found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Column, Table
from rich.text import Text

from hm_agent.process.output import plain_table
from hm_agent.questions import Usage
from hm_agent.storage.row_file import Row
from hm_agent.wording import bill, number
from hm_agent.worlds.exploretom.search.methods import StorySearch
from hm_agent.worlds.exploretom.search.plan import SearchPlan, SearchTask


class LiveTable:
    """In a terminal, a live table with a progress bar and the usage; elsewhere, a line for each story found.

    plan: the searches to show. rows: the stories found by earlier runs.
    """

    def __init__(self, console: Console, plan: SearchPlan, rows: Iterable[Row]) -> None:
        self._console, self._plan = console, plan
        names = {name for task in plan.tasks() for name in task.names}
        self._rows = [row for row in rows if row["id"] in names]
        self._running: dict[SearchTask, tuple[StorySearch, Usage]] = {}
        self._usage = Usage()
        columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left:"), TimeRemainingColumn())
        self._bar = Progress(*columns, console=console)
        self._task = self._bar.add_task("stories", total=len(names), completed=len(self._rows))
        self._total = len(names)
        self._live = Live(get_renderable=self._renderable, console=console, refresh_per_second=4, transient=True)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def pulse(self, task: SearchTask, search: StorySearch, usage: Usage) -> None:
        self._running[task] = search, usage

    def end(self, task: SearchTask, rows: list[Row], usage: Usage) -> None:
        self._running.pop(task, None)
        self._usage += usage
        self._rows += rows
        self._bar.update(self._task, completed=len(self._rows))
        if not self._console.is_terminal:
            for row in rows:
                line = f"{row['id']}: accuracy {row['accuracy']:.3f} after {row['evaluations']} evaluations"
                self._console.out(f"{line} ({len(self._rows)} of {self._total} stories)", highlight=False)

    @property
    def usage(self) -> Usage:
        return sum((usage for _, usage in self._running.values()), self._usage)

    def table(self) -> Table:
        """Stories and accuracies by action set. `lowest so far`: the mean of what searches under way have reached."""
        headings = ("action set", "stories", "accuracy", "lowest", "none right", "actions", "lowest so far")
        table = plain_table(*(Column(heading, no_wrap=True) for heading in headings))
        for name in self._plan.action_sets:
            table.add_row(*map(Text, self._cells(name)))
        return table

    def _cells(self, name: str) -> Sequence[str]:
        rows = [row for row in self._rows if row["action_set"] == name]
        accuracies = [row["accuracy"] for row in rows]
        under_way = [
            search.best.difficulty.accuracy
            for task, (search, _) in list(self._running.items())
            if task.action_set.name == name and search.best
        ]
        actions = [len(row["text"]) for row in rows]
        return (
            name,
            f"{len(rows)} of {self._plan.stories}",
            number(_mean(accuracies), 3),
            number(min(accuracies, default=None), 3),
            str(accuracies.count(0.0)),
            number(_mean(actions)),
            number(_mean(under_way), 3),
        )

    def _renderable(self) -> Group:
        status = f"{len(self._running)} searches under way{bill(self.usage)}"
        return Group(self.table(), self._bar, Text(status))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
