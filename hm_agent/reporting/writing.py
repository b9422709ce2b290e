"""Writes the files of a report: HTML, Markdown, LaTeX, pictures, and tables as CSV with raw numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from hm_agent.reporting import csv_records
from hm_agent.reporting.csv_records import Record
from hm_agent.reporting.drawing import AS_SVG, FigureFiles
from hm_agent.reporting.latex import latex
from hm_agent.reporting.minds import MindStudy
from hm_agent.reporting.minds_figure import minds_figure
from hm_agent.reporting.orders import OrderStudy
from hm_agent.reporting.orders_figure import orders_figure
from hm_agent.reporting.pages import page
from hm_agent.reporting.report import Report
from hm_agent.reporting.runs import Runs
from hm_agent.storage.files import path_in_words, read_regular, write_whole

PAGE, ORDERS_PAGE, MINDS_PAGE = "report.html", "orders.md", "minds.md"
EPISODES = "episodes.csv"
AS_PNG = FigureFiles("png")
"""The format in which pages in Markdown show figures of several panels."""


def write_report(runs: Runs, into: Path, files: FigureFiles = AS_SVG) -> Path:
    """Writes all files of a report into a folder, made if it is missing; returns the page's path.

    files: the format and style of figures; SVG is always written, too, since report.md shows it.
    """
    report = Report(runs, into)
    pictures = into / "figures"
    pictures.mkdir(parents=True, exist_ok=True)
    for picture in report.pictures:
        for panel in picture.panels:
            for kind in dict.fromkeys((AS_SVG.kind, files.kind)):
                content = picture.file(panel, replace(files, kind=kind))
                write_whole(pictures / f"{panel.name}.{kind}", content)
    write_csv(into / "report.csv", [csv_records.row_record(row) for row in report.rows])
    write_csv(
        into / "differences.csv", [csv_records.comparison_record(pair, report.labels) for pair in report.comparisons]
    )
    _write_optional_csv(
        into / "halves.csv", [csv_records.split_record(mean, report.labels) for mean in report.split_means]
    )
    _write_optional_csv(into / "worlds.csv", csv_records.world_records(report))
    _write_optional_csv(into / "tournament.csv", list(csv_records.standing_records(report)))
    _write_optional_csv(into / "payoffs.csv", list(csv_records.payoff_records(report)))
    write_csv(into / EPISODES, [csv_records.episode_record(episode) for episode in runs.episodes])
    shared = [episode for episode in runs.episodes if len(episode.result.seats) > 1]
    seats = [csv_records.seat_record(episode, seat) for episode in shared for seat in episode.result.seats]
    _write_optional_csv(into / "seats.csv", seats)
    write_csv(into / "report_wide.csv", csv_records.wide_records(report.rows, report.labels))
    write_csv(into / "report_long.csv", csv_records.long_records(runs.results))
    write_whole(into / "report.tex", latex(report))
    write_whole(into / "report.md", page("report.md.j2", report=report))
    write_whole(into / PAGE, page("report.html.j2", report=report))
    return into / PAGE


def is_report_on(runs: Runs, into: Path) -> bool:
    """True if the report in a folder covers exactly these episodes, each in its folder and with its status."""
    episodes = [(path_in_words(episode.folder), episode.result.status) for episode in runs.episodes]
    return _reported(into) == [(_harmless(folder), _harmless(status)) for folder, status in episodes]


def episodes_reported(into: Path) -> int:
    """How many episodes the report in a folder covers; 0 if there is none that can be read."""
    return len(_reported(into))


def _reported(into: Path) -> list[tuple[object, object]]:
    """Folder and status of the episodes that a report covers; empty if there is no report that can be read."""
    try:
        lines = io.StringIO(read_regular(into / EPISODES).decode(), newline="")
        return [(row["folder"], row["status"]) for row in csv.DictReader(lines)]
    except (OSError, ValueError, KeyError, csv.Error):
        return []


def write_orders(runs: Runs, into: Path, files: FigureFiles = AS_PNG) -> Path:
    """Writes the study of orders into a folder, made if it is missing; returns the path of its page.

    files: the format and style of the figure; SVG and PNG, which the page shows, are always written, too.
    """
    study = OrderStudy(runs)
    into.mkdir(parents=True, exist_ok=True)
    write_csv(into / "orders.csv", [csv_records.order_record(mean, study.labels) for mean in study.means])
    differences = [csv_records.order_difference_record(difference, study.labels) for difference in study.differences]
    write_csv(into / "orders_differences.csv", differences)
    write_csv(into / "orders_scenarios.csv", [csv_records.row_record(row) for row in study.rows])
    _write_optional_csv(into / "orders_selfplay.csv", list(csv_records.matchup_records(study)))
    return _write_study(into / ORDERS_PAGE, study, partial(orders_figure, study), files)


def write_minds(study: MindStudy, into: Path, files: FigureFiles = AS_PNG) -> Path:
    """Writes the study of minds into a folder, made if it is missing; returns the path of its page.

    files: as in `write_orders`.
    """
    into.mkdir(parents=True, exist_ok=True)
    write_csv(into / "minds.csv", [csv_records.mind_record(row) for row in study.rows])
    return _write_study(into / MINDS_PAGE, study, partial(minds_figure, study), files)


def _write_study(path: Path, study: object, draw: Callable[[FigureFiles], bytes], files: FigureFiles) -> Path:
    """Writes a page in Markdown and its figure, as PNG, SVG and in the format wanted; returns the page's path."""
    for kind in dict.fromkeys((AS_PNG.kind, AS_SVG.kind, files.kind)):
        write_whole(path.with_suffix(f".{kind}"), draw(replace(files, kind=kind)))
    write_whole(path, page(f"{path.name}.j2", study=study))
    return path


def _write_optional_csv(path: Path, records: Sequence[Record]) -> None:
    """Writes an optional CSV file of a report; without records, removes that of an earlier report."""
    if records:
        write_csv(path, records)
    else:
        path.unlink(missing_ok=True)


def write_csv(path: Path, records: Sequence[Record]) -> None:
    """Writes a CSV file with the headings of the first record; no text of it is a formula to a spreadsheet."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(records[0]) if records else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _harmless(value) for name, value in record.items()} for record in records)
    write_whole(path, text.getvalue())


def _harmless(value: object) -> object:
    """Keeps spreadsheets from taking a cell for a formula: text that begins like one gets a leading apostrophe."""
    is_formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{value}" if is_formula else value
