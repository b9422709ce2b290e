"""The pages that a run leaves: when they are written anew, and when they stay as they are."""

from __future__ import annotations

from pathlib import Path

from hm_agent.flags import ReportRequest
from hm_agent.reporting.drawing import FigureFiles
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.writing import PAGE, write_report
from hm_agent.running import write_pages
from tests.reporting.examples import leave, result


def played(out: Path, *agents: str) -> Path:
    leave(out, *(result(agent) for agent in agents))
    return out


def test_pages_that_tell_of_these_episodes_are_not_written_again(tmp_path: Path) -> None:
    out = played(tmp_path, "react")
    request = ReportRequest((out,), out / "report")
    write_pages(out, request)
    before = {page: page.stat().st_mtime_ns for page in (out / "summary.md", out / "index.html", request.into / PAGE)}
    write_pages(out, request)
    assert {page: page.stat().st_mtime_ns for page in before} == before


def test_a_report_on_other_episodes_is_written_anew(tmp_path: Path) -> None:
    one, other, into = played(tmp_path / "one", "react"), played(tmp_path / "other", "vmp"), tmp_path / "report"
    for out in (one, other, one):
        write_pages(out, ReportRequest((out,), into))
    assert "react" in (into / "report.md").read_text("utf-8")


def test_a_report_on_a_part_of_the_episodes_is_written_anew(tmp_path: Path) -> None:
    out = played(tmp_path, "react", "vmp")
    request = ReportRequest((out,), out / "report")
    write_pages(out, request)
    write_report(read_runs((out,)).of((), ("vmp",)), request.into)
    write_pages(out, request)
    assert "react" in (request.into / "report.md").read_text("utf-8")


def test_figures_are_drawn_as_is_asked_though_the_pages_are_there(tmp_path: Path) -> None:
    out = played(tmp_path, "react")
    for figures in (FigureFiles(), FigureFiles("pdf")):
        write_pages(out, ReportRequest((out,), out / "report", figures=figures))
    assert (out / "report" / "figures" / "means-0.pdf").is_file()
