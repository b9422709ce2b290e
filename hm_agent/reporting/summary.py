"""`summary.md` and `summary.json`: all episodes of a folder in one table, from their results alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from hm_agent.recording.files import write_whole
from hm_agent.reporting.conditions import labels
from hm_agent.reporting.notes import notes
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.sheets import record
from hm_agent.reporting.tables import Row, tabulate
from hm_agent.reporting.wording import known, number, with_error

HEADINGS = (
    "scenario",
    "agent",
    "model",
    "bots",
    "episodes",
    "reward",
    "interactions",
    "the paper's",
    "calls",
    "input tokens",
    "output tokens",
    "cost, USD",
    "unanswered",
)


def cells(row: Row, label: str) -> tuple[str, ...]:
    """A row in words, one for each of the headings."""
    usage, reward = row.usage, row.reward
    return (
        row.stage.short_name,
        label,
        row.contestant.model,
        row.contestant.bots,
        row.played,
        with_error(reward.mean, reward.error) if reward else "-",
        number(row.interactions),
        with_error(*row.paper) if row.paper else "-",
        str(usage.calls),
        known(usage.input_tokens),
        known(usage.output_tokens),
        known(usage.cost, 4),
        f"{usage.unanswered} of {usage.questions}",
    )


def all_cells(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """All rows in words; model and bots have columns of their own, so agents are told apart by their settings alone."""
    names = labels([row.contestant for row in rows], apart_by=())
    return [cells(row, names[row.contestant]) for row in rows]


def write_summary(out: Path) -> list[Row]:
    """Writes both files anew from the results below `out`, and returns their rows."""
    results = read_runs((out,)).results
    rows = tabulate(results)
    write_whole(out / "summary.md", _markdown(rows))
    content = {"rows": [record(row) for row in rows], "episodes": [asdict(result) for result in results]}
    write_whole(out / "summary.json", json.dumps(content, indent=2) + "\n")
    return rows


def _markdown(rows: Sequence[Row]) -> str:
    lines = [HEADINGS, tuple("---" for _ in HEADINGS), *all_cells(rows)]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    said = "\n".join(f"- {note}" for note in notes(rows))
    return f"# Summary\n\n{table}\n\n{said}\n"
