"""Episodes in worker processes: the same as in this process, and none lost by another's crash."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar, cast

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.experiment.planned_episode import Episode
from hm_agent.experiment.played_episode import cut_short
from hm_agent.models.budget import RunBudget
from hm_agent.models.settings import ModelSettings
from hm_agent.pool.due_episodes import DueEpisodes
from hm_agent.pool.pool import LocalHost, LocalLink, Pool
from hm_agent.pool.progress import NoProgress, Pulse
from hm_agent.pool.run import run
from hm_agent.pool.shared_state import SharedState
from hm_agent.pool.worker import Begin, EpisodeNews
from hm_agent.recording.result import Result, read_result
from hm_agent.storage.folder_lock import locked

SCENARIOS = find_scenarios(["rws_repeated_1", "cooking_asymmetric_1"])


LONG = 900
"""So many steps that both workers are in their first episodes at the first pulse, also on a fast machine."""


class Watcher(NoProgress):
    """Keeps what it is told. act: what to do at the first pulse of an episode that has come some way."""

    def __init__(self, act: Callable[[], None] | None = None) -> None:
        self.begun: list[Path] = []
        self.ended: list[Result] = []
        self.pulses = 0
        self._act = act

    def begin(self, episode: Episode) -> None:
        self.begun.append(episode.folder)

    def pulse(self, episode: Episode, pulse: Pulse) -> None:
        self.pulses += 1
        if self._act and pulse.step > 10:
            act, self._act = self._act, None
            act()

    def end(self, episode: Episode, result: Result) -> None:
        self.ended.append(result)


def experiment(out: Path, workers: int = 2, steps: int = 80, episodes: int = 2) -> Experiment:
    how: dict[str, Any] = {"episodes": episodes, "max_steps": steps, "workers": workers, "record_replay": False}
    return Experiment(SCENARIOS, out=out, options={"bots": "scripted"}, seed=5, **how)


def traces(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.glob("*/*/*/*/trace.jsonl"))}


def statuses(out: Path) -> list[str]:
    results = (read_result(path) for path in out.glob("*/*/*/*/result.json"))
    return sorted(result.status for result in results if result)


def test_episodes_are_the_same_whoever_plays_them(tmp_path: Path) -> None:
    alone, pool = Watcher(), Watcher()
    run(experiment(tmp_path / "one", workers=1), alone)
    run(experiment(tmp_path / "two", workers=2), pool)
    assert len(traces(tmp_path / "one")) == 4
    assert traces(tmp_path / "one") == traces(tmp_path / "two")
    assert {result.seed: result.reward for result in alone.ended} == {r.seed: r.reward for r in pool.ended}
    assert pool.pulses > 0


def test_a_process_that_is_killed_costs_its_episode_alone(tmp_path: Path) -> None:
    def kill_one() -> None:
        victim = multiprocessing.active_children()[0]
        assert victim.pid is not None
        os.kill(victim.pid, signal.SIGKILL)

    watcher = Watcher(kill_one)
    grid = experiment(tmp_path, steps=LONG)
    results = run(grid, watcher)
    assert len(results) == len(watcher.ended) == 4
    (failed,) = (result for result in results if result.has_failed)
    assert "exit code -9" in failed.reason
    assert statuses(tmp_path).count("max_steps") == 3
    again = replace(grid, retry_failed=True, workers=1)
    assert [result.status for result in run(again, Watcher())] == ["max_steps"]


def test_a_process_that_is_killed_before_it_has_begun_costs_its_episode_alone(tmp_path: Path) -> None:
    class Killer(Watcher):
        def begin(self, episode: Episode) -> None:
            if not self.begun:
                victim = multiprocessing.active_children()[0]
                victim.kill()
                victim.join()
            super().begin(episode)

    results = run(experiment(tmp_path, steps=20), Killer())
    assert sorted(result.status == "max_steps" for result in results) == [False, True, True, True]
    (failed,) = (result for result in results if result.has_failed)
    assert "exit code -9" in failed.reason
    assert len(statuses(tmp_path)) == 4


def test_what_had_ended_before_an_interruption_stays_as_it_is(tmp_path: Path) -> None:
    played, begun = experiment(tmp_path, workers=1, steps=20, episodes=1).plan()
    (result, _) = run(experiment(tmp_path, workers=1, steps=20, episodes=1), Watcher())
    assert cut_short(played) is None
    assert read_result(played.folder / "result.json") == result
    shutil.rmtree(begun.folder)
    cut = cut_short(begun)
    assert cut is not None
    assert cut.status == "interrupted"
    assert [path.name for path in begun.folder.iterdir()] == ["unfinished.json"]


def test_an_interruption_keeps_what_is_whole_and_the_same_command_goes_on_from_there(tmp_path: Path) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    cut, undisturbed = tmp_path / "cut", tmp_path / "undisturbed"
    with pytest.raises(KeyboardInterrupt):
        run(experiment(cut, steps=LONG), Watcher(interrupt))
    unfinished = list(cut.glob("*/*/*/*/unfinished.json"))
    assert [json.loads(path.read_text())["status"] for path in unfinished] == ["interrupted"] * 2
    assert not multiprocessing.active_children()
    before = len(statuses(cut))
    assert len(run(experiment(cut, steps=LONG), Watcher())) == 4 - before
    assert statuses(cut) == ["max_steps"] * 4
    run(experiment(undisturbed, steps=LONG, workers=1), Watcher())
    assert traces(cut) == traces(undisturbed)


class InterruptedConnection(Connection):
    """Ctrl-C comes as soon as the first result has been read from it."""

    def recv(self) -> Any:
        message = super().recv()
        if isinstance(message, EpisodeNews) and isinstance(message.news, Result):
            signal.raise_signal(signal.SIGINT)
        return message


class ConnectedHost(LocalHost):
    """Connects the pool to its workers by connections of this kind."""

    def __init__(self, kind: type[Connection]) -> None:
        super().__init__(())
        self._kind = kind

    def start(self, workers: int) -> Sequence[LocalLink]:
        links = [cast(LocalLink, link) for link in super().start(workers)]
        return [replace(link, connection=self._kind(os.dup(link.connection.fileno()))) for link in links]


def test_an_interruption_loses_no_result_that_has_just_been_read(tmp_path: Path) -> None:
    grid, watcher = experiment(tmp_path, steps=20), Watcher()
    with closing(SharedState(RunBudget(), None)) as state, pytest.raises(KeyboardInterrupt):
        Pool(
            ConnectedHost(InterruptedConnection), 1, 1, state, watcher, DueEpisodes(grid.plan(), state.budget, watcher)
        ).play()
    assert [result.status for result in watcher.ended] == ["max_steps"]
    assert statuses(tmp_path) == ["max_steps"]


class ListeningConnection(Connection):
    """Keeps what the pool tells its worker to begin."""

    begun: ClassVar[list[Begin]] = []

    def send(self, obj: Any) -> None:
        self.begun.extend([obj] if isinstance(obj, Begin) else [])
        super().send(obj)


def test_the_experiment_of_many_episodes_is_sent_to_a_worker_once(tmp_path: Path) -> None:
    grid, watcher = experiment(tmp_path, steps=5), Watcher()
    with closing(SharedState(RunBudget(), None)) as state:
        Pool(
            ConnectedHost(ListeningConnection), 1, 1, state, watcher, DueEpisodes(grid.plan(), state.budget, watcher)
        ).play()
    assert [result.status for result in watcher.ended] == ["max_steps"] * 4
    assert [message.experiment is not None for message in ListeningConnection.begun] == [True, False, False, False]


class LosingHost:
    """Its only worker ends an episode in a way that ends the run, and is then lost with two others under way."""

    def __init__(self, last: Result) -> None:
        self.starts = 0
        self.connection, worker = multiprocessing.Pipe()
        worker.send(EpisodeNews(0, last))
        worker.close()

    def start(self, workers: int) -> Sequence[LosingHost]:
        self.starts += 1
        return [self]

    def fate(self) -> str:
        return "it is lost"

    def end(self, grace: float) -> None:
        self.connection.close()


def test_no_episode_of_a_lost_worker_begins_again_once_the_run_is_ending(tmp_path: Path) -> None:
    first, *others = experiment(tmp_path).plan()
    last = cut_short(first)
    assert last is not None
    watcher, host = Watcher(), LosingHost(last)
    with closing(SharedState(RunBudget(), None)) as state:
        due = DueEpisodes(iter([first, *others[:2]]), state.budget, watcher)
        results = Pool(host, 1, 3, state, watcher, due).play()
    assert (host.starts, len(watcher.begun)) == (1, 3)
    assert [result.status for result in results] == ["interrupted"] * 3


SLOW_PROVIDER = """
import asyncio
from contextlib import asynccontextmanager
from pathlib import Path

