"""How a command ends, what it shows and what it leaves, whatever happens to it from outside."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.command_line.cli import main
from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.process.shell import printable
from hm_agent.recording.result import read_result
from hm_agent.reporting.writing import episodes_reported
from hm_agent.storage.files import folder_name, read_regular
from hm_agent.storage.folder_lock import locked
from hm_agent.storage.scratch import PREFIX, make_folder
from hm_agent.testing.endpoint import Endpoint, Response, completion, prompt_of, refusal
from hm_agent.watching.run_folder import PLAN
from hm_agent.watching.state import Watcher
from tests.support.commands import PATIENCE, ROOT, call, call_here, end, orphans, processes, start, wait_for
from tests.support.schema_player import answer

STORIES = ["--scenario=exploretom_a4", "--agent=reader", "--max_steps=20"]
FAST = ["--scenario=exploretom_a4", "--agent=reality", "--max_steps=3", "--noreplay"]


@pytest.fixture
def silent() -> Iterator[Endpoint]:
    """It answers the first thirty requests, and no other."""
    left = iter(range(30))
    with Endpoint(lambda body: answer(body) if next(left, None) is not None else Response(hang=1000)) as server:
        yield server


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for temporary files of all commands of a test; its path is short, for sockets lie in it."""
    with TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.setenv("TMPDIR", folder)
        yield Path(folder)


def unfinished(out: Path) -> list[str]:
    return [json.loads(path.read_text())["status"] for path in out.glob("*/*/*/*/unfinished.json")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "workers", "in_background"),
    [
        pytest.param(signal.SIGTERM, 1, True, marks=pytest.mark.heavy),
        (signal.SIGHUP, 1, False),
        (signal.SIGTERM, 2, True),
        (signal.SIGINT, 2, False),
    ],
)
def test_signals_end_a_command_like_an_interruption(
    tmp_path: Path, silent: Endpoint, temporary: Path, number: signal.Signals, workers: int, in_background: bool
) -> None:
    """in_background: as a script starts a command with `&`, which then ignores SIGINT."""
    out = tmp_path / "out"
    how = ["--episodes=4", f"--workers={workers}", "--concurrency=2", "--grace=0"]
    flags = [*STORIES, *silent.flags, *how, f"--out={out}"]
    before = signal.signal(signal.SIGINT, signal.SIG_IGN) if in_background else signal.getsignal(signal.SIGINT)
    process = start(str(out), *flags)
    signal.signal(signal.SIGINT, before)
    wait_for(lambda: len(silent.received) > 30, process)
    process.send_signal(number)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, errors
    assert errors == f"run_scenario.py: interrupted; what was played is in {out}\n"
    assert set(unfinished(out)) == {"interrupted"}
    assert not orphans(str(out))
    assert not list(temporary.iterdir())


@pytest.mark.heavy
def test_a_killed_command_leaves_temporary_files_to_the_next_one_only(
    tmp_path: Path, silent: Endpoint, temporary: Path
) -> None:
    out = tmp_path / "out"
    flags = [*STORIES, *silent.flags, "--episodes=4", "--workers=2", f"--out={out}"]
    process = start(str(out), *flags)
    wait_for(lambda: len(silent.received) > 30, process)
    process.kill()
    process.communicate()
    end(orphans(str(out)))
    assert [path.name.startswith(PREFIX) for path in temporary.iterdir()] == [True]
    assert call("next", *FAST, f"--out={tmp_path / 'next'}")[0] == 0
    assert not list(temporary.iterdir())


