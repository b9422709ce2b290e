"""Plays several episodes at once on the nodes of a Ray cluster, each in a worker process behind a Ray actor."""

from __future__ import annotations

import os
import pickle
import socket
import time
from collections import deque
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from tempfile import NamedTemporaryFile
from typing import Any

import ray
from ray._private import worker as ray_worker
from ray.exceptions import RayError

from hm_agent.config import ConfigError
from hm_agent.experiment import Episode, Experiment
from hm_agent.models.budget import RunBudget
from hm_agent.models.providers import BUILTIN
from hm_agent.pool import node_worker
from hm_agent.pool.pool import Pool, Waitable, WorkerLost, WorkerMessage
from hm_agent.pool.progress import Progress
from hm_agent.recording.result import Result, versions

CPUS_PER_WORKER = 0.01
"""Cores that Ray reserves for a worker: most workers wait for a model, so far more than one may share a core."""
START_TIMEOUT = 60.0
"""Seconds in which the cluster must have started the wanted workers."""
SPARE_WORKERS = 3
"""The run ends if more workers than the wanted ones and these are lost before they have started."""
KILL_TIMEOUT = 1.0
"""Seconds to wait for a worker process to end."""
CONNECT_TIMEOUT = 5.0
"""Seconds to wait for an answer from an address; Ray itself would go on for minutes."""
ADVICE = "`ray start --head` says the right one"
HTTP2_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
"""How a client of HTTP/2, and so of gRPC, begins; a server answers with SETTINGS (RFC 9113, sections 3.4 and 6.5)."""
SETTINGS_TYPE = b"\4"
"""The fourth byte of a SETTINGS frame."""
AUTO = "auto"
"""Ray's address for the cluster that this machine is a node of."""


class ClusterEngine:
    """Plays episodes in workers that Ray spreads over the nodes. address: see `connected`."""

    def __init__(self, workers: int, address: str | None) -> None:
        self._workers, self._address = workers, address

    def play(self, episodes: Sequence[Episode], budget: RunBudget, progress: Progress) -> Generator[Result]:
        if not episodes:
            return
        experiment = portable(episodes[0].experiment)
        with connected(self._address), node_requirements(experiment) as requirements:
            pool = Pool(ClusterHost(self._workers, requirements), self._workers, progress)
            yield from pool.play([replace(episode, experiment=experiment) for episode in episodes], budget)


class ClusterHost:
    """Starts workers on the nodes of a cluster. All wanted ones are started at once, in the constructor."""

    def __init__(self, workers: int, requirements: node_worker.NodeRequirements) -> None:
        self._requirements = requirements
        # Sent as code, so that nodes can run it where the package is not installed.
        ray.cloudpickle.register_pickle_by_value(node_worker)
        options = {"num_cpus": CPUS_PER_WORKER, "max_concurrency": 4, "scheduling_strategy": "SPREAD"}
        self._actors = ray.remote(**options)(node_worker.NodeWorker)
        self._losses_left = workers + SPARE_WORKERS
        self._idle = self._start(workers)

    def start_worker(self) -> ClusterWorker:
        return (self._idle or self._start(1)).popleft()

    def wait(self, waitables: Collection[Waitable], timeout: float | None = None) -> Iterable[Waitable]:
        first, rest = ray.wait(list(waitables), timeout=timeout)
        return [*first, *(ray.wait(rest, num_returns=len(rest), timeout=0)[0] if rest else ())]

    def _start(self, wanted: int) -> deque[ClusterWorker]:
        """Starts workers; raises ConfigError if a node lacks something or the cluster has no place for them."""
        started, starting = deque[ClusterWorker](), dict[Waitable, Any]()
        deadline = time.monotonic() + START_TIMEOUT
        while len(started) < wanted:
            for _ in range(wanted - len(started) - len(starting)):
                actor = self._actors.remote()
                starting[actor.start.remote(self._requirements)] = actor
            ready = self.wait(starting, max(0.0, deadline - time.monotonic()))
            if not ready:
                raise ConfigError(
                    f"the Ray cluster has no place for {len(starting)} more workers: "
                    f"each asks for {CPUS_PER_WORKER:g} of a core; say fewer --workers, or add nodes"
                )
            for waitable in ready:
                actor = starting.pop(waitable)
                if self._has_started(waitable):
                    started.append(ClusterWorker(actor))
        return started

    def _has_started(self, waitable: Waitable) -> bool:
        """False if the worker was lost; raises ConfigError if its node lacks something or too many were lost."""
        try:
            missing = ray.get(waitable)
        except RayError as error:
            self._losses_left -= 1
            if self._losses_left < 0:
                raise ConfigError(f"workers on the Ray cluster end before they begin: {_cause(error)}") from error
            return False
        if missing:
            raise ConfigError(missing)
        return True


