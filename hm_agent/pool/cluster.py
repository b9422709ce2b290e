"""Runs workers on the nodes of a Ray cluster: Ray starts them there, and this process connects to them.

Ray itself only spreads the processes over the nodes. All messages pass through the workers' connections, as they do on
one machine.
"""

from __future__ import annotations

import os
import re
import secrets
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.connection import Client, Connection, wait
from tempfile import NamedTemporaryFile
from typing import TypeAlias

import ray
from ray.exceptions import ActorDiedError, GetTimeoutError, RayError

from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.models.providers import BUILTIN
from hm_agent.pool import node
from hm_agent.pool.pool import WorkerLink
from hm_agent.recording.result import versions

CPUS_PER_WORKER = 0.01
"""Cores that Ray reserves for a worker: most workers wait for a model, so far more than one may share a core."""
START_TIMEOUT = 60.0
"""Seconds in which the cluster must have started the wanted workers."""
TRIES = 3
"""How often one worker is started, if the node is lost on which Ray starts it."""
CONNECT_TIMEOUT = 5.0
"""Seconds to wait for an answer from an address; Ray itself would go on for minutes."""
HTTP2_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
"""How a client of HTTP/2, and so of gRPC, begins; a server answers with SETTINGS, whose fourth byte is 4 (RFC 9113)."""

_Starting: TypeAlias = tuple["ray.actor.ActorHandle", "ray.ObjectRef[node.Address | str]"]
"""A worker, and what it will say: its address, or what its node lacks."""


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


class ClusterHost:
    """Starts workers on the nodes of the cluster that this process is connected to."""

    def __init__(self, requirements: node.NodeRequirements) -> None:
        ray.cloudpickle.register_pickle_by_value(node)  # nodes can run it where the package is not installed
        self._actor = ray.remote(num_cpus=CPUS_PER_WORKER, scheduling_strategy="SPREAD")(node.NodeWorker)
        self._requirements, self._key = requirements, secrets.token_bytes(32)

    def start(self, workers: int) -> Sequence[WorkerLink]:
        deadline = time.monotonic() + START_TIMEOUT
        starting = [self._listening() for _ in range(workers)]
        try:
            return [self._link(one, deadline) for one in starting]
        except GetTimeoutError as error:
            raise ConfigError(
                f"the Ray cluster has no place for {workers} more workers: each asks for {CPUS_PER_WORKER:g} of a "
                "core; say fewer --workers, or add nodes"
            ) from error
        except (RayError, OSError, EOFError) as error:
            cause = str(error).strip().splitlines()[-1:] or [type(error).__name__]
            raise ConfigError(f"workers on the Ray cluster end before they begin: {cause[0]}") from error

    def _listening(self) -> _Starting:
        actor = self._actor.remote()
        return actor, actor.listen.remote(self._requirements, self._key)

    def _link(self, starting: _Starting, deadline: float, tries: int = TRIES) -> ClusterLink:
        """Connects to a worker; raises ConfigError if its node said what it lacks instead of an address.

        Ray may have put it on a node that is lost, which takes a while to show: then another worker is started.
        """
        actor, said = starting
        try:
            address = ray.get(said, timeout=max(0.0, deadline - time.monotonic()))
            if isinstance(address, str):
                raise ConfigError(address)
            actor.work.remote()
            return ClusterLink(Client(address, authkey=self._key), actor)
        except (ActorDiedError, OSError, EOFError):
            if tries == 1:
                raise
            return self._link(self._listening(), deadline, tries - 1)


@contextmanager
def cluster_host(experiment: Experiment) -> Iterator[ClusterHost]:
    """Connects to the cluster; raises ConfigError if that fails. experiment: as `portable` makes it."""
    with connected(experiment.ray_address), node_requirements(experiment) as requirements:
        yield ClusterHost(requirements)


@contextmanager
def connected(address: str | None) -> Iterator[None]:
    """Connects this process to a Ray cluster; raises ConfigError if that fails.

    address: as host:port; None stands for RAY_ADDRESS or, if unset, for the cluster that this machine is a node of.
    """
    address = address or os.environ.get("RAY_ADDRESS") or "auto"
    if address != "auto":
        _check_address(address)
    try:
        ray.init(address, log_to_driver=False, logging_level="ERROR")
    except Exception as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise ConfigError(
            f"--ray_address={address}: {reason}; to make this machine a node: ray start --address=HOST:PORT"
        ) from error
    try:
        yield
    finally:
        ray.shutdown()


def _check_address(address: str) -> None:
    """Raises ConfigError if no gRPC server answers at an address; Ray would try for minutes."""
    if not re.fullmatch(r"[^/]+:[0-9]+", address):
        raise ConfigError(f"--ray_address={address}: it looks like 10.0.0.1:6379, as `ray start --head` says it")
    host, _, port = address.rpartition(":")
    problem = "what answers there is no Ray cluster"
    try:
        with socket.create_connection((host, int(port)), CONNECT_TIMEOUT) as connection:
            connection.sendall(HTTP2_PREFACE)
            if connection.recv(9)[3:4] == b"\4":
                return
    except (OSError, OverflowError) as error:
        problem = f"no Ray cluster answers there ({error})"
    raise ConfigError(f"--ray_address={address}: {problem}; `ray start --head` says the right one")


def portable(experiment: Experiment) -> Experiment:
    """The experiment with nothing left that depends on a node's working directory, environment or installation."""
    model = experiment.model
    base_url = os.environ.get("OPENAI_BASE_URL") or None if model.base_url is None else model.base_url
    changed = replace(
        experiment,
        out=experiment.out.absolute(),
        options={**experiment.options, **{name: str(path.absolute()) for name, path in experiment.folders.items()}},
        model=replace(model, base_url=base_url, prices=model.prices and model.prices.absolute()),
    )
    _ = changed.options_by_scenario  # settled here and pickled with the experiment, so that all nodes play the same
    return changed


@contextmanager
def node_requirements(experiment: Experiment) -> Iterator[node.NodeRequirements]:
    """What each node must have. Meanwhile a marker file lies in OUT: a node that sees it sees the same folder."""
    model = experiment.model
    named = {"prices": model.prices, **experiment.folders}
    paths = {f"--{flag}={path}": str(path) for flag, path in named.items() if path}
    packages = [package for suite in experiment.suites for package in suite.packages]
    # The variable with the endpoint's key, if set here: each node reads its own, so the key is never sent.
    is_asked = any(name != BUILTIN for name in experiment.model_names) and not model.offline
    variables = [model.api_key_env] if is_asked and os.environ.get(model.api_key_env, "").strip() else []
    with NamedTemporaryFile(dir=experiment.out, prefix=".shared-") as marker:
        paths = {f"--out={experiment.out}": marker.name, **paths}
        yield node.NodeRequirements(versions(packages), paths, variables)