def test_a_folder_that_is_taken_for_a_dead_process_s_before_it_is_locked_is_made_again(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, removed = fcntl.flock, list[Path]()

    def remove_first(descriptor: int, how: int) -> None:
        if not removed:
            removed.extend(temporary.iterdir())
            shutil.rmtree(removed[0])
        lock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", remove_first)
    made = make_folder(PREFIX, temporary)
    assert list(temporary.iterdir()) == [made] != removed


def test_a_long_name_of_the_folder_for_temporary_files_keeps_no_worker_from_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = tmp_path / ("x" * 120)
    far.mkdir()
    monkeypatch.setenv("TMPDIR", str(far))
    status, _, errors = call("far", *FAST, "--episodes=2", "--workers=2", f"--out={tmp_path / 'out'}")
    assert (status, errors) == (0, "")
    script = f"""
import sys
from pathlib import Path
from hm_agent.pool.progress import NoProgress
from hm_agent.experiment import Experiment
from hm_agent.pool.run import run
from hm_agent.catalogue.finding import find_scenarios
asked = {{"agents": ("reality",), "max_steps": 3, "episodes": 2, "workers": 2}}
grid = Experiment(find_scenarios(["exploretom_a4"]), out=Path({str(tmp_path / "by_python")!r}), **asked)
print([result.status for result in run(grid, NoProgress())])
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("['max_steps', 'max_steps']\n", "")
    assert not list(far.iterdir())


@pytest.mark.heavy
def test_a_killed_worker_leaves_no_temporary_files(tmp_path: Path, silent: Endpoint, temporary: Path) -> None:
    out = tmp_path / "out"
    flags = [*STORIES, *silent.flags, "--episodes=2", "--workers=2", "--concurrency=1", f"--out={out}"]
    process = start(str(out), *flags)
    wait_for(lambda: len(silent.received) > 30, process)
    workers = [child for child in processes(str(out)) if child != process.pid]
    end(workers)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1, errors
    assert not list(temporary.iterdir())


def test_unanswered_episodes_fail_a_command_unless_they_are_to_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Endpoint(lambda body: completion("no answer", prompt=prompt_of(body))) as server:
        flags = ["--scenario=exploretom_a4", "--agent=reader", "--max_steps=2", "--noreplay", *server.flags]
        command = ["hm-agent", "play", *flags, "--episodes=1", f"--out={tmp_path / 'out'}"]
        assert main(command) == 1
        assert "1 of 1 episodes is no result" in capsys.readouterr().err
        assert main([*command, "--overwrite", "--count_unanswered"]) == 0


# What is shown


def test_control_characters_are_written_out() -> None:
    assert printable("a\x1b[2Jb\x07\x9bc\u202ed\nä") == "a\\x1b[2Jb\\x07\\x9bc\\u202ed\nä"


@pytest.mark.slow
def test_an_endpoint_can_not_command_the_terminal(tmp_path: Path) -> None:
    with Endpoint(lambda body: refusal(404, "\x1b]0;gotcha\x07\x1b[2J")) as server:
        status, output, errors = call_here(*STORIES, *server.flags, f"--out={tmp_path / 'out'}")
    assert status == 3
    assert "gotcha" in errors
    assert "\x1b" not in output + errors


@pytest.mark.slow
def test_a_terminal_that_knows_ascii_alone_shows_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    status, output, errors = call("ascii", *FAST, f"--out={tmp_path / 'öüt'}")
    assert (status, errors) == (0, "")
    assert "Report: " in output


# What lies in the way


def test_a_pipe_in_place_of_a_result_or_a_lock_holds_nothing_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "result.json")
    assert read_result(tmp_path / "result.json") is None
    with pytest.raises(OSError, match="is no file"):
        read_regular(tmp_path / "result.json")
    os.mkfifo(tmp_path / ".lock")
    with pytest.raises(ConfigError, match=r"\.lock in it is no file"), locked(tmp_path, 1):
        pass
    os.mkfifo(tmp_path / "episodes.csv")
    assert episodes_reported(tmp_path) == 0
    os.mkfifo(tmp_path / PLAN)
    assert Watcher(tmp_path).look()["planned"] is None


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["link", "file", "pipe"])
def test_something_else_in_place_of_an_episodes_folder_is_replaced(tmp_path: Path, kind: str) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    (episode,) = Experiment(find_scenarios(["exploretom_a4"]), ("reality",), out=out).plan()
    episode.folder.parent.mkdir(parents=True)
    elsewhere.mkdir()
    (elsewhere / "precious").touch()
    make = {"link": lambda: episode.folder.symlink_to(elsewhere), "file": episode.folder.touch}
    make.get(kind, lambda: os.mkfifo(episode.folder))()
    status, _, errors = call_here(*FAST, f"--out={out}")
    assert (status, errors) == (0, "")
    assert not episode.folder.is_symlink()
    assert (elsewhere / "precious").exists()


@pytest.mark.slow
def test_a_folder_whose_name_is_no_text_is_reported_on(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert call_here(*FAST, f"--out={out}")[0] == 0
    (model,) = out.glob("*/*/builtin")
    copied = Path(shutil.copytree(model, os.fsdecode(os.fsencode(model.parent) + b"/\xff\xfe")))
    (path,) = copied.glob("*/result.json")
    path.write_text(path.read_text().replace('"model": "builtin"', '"model": "another"'))
    (copied / "episode-7").mkdir()
    (copied / "episode-7" / "result.json").write_text("broken")
    status, _, errors = call_here("--report_only", f"--out={out}")
    assert (status, errors) == (0, "")


# Names


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["org/model"], ["org:model"]),
        (["org/model"], ["org-model"]),
        (["a+b"], ["a", "b"]),
        ([".."], ["."]),
        (["x" * 300], ["x" * 301]),
        (["é"], ["e\u0301"]),
        (["\udcff"], ["\udcfe"]),
    ],
)
def test_two_names_never_share_a_folder(one: list[str], other: list[str]) -> None:
    names = folder_name(one), folder_name(other)
    assert names[0] != names[1]
    for name in names:
        assert len(os.fsencode(name)) < 256
        assert name not in (".", "..")
        assert "/" not in name


def test_plain_names_are_folders_as_they_are() -> None:
    assert folder_name(["gpt-4o-mini_2.1"]) == "gpt-4o-mini_2.1"
    assert folder_name(["react", "vmp"]) == "react+vmp"
    assert folder_name([""])


def test_a_result_of_another_model_is_not_taken_for_this_ones(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert call_here(*FAST, f"--out={out}")[0] == 0
    (path,) = out.glob("*/*/*/*/result.json")
    path.write_text(path.read_text().replace('"model": "builtin"', '"model": "gpt-4o"'))
    experiment = Experiment(find_scenarios(["exploretom_a4"]), ("reality",), out=out, max_steps=3)
    with pytest.raises(ConfigError, match="with --model=gpt-4o, not with --model=builtin"):
        experiment.check()


# Size


def test_a_million_episodes_begin_at_once(tmp_path: Path) -> None:
    process = start("million", *FAST, "--episodes=1e6", f"--out={tmp_path / 'out'}")
    wait_for(lambda: list((tmp_path / "out").glob("*/*/*/*/result.json")), process)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "1,000,000 episodes to play" in output.splitlines()[0]


def test_the_grid_is_not_made_before_it_is_played() -> None:
    grid = Experiment(find_scenarios(["exploretom_*"]), ("reality",), episodes=10**9, out=Path("/nowhere")).survey()
    assert grid.due > 10**9
    assert next(grid.episodes()).number == 0
