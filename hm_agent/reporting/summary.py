"""`summary.md` and `summary.json`: the mean metric of each agent by scenario."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from hm_agent.files import write_whole
from hm_agent.reporting.ceilings import told_mark
from hm_agent.reporting.conditions import labels
from hm_agent.reporting.notes import notes
from hm_agent.reporting.pages import cell
from hm_agent.reporting.runs import Runs
from hm_agent.reporting.tables import Row, by_unit, tabulate
from hm_agent.reporting.writing import row_record
from hm_agent.wording import NOTHING, known, number, with_error

HEADINGS = (
    "scenario",
    "agent",
    "model",
    "episodes",
    "mean",
    "interactions",
    "published",
    "calls",
    "input tokens",
    "output tokens",
    "paid, USD",
    "cached, USD",
    "unanswered",
)


def rows_of(runs: Runs) -> list[Row]:
    return tabulate(runs.results)


def write_summary(out: Path, runs: Runs) -> None:
    """Writes both files into a folder."""
    rows = rows_of(runs)
    parts = ["# Summary"]
    for unit, lines in tables(rows).items():
        headings = headings_of(lines)
        lines = [tuple(headings), tuple("---" for _ in headings), *(chosen(line, headings) for line in lines)]
        parts += [unit, "\n".join(f"| {' | '.join(map(cell, line))} |" for line in lines)]
    note_list = "\n".join(f"- {note}" for note in notes(rows))
    write_whole(out / "summary.md", "\n\n".join([*parts, *([note_list] if note_list else [])]) + "\n")
    content = {
        "counts_unanswered": runs.counts_unanswered,
        "rows": [row_record(row) for row in rows],
        "episodes": [asdict(result) for result in runs.results],
    }
    write_whole(out / "summary.json", json.dumps(content, indent=2) + "\n")


def tables(rows: Sequence[Row]) -> dict[str, list[tuple[str, ...]]]:
    """A table for each unit, by the sentence on the unit: a line for each row, with a cell for each heading."""
    names = labels([row.condition for row in rows], with_model=False)
    return {unit: [cells(row, names[row.condition]) for row in of_unit] for unit, of_unit in by_unit(rows).items()}


def headings_of(lines: Iterable[Sequence[str]]) -> list[str]:
    """The headings of the columns in which something is known. lines: each with a cell for each of `HEADINGS`."""
    known = [any(cell != NOTHING for cell in column) for column in zip(*lines, strict=True)]
    return [heading for heading, is_known in zip(HEADINGS, known, strict=True) if is_known]


def chosen(line: Sequence[str], headings: Sequence[str]) -> tuple[str, ...]:
    """The cells of a line under some of its headings."""
    by_heading = dict(zip(HEADINGS, line, strict=True))
    return tuple(by_heading[heading] for heading in headings)


def cells(row: Row, label: str) -> tuple[str, ...]:
    """A row's cells as text, one for each heading. label: the agent's. †: a ceiling that was not always told."""
    usage, published = row.usage, row.published
    mark = " †" if row.is_ceiling and told_mark(row.told_share) else ""
    return (
        row.scenario.short_name,
        label,
        row.condition.model,
        row.played,
        f"{with_error(row.estimate.mean, row.estimate.error, row.digits)}{mark}" if row.estimate else NOTHING,
        number(row.interactions),
        f"{with_error(published.mean, published.error, row.digits)}{row.published_mark}" if published else NOTHING,
        str(usage.calls),
        known(usage.input_tokens),
        known(usage.output_tokens),
        known(usage.paid, 4),
        known(usage.cached_cost, 4),
        f"{usage.unanswered} of {usage.questions}",
    )
