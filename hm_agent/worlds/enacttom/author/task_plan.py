"""Plans which tasks to make, and counts what became of their proposals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path

from rich.console import Console
from rich.table import Table

from hm_agent.config import ConfigError
from hm_agent.flags.fields import whole_numbers
from hm_agent.process.exit_status import FAILED, complain
from hm_agent.process.output import plain_table
from hm_agent.storage.row_file import Row
from hm_agent.wording import percent
from hm_agent.worlds.enacttom.author.drafts import CATEGORIES, DEEPEST, MOST_AGENTS, TaskRequest, least_agents

NAME = "hm-agent generate enacttom"
MOST_TASKS = 100_000
PROPOSALS, IDENTITY, ANSWERS = "proposals.jsonl", "proposals.settings", "answers.sqlite"
"""The files in OUT besides the tasks."""


@dataclass(frozen=True)
class PlannedTask:
    """A task to be made. name: its id."""

    name: str
    request: TaskRequest


@dataclass(frozen=True)
class TaskPlan:
    """The tasks to make: they cycle through all combinations of category and K depth.

    The tasks of one combination cycle through the numbers of agents. seed: of all random draws. A plan with more tasks
    begins with the same ones.
    """

    tasks: int
    categories: tuple[str, ...] = CATEGORIES
    depths: tuple[int, ...] = (1, 2, 3)
    agents: tuple[int, ...] = (2, 3, 4)
    seed: int = 0

    def slots(self) -> list[PlannedTask]:
        """The tasks, in order. Raises ConfigError if no number of agents suffices for a depth."""
        cells = list(product(self.depths, self.categories))
        return [self._slot(*cells[place % len(cells)], place // len(cells)) for place in range(self.tasks)]

    def _slot(self, k_depth: int, category: str, number: int) -> PlannedTask:
        fitting = [count for count in self.agents if count >= least_agents(k_depth)]
        if not fitting:
            least = least_agents(k_depth)
            raise ConfigError(f"--agents={','.join(map(str, self.agents))}: K depth {k_depth} needs at least {least}")
        request = TaskRequest(category, k_depth, fitting[number % len(fitting)])
        return PlannedTask(f"{request.cell}_{number:03}", request)

    @property
    def identity(self) -> Row:
        """The settings that all tasks of a folder share, so that a later run may add to them."""
        return {"categories": self.categories, "depths": self.depths, "agents": self.agents, "seed": self.seed}


def checked_plan(
    tasks: int, categories: Sequence[str], depths: Sequence[str], agents: Sequence[str], seed: int
) -> TaskPlan:
    """Returns the plan that the flags describe; raises ConfigError for a value that is not allowed."""
    for name in categories:
        if name not in CATEGORIES:
            raise ConfigError(f"--category={name}: say {' or '.join(CATEGORIES)}, or both with a comma")
    plan = TaskPlan(
        tasks,
        tuple(dict.fromkeys(categories)) or CATEGORIES,
        whole_numbers("k_depth", depths, 0, DEEPEST),
        whole_numbers("agents", agents, least_agents(0), MOST_AGENTS),
        seed,
    )
    plan.slots()
    return plan


@dataclass(frozen=True)
class Tally:
    """How many proposals were kept, and how many were refused, by reason."""

    kept: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)

    @property
    def proposed(self) -> int:
        return self.kept + sum(self.refused.values())

    def __add__(self, more: Tally) -> Tally:
        return Tally(self.kept + more.kept, Counter(self.refused) + Counter(more.refused))


def tally_of(rows: Iterable[Row]) -> Tally:
    """The sum of the counts in rows that `row_of` made."""
    return sum((Tally(row["kept"], row["refused"]) for row in rows), Tally())


def row_of(slot: PlannedTask, tally: Tally) -> Row:
    """The row of one task in the file of proposals."""
    counts = {"kept": tally.kept, "refused": dict(sorted(tally.refused.items()))}
    return {"id": slot.name, **asdict(slot.request), **counts}


ROW_KEYS = ("category", "k_depth", "agents", "kept", "refused")


def tally_table(rows: Sequence[Row]) -> Table:
    """A table of how many proposals were kept and refused, and why, by category and K depth."""
    table = plain_table("category", "K depth", "proposed", "kept", "refused", "why")
    for category, depth in sorted({(row["category"], row["k_depth"]) for row in rows}):
        tally = tally_of(row for row in rows if (row["category"], row["k_depth"]) == (category, depth))
        table.add_row(category, str(depth), *_cells(tally))
    table.add_row("all", "", *_cells(tally_of(rows)))
    return table


def report(rows: Sequence[Row], out: Path, console: Console, what: str) -> int:
    """Prints the counts and where the tasks are; returns the exit status: FAILED if for some row nothing was kept.

    what: was to be kept, in one word.
    """
    console.print(tally_table(rows))
    console.out(f"Tasks: {out}", highlight=False)
    failed = [row["id"] for row in rows if not row["kept"]]
    return complain(NAME, f"no {what} was kept for {', '.join(failed)}", FAILED) if failed else 0


def _cells(tally: Tally) -> tuple[str, str, str, str]:
    refused = tally.proposed - tally.kept
    counts = sorted(tally.refused.items(), key=lambda entry: (-entry[1], entry[0]))
    reasons = "; ".join(f"{reason} {count}" for reason, count in counts)
    share = percent(refused / tally.proposed) if tally.proposed else ""
    return str(tally.proposed), str(tally.kept), f"{refused} ({share})", reasons
