"""Episodes on a cluster of two nodes: the same as on one machine, and none lost by another's crash."""

from __future__ import annotations

import json
import os
import pickle
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import ray
from ray.cluster_utils import Cluster

from hm_agent.command_line import flags, requested
from hm_agent.command_line.commands import PLAY
from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.experiment.planned_episode import Episode
from hm_agent.pool.cluster import ClusterHost, NodeWorker, connect
from hm_agent.pool.other_machines import SharedSetup
from hm_agent.pool.progress import NoProgress, Pulse
from hm_agent.pool.run import run
from hm_agent.recording.result import Result
from hm_agent.testing.endpoint import Endpoint, Response
from tests.support.commands import call_here, outcomes, overriding
from tests.support.kills import KillTrial
from tests.support.melting_pot import text_player

# Ray forks before it runs another program. JAX, which other tests may have loaded here, would not have that.
pytestmark = pytest.mark.filterwarnings(r"ignore:os\.fork\(\) was called:RuntimeWarning")

GRID = ["--scenario=rws_repeated_1,cooking_asymmetric_1", "--agent=mmp,mmp_he", "--max_steps=60", "--bots=scripted"]
"""Both agents begin with the same questions."""
PATIENCE = 60.0
"""In seconds: whatever is waited for for longer does not come."""
ACTOR = b"ray::NodeWorker"
"""How Ray titles the processes of workers."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("RAY_worker_niceness", "0")  # beside other tests, workers of its usual niceness starve
        nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        try:
            nodes.add_node(num_cpus=1)
            yield nodes
        finally:
            nodes.shutdown()


def experiment(out: Path, *more: str) -> Experiment:
    flags.parse(("", *overriding(*GRID, f"--out={out}", *more)))
    return requested.experiment()


def on(cluster: Cluster) -> list[str]:
    return ["--workers=2", "--engine=ray", f"--ray_address={cluster.address}"]


def workers() -> dict[int, int]:
    """The workers that are there, each with the node it is on; both by process."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "cmdline").read_bytes().startswith(ACTOR):
                found[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended meanwhile
            continue
    return found


def wait_until_there_are(number: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while len(workers()) != number and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(workers()) == number


@pytest.mark.heavy
def test_episodes_are_the_same_as_here_and_no_answer_is_paid_twice(
    cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here, there, nodes = tmp_path / "here", tmp_path / "there", set[int]()

    def answer(body: dict[str, Any]) -> Response:
        nodes.update(workers().values())
        return text_player.answer(body)

    with Endpoint(answer) as server:
        run(experiment(here, *server.flags), NoProgress())
        asked_here = [json.dumps(request.body) for request in server.received]
        server.received.clear()
        again = [*server.flags, *on(cluster), f"--cache={tmp_path / 'answers'}"]
        results = run(experiment(there, *again, "--max_calls=3"), NoProgress())
        assert (len(server.received), results[-1].status) == (3, "budget_spent")
        assert PLAY.run([*GRID, *again, f"--out={there}"]) == 0
        asked_there = [json.dumps(request.body) for request in server.received]
    output, errors = capsys.readouterr()
    assert ("[4/4]" in output, "ray" in output, errors) == (True, False, "")
    assert len(nodes) == 2
    assert len(outcomes(here)) == 8
    assert outcomes(here) == outcomes(there)
    assert set(asked_here) == set(asked_there)
    assert len(asked_there) == len(set(asked_there)) < len(asked_here)


def test_a_folder_that_nodes_do_not_share_is_refused_before_anything_is_played(
    cluster: Cluster, tmp_path: Path
) -> None:
    # Behind this path, each process has a folder of its own, or none.
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        with pytest.raises(ConfigError, match=r"node \S+: --out=\S+/out is not visible there and visible here"):
            run(experiment(Path(f"/proc/self/fd/{folder}/out"), *on(cluster)), NoProgress())
    finally:
        os.close(folder)
    assert not list(tmp_path.glob("*/*/*/*/*"))


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"hm_agent": "9.9"}, r"node \S+: hm_agent is \S+ there and 9\.9 here; all nodes need the same"),
        ({"no-such-package": "1.0"}, r"no-such-package is not installed there and 1\.0 here"),
        ({"HM_AGENT_NO_SUCH_KEY": "set"}, "HM_AGENT_NO_SUCH_KEY is not set there and set here"),
    ],
)
def test_what_a_node_lacks_is_said_in_one_line(wanted: dict[str, str], said: str) -> None:
    setup = SharedSetup(["no-such-package"], {}, ["HM_AGENT_NO_SUCH_KEY"])
    lack = NodeWorker().listen(setup, {**setup.inventory(), **wanted}, b"")
    assert isinstance(lack, str)
    assert re.search(said, lack)
    assert "\n" not in lack


