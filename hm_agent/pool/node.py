"""Runs on a node of a cluster: checks what the node has, and plays for the pool.

It imports only Python's standard library and Ray, so that it can report a node where the package itself is missing.
"""

from __future__ import annotations

import os
import platform
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import AuthenticationError
from multiprocessing.connection import Listener
from pathlib import Path

Address = tuple[str, int]
FILE_SYSTEM_DELAY = 3.0
"""Seconds until a file written on one machine is visible on the others, on slow network file systems."""


@dataclass(frozen=True)
class NodeRequirements:
    """What a node must have: versions by package, shared paths by the flag that names them, environment variables."""

    versions: Mapping[str, str]
    paths: Mapping[str, str]
    variables: Sequence[str]


class NodeWorker:
    """An actor of Ray, which plays episodes for the pool that connects to it."""

    def listen(self, requirements: NodeRequirements, key: bytes) -> Address | str:
        """The address at which it waits for the pool, which knows the key; or in one line what this node lacks."""
        missing = next(_missing(requirements), None)
        if missing is not None:
            return f"node {socket.gethostname()} {missing}"
        import ray

        self._listener = Listener((ray.util.get_node_ip_address(), 0), authkey=key)
        address: Address = self._listener.address
        return address

    def work(self) -> None:
        from hm_agent.pool.worker import work

        with self._listener:
            connection = None
            while connection is None:
                with suppress(AuthenticationError, EOFError, ConnectionError):  # somebody else
                    connection = self._listener.accept()
        work(connection)


def _missing(requirements: NodeRequirements) -> Iterator[str]:
    for package, wanted in requirements.versions.items():
        try:
            found = platform.python_version() if package == "python" else version(package)
        except PackageNotFoundError:
            found = "not installed"
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
    while not (is_there := Path(path).exists()) and time.monotonic() < deadline:
        time.sleep(0.1)
    return is_there
