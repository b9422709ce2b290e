"""The whole command as a user starts it, in processes of its own, and what it leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
MARK = "HM_AGENT_COMMAND"
"""The environment variable by which all processes of a command are found again, whoever their parent is by now."""
TIMING = ("wall_seconds", "agent_ms_per_step_median", "cached_calls")
"""What differs between two runs of the same episode."""
PATIENCE = 60.0
"""For how many seconds processes may take to end before they count as left behind."""


def start(mark: str, *flags: str, cwd: Path | None = None) -> subprocess.Popen[str]:
    """Starts the command in a process group of its own, as a terminal does. mark: a word that no other run has."""
    return subprocess.Popen(
        [sys.executable, str(ROOT / "run_scenario.py"), *flags],
        cwd=cwd,
        env=os.environ | {MARK: mark, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def call(mark: str, *flags: str, cwd: Path | None = None) -> tuple[int, str, str]:
    """Status, output and errors of a command that is left to end."""
    process = start(mark, *flags, cwd=cwd)
    output, errors = process.communicate()
    return process.returncode, output, errors


def processes(mark: str) -> list[int]:
    """The processes of a command that are still there."""
    sought = f"{MARK}={mark}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile
            if sought in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


def orphans(mark: str) -> list[int]:
    """The processes of a command that don't end by themselves."""
    deadline = time.monotonic() + PATIENCE
    while (left := processes(mark)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return left


def outcomes(out: Path) -> Mapping[str, object]:
    """All results and traces below a folder, by their place in it, without what differs from run to run."""
    results = {_place(out, path): _without_timing(path) for path in out.glob("*/*/*/*/result.json")}
    return results | {_place(out, path): path.read_bytes() for path in out.glob("*/*/*/*/trace.jsonl")}


def end(left: Iterable[int]) -> None:
    """Ends what was left behind."""
    for process in left:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def _place(out: Path, path: Path) -> str:
    return str(path.relative_to(out))


def _without_timing(path: Path) -> dict[str, object]:
    return {name: value for name, value in json.loads(path.read_text()).items() if name not in TIMING}
