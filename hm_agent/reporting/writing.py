"""The files of a report: HTML, Markdown, pictures and CSV."""

from __future__ import annotations

from pathlib import Path

from hm_agent.recording.files import write_whole
from hm_agent.reporting.pages import page, standalone
from hm_agent.reporting.report import gather
from hm_agent.reporting.runs import Runs
from hm_agent.reporting.sheets import compared, listed_episode, record, sheet

PAGE = "report.html"


def write_report(runs: Runs, into: Path) -> Path:
    """Writes all files of a report into a folder, made where it is missing; returns the page's path."""
    report = gather(runs, into)
    pictures = into / "figures"
    pictures.mkdir(parents=True, exist_ok=True)
    for picture in report.pictures:
        for panel in picture.panels:
            write_whole(pictures / f"{panel.name}.svg", standalone(panel))
    write_whole(into / "report.csv", sheet([record(row) for row in report.rows]))
    write_whole(into / "differences.csv", sheet([compared(one, report.labels) for one in report.comparisons]))
    write_whole(into / "episodes.csv", sheet([listed_episode(played) for played in runs.episodes]))
    write_whole(into / "report.md", page("report.md.j2", report=report))
    write_whole(into / PAGE, page("report.html.j2", report=report))
    return into / PAGE
