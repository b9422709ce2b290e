"""Runs the whole command as a user does, in processes of its own or in this one, and reads the files that it leaves."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

from hm_agent.command_line.cli import main
from hm_agent.command_line.commands import PLAY as PLAY_COMMAND
from hm_agent.recording.result import ENDPOINT

ROOT = Path(__file__).parents[2]
MARK = "HM_AGENT_COMMAND"
"""The environment variable that marks every process of a command, even one whose parent has ended."""
TIMING = ("wall_seconds", "agent_ms_per_step_median", "cached_calls", "cached_cost", "made")
"""The fields of a result that may differ between two runs of the same episode."""
ANOTHER_HASH_SEED = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
"""Of a process in which the order of sets differs from that in this one."""
SHUTDOWN_SECONDS = 60.0
"""Processes that still run after this time count as orphans."""
PATIENCE = 120.0
"""Seconds after which waiting fails the test."""


PLAY = (str(ROOT / "run_scenario.py"),)


def start(mark: str, *flags: str, cwd: Path | None = None, program: Sequence[str] = PLAY) -> subprocess.Popen[str]:
    """Starts the command in a process group of its own, as a terminal does.

    mark: a word unique to this run. program: what Python runs, e.g. `-m`, `hm_agent`, `generate`.
    """
    return subprocess.Popen(
        [sys.executable, *program, *flags],
        cwd=cwd,
        env=os.environ | {MARK: mark, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for(is_so: Callable[[], object], process: subprocess.Popen[str]) -> None:
    """Returns as soon as something is so, even for a moment; fails when the command or PATIENCE ends first."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "it never came to be"
        time.sleep(0.005)


def overriding(*flags: str) -> list[str]:
    """The flags, each as `--name=value`, without those that later ones of the same name override."""
    return list({flag.partition("=")[0]: flag for flag in flags}.values())


def call(mark: str, *flags: str, cwd: Path | None = None) -> tuple[int, str, str]:
    """Runs a command to its end; returns its exit status, output and errors."""
    process = start(mark, *flags, cwd=cwd)
    output, errors = process.communicate()
    return process.returncode, output, errors


def call_here(*arguments: str) -> tuple[int, str, str]:
    """As `call`, but in this process: for commands that do not depend on signals, limits or the state of a process.

    arguments: the flags of `run_scenario.py`; or `hm-agent` and its arguments.
    """
    with redirect_stdout(io.StringIO()) as output, redirect_stderr(io.StringIO()) as errors:
        status = main(arguments) if arguments[:1] == ("hm-agent",) else PLAY_COMMAND.run(arguments)
    return status, output.getvalue(), errors.getvalue()


def output_by_another_hash_seed(script: str) -> str:
    """What a script prints in a process with ANOTHER_HASH_SEED."""
    environment = os.environ | {"PYTHONHASHSEED": ANOTHER_HASH_SEED, "PYTHONPATH": str(ROOT)}
    run = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def processes(mark: str) -> list[int]:
    """The ids of a command's running processes."""
    variable = f"{MARK}={mark}".encode()
    ids = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # the process has ended meanwhile
            if variable in (folder / "environ").read_bytes().split(b"\0"):
                ids.append(int(folder.name))
    return ids


def orphans(mark: str) -> list[int]:
    """Waits for a command's processes to end; returns the ids of those that still run after SHUTDOWN_SECONDS."""
    deadline = time.monotonic() + SHUTDOWN_SECONDS
    while (left := processes(mark)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return left


def outcomes(out: Path) -> Mapping[str, object]:
    """All results and traces below a folder by their relative path, without the fields in TIMING and the endpoint."""
    results: dict[str, object] = {}
    for path in out.glob("*/*/*/*/result.json"):
        fields = json.loads(path.read_text())
        seats = [{name: value for name, value in seat.items() if name not in TIMING} for seat in fields["seats"]]
        fields["settings"].pop(ENDPOINT, None)
        untimed = {name: value for name, value in fields.items() if name not in TIMING} | {"seats": seats}
        results[str(path.relative_to(out))] = untimed
    return results | {str(path.relative_to(out)): path.read_bytes() for path in out.glob("*/*/*/*/trace.jsonl")}


def end(left: Iterable[int]) -> None:
    """Kills processes; ignores those that have ended."""
    for process in left:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
