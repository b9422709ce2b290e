"""Runs workers on the nodes of a Ray cluster: Ray starts them there, and this process connects to them.

Ray itself only spreads the processes over the nodes. All messages pass through the workers' connections, as they do on
one machine.
"""

from __future__ import annotations

import os
import secrets
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener, wait
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TypeAlias

import ray
from ray.exceptions import GetTimeoutError, RayError

from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.models.providers import BUILTIN
from hm_agent.pool.pool import WorkerLink

CPUS_PER_WORKER = 0.01
"""Cores that Ray reserves for a worker: most workers wait for a model, so far more than one may share a core."""
START_TIMEOUT = 60.0
"""Seconds in which the cluster must have started the wanted workers."""
TRIES = 3
"""How often workers are started: Ray may put one on a node that has just been lost."""
CONNECT_TIMEOUT = 5.0
"""Seconds to wait for an answer from an address; Ray itself would go on for minutes."""
FILE_SYSTEM_DELAY = 3.0
"""Seconds until a file written on one machine is visible on the others, on slow network file systems."""

Inspection: TypeAlias = Callable[[], Mapping[str, str]]
"""Finds what the machine it runs on has of what all machines need alike, by name."""


# On the machine of the command


@contextmanager
def cluster_host(experiment: Experiment) -> Iterator[ClusterHost]:
    """Connects to the cluster; raises ConfigError if that fails. experiment: as `portable` makes it.

    Meanwhile a marker file lies in OUT: a node that sees it sees the same folder.
    """
    with connect(experiment.ray_address), NamedTemporaryFile(dir=experiment.out, prefix=".shared-") as marker:
        yield ClusterHost(_inspection_for(experiment, marker.name))


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


def portable(experiment: Experiment) -> Experiment:
    """The experiment with nothing left that depends on a node's working directory, environment or installation."""
    model, folders = experiment.model, experiment.folders.items()
    changed = replace(
        experiment,
        out=experiment.out.absolute(),
        options={**experiment.options, **{flag: str(folder.absolute()) for flag, folder in folders}},
        model=replace(model, base_url=model.endpoint_url, prices=model.prices and model.prices.absolute()),
    )
    _ = changed.options_by_scenario  # settled here and pickled with the experiment, so that all nodes play the same
    return changed


def _inspection_for(experiment: Experiment, marker: str) -> Inspection:
    """marker: a file in OUT, which a node doesn't see if it has another folder there."""
    model = experiment.model
    packages = [package for suite in experiment.suites for package in suite.packages]
    paths = {"prices": model.prices, **experiment.folders}
    named = {f"--{flag}={path}": str(path) for flag, path in paths.items() if path}
    # The variable with the endpoint's key, if set here: each node reads its own, so the key is never sent.
    is_asked = any(name != BUILTIN for name in experiment.model_names) and not model.offline
    variables = [model.api_key_env] if is_asked and os.environ.get(model.api_key_env, "").strip() else []
    return partial(found_here, packages, {f"--out={experiment.out}": marker, **named}, variables)


class ClusterHost:
    """Starts workers on the nodes of the cluster that this process is connected to."""

    def __init__(self, inspect: Inspection) -> None:
        # Nodes are sent what they run of this module, so that one without the package can say so.
        ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
        self._actor = ray.remote(num_cpus=CPUS_PER_WORKER, scheduling_strategy="SPREAD")(NodeWorker)
        self._inspect, self._wanted, self._key = inspect, inspect(), secrets.token_bytes(32)

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
        said = [actor.listen.remote(self._inspect, self._wanted, self._key) for actor in actors]
        addresses = ray.get(said, timeout=START_TIMEOUT)
        for address in addresses:
            if isinstance(address, str):
                raise ConfigError(address)
        for actor in actors:
            actor.work.remote()
        connections = [Client(address, authkey=self._key) for address in addresses]
        return [ClusterLink(*worker) for worker in zip(connections, actors, strict=True)]


@dataclass(frozen=True)
class ClusterLink:
    """A worker on some node: it ends when its connection is closed, or when nothing refers to its actor any more."""

    connection: Connection
    actor: object

    def fate(self) -> str:
        return "it was lost with its node or its process"

    def end(self, grace: float) -> None:
        wait([self.connection], grace)  # a worker that ends by itself closes the connection
        self.connection.close()


# On a node, where the package may be missing


def found_here(packages: Sequence[str], paths: Mapping[str, str], variables: Sequence[str]) -> Mapping[str, str]:
    """The versions of packages, whether paths, given by flag, are visible, whether environment variables are set."""
    from hm_agent.recording.result import versions

    seen = {flag: "visible" if _is_visible(path) else "not visible" for flag, path in paths.items()}
    given = {name: "set" if os.environ.get(name, "").strip() else "not set" for name in variables}
    return {**versions(packages), **seen, **given}


def _is_visible(path: str) -> bool:
    deadline = time.monotonic() + FILE_SYSTEM_DELAY
    while not (is_there := Path(path).exists()) and time.monotonic() < deadline:
        time.sleep(0.1)
    return is_there


class NodeWorker:
    """An actor of Ray, which plays episodes for the pool that connects to it."""

    def listen(self, inspect: Inspection, wanted: Mapping[str, str], key: bytes) -> tuple[str, int] | str:
        """The address at which it waits for the pool, which knows the key; or in one line what this node lacks.

        wanted: what `inspect` finds on the machine of the command.
        """
        node = f"node {socket.gethostname()}"
        try:
            found = inspect()
        except ImportError as error:
            return f"{node}: {error}; install the same on all nodes"
        for name, value in wanted.items():
            if found[name] != value:
                return f"{node}: {name} is {found[name]} there and {value} here; all nodes need the same"
        self._listener = Listener((ray.util.get_node_ip_address(), 0), authkey=key)
        address: tuple[str, int] = self._listener.address
        return address

    def work(self) -> None:
        """Plays until the pool says to stop, or is gone."""
        from hm_agent.pool.worker import work

        with self._listener:
            connection = None
            while connection is None:
                with suppress(AuthenticationError, EOFError, ConnectionError):  # it was somebody else
                    connection = self._listener.accept()
        work(connection)
