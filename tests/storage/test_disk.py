"""Disks that are full, or fill up under way, and places that can't be written to: one line says so."""

from __future__ import annotations

import re
import resource
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.command_line.cli import main
from hm_agent.recording.result import read_result
from hm_agent.storage.folder_lock import EPISODE_BYTES, RESERVED_BYTES
from hm_agent.testing.endpoint import Endpoint
from tests.support.commands import PLAY, call, call_here, orphans, overriding, start
from tests.support.schema_player import answer

SIZE = RESERVED_BYTES + 4 * EPISODE_BYTES
GRID = ("--scenario=rws_repeated_1", "--episodes=2", "--max_steps=1000", "--bots=scripted")
STORIES = ("--scenario=exploretom_a4", "--agent=reader", "--max_steps=5", "--noreplay")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small one of its own; only root may mount it, and not in every container."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(place)]
    mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(place: Path) -> None:
    """Leaves no byte free."""
    with suppress(OSError), (place / "filler").open("wb", buffering=0) as file:
        while file.write(bytes(1_000_000)):
            pass


def check_said(status: int, errors: str, words: str) -> None:
    assert status in (1, 2)
    assert errors.count("\n") == 1, errors
    assert re.search(words, errors), errors


@pytest.mark.heavy
@pytest.mark.parametrize("workers", [1, 2])
def test_a_disk_that_fills_up_under_way_ends_the_run_in_one_line(disk: Path, workers: int) -> None:
    out = disk / "out"
    process = start(str(out), *GRID, f"--workers={workers}", f"--out={out}", "--record_video")
    while process.poll() is None and not any(path.stat().st_size for path in out.glob("*/*/*/*/trace.jsonl")):
        time.sleep(0.005)
    fill(disk)
    _, errors = process.communicate()
    check_said(process.returncode, errors, "can't write: .*No space left on device")
    assert not orphans(str(out))
    (disk / "filler").unlink()
    assert not [path for path in out.glob("*/*/*/*/result.json") if read_result(path)]
    assert call(str(out), *overriding(*GRID, f"--workers={workers}", f"--out={out}", "--max_steps=20"))[0] == 0


def test_a_full_disk_is_told_of_before_anything_is_played(disk: Path) -> None:
    fill(disk)
    status, output, errors = call_here(*GRID, f"--out={disk / 'out'}")
    check_said(status, errors, "make room|No space left")
    assert output == ""


@pytest.mark.slow
def test_a_full_disk_below_the_cache_ends_the_run_before_more_is_paid(disk: Path, tmp_path: Path) -> None:
    def answer_and_fill(body: dict[str, object]) -> object:
        fill(disk)
        return answer(body)

    with Endpoint(answer_and_fill) as server:  # type: ignore[arg-type]
        flags = [*server.flags, f"--cache={disk / 'answers'}"]
        status, _, errors = call_here(*STORIES, *flags, f"--out={tmp_path / 'out'}")
        check_said(status, errors, f"can't write: {disk / 'answers'}: .*full")
        assert len(server.received) < 10


@pytest.mark.slow
def test_a_file_that_may_not_grow_ends_the_run_in_one_line(tmp_path: Path) -> None:
    flags = ("--scenario=exploretom_a4", "--agent=reality", f"--out={tmp_path / 'out'}")
    process = start("limited", *flags, program=("-B", *PLAY))  # -B: a compiled module would be cut short, too
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (2_000, 2_000))
    _, errors = process.communicate()
    check_said(process.returncode, errors, "can't write: .*File too large: '.*/episode-0")
    assert not list((tmp_path / "out").glob("*/*/*/*/result.json"))


@pytest.mark.slow
@pytest.mark.parametrize(("flag", "place"), [("out", "/proc/out"), ("out", "file/out"), ("report", "file/out")])
def test_a_place_that_can_not_be_written_to_is_told_of_in_one_line(tmp_path: Path, flag: str, place: str) -> None:
    (tmp_path / "file").touch()
    wanted = {"out": tmp_path / "out", "report": tmp_path / "report"} | {flag: tmp_path / place}
    flags = [f"--{name}={path}" for name, path in wanted.items()]
    status, _, errors = call_here(*STORIES, *flags)
    check_said(status, errors, str(wanted[flag].parent))


SCENARIO = find_scenarios(["exploretom_a4"])[0].name


@pytest.mark.slow
@pytest.mark.parametrize("name", [".lock/", "summary.md/", "index.html/", SCENARIO])
def test_something_else_in_the_place_of_a_file_or_folder_is_told_of_in_one_line(tmp_path: Path, name: str) -> None:
    place = tmp_path / "out" / name
    (place if name.endswith("/") else place.parent).mkdir(parents=True)
    if not name.endswith("/"):
        place.write_bytes(b"\0")
    status, _, errors = call_here(*STORIES, f"--out={tmp_path / 'out'}")
    check_said(status, errors, name.rstrip("/"))


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("run", "flags"),
    [
        ("symmtom_w4_n2_c2/ippo/seed-0", "symmtom --scenario=symmtom_w4_n2_c2 --episodes=12 --games=4 --evaluation=4"),
        (
            "prisoners_dilemma_in_the_matrix__repeated_1/ppo/seed-0",
            "melting_pot --against=pd_repeated_1 --steps=160 --tables=4 --rollout=20 --actors=1 --evaluation=1",
        ),
    ],
    ids=["symmtom", "melting_pot"],
)
def test_training_on_a_full_disk_ends_in_one_line_and_begins_later(
    disk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], run: str, flags: str
) -> None:
    train = ["hm-agent", "train", *flags.split(), "--hidden=8", "--checkpoint_every=1"]
    assert main([*train, f"--out={tmp_path / 'whole'}"]) == 0
    fill(disk)
    capsys.readouterr()
    status = main([*train, f"--out={disk / 'cut'}"])
    check_said(status, capsys.readouterr().err, "^hm-agent train: .*make room")
    (disk / "filler").unlink()
    assert main([*train, f"--out={disk / 'cut'}"]) == 0
    with np.load(tmp_path / "whole" / run / "last.npz") as one, np.load(disk / "cut" / run / "last.npz") as other:
        for name in one.files:
            np.testing.assert_array_equal(one[name], other[name])
