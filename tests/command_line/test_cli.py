"""The command line as a user meets it: real files, and real processes where it is these that are tested."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.command_line.commands import run_guarded
from hm_agent.command_line.listing import kinds_of
from hm_agent.process.exit_status import INTERRUPTED, WRONG_INPUT
from tests.support.commands import ANOTHER_HASH_SEED, call_here, overriding

ROOT = Path(__file__).parents[2]
EPISODE = "running_with_scissors_in_the_matrix__repeated_1/hypothetical_minds/builtin/episode-0"


HM_AGENT = ("-m", "hm_agent")
"""The console script `hm-agent`, as Python runs it."""


def start(
    *arguments: str, cwd: Path, program: Sequence[str] = (str(ROOT / "run_scenario.py"),), **environment: str
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *program, *arguments],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def call(*arguments: str, cwd: Path, **environment: str) -> tuple[int, str, str]:
    return ended(start(*arguments, cwd=cwd, **environment))


def hm_agent(*arguments: str, cwd: Path) -> tuple[int, str, str]:
    return ended(start(*arguments, cwd=cwd, program=HM_AGENT))


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """The exit status of a process, its output and its errors."""
    output, errors = process.communicate(timeout=240)
    return process.returncode, output, errors


def interrupted(process: subprocess.Popen[str], out: Path) -> tuple[int, str, str]:
    """Sends Ctrl-C to a command in the middle of the first episode that it plays; returns what `ended` does."""
    trace = out / EPISODE / "trace.jsonl"
    deadline = time.monotonic() + 60
    while not (trace.exists() and trace.read_bytes().count(b"\n") > 1) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    return process.returncode, output, errors


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, and this process in it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Demo(NamedTuple):
    """What the process that played `make demo` left and said."""

    out: Path
    status: int
    output: str
    errors: str


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    out = tmp_path_factory.mktemp("demo") / "out"
    arguments = overriding(*demo_arguments(), "--max_steps=250", f"--out={out}")
    return Demo(out, *call(*arguments, cwd=out.parent, PYTHONHASHSEED=ANOTHER_HASH_SEED))


def test_a_tool_says_in_one_line_what_is_wrong_with_its_arguments() -> None:
    for name in ("pack", "reproduce", "game-file", "needs"):
        status, output, errors = call_here("hm-agent", name)
        assert (status, output, errors.count("\n")) == (WRONG_INPUT, "", 1)
        assert errors.startswith(f"hm-agent {name}: the following arguments are required: ")
        assert errors.endswith(f"; see hm-agent {name} --help\n")


def test_a_process_that_got_wrong_input_says_so_in_one_line_and_by_its_status(tmp_path: Path) -> None:
    status, output, errors = call("--scenario=rws_repeated_1", "--agent=nobody", cwd=tmp_path)
    assert (status, output, errors.count("\n")) == (2, "", 1)
    assert errors.startswith("run_scenario.py: unknown agent 'nobody'")
    assert list(tmp_path.iterdir()) == []


def test_list_tells_the_kinds_of_scenarios_and_the_agents_and_models(here: Path) -> None:
    status, output, _ = call_here("--list")
    assert status == 0
    lines = [" ".join(line.split()) for line in output.splitlines()]
    assert "Prisoner's Dilemma, repeated 17 pd_repeated_*, pd_unseen_*, pd_repeated_selfplay" in lines
    assert "EnactToM, mixed, K depth 2 20 enacttom_mixed_k2_*; separates nobody" in lines
    assert "SymmToM, matched pairs of order 1 4 symmtom_pairs_order_1_*; needs order 1" in lines
    assert any(line.startswith("builtin the built-in reasoner") for line in lines)
    assert any(line.startswith("shortcuts 9 agents that model no mind: random, solo, flood") for line in lines)
    assert len(lines) < 250
    assert hm_agent("list", cwd=here) == (0, output, "")
    in_melting_pot = output.partition("Agents of Melting Pot:")[2].partition("Agents of SymmToM:")[0]
    in_symmtom = output.partition("Agents of SymmToM:")[2].partition("Agents of ExploreToM:")[0]
    assert "order_0                     ablation: the built-in reasoner considers rules" in in_melting_pot
    assert "order_0                     reasons to order 0 about others' knowledge" in in_symmtom


def test_the_globs_of_a_list_find_the_scenarios_of_their_kind_and_no_others() -> None:
    for suite in suites().values():
        for kind, told in kinds_of(suite):
            count, names = int(told[:3]), told[4:].partition(";")[0].split(", ")
            found = find_scenarios([name for name in names if not name.startswith("and ")])
            assert {info.family or info.group for info in found} == {kind}
            assert len(found) == count or names[-1].startswith("and ")


def test_list_tells_scenarios_and_agents_one_by_one() -> None:
    _, output, _ = call_here("--list", "--scenario=boat_race_*,rationalizable_*", "--agent=order_1,hm_*")
    lines = [" ".join(line.split()) for line in output.splitlines()]
    visiting = "boat_race_eight_races_0 1 agent and 5 bots: visiting cooperators"
    assert f"{visiting} (boat_race__eight_races_0)" in lines
    longest = "  rationalizable_coordination_repeated_selfplay "
    column = len(longest)
    alike = [line for line in output.splitlines() if line.startswith("  rationalizable_")]
    assert len(alike) == 17
    assert all(line[column - 1] == " " != line[column] for line in alike)
    assert any(line.startswith(f"{longest}no bots") for line in alike)
    named = [line.split()[0] for line in lines[lines.index("Agents of several worlds:") + 1 :]]
    assert named.count("hm_joint") == 1
    assert named.count("order_1") == 5


@pytest.mark.parametrize(
    ("flag", "error"), [("--scenario=nix", "unknown scenario 'nix'"), ("--agent=nix*", "unknown agent")]
)
def test_what_a_list_lacks_is_refused(flag: str, error: str) -> None:
    status, output, errors = call_here("--list", flag)
    assert (status, output, errors.count("\n")) == (2, "", 1)
    assert error in errors


def test_hm_agent_alone_names_its_commands() -> None:
    for arguments in ((), ("--help",), ("-h",), ("help",)):
        status, output, errors = call_here("hm-agent", *arguments)
        assert (status, errors) == (0, ""), arguments
        assert all(f"hm-agent {name}" in output for name in ("play", "report", "orders", "list", "watch")), arguments


def test_an_unknown_command_is_refused_with_those_there_are() -> None:
    known = dict.fromkeys(re.findall(r"^    hm-agent ([a-z][a-z-]+)", call_here("hm-agent")[1], re.MULTILINE))
    status, output, errors = call_here("hm-agent", "dance")
    assert (status, output) == (2, "")
    assert re.fullmatch(r"hm-agent: unknown command 'dance': there are ([a-z, -]+); see --help\n", errors)
    assert set(known) == set(re.findall(r"[a-z-]+", errors.partition("there are ")[2].partition(";")[0]))


def test_errors_are_signed_by_the_command_that_was_typed() -> None:
    for command in ("play", "report", "orders", "list"):
        status, output, errors = call_here("hm-agent", command, "--scenaro=rws_repeated_1")
        assert (status, output, errors.count("\n")) == (2, "", 1)
        assert errors.startswith(f"hm-agent {command}: ")
    assert call_here("--scenaro=rws_repeated_1")[2].startswith("run_scenario.py: ")


def test_each_command_has_a_help_of_its_own() -> None:
    play, report = (call_here("hm-agent", command, "--help")[1] for command in ("play", "report"))
    assert ("hm-agent play --scenario=rws_repeated_1" in play, "--engine " in play) == (True, True)
    assert ("hm-agent report --out=runs" in report, "--engine " in report) == (True, False)
    assert "(default: 'hypothetical_minds')" in play
    assert "hypothetical_minds')" not in report
    assert "Only these agents, by name or glob, with commas; by default all." in report
    in_symmtom, _, in_enacttom = play.partition("Only in SymmToM:")[2].partition("Only in EnactToM:")
    assert re.search(r"--literal +At how many steps [^\n]+ of its prelude as there are.\n", in_symmtom)
    assert re.search(r"--literal +Agents are asked at the end [^\n]+ appendix H, too.\n", in_enacttom)


def test_what_is_named_on_the_command_line_and_is_not_there_is_said_with_what_would_be_right(here: Path) -> None:
    (here / "mine.py").write_text("")
    wrong = {
        **dict.fromkeys(
            ("reproduce none", "pack none", "convert none"),
            "none is not there: name the folder of a run, a card.json or an archive",
        ),
        "check mine": "mine is a module: say what in it builds the agent, e.g. mine:build",
        "check mine.py": "mine.py is a path: say mine:build, with . in PYTHONPATH",
        "check some/mine.py:make": "some/mine.py:make is a path: say mine:make, with some in PYTHONPATH",
        "check mine.py:build": "mine.py:build can't be loaded: a module is named without .py: mine",
        "list --needs_order=9": "--needs_order=9: no scenario needs it; say 0, 1, 2 or 3",
    }
    for typed, message in wrong.items():
        found = call_here("hm-agent", *typed.split())
        assert found == (2, "", f"hm-agent {typed.split()[0]}: {message}\n"), typed


def test_hm_agent_plays_and_reports_again_from_the_files(here: Path) -> None:
    flags = ("--scenario=symmtom_w6_n3_c3", "--agent=random", "--max_steps=5", "--out=out", "--noreplay")
    status, _, errors = call_here("hm-agent", "play", *flags)
    assert (status, errors) == (0, "")
    assert call_here("hm-agent", "report", "--out=out", "--report=again") == (0, "Report: again/report.html\n", "")
    assert (here / "again" / "report.md").read_text() == (here / "out" / "report" / "report.md").read_text()
    assert call_here("--report_only", "--out=out", "--agent=react")[0] == 2
    broken = here / "out" / "symmtom_w6_n3_c3" / "random" / "builtin" / "episode-1" / "result.json"
    broken.parent.mkdir()
    broken.write_text("{")
    status, output, errors = call_here("hm-agent", "report", "--out=out", "--report=again")
    assert (status, errors) == (0, "")
    assert output.startswith("1 file could not be read as the result of an episode in the format of today: out/symm")


def test_a_tournament_is_ranked_in_the_terminal(here: Path) -> None:
    asked = ("--agent=cooperate,constant", "--scenario=mg_pd_selfplay", "--noreplay")
    status, output, errors = call_here("hm-agent", "tournament", *asked)
    assert (status, errors) == (0, "")
    assert "constant 1 3.00 -4.00 " in " ".join(output.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--scenario=rws_repeated_1", "--agent=react,he_hr"), "has one seat: a tournament needs several"),
        (("--scenario=mg_pd_selfplay", "--agent=react"), "--agent: a tournament needs two agents or more"),
        (("--scenario=mg_pd_selfplay", "--agent=react,he_hr", "--seats=react"), "--seats is no flag of this command"),
        (
            ("--scenario=mg_pd_selfplay", "--agent=react,vmp", "--seat_models=a,b,c"),
            "--seat_models names 3, and --agent",
        ),
    ],
)
def test_what_makes_no_tournament_is_refused(arguments: tuple[str, ...], message: str, here: Path) -> None:
    status, _, errors = call_here("hm-agent", "tournament", *arguments)
    assert (status, errors.count("\n")) == (2, 1)
    assert message in errors


def test_two_processes_leave_the_same_trace_whatever_else_they_record(demo: Demo, tmp_path: Path) -> None:
    """This process orders sets and hashes strings in another way, and records no more than a trace."""
    arguments = ("--scenario=rws_repeated_1", "--max_steps=250", "--bots=scripted", "--noreplay")
    status, _, errors = call_here(*arguments, f"--out={tmp_path / 'out'}")
    assert (status, errors) == (0, "")
    traces = [(out / EPISODE / "trace.jsonl").read_bytes() for out in (tmp_path / "out", demo.out)]
    assert traces[0] == traces[1]


@pytest.mark.parametrize(
    ("program", "name", "library"),
    [((str(ROOT / "run_scenario.py"),), "run_scenario.py", "numpy"), ((*HM_AGENT, "play"), "hm-agent", "_ssl")],
)
def test_an_interruption_during_the_imports_is_told_in_one_line(
    program: Sequence[str], name: str, library: str, tmp_path: Path
) -> None:
    """library: one that is loaded while the command's own modules are imported."""
    process = start("--scenario=rws_repeated_1", "--out=out", cwd=tmp_path, program=program)
    maps = Path(f"/proc/{process.pid}/maps")
    while library not in maps.read_text():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert (process.returncode, errors) == (130, f"{name}: interrupted\n")


