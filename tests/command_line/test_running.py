"""The pages that a run leaves: when they are written anew, and when they stay as they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hm_agent.reporting.drawing import FigureFiles
from hm_agent.reporting.folder_pages import write_pages
from hm_agent.reporting.request import ReportRequest
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.writing import PAGE, write_report
from hm_agent.storage.folder_lock import LOCK
from hm_agent.watching.state import Watcher
from tests.command_line.test_cli import interrupted, start
from tests.reporting.examples import leave, result
from tests.support.commands import call_here


def played(out: Path, *agents: str) -> Path:
    leave(out, *(result(agent) for agent in agents))
    return out


def test_the_plan_of_a_run_includes_the_episodes_of_earlier_runs(tmp_path: Path) -> None:
    short = ("--agent=random", "--max_steps=2", "--noreplay", f"--out={tmp_path}")
    for scenario, episodes, planned in (("rws_repeated_1", 3, 3), ("rws_repeated_2", 2, 5), ("rws_repeated_2", 3, 6)):
        call_here(f"--scenario={scenario}", f"--episodes={episodes}", *short)
        assert Watcher(tmp_path).look()["planned"] == planned


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


def test_figures_are_drawn_as_is_asked_though_the_pages_are_ttmp_path(tmp_path: Path) -> None:
    out = played(tmp_path, "react")
    for figures in (FigureFiles(), FigureFiles("pdf")):
        write_pages(out, ReportRequest((out,), out / "report", figures=figures))
    assert (out / "report" / "figures" / "means-0.pdf").is_file()


def test_a_run_that_was_cut_short_replaces_no_report_on_more_episodes(tmp_path: Path) -> None:
    whole, cut, into = (
        played(tmp_path / "whole", "react", "vmp"),
        played(tmp_path / "cut", "react"),
        tmp_path / "report",
    )
    write_pages(whole, ReportRequest((whole,), into))
    assert write_pages(cut, ReportRequest((cut,), into), is_cut_short=True)[2] is None
    assert "vmp" in (into / "report.md").read_text("utf-8")
    assert "report.html" not in (cut / "index.html").read_text("utf-8")
    assert write_pages(cut, ReportRequest((cut,), into))[2] == into / PAGE
    assert "vmp" not in (into / "report.md").read_text("utf-8")


def test_a_run_that_was_cut_short_goes_on_with_its_own_report(tmp_path: Path) -> None:
    out = played(tmp_path, "react")
    request = ReportRequest((out,), out / "report")
    for agent in ("vmp", "mmp"):
        write_pages(out, request, is_cut_short=True)
        played(out, agent)
    assert write_pages(out, request, is_cut_short=True)[2] == out / "report" / PAGE
    assert "mmp" in (out / "report" / "report.md").read_text("utf-8")


def test_an_interrupted_command_leaves_a_longer_report_alone_and_says_so(tmp_path: Path) -> None:
    whole = played(tmp_path / "whole", "react", "vmp", "mmp")
    write_pages(whole, ReportRequest((whole,), tmp_path / "report"))
    before = (tmp_path / "report" / "report.md").read_bytes()
    scenario = "--scenario=rws_repeated_1"
    process = start(
        scenario, "--episodes=50", "--max_steps=200", "--out=out", "--report=report", "--noreplay", cwd=tmp_path
    )
    status, output, _ = interrupted(process, tmp_path / "out")
    assert status == 130
    assert "Report: report/report.html stays as it was, on more episodes than were played" in output
    assert (tmp_path / "report" / "report.md").read_bytes() == before


def test_a_whole_run_in_a_folder_that_can_not_be_written_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("--scenario=mg_pd_grim", "--agent=copy_last", "--noreplay", f"--out={tmp_path}")
    assert call_here(*command)[0] == 0
    (tmp_path / LOCK).unlink()
    (tmp_path / LOCK).mkdir()  # as in a read-only folder, no lock can be made
    (tmp_path / "summary.md").unlink()
    monkeypatch.setattr(os, "access", lambda *_: False)
    status, output, errors = call_here(*command)
    assert (status, errors) == (0, "")
    assert "In all: 1 episode" in output
    assert f"report.html stays as it was, since {tmp_path} can't be written" in " ".join(output.split())
    assert not (tmp_path / "summary.md").exists()


def test_a_report_elsewhere_is_written_though_the_folder_of_the_runs_can_not_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, into = played(tmp_path / "runs", "react"), tmp_path / "report"
    before = list(out.iterdir())
    monkeypatch.setattr(os, "access", lambda path, _: path != out)
    assert write_pages(out, ReportRequest((out,), into))[2] == into / PAGE
    assert (into / PAGE).is_file()
    assert list(out.iterdir()) == before


FAILING = """
import hm_agent

class Failing:
    usage = hm_agent.Usage()
    async def act(self, observation):
        raise ValueError("out of\\nluck")
    def metrics(self):
        return {}

def build(setup):
    return Failing()
"""


def test_the_same_command_says_again_that_an_episode_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop `until hm-agent play ...` must not take it for a success."""
    (tmp_path / "failing_agent.py").write_text(FAILING)
    monkeypatch.syspath_prepend(str(tmp_path))
    arguments = ("--scenario=rws_repeated_1", "--agent=failing_agent:build", "--noreplay", f"--out={tmp_path / 'runs'}")
    for _ in range(2):
        status, _, errors = call_here(*arguments)
        assert status == 1
        assert "1 of 1 episodes failed, " in errors
        assert "ValueError: out of luck (failing_agent.py, line 7, in act); " in errors
        assert errors.count("\n") == 1
        assert "--retry_failed plays them again" in errors
