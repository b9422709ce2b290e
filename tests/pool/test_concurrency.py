"""Several episodes at the same time in one process: each the same as alone, one payment an answer, exact limits."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from threading import Barrier, BrokenBarrierError
from typing import Any

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.experiment import Experiment
from hm_agent.experiment.planned_episode import Episode
from hm_agent.models.settings import ModelSettings
from hm_agent.pool.progress import NoProgress, Progress, Pulse
from hm_agent.pool.run import run
from hm_agent.testing.endpoint import Endpoint, Response
from tests.support import schema_player
from tests.support.commands import outcomes
from tests.support.melting_pot import text_player

PATIENCE = 60.0
LIGHT, SEATED, HEAVY = "exploretom_a4", "symmtom_w6_n3_c3", "rws_repeated_1"
AGENTS = {LIGHT: "reader", SEATED: "hypothetical_minds", HEAVY: "hypothetical_minds"}


def experiment(out: Path, server: Endpoint, scenario: str = LIGHT, episodes: int = 6, **how: Any) -> Experiment:
    model = ModelSettings("loopback", base_url=server.base_url, **how.pop("model", {}))
    options = {"bots": "scripted"} if scenario == HEAVY else {}
    settings: dict[str, Any] = {"episodes": episodes, "max_steps": 6, "record_replay": False, "options": options} | how
    return Experiment(find_scenarios([scenario]), (AGENTS[scenario],), model=model, out=out, **settings)


class Together:
    """An endpoint that answers nobody until `number` requests are open at the same time; then everybody."""

    def __init__(self, number: int) -> None:
        self._barrier = Barrier(number)
        self.met = False

    def answer(self, body: Mapping[str, Any]) -> Response:
        if not self.met:
            try:
                self._barrier.wait(PATIENCE)
                self.met = True
            except BrokenBarrierError:
                pass
        return schema_player.answer(body)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_episode_that_waits_for_a_model_holds_no_other_up(tmp_path: Path, silence: Progress, workers: int) -> None:
    together = Together(6)
    with Endpoint(together.answer) as server:
        results = run(experiment(tmp_path, server, workers=workers, concurrency=6 // workers), silence)
    assert together.met
    assert [result.is_finished for result in results] == [True] * 6


@pytest.mark.parametrize(("scenario", "steps"), [(SEATED, 6), (HEAVY, 40)])
def test_episodes_are_the_same_alone_and_among_others(
    tmp_path: Path, silence: Progress, scenario: str, steps: int
) -> None:
    player = text_player.answer if scenario == HEAVY else schema_player.answer
    ways: dict[str, dict[str, Any]] = {
        "alone": {"concurrency": 1},
        "here": {"concurrency": 4},
        "there": {"workers": 2, "concurrency": 2},
    }
    with Endpoint(player) as server:
        for name, how in ways.items():
            run(experiment(tmp_path / name, server, scenario, 2, max_steps=steps, **how), silence)
    alone = outcomes(tmp_path / "alone")
    assert len(alone) == 4
    assert alone == outcomes(tmp_path / "here") == outcomes(tmp_path / "there")


def test_limit_on_calls_is_exact_among_many_episodes(tmp_path: Path, silence: Progress) -> None:
    model: dict[str, Any] = {"max_calls": 13, "cache": tmp_path / "answers"}
    with Endpoint(schema_player.answer, delay=0.02) as server:
        cut = run(experiment(tmp_path / "out", server, workers=2, concurrency=3, model=model), silence)
        assert len(server.received) == 13
        assert {result.status for result in cut} <= {"budget_spent", "max_steps", "completed"}
        model["max_calls"] = None
        run(experiment(tmp_path / "out", server, concurrency=3, model=model), silence)
        asked = [json.dumps(received.body) for received in server.received]
    assert len(asked) == len(set(asked)) > 13


def test_the_default_leaves_a_remote_model_busy_and_plays_one_by_one_where_nothing_is_waited_for() -> None:
    remote, cache = ModelSettings("gpt-4o"), Path("answers")
    experiment = Experiment(find_scenarios([LIGHT]), ("reader",), model=remote)
    assert experiment.at_once > 1
    assert replace(experiment, concurrency=7).at_once == 7
    for model in (ModelSettings(), ModelSettings("local:smollm2"), replace(remote, cache=cache, offline=True)):
        assert replace(experiment, model=model).at_once == 1
    limited = replace(remote, max_calls=10)
    assert replace(experiment, model=limited).at_once == 1
    assert replace(experiment, model=replace(limited, cache=cache)).at_once > 1


class Killer(NoProgress):
    """Kills the only worker, as often as `times`, once the first episode has come some way."""

    def __init__(self, times: int) -> None:
        self._left = times
        self._killed: set[int] = set()

    def pulse(self, episode: Episode, pulse: Pulse) -> None:
        victims = [child for child in multiprocessing.active_children() if child.pid not in self._killed]
        if self._left and victims and victims[0].pid is not None:
            self._left -= 1
            self._killed.add(victims[0].pid)
            os.kill(victims[0].pid, signal.SIGKILL)


def test_episodes_of_a_lost_worker_are_played_again_and_nothing_is_paid_twice(tmp_path: Path) -> None:
    with Endpoint(schema_player.answer, delay=0.05) as server:
        how: dict[str, Any] = {
            "workers": 2,
            "concurrency": 4,
            "model": {"cache": tmp_path / "answers"},
            "max_steps": 12,
        }
        results = run(experiment(tmp_path / "out", server, episodes=8, **how), Killer(1))
        again = run(experiment(tmp_path / "again", server, episodes=8, **how | {"workers": 1}), NoProgress())
        asked = [json.dumps(received.body) for received in server.received]
    assert [result.is_finished for result in results] == [True] * 8
    assert sum(result.cached_calls for result in again) == sum(result.model_calls for result in again)
    lost = len(asked) - len(set(asked))
    assert lost <= 4, "only what was under way may be asked again"
    assert outcomes(tmp_path / "out") == outcomes(tmp_path / "again")