class ClusterWorker:
    """A worker process on some node, behind an actor. waitable: the reference to its next message."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor
        self.waitable = actor.receive.remote()

    def send(self, message: object) -> None:
        self._actor.send.remote(pickle.dumps(message))

    def receive(self) -> WorkerMessage:
        try:
            received = ray.get(self.waitable)
        except RayError as error:
            raise WorkerLost(f"it was lost with its node or its actor: {_cause(error)}") from None
        if isinstance(received, int):
            raise WorkerLost(f"its process ended with exit code {received}")
        self.waitable = self._actor.receive.remote()
        message: WorkerMessage = pickle.loads(received)
        return message

    def is_alive(self) -> bool:
        # An idle worker sends no messages: whatever arrived would be its exit code.
        return not ray.wait([self.waitable], timeout=0)[0]

    def interrupt(self) -> None:
        self._actor.interrupt.remote()

    def stop(self, grace: float) -> None:
        """Kills the worker at once: an idle one holds nothing that is worth waiting for."""
        with suppress(RayError):
            ray.get(self._actor.kill.remote(), timeout=KILL_TIMEOUT)
        ray.kill(self._actor)


def _cause(error: Exception) -> str:
    """The last line of Ray's message, without its list of common causes."""
    return str(error).strip().splitlines()[-1].partition(" Some common causes")[0]


@contextmanager
def connected(address: str | None) -> Iterator[None]:
    """Connects this process to a Ray cluster; raises ConfigError if that fails.

    address: as host:port; None stands for RAY_ADDRESS or, if unset, for the cluster that this machine is a node of.
    """
    address = address or os.environ.get("RAY_ADDRESS") or AUTO
    if address != AUTO:
        _check_address(address)
    try:
        ray.init(address, log_to_driver=False, logging_level="ERROR")
    except Exception as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise ConfigError(
            f"--ray_address={address}: {reason}; to make this machine a node: ray start --address=HOST:PORT"
        ) from error
    # The result of an episode says what happened to its worker; Ray would print it in the middle of a progress bar.
    ray_worker._worker_logs_enabled = False
    try:
        yield
    finally:
        ray.shutdown()


def _check_address(address: str) -> None:
    """Raises ConfigError if no gRPC server answers at an address; Ray would try for minutes."""
    host, colon, port = address.rpartition(":")
    if not (colon and host and port.isdecimal()) or "/" in host:
        raise ConfigError(f"--ray_address={address}: it looks like 10.0.0.1:6379, as `ray start --head` says it")
    try:
        with socket.create_connection((host, int(port)), CONNECT_TIMEOUT) as connection:
            connection.sendall(HTTP2_PREFACE)
            is_grpc = connection.recv(9)[3:4] == SETTINGS_TYPE
    except (OSError, OverflowError) as error:
        raise ConfigError(f"--ray_address={address}: no Ray cluster answers there ({error}); {ADVICE}") from error
    if not is_grpc:
        raise ConfigError(f"--ray_address={address}: what answers there is no Ray cluster; {ADVICE}")


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
def node_requirements(experiment: Experiment) -> Iterator[node_worker.NodeRequirements]:
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
        yield node_worker.NodeRequirements(versions(packages), paths, variables)
