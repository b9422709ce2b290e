"""The paper's measures (section 5) of episodes that were played: by agent, K depth and category.

Avg is the mean over tasks of the share of runs that succeed. Pass@k and Pass^k are the chances that at least one, or
all, of k runs succeed, by exact counts (`reporting/statistics.py`); with k runs they are what the paper counts.
Tasks weigh the same, and intervals are over tasks, since agents that ask no model play every run alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from hm_agent.grouping import grouped
from hm_agent.reporting.statistics import Interval, all_of, any_of, bootstrap_interval
from hm_agent.wording import percent

PAPER_RUNS = 3
ALL, UNPROVED = "all", "unproved"
HEADINGS = (
    "agent", "tasks", "n", "functional", "Pass@k", "Pass^k", "literal", "Pass@k", "Pass^k", "right", "always",
    "secrets", "gap", "messages", "turns",
)  # fmt: skip


@dataclass(frozen=True)
class TaskRuns:
    """All runs of one agent on one task. metrics: those of each run. is_unproved: see `certificate.unproved`."""

    agent: str
    task: str
    k_depth: int
    category: str
    metrics: Sequence[Mapping[str, float]]
    is_unproved: bool = False

    def values(self, name: str) -> list[float]:
        """Returns a metric of each run that has it."""
        return [metrics[name] for metrics in self.metrics if name in metrics]


@dataclass(frozen=True)
class Success:
    """A success rate. interval: that of the mean over tasks. any_run, every_run: Pass@k and Pass^k."""

    mean: float
    interval: Interval | None
    any_run: float | None
    every_run: float | None


@dataclass(frozen=True)
class MeasuredGroup:
    """One agent on one group of tasks.

    runs: the least number of runs of a task. functional: success at the physical goals. literal: all probes passed, and
    foils about things answered correctly. right: the share of probes answered correctly. always: the same share for the
    better of always yes and always no. secrets: the same share for the rule `by_secrets` (probes.py). gap: right minus
    functional, paired by run, with its interval over tasks.
    """

    agent: str
    tasks: int
    runs: int
    functional: Success
    literal: Success | None
    right: float | None
    always: float | None
    secrets: float | None
    gap: float | None
    gap_interval: Interval | None
    messages: float
    turns: float


def measured(played: Sequence[TaskRuns], agent: str, *, k: int = PAPER_RUNS) -> MeasuredGroup:
    """Measures one agent on a group of tasks, each with at least one run."""
    gaps = [
        mean(
            metrics["literal_right"] - metrics["functional_success"]
            for metrics in runs.metrics
            if "literal_right" in metrics
        )
        for runs in played
        if runs.values("literal_right")
    ]
    constants = [_mean(played, f"literal_always_{answer}") for answer in ("yes", "no")]
    return MeasuredGroup(
        agent,
        len(played),
        min(len(runs.metrics) for runs in played),
        _success(played, "functional_success", k),
        _success(played, "literal_success", k) if gaps else None,
        _mean(played, "literal_right"),
        max((share for share in constants if share is not None), default=None),
        _mean(played, "literal_by_secrets"),
        mean(gaps) if gaps else None,
        bootstrap_interval(gaps) if gaps else None,
        _mean(played, "messages") or 0.0,
        _mean(played, "turns") or 0.0,
    )


def _success(played: Iterable[TaskRuns], name: str, k: int) -> Success:
    """Measures how often a metric is 1, over the tasks that have it."""
    by_task = [values for runs in played if (values := runs.values(name))]
    counts = [(sum(value == 1 for value in values), len(values)) for values in by_task]
    shares = [successes / runs for successes, runs in counts]
    return Success(mean(shares), bootstrap_interval(shares), _chance(any_of, counts, k), _chance(all_of, counts, k))


def _chance(chance: Callable[[int, int, int], float | None], counts: Sequence[tuple[int, int]], k: int) -> float | None:
    """Returns the mean over tasks of Pass@k or Pass^k; None if a task has fewer than k runs."""
    chances = [chance(successes, runs, k) for successes, runs in counts]
    known = [value for value in chances if value is not None]
    return mean(known) if len(known) == len(chances) else None


def _mean(played: Iterable[TaskRuns], name: str) -> float | None:
    """Returns the mean of a metric over tasks, each the mean of its runs; None if no run has it."""
    means = [mean(values) for runs in played if (values := runs.values(name))]
    return mean(means) if means else None


def groups_of(played: Iterable[TaskRuns]) -> dict[str, list[TaskRuns]]:
    """Groups runs by K depth, then by category, then all together; returns them by title.

    Unproved tasks are in a group of their own and in no other.
    """
    by_depth = sorted(played, key=lambda runs: (runs.k_depth, runs.category, runs.task))
    ordered = [runs for runs in by_depth if not runs.is_unproved]
    unproved = [runs for runs in by_depth if runs.is_unproved]
    groups = grouped((f"K depth {runs.k_depth}", runs) for runs in ordered)
    groups |= grouped((runs.category, runs) for runs in sorted(ordered, key=lambda runs: runs.category))
    return groups | ({ALL: ordered} if ordered else {}) | ({UNPROVED: unproved} if unproved else {})


def table(rows: Sequence[MeasuredGroup]) -> str:
    """Returns a Markdown table with a line for each group."""
    return _markdown(HEADINGS, map(_cells, rows))


def _markdown(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a Markdown table whose first column has words, and all others numbers."""
    lines = (headings, ("---", *["---:"] * (len(headings) - 1)), *rows)
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cells(row: MeasuredGroup) -> list[str]:
    cells = [row.agent, str(row.tasks), str(row.runs), *_success_cells(row.functional), *_success_cells(row.literal)]
    gap = percent(row.gap) + _interval_text(row.gap_interval) if row.gap is not None else "-"
    return [
        *cells,
        percent(row.right),
        percent(row.always),
        percent(row.secrets),
        gap,
        f"{row.messages:.1f}",
        f"{row.turns:.1f}",
    ]