class Provider:
    def __init__(self, settings, budget, cache):
        pass

    def check(self):
        pass

    @asynccontextmanager
    async def model(self, seed, answers):
        Path(__file__).with_name("opening").touch()
        await asyncio.sleep(600)
        yield None
"""


def test_an_episode_whose_model_is_being_opened_is_cut_short_and_not_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, out = tmp_path / "package", tmp_path / "out"
    information = package / "slow_to_open-1.0.dist-info"
    information.mkdir(parents=True)
    (package / "slow_to_open.py").write_text(SLOW_PROVIDER)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: slow_to_open\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[hm_agent.models]\nslow = slow_to_open:Provider\n")
    monkeypatch.syspath_prepend(str(package))

    def interrupt_once_it_is_being_opened() -> None:
        while not (package / "opening").exists():
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    grid = replace(experiment(out), scenarios=SCENARIOS[:1], model=ModelSettings("slow"), grace=0)
    Thread(target=interrupt_once_it_is_being_opened, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        run(grid, Watcher())
    assert not statuses(out)
    assert [json.loads(path.read_text())["status"] for path in out.glob("*/*/*/*/unfinished.json")] == [
        "interrupted"
    ] * 2


@pytest.mark.timeout(60)
def test_a_module_that_workers_lack_fails_the_episodes_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking = ModuleType("known_here_alone")
    exec("def record(episode): raise NotImplementedError", vars(lacking))
    monkeypatch.setitem(sys.modules, lacking.__name__, lacking)
    results = run(replace(experiment(tmp_path), recorders=(lacking.record,)), Watcher())
    assert {result.status for result in results} == {"failed: ModuleNotFoundError: No module named 'known_here_alone'"}
    assert len(statuses(tmp_path)) == 4


def test_what_is_there_is_not_played_again(tmp_path: Path) -> None:
    dyad = replace(experiment(tmp_path, workers=1, steps=5), scenarios=SCENARIOS[:1])
    assert len(run(dyad, Watcher())) == 2
    assert run(dyad, Watcher()) == []
    assert len(run(replace(dyad, episodes=3), Watcher())) == 1
    assert len(run(replace(dyad, overwrite=True), Watcher())) == 2


def test_results_of_other_flags_are_not_mixed_in(tmp_path: Path) -> None:
    played = replace(experiment(tmp_path, workers=1, steps=5, episodes=1), scenarios=SCENARIOS[:1])
    run(played, Watcher())
    with pytest.raises(ConfigError, match="with --max_steps=5, not without --max_steps"):
        replace(played, max_steps=None).check()
    with pytest.raises(ConfigError, match="with --max_steps=5, not with --max_steps=30"):
        replace(played, max_steps=30).check()
    with pytest.raises(ConfigError, match="with --seed=5, not with --seed=6"):
        replace(played, seed=6).check()


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    with locked(tmp_path, 1), pytest.raises(ConfigError, match="another run is at work"):
        run(experiment(tmp_path), Watcher())


def test_a_disk_without_room_is_told_of_before_anything_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        pytest.raises(ConfigError, match=r"1,000,000,000 episodes at once may take .*make room"),
        locked(tmp_path, 10**9),
    ):
        pass
    monkeypatch.setattr("shutil.disk_usage", lambda place: SimpleNamespace(free=10**6))
    with pytest.raises(ConfigError, match="1 MB left, and there must be 50 MB: make room"), locked(tmp_path):
        pass
    with pytest.raises(ConfigError, match="and 1 episode at once may take 60 MB: make room"), locked(tmp_path, 1):
        pass
