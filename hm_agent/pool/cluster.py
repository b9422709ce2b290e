"""Runs workers on the nodes of a Ray cluster: Ray starts them there, and this process connects to them.

Ray only distributes the processes over the nodes. All messages pass through the workers' connections, as they do on
one machine.
"""

from __future__ import annotations

import os
import secrets
import socket
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener, wait
from tempfile import NamedTemporaryFile

import ray
from ray.exceptions import GetTimeoutError, RayError

from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.pool import other_machines
from hm_agent.pool.other_machines import SharedSetup, shared_setup
from hm_agent.pool.pool import WorkerLink

CPUS_PER_WORKER = 0.01
"""Cores that Ray reserves for a worker: most workers wait for a model, so that many of them can share a core."""
START_TIMEOUT = 60.0
"""Seconds within which the cluster must start the workers."""
TRIES = 3
"""How often starting the workers is tried: Ray may choose a node that has just been lost."""
CONNECT_TIMEOUT = 5.0
"""Seconds to wait for an answer from an address; Ray itself would try for minutes."""


# On the machine of the command


@contextmanager
def cluster_host(experiment: Experiment) -> Iterator[ClusterHost]:
    """Connects to the cluster; raises ConfigError if that fails. experiment: as returned by `portable`.

    While the context lasts, OUT contains a marker file: a node that sees it sees the same folder.
    """
    with connect(experiment.ray_address), NamedTemporaryFile(dir=experiment.out, prefix=".shared-") as marker:
        yield ClusterHost(shared_setup(experiment, marker.name))


def connect(address: str | None) -> AbstractContextManager[object]:
    """Connects this process to a Ray cluster until the context ends; raises ConfigError if that fails.

    address: as host:port; None stands for RAY_ADDRESS or, if unset, for the cluster that this machine is a node of.
    """
    address = address or os.environ.get("RAY_ADDRESS") or "auto"
    try:
        if address != "auto":
            _check_address(address)
        context: AbstractContextManager[object] = ray.init(address, log_to_driver=False, logging_level="ERROR")
    except Exception as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise ConfigError(
            f"--ray_address={address}: no Ray cluster can be reached there ({reason}); `ray start --head` begins one "
            "and says its address, such as 10.0.0.1:6379; `ray start --address=ADDRESS` makes this machine a node"
        ) from error
    return context


def _check_address(address: str) -> None:
    """Raises OSError or ValueError unless a gRPC server answers at host:port; Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), CONNECT_TIMEOUT) as connection:
        connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")  # the beginning of HTTP/2, and so of gRPC (RFC 9113)
        if connection.recv(4)[3:] != b"\4":  # the server's first frame is SETTINGS, of type 4
            raise ConnectionError("another server answers")


class ClusterHost:
    """Starts workers on the nodes of the cluster that this process is connected to."""

    def __init__(self, setup: SharedSetup) -> None:
        # These modules are sent to the nodes, so that a node without the package can report it.
        for module in (sys.modules[__name__], other_machines):
            ray.cloudpickle.register_pickle_by_value(module)
        self._actor = ray.remote(num_cpus=CPUS_PER_WORKER, scheduling_strategy="SPREAD")(NodeWorker)
        self._setup, self._inventory, self._key = setup, setup.inventory(), secrets.token_bytes(32)

    def start(self, workers: int) -> Sequence[WorkerLink]:
        reason = ""
        for _ in range(TRIES):
            try:
                return self._start(workers)
            except GetTimeoutError as error:
                raise ConfigError(
                    f"the Ray cluster has no place for {workers} more workers: each asks for {CPUS_PER_WORKER:g} of a "
                    "core; say fewer --workers, or add nodes"
                ) from error
            except (RayError, OSError, EOFError) as error:
                reason = (str(error).strip() or type(error).__name__).splitlines()[-1]
        raise ConfigError(f"workers on the Ray cluster end before they begin: {reason}")

    def _start(self, workers: int) -> Sequence[WorkerLink]:
        actors = [self._actor.remote() for _ in range(workers)]
        replies = [actor.listen.remote(self._setup, self._inventory, self._key) for actor in actors]
        addresses = ray.get(replies, timeout=START_TIMEOUT)
        for address in addresses:
            if isinstance(address, str):
                raise ConfigError(address)
        for actor in actors:
            actor.work.remote()
        connections = [Client(address, authkey=self._key) for address in addresses]
        return [ClusterLink(*worker) for worker in zip(connections, actors, strict=True)]


@dataclass(frozen=True)
class ClusterLink:
    """A worker on a node: it ends when its connection is closed, or when nothing refers to its actor any more."""

    connection: Connection
    actor: object

    def fate(self) -> str:
        return "it was lost with its node or its process"

    def end(self, grace: float) -> None:
        wait([self.connection], grace)  # a worker that ends by itself closes the connection
        self.connection.close()


# On a node, where the package may be missing


class NodeWorker:
    """A Ray actor that plays episodes for the pool that connects to it."""

    def listen(self, setup: SharedSetup, elsewhere: Mapping[str, str], key: bytes) -> tuple[str, int] | str:
        """Starts to listen for the pool; returns the address or, as a line of text, what this node lacks.

        elsewhere: `SharedSetup.found` on the machine of the command. key: authenticates the pool.
        """
        if difference := setup.difference(elsewhere):
            return f"node {socket.gethostname()}: {difference}"
        self._listener = Listener((ray.util.get_node_ip_address(), 0), authkey=key)
        address: tuple[str, int] = self._listener.address
        return address

    def work(self) -> None:
        """Plays episodes until the pool says to stop, or is gone."""
        from hm_agent.pool.worker import work

        with self._listener:
            connection = None
            while connection is None:
                with suppress(AuthenticationError, EOFError, ConnectionError):  # another process connected
                    connection = self._listener.accept()
        work(connection)