def _success_cells(success: Success | None) -> list[str]:
    if success is None:
        return ["-"] * 3
    return [
        percent(success.mean) + _interval_text(success.interval),
        percent(success.any_run),
        percent(success.every_run),
    ]


def _interval_text(interval: Interval | None) -> str:
    return f" ({percent(interval[0])} to {percent(interval[1])})" if interval else ""


def depth_table(played: Sequence[TaskRuns], metric: str, *, always_yes: bool = False) -> str:
    """Returns a Markdown table of the mean of a metric by agent and K depth.

    always_yes: adds for each agent the metric as it would be if all seats answered yes to all probes of the episodes.
    """
    depths = sorted({runs.k_depth for runs in played})
    lines: list[list[str]] = []
    for agent in dict.fromkeys(runs.agent for runs in played):
        own_runs = [runs for runs in played if runs.agent == agent]
        rows = {agent: metric} | ({f"{agent}, always yes": f"{metric}_always_yes"} if always_yes else {})
        for name, metric_name in rows.items():
            by_depth = ([runs for runs in own_runs if runs.k_depth == depth] for depth in depths)
            lines.append([name, *(percent(_mean(runs, metric_name)) for runs in by_depth)])
    return _markdown(["agent", *(f"K depth {depth}" for depth in depths)], lines)


def open_table(played: Sequence[TaskRuns], k: int) -> str:
    """Returns a Markdown table of the open probes (open_probes.py) by agent.

    Avg, Pass@k and Pass^k, the paper's measures: of `open_agreed_all`. always holds, always not: Avg if all agents
    reported of everything that it holds, or does not. right: `open_right`.
    """
    shares = ("open_agreed_all_always_holds", "open_agreed_all_always_not", "open_right")
    headings = ("agent", "tasks", "Avg", "Pass@k", "Pass^k", "always holds", "always not", "right")
    lines = []
    for agent in dict.fromkeys(runs.agent for runs in played):
        own = [runs for runs in played if runs.agent == agent]
        success = _success_cells(_success(own, "open_agreed_all", k))
        lines.append([agent, str(len(own)), *success, *(percent(_mean(own, name)) for name in shares)])
    return _markdown(headings, lines)


def study(played: Sequence[TaskRuns], *, k: int = PAPER_RUNS) -> str:
    """Returns all measures in Markdown: agents by K depth, then a table for each K depth, each category, and all."""
    proved = [runs for runs in played if not runs.is_unproved]
    parts = []
    if proved:
        parts += ["## Functional success\n", depth_table(proved, "functional_success")]
        parts += ["## All probes passed, and foils about things answered rightly\n"]
        parts += [depth_table(proved, "literal_success", always_yes=True)]
        parts += ["## All probes passed, foils left out\n"]
        parts += [depth_table(proved, "literal_passed_all", always_yes=True)]
    if asked := [runs for runs in proved if runs.values("open_agreed_all")]:
        parts += [f"## Open probes as in appendix H (k = {k})\n", open_table(asked, k)]
    for title, members in groups_of(played).items():
        agents = dict.fromkeys(runs.agent for runs in played if runs in members)
        rows = [measured([runs for runs in members if runs.agent == agent], agent, k=k) for agent in agents]
        parts += [f"## {title[0].upper()}{title[1:]} (k = {k})\n", table(rows)]
    return "\n".join(parts)