def test_a_node_without_the_package_can_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    setup = SharedSetup([], {}, [])
    ClusterHost(setup)
    sent = ray.cloudpickle.dumps((NodeWorker(), setup))
    for name in [name for name in sys.modules if name.partition(".")[0] == "hm_agent"]:
        monkeypatch.setitem(sys.modules, name, None)  # Python takes None for a module that can't be imported
    worker, received = pickle.loads(sent)
    assert re.search(r"node \S+: .*hm_agent.*; install the same on all nodes", worker.listen(received, {}, b""))


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (
            "127.0.0.1:1",
            "--ray_address=127.0.0.1:1: no Ray cluster can be reached there ([Errno 111] Connection refused)",
        ),
        ("ray://127.0.0.1:10001", "says its address, such as 10.0.0.1:6379"),
        ("nonsense", "says its address, such as 10.0.0.1:6379"),
        ("127.0.0.1:99999", "no Ray cluster can be reached there"),
    ],
)
def test_an_address_without_a_cluster_gets_one_line_soon(address: str, said: str) -> None:
    began = time.monotonic()
    with pytest.raises(ConfigError, match=re.escape(said)) as error:
        connect(address)
    assert "\n" not in str(error.value)
    assert time.monotonic() - began < PATIENCE / 2  # Ray itself would go on for minutes


def test_a_port_where_something_else_listens_gets_one_line_soon() -> None:
    with Endpoint(text_player.answer) as server:
        address = server.base_url.removeprefix("http://").removesuffix("/v1")
        with pytest.raises(ConfigError, match=r"no Ray cluster can be reached there \(another server answers\)"):
            connect(address)


def test_without_the_extra_one_line_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # as of a module that can't be imported
    called = call_here("--scenario=rws_repeated_1", "--engine=ray", f"--out={tmp_path / 'out'}")
    said = "--engine=ray needs Ray, which is not installed: pip install 'hm_agent[ray]'"
    assert called == (2, "", f"run_scenario.py: {said}\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.heavy
def test_a_node_that_dies_costs_its_episode_alone_and_an_interruption_leaves_nobody(
    cluster: Cluster, tmp_path: Path
) -> None:
    class Trouble(NoProgress):
        def __init__(self) -> None:
            self.running = 0
            self.ended: list[Result] = []
            self.after = 0
            self.began = 0.0
            self.nodes = cluster.list_all_nodes()

        def begin(self, episode: Episode) -> None:
            self.running += 1

        def pulse(self, episode: Episode, pulse: Pulse) -> None:
            if len(self.nodes) == 2:
                cluster.remove_node(self.nodes.pop(), allow_graceful=False)

        def end(self, episode: Episode, result: Result) -> None:
            self.ended.append(result)
            self.running -= 1
            if self.running and any(result.has_failed for result in self.ended[:-1]) and not self.began:
                self.began, self.after = time.monotonic(), len(self.ended)
                raise KeyboardInterrupt

    trouble = Trouble()
    with pytest.raises(KeyboardInterrupt):
        run(experiment(tmp_path, *on(cluster), "--episodes=20", "--max_steps=400"), trouble)
    wait_until_there_are(0)
    assert time.monotonic() - trouble.began < 30  # far from the timeouts of Ray
    (failed,) = (result for result in trouble.ended if result.has_failed)
    assert "lost with its node or its process" in failed.reason
    assert {result.status for result in trouble.ended[: trouble.after] if result is not failed} == {"max_steps"}
    assert {result.status for result in trouble.ended[trouble.after :]} == {"interrupted"}
    assert not list(tmp_path.glob(".shared-*"))


@pytest.mark.heavy
def test_a_killed_command_leaves_nobody_on_the_nodes_and_pays_nothing_twice(cluster: Cluster, tmp_path: Path) -> None:
    grid = [*GRID, *on(cluster), "--concurrency=1"]
    with Endpoint(text_player.answer, delay=0.02) as server:
        trial = KillTrial(tmp_path, server, episodes=1, steps=60, grid=grid)
        trial.run_undisturbed()
        rounds = []
        for requests in (1, trial.undisturbed.total() // 3):
            rounds.append(trial.round(lambda received, requests=requests: received >= requests))  # type: ignore[misc]
            wait_until_there_are(0)
        rounds.append(trial.round(lambda received: False))
    assert [one.was_killed for one in rounds] == [True, True, False]
    assert [one.paid_again for one in rounds] == [0] * 3
    assert (rounds[-1].errors, rounds[-1].is_as_undisturbed) == ("", True)
