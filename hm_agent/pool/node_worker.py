"""Runs on a node of a cluster: checks what the node has, and passes messages between a worker process and the pool.

It imports only Python's standard library, so that it can report a node where the package itself is missing.
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

FILE_SYSTEM_DELAY = 3.0
"""Seconds until a file written on one machine is visible on the others, on slow network file systems."""
NOT_INSTALLED = "not installed"
COMMAND = "import sys; from hm_agent.pool.local import work_at; work_at(int(sys.argv[1]))"


@dataclass(frozen=True)
class NodeRequirements:
    """What a node must have: versions by package, shared paths by the flag that names them, environment variables."""

    versions: Mapping[str, str]
    paths: Mapping[str, str]
    variables: Sequence[str]


class NodeWorker:
    """A Ray actor that runs one worker process. Its methods may run at the same time."""

    def start(self, requirements: NodeRequirements) -> str | None:
        """Starts the process; if its node lacks something, starts none and says in one line what is missing."""
        missing = next(_missing(requirements), None)
        if missing is not None:
            return f"node {socket.gethostname()} {missing}"
        # The process inherits the blocked signal: interrupted while it starts, it would only print a traceback.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        self._connection, remote_end = Pipe()
        arguments = [sys.executable, "-c", COMMAND, str(remote_end.fileno())]
        self._process = subprocess.Popen(arguments, pass_fds=[remote_end.fileno()], stdin=subprocess.DEVNULL)
        remote_end.close()
        return None

    def send(self, message: bytes) -> None:
        self._connection.send_bytes(message)

    def receive(self) -> bytes | int:
        """Returns the worker's next message, or its exit code after the last one."""
        try:
            return self._connection.recv_bytes()
        except (EOFError, OSError):
            return self._process.wait()

    def interrupt(self) -> None:
        self._process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


def _missing(requirements: NodeRequirements) -> Iterator[str]:
    for package, wanted in requirements.versions.items():
        try:
            found = platform.python_version() if package == "python" else version(package)
        except PackageNotFoundError:
            found = NOT_INSTALLED
        if found != wanted:
            yield f"has {package} {found}, and this machine {wanted}: install the same on all nodes"
    for flag, path in requirements.paths.items():
        if not _is_visible(path):
            yield f"does not see {flag}: name a place that all nodes share"
    for variable in requirements.variables:
        if not os.environ.get(variable, "").strip():
            yield f"has no {variable} in its environment: set it there before `ray start`"


def _is_visible(path: str) -> bool:
    deadline = time.monotonic() + FILE_SYSTEM_DELAY
    while not Path(path).exists():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True
