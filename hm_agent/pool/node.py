"""Runs on a node of a cluster: checks what the node has, and connects a worker to the pool.

It imports only Python's standard library, so that it can report a node where the package itself is missing.
"""

from __future__ import annotations

import os
import platform
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from multiprocessing.connection import Client
from pathlib import Path

FILE_SYSTEM_DELAY = 3.0
"""Seconds until a file written on one machine is visible on the others, on slow network file systems."""


@dataclass(frozen=True)
class NodeRequirements:
    """What a node must have: versions by package, shared paths by the flag that names them, environment variables."""

    versions: Mapping[str, str]
    paths: Mapping[str, str]
    variables: Sequence[str]


def join(requirements: NodeRequirements, address: tuple[str, int], key: bytes) -> str | None:
    """Plays episodes for the pool at an address; if this node lacks something, says in one line what is missing."""
    missing = next(_missing(requirements), None)
    if missing is not None:
        return f"node {socket.gethostname()} {missing}"
    from hm_agent.pool.worker import work

    work(Client(address, authkey=key))
    return None


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
    while not Path(path).exists():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True
