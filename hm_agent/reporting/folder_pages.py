"""Writes the pages of a folder of runs, its summary, report and index, if they are outdated."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from hm_agent.recording.result import result_files
from hm_agent.reporting import index
from hm_agent.reporting.drawing import AS_SVG
from hm_agent.reporting.request import ReportRequest
from hm_agent.reporting.runs import Runs, read_runs
from hm_agent.reporting.summary import write_summary
from hm_agent.reporting.tables import Row, tabulate
from hm_agent.reporting.writing import PAGE, episodes_reported, is_report_on, write_report


def write_pages(
    out: Path, request: ReportRequest, *, is_cut_short: bool = False
) -> tuple[Runs, Sequence[Row], Path | None]:
    """Writes summary, report and index of a folder if they are outdated; returns what it read, its rows and the report.

    is_cut_short: True for a run that ended before all episodes were played: then a report on more episodes is kept.
    Outdated pages in a folder that can't be written stay, too; a report elsewhere is written. The returned report is
    None if it is kept, and if there is nothing to report on.
    """
    runs = read_runs((out,), counts_unanswered=request.counts_unanswered)
    rows = tabulate(runs.results)
    is_kept = is_cut_short and episodes_reported(request.into) > len(runs.episodes)
    report = request.into / PAGE if rows and not is_kept else None
    pages = [out / "summary.md", out / "summary.json", out / index.PAGE, *([report] if report else [])]
    # A report does not show which figures were requested, so all but the default ones are drawn again.
    is_reported = report is None or (request.figures == AS_SVG and is_report_on(runs, request.into))
    if is_reported and _is_current(pages, out, runs):
        return runs, rows, report
    can_write = os.access(out, os.W_OK)
    if not can_write and request.into.resolve().is_relative_to(out.resolve()):
        return runs, rows, None
    if can_write:
        write_summary(out, runs)
    if report:
        write_report(runs, request.into, request.figures)
    if can_write:
        index.write_index(out, report, runs)
    return runs, rows, report


def _is_current(pages: Sequence[Path], out: Path, runs: Runs) -> bool:
    """True if all pages exist and show these episodes, and no result is newer than the oldest page."""
    if not all(page.is_file() for page in pages):
        return False
    try:
        summary = json.loads((out / "summary.json").read_bytes())
        summarised = len(summary["episodes"]), summary.get("counts_unanswered", False)
    except (ValueError, KeyError, TypeError):
        return False
    if summarised != (len(runs.results), runs.counts_unanswered):
        return False
    results = [path.stat().st_mtime for path in result_files(out)]
    return max(results, default=0.0) <= min(page.stat().st_mtime for page in pages)