def test_the_demo_leaves_a_video_a_trace_and_a_result(demo: Demo) -> None:
    assert (demo.status, demo.errors) == (0, "")
    assert "hypothetical_minds" in demo.output
    assert demo.output.endswith(f"Report: {demo.out / 'report' / 'report.html'}\nIndex: {demo.out / 'index.html'}\n")
    episode = demo.out / EPISODE
    left = {path.name for path in episode.iterdir()}
    assert left == {"result.json", "trace.jsonl", "video.mp4", "replay.html", "thumbnail.png"}
    result = json.loads((episode / "result.json").read_text())
    assert (result["status"], result["steps"]) == ("max_steps", 250)
    assert result["metrics"]["unknown_patches"] == 0
    assert result["metrics"]["interactions"] >= 3
    assert f'href="../{EPISODE}/video.mp4"' in (demo.out / "report" / "report.html").read_text()


def demo_arguments() -> list[str]:
    """The arguments of `make demo`, as the Makefile has them."""
    recipe = (ROOT / "Makefile").read_text().split("\ndemo:")[1].split("\n\n")[0]
    command = recipe.split("run_scenario.py", 1)[1].replace("\\\n", " ")
    return shlex.split(command)


def test_an_interruption_within_a_librarys_compiled_part_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    def import_much() -> int:
        raise ImportError("initialization failed") from KeyboardInterrupt()

    assert run_guarded("hm-agent play", import_much) == INTERRUPTED
    assert capsys.readouterr().err == "hm-agent play: interrupted\n"
