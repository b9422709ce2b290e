"""Worker processes of commands that calculate: none outlives what started it."""

from __future__ import annotations

import time
from pathlib import Path

from tests.support.commands import end, processes, start

WORKER = "open({path!r}, 'w').close(); import time; time.sleep(600)"
SCRIPT = """
import time
from hm_agent.process.workers import calls_in_workers
with calls_in_workers(1, exec, [({worker!r},)]):
    time.sleep(600)
"""


def test_a_killed_command_leaves_no_worker(tmp_path: Path) -> None:
    begun, mark = tmp_path / "begun", str(tmp_path)
    with start(mark, program=("-c", SCRIPT.format(worker=WORKER.format(path=str(begun))))) as parent:
        while not begun.exists() and parent.poll() is None:
            time.sleep(0.02)
        parent.kill()
    deadline = time.monotonic() + 20
    while (left := processes(mark)) and time.monotonic() < deadline:
        time.sleep(0.02)
    end(left)
    assert not left
