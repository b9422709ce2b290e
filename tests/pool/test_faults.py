"""Whole commands with a faulty endpoint, a `kill -9`, a second run in the same folder, and interruptions."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from hm_agent.testing.endpoint import Endpoint, Response
from tests.support import faults, schema_player
from tests.support.commands import PATIENCE, orphans, overriding, processes, start, wait_for
from tests.support.faults import FAULTS
from tests.support.kills import KillTrial, run_trial
from tests.support.melting_pot import text_player


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint(text_player.answer) as server:
        yield server


GAMES = ("--scenario=rws_repeated_1,rws_repeated_2", "--bots=scripted", "--max_steps=40")
STORIES = ("--scenario=exploretom_a4,exploretom_a7", "--agent=reader", "--max_steps=6", "--noreplay")


def flags(server: Endpoint, out: Path, grid: Sequence[str] = STORIES) -> list[str]:
    """Eight episodes, three at the same time."""
    how = ["--episodes=4", "--workers=3", "--concurrency=1", *server.flags]
    return [*grid, *how, f"--out={out}"]


def statuses(out: Path, name: str) -> list[str]:
    return [json.loads(path.read_text())["status"] for path in out.glob(f"*/*/*/*/{name}")]


@pytest.mark.heavy
def test_faults_of_an_endpoint_change_no_episode(tmp_path: Path) -> None:
    grid, shares = "rws_repeated_1,rws_arena_0,cooking_asymmetric_0", dict.fromkeys(FAULTS, 0.06)
    calm = faults.play(tmp_path / "calm", {}, 1, grid, steps=100)
    stormy = faults.play(tmp_path / "stormy", shares, 1, grid, steps=100)
    assert (stormy.status, stormy.errors) == (0, "")
    assert len(calm.results) == 3
    assert min(result["questions"] for result in calm.results) >= 5
    assert calm.outcomes == stormy.outcomes
    assert len(stormy.faults) >= 4


@pytest.mark.heavy
def test_a_repeatedly_killed_command_loses_no_answer_and_pays_none_twice(tmp_path: Path, endpoint: Endpoint) -> None:
    grid = ["--scenario=rws_repeated_1,cooking_asymmetric_0", "--bots=scripted", "--concurrency=1"]
    trial = KillTrial(tmp_path, endpoint, episodes=1, steps=100, grid=grid)
    rounds = run_trial(trial, kills=2)
    assert [one.was_killed for one in rounds] == [True, True, False]
    assert [one.paid_again for one in rounds] == [0] * 3
    assert [one.orphans for one in rounds] == [0] * 3
    assert rounds[-1].lost == 0
    assert (rounds[-1].errors, rounds[-1].is_as_undisturbed) == ("", True)


class Stalling:
    """An endpoint that stops answering.

    after: how many requests it answers.
    stalled: the requests that it will not answer.
    """

    def __init__(self, after: int) -> None:
        self._left = iter(range(after))
        self.stalled: list[dict[str, Any]] = []

    def answer(self, body: dict[str, Any]) -> Response:
        if next(self._left, None) is not None:
            return schema_player.answer(body)
        self.stalled.append(body)
        return Response(hang=PATIENCE)


@pytest.mark.slow
def test_an_interruption_from_the_terminal_keeps_and_tells_what_was_played(tmp_path: Path) -> None:
    stalling, out = Stalling(after=20), tmp_path / "out"
    with Endpoint(stalling.answer) as server:
        process = start(str(out), *flags(server, out), "--grace=0")
        wait_for(lambda: len(stalling.stalled) == 3, process)  # each worker is in the middle of an episode
        os.killpg(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert errors == f"run_scenario.py: interrupted; what was played is in {out}\n"
    assert not orphans(str(out))
    finished = statuses(out, "result.json")
    assert set(finished) == {"max_steps"}
    assert statuses(out, "unfinished.json") == ["interrupted"] * 3
    assert (output.count("max_steps,"), output.count("interrupted,")) == (len(finished), 3)
    assert (out / "summary.md").exists()


def test_an_interruption_that_came_too_late_to_cost_an_episode_says_so(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with Endpoint(schema_player.answer, delay=0.3) as server:
        process = start(str(out), *overriding(*flags(server, out), "--episodes=1", "--workers=1", "--concurrency=2"))
        wait_for(lambda: len(server.received) >= 2, process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    assert statuses(out, "result.json") == ["max_steps"] * 2
    assert process.returncode == 130
    assert errors == f"run_scenario.py: interrupted, but no episode is missing; they are in {out}\n"


@pytest.mark.heavy
def test_an_interruption_at_any_moment_of_the_start_fails_no_episode(tmp_path: Path, endpoint: Endpoint) -> None:
    out = tmp_path / "out"
    for workers in (1, 2):
        process = start(str(out), *flags(endpoint, out, GAMES))
        wait_for(lambda: len(processes(str(out))) > 2 + workers, process)  # noqa: B023 - called at once
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130
        assert errors.count("\n") == 1, errors
        assert set(statuses(out, "result.json")) <= {"max_steps"}
        assert not orphans(str(out))
