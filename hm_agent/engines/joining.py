"""The way into a Ray cluster, with one line for each that is barred."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import ray
from ray._private import worker

from hm_agent.config import ConfigError

PATIENCE = 5.0
"""For how many seconds an address may keep one waiting. Ray itself goes on for minutes."""
ADVICE = "`ray start --head` says the right one"
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
"""How a client of HTTP/2, and so of gRPC, begins; a server answers with SETTINGS (RFC 9113, sections 3.4 and 6.5)."""
SETTINGS = b"\4"
"""The fourth byte of such a frame."""
AUTO = "auto"
"""Whichever cluster this machine is a node of."""


@contextmanager
def joined(address: str | None) -> Iterator[None]:
    """Takes part in a cluster. Raises ConfigError where that can't be done.

    address: None stands for what RAY_ADDRESS says or, without it, for the cluster that this machine is a node of.
    """
    address = address or os.environ.get("RAY_ADDRESS") or AUTO
    if address != AUTO:
        _knock(address)
    try:
        ray.init(address, log_to_driver=False, logging_level="ERROR")
    except Exception as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise ConfigError(
            f"--ray_address={address}: {reason}; to make this machine a node: ray start --address=HOST:PORT"
        ) from error
    _hush()
    try:
        yield
    finally:
        ray.shutdown()


def _knock(address: str) -> None:
    """Raises ConfigError where nobody is at an address."""
    host, colon, port = address.rpartition(":")
    if not (colon and host and port.isdecimal()) or "/" in host:
        raise ConfigError(f"--ray_address={address}: it looks like 10.0.0.1:6379, as `ray start --head` says it")
    try:
        is_grpc = _speaks_grpc(host, int(port))
    except (OSError, OverflowError) as error:
        raise ConfigError(f"--ray_address={address}: no Ray cluster answers there ({error}); {ADVICE}") from error
    if not is_grpc:
        raise ConfigError(f"--ray_address={address}: what answers there is no Ray cluster; {ADVICE}")


def _speaks_grpc(host: str, port: int) -> bool:
    """Whether Ray's protocol is spoken there; with anything else Ray would talk for minutes."""
    with socket.create_connection((host, port), PATIENCE) as door:
        door.sendall(GREETING)
        return door.recv(9)[3:4] == SETTINGS


def _hush() -> None:
    """What becomes of a worker is told by its episode; Ray would print it in the midst of a progress bar."""
    worker._worker_logs_enabled = False
