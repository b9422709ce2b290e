"""`summary.md` and `summary.json`: the mean metric of each agent by scenario and by group, and what was used in all."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from hm_agent.questions import Usage
from hm_agent.reporting.ceilings import told_mark
from hm_agent.reporting.conditions import labels
from hm_agent.reporting.csv_records import row_record
from hm_agent.reporting.group_means import GroupMean, by_unit_of_means, group_means
from hm_agent.reporting.notes import notes
from hm_agent.reporting.pages import cell
from hm_agent.reporting.runs import Runs
from hm_agent.reporting.tables import Row, by_unit, tabulate
from hm_agent.reporting.world_table import WORLDS_ABOUT, world_table
from hm_agent.storage.files import write_whole
from hm_agent.wording import NOTHING, known, markdown_table, number, total, with_cached, with_error


def write_summary(out: Path, runs: Runs) -> None:
    """Writes both files into a folder."""
    rows = tabulate(runs.results)
    parts = ["# Summary"]
    for unit, lines in (*tables(rows).items(), *mean_tables(rows).items(), *table_of_worlds(rows).items()):
        parts += [unit, _markdown(lines)]
    said = "\n".join(f"- {note}" for note in (*notes(rows), *in_all(rows)))
    write_whole(out / "summary.md", "\n\n".join([*parts, *([said] if said else [])]) + "\n")
    content = {
        "counts_unanswered": runs.counts_unanswered,
        "rows": [row_record(row) for row in rows],
        "episodes": [asdict(result) for result in runs.results],
    }
    write_whole(out / "summary.json", json.dumps(content, indent=2) + "\n")


def _markdown(lines: Sequence[Mapping[str, str]]) -> str:
    headings = headings_of(lines)
    rows = ([cell(line[heading]) for heading in headings] for line in lines)
    return markdown_table([*map(cell, headings)], rows).rstrip()


def in_all(rows: Sequence[Row]) -> list[str]:
    """A sentence on what all episodes asked and cost together, if there are any."""
    used = total(sum(row.episodes for row in rows), sum((row.usage for row in rows), Usage()))
    return [f"In all: {used}."] if rows else []


def tables(rows: Sequence[Row]) -> dict[str, list[dict[str, str]]]:
    """A table for each unit, by the sentence on the unit: a line for each row, its cells by heading."""
    names = labels([row.condition for row in rows], with_model=False)
    return {unit: [cells(row, names[row.condition]) for row in of_unit] for unit, of_unit in by_unit(rows).items()}


def mean_tables(rows: Sequence[Row]) -> dict[str, list[dict[str, str]]]:
    """A table of means by group for each unit, as `tables`; none where no group has several scenarios."""
    names = labels([row.condition for row in rows], with_model=False)
    return {
        unit: [_mean_cells(mean, names[mean.condition]) for mean in of_unit]
        for unit, of_unit in by_unit_of_means(group_means(rows)).items()
    }


def table_of_worlds(rows: Sequence[Row]) -> dict[str, list[dict[str, str]]]:
    """The table over worlds by the sentences on its scores, as `tables`; none for a single world."""
    names = labels([row.condition for row in rows])
    table = world_table(rows, names)
    return {" ".join((WORLDS_ABOUT, *table.said)): table.lines(names)} if table else {}


def _mean_cells(mean: GroupMean, label: str) -> dict[str, str]:
    """A mean's cells as text, by heading. label: the agent's."""
    return {
        "group": mean.group,
        "agent": label,
        "model": mean.condition.model,
        "scenarios": str(mean.scenarios) if mean.scenarios == mean.of else f"{mean.scenarios} of {mean.of}",
        "mean": mean.mean,
    }


def headings_of(lines: Sequence[Mapping[str, str]]) -> list[str]:
    """The headings of the columns in which something is known."""
    return [heading for heading in lines[0] if any(line[heading] != NOTHING for line in lines)]


def cells(row: Row, label: str) -> dict[str, str]:
    """A row's cells as text, by heading. label: the agent's. †: a ceiling that was not always told."""
    usage, published = row.usage, row.published
    mark = " †" if row.is_ceiling and told_mark(row.told_share) else ""
    mean = f"{with_error(row.estimate.mean, row.estimate.error, row.digits)}{mark}" if row.estimate else NOTHING
    return {
        "scenario": f"{row.scenario.short_name}{' (unproved)' if row.scenario.is_unproved else ''}",
        "agent": label,
        "model": row.condition.model,
        "episodes": row.played,
        "mean": mean,
        "interactions": number(row.interactions),
        "published": f"{with_error(published.mean, published.error, row.digits)}{row.published_mark}"
        if published
        else NOTHING,
        "calls": with_cached(usage),
        "input tokens": known(usage.input_tokens),
        "output tokens": known(usage.output_tokens),
        "paid, USD": known(usage.paid, 4),
        "cached, USD": known(usage.cached_cost, 4),
        "unanswered": f"{usage.unanswered} of {usage.questions}",
    }
