"""`hm-agent battery`: what it plays, pays and leaves, and how it ends."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from hm_agent.command_line.running_battery import run_battery
from hm_agent.experiment import Experiment
from hm_agent.models.settings import ModelSettings
from hm_agent.process.exit_status import NO_MODEL
from hm_agent.registry import find_scenarios
from hm_agent.reporting.request import ReportRequest
from hm_agent.testing.endpoint import Endpoint
from tests.support.commands import call_here, overriding
from tests.support.schema_player import answer

STEPS = 5
"""Of each episode, one question a step."""


@pytest.fixture
def server() -> Iterator[Endpoint]:
    with Endpoint(answer) as endpoint:
        yield endpoint


def battery(out: Path, *flags: str) -> tuple[int, str, str]:
    return call_here("hm-agent", "battery", *overriding(f"--out={out}", "--noreplay", "--agent=reader", *flags))


def test_it_leaves_the_study_of_what_was_played(tmp_path: Path) -> None:
    status, output, errors = battery(tmp_path)
    assert (status, errors) == (0, "")
    assert "ExploreToM: reader with builtin, 11 episodes" in output
    (shown,) = (line.split() for line in output.splitlines() if line.strip().startswith("ExploreToM  "))
    assert shown == ["ExploreToM", "reader", "4", "100%", "-", "100%", "0%"]
    (row,) = csv.DictReader((tmp_path / "minds" / "minds.csv").read_text("utf-8").splitlines())
    assert (row["world"], row["agent"], row["episodes"], float(row["literal"])) == ("exploretom", "reader", "4", 1.0)
    assert 'href="minds/minds.md">Minds<' in (tmp_path / "index.html").read_text("utf-8")
    assert all((tmp_path / name).is_file() for name in ("minds/minds.md", "index.html", "report/report.html"))


def test_the_same_command_again_plays_nothing(tmp_path: Path) -> None:
    battery(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/*/*/*/result.json")}
    status, output, _ = battery(tmp_path)
    assert status == 0
    assert "11 of 11 episodes are there already" in output
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_a_language_model_is_asked_with_its_flags(tmp_path: Path, server: Endpoint) -> None:
    status, output, _ = battery(tmp_path, "--model=loopback", f"--base_url={server.base_url}", "--temperature=0.5")
    assert status == 0, output
    assert {request.body["temperature"] for request in server.received} == {0.5}
    assert len(list(tmp_path.glob("*/reader/loopback/*/result.json"))) == 11


def play_two(out: Path, server: Endpoint, most_calls: int) -> tuple[int, str]:
    """Two experiments of one story each, for no more calls than that; returns the exit status and the complaints."""
    model = ModelSettings("loopback", base_url=server.base_url, max_calls=most_calls)
    two = [
        Experiment(find_scenarios([name]), ("reader",), model=model, out=out, max_steps=STEPS, record_replay=False)
        for name in ("exploretom_functional_a1", "exploretom_functional_a4")
    ]
    said: list[str] = []

    def complain(message: str, status: int) -> int:
        said.append(message)
        return status

    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        status = run_battery(two, ReportRequest((out,), out / "report"), complain)
    return status, " ".join(said)


def test_all_worlds_share_one_budget(tmp_path: Path, server: Endpoint) -> None:
    status, said = play_two(tmp_path, server, most_calls=STEPS + 2)
    assert status == NO_MODEL
    assert f"all {STEPS + 2} calls of --max_calls are made" in said
    assert len(server.received) == STEPS + 2
    assert play_two(tmp_path, server, most_calls=STEPS)[0] == 0, "the rest can be paid"


def test_what_ended_before_any_question_has_no_study(tmp_path: Path, server: Endpoint) -> None:
    status, said = play_two(tmp_path, server, most_calls=0)
    assert status == NO_MODEL
    assert "no finished episode asked what others believe or do" in said


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        ("--scenario=rws_repeated_1", "--scenario is no flag of this command"),
        ("--size=large", "size"),
        ("--temperature=1", "--temperature has no effect: the model builtin calculates"),
        ("--ray_address=10.0.0.1", "--ray_address=10.0.0.1 is for --engine=ray"),
        ("--agent=raeder", "did you mean reader?"),
        ("--model=gpt-4o", "OPENAI_API_KEY"),
    ],
)
def test_wrong_flags_are_refused_in_one_line(
    tmp_path: Path, flag: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    status, output, errors = battery(tmp_path / "out", flag)
    assert (status, output, errors.count("\n")) == (2, "", 1)
    assert errors.startswith("hm-agent battery: ")
    assert message in errors
    assert not (tmp_path / "out").exists()
