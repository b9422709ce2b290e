"""What is sent to a node of a cluster: it looks around there, and passes words between a worker and the run.

It asks for nothing but Python, so that it can tell of a node where all else is missing.
"""

from __future__ import annotations

import os
import platform
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import Pipe
from pathlib import Path

PATIENCE = 3.0
"""For how many seconds a network file system may hide what was just written on another machine."""
NOT_INSTALLED = "not installed"
COMMAND = "import sys; from hm_agent.engines.worker import serve; serve(int(sys.argv[1]))"


@dataclass(frozen=True)
class Needs:
    """What a node has to have: versions by package, paths by the flag that asks for them, keys by their variables."""

    versions: Mapping[str, str]
    paths: Mapping[str, str]
    variables: Sequence[str]


class Post:
    """One worker process, and the line to it. Its methods may be called all at once."""

    def begin(self, needs: Needs) -> str | None:
        """Begins the process. Where its node lacks something, says what, in one line, and begins none."""
        lack = next(_lacks(needs), None)
        if lack is None:
            self._start()
        return lack and f"node {socket.gethostname()} {lack}"

    def _start(self) -> None:
        # The process is born deaf to interruptions: half begun, it would only complain.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        self._line, far = Pipe()
        arguments = [sys.executable, "-c", COMMAND, str(far.fileno())]
        self._process = subprocess.Popen(arguments, pass_fds=[far.fileno()], stdin=subprocess.DEVNULL)
        far.close()

    def send(self, word: bytes) -> None:
        self._line.send_bytes(word)

    def hear(self) -> bytes | int:
        """The worker's next word or, when it has said the last, its exit code."""
        try:
            return self._line.recv_bytes()
        except (EOFError, OSError):
            return self._process.wait()

    def interrupt(self) -> None:
        self._process.send_signal(signal.SIGINT)

    def end(self) -> None:
        self._process.kill()
        self._process.wait()


def _lacks(needs: Needs) -> Iterator[str]:
    for package, wanted in needs.versions.items():
        if (found := _version(package)) != wanted:
            yield f"has {package} {found}, and this machine {wanted}: install the same on all nodes"
    for flag, path in needs.paths.items():
        if not _is_seen(path):
            yield f"does not see {flag}: name a place that all nodes share"
    for variable in needs.variables:
        if not os.environ.get(variable, "").strip():
            yield f"has no {variable} in its environment: set it there before `ray start`"


def _version(package: str) -> str:
    try:
        return platform.python_version() if package == "python" else version(package)
    except PackageNotFoundError:
        return NOT_INSTALLED


def _is_seen(path: str) -> bool:
    deadline = time.monotonic() + PATIENCE
    while not Path(path).exists():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True
