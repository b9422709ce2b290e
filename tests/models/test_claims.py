"""Several runs at one cache: one sends a request, all get the answer that is kept; dead owners' claims are free."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hm_agent.config import ConfigError
from hm_agent.models import answer_file
from hm_agent.models.answer_file import AnswerFile
from hm_agent.models.cache import CachedChat, GaveUpWaiting
from hm_agent.models.chat import Reply, Request
from hm_agent.storage.files import DiskError
from hm_agent.testing.endpoint import Endpoint, Response
from tests.models.loopback_client import REQUEST
from tests.support.commands import call_here, outcomes, start
from tests.support.schema_player import answer as schema_answer

PATIENCE = 60.0


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[AnswerFile, AnswerFile]]:
    with ExitStack() as opened:
        one, other = (opened.enter_context(closing(AnswerFile(tmp_path / "answers"))) for _ in range(2))
        yield one, other


def test_of_two_runs_one_may_send_a_request(two: tuple[AnswerFile, AnswerFile]) -> None:
    one, other = two
    assert one.find_or_claim(REQUEST) is True
    assert other.find_or_claim(REQUEST) is False
    assert one.find_or_claim(REQUEST) is False, "another episode of the same run may not, either"
    assert other.find_or_claim(replace(REQUEST, seed=2)) is True


def test_the_reply_ends_the_claim_and_is_what_both_get(two: tuple[AnswerFile, AnswerFile]) -> None:
    one, other = two
    one.find_or_claim(REQUEST)
    assert one.keep(REQUEST, Reply(("first",))) == Reply(("first",))
    assert other.find_or_claim(REQUEST) == Reply(("first",), cached=True)
    assert other.keep(REQUEST, Reply(("late",), input_tokens=3)) == Reply(("first",)), "and not what came later"


def test_a_claim_that_is_given_back_or_closed_is_free(two: tuple[AnswerFile, AnswerFile]) -> None:
    one, other = two
    one.find_or_claim(REQUEST)
    one.release(REQUEST)
    assert other.find_or_claim(REQUEST) is True
    other.close()
    assert one.find_or_claim(REQUEST) is True


def aged(path: Path, seconds: float) -> None:
    """Makes all claims as old as if their owners had died that long ago."""
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE claims SET beat = ?, owner = 'somebody who died'", (time.time() - seconds,))


def test_the_claim_of_a_dead_owner_is_taken_over(tmp_path: Path, two: tuple[AnswerFile, AnswerFile]) -> None:
    one, other = two
    one.find_or_claim(REQUEST)
    aged(tmp_path / "answers", answer_file._CLAIM_SECONDS / 2)
    assert other.find_or_claim(REQUEST) is False
    aged(tmp_path / "answers", answer_file._CLAIM_SECONDS + 1)
    assert other.find_or_claim(REQUEST) is True
    aged(tmp_path / "answers", -1000)
    assert one.find_or_claim(REQUEST) is True, "nobody claims in the future"


def test_a_claim_is_renewed_while_its_owner_is_busy(tmp_path: Path, two: tuple[AnswerFile, AnswerFile]) -> None:
    one, _ = two
    one.find_or_claim(REQUEST)

    def beat() -> float:
        with closing(sqlite3.connect(tmp_path / "answers")) as file:
            return float(file.execute("SELECT beat FROM claims").fetchone()[0])

    before, deadline = beat(), time.monotonic() + PATIENCE
    while beat() == before:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert beat() > before


def test_a_failure_gives_the_claim_back(two: tuple[AnswerFile, AnswerFile]) -> None:
    class Failing:
        async def complete(self, request: Request) -> Reply:
            raise OSError("no")

    one, other = two
    with pytest.raises(OSError, match="no"):
        asyncio.run(CachedChat(Failing(), one).complete(REQUEST))
    assert other.find_or_claim(REQUEST) is True


def test_a_locked_cache_says_so_and_is_waited_for(tmp_path: Path) -> None:
    said, is_told = list[str](), threading.Event()

    def tell(message: str) -> None:
        said.append(message)
        is_told.set()

    with closing(AnswerFile(tmp_path / "answers", tell)) as cache, ExitStack() as held:
        cache.open()
        lock = held.enter_context(closing(sqlite3.connect(tmp_path / "answers", check_same_thread=False)))
        lock.execute("BEGIN IMMEDIATE")

        def unlock() -> None:
            is_told.wait(PATIENCE)
            lock.rollback()

        threading.Thread(target=unlock, daemon=True).start()
        cache.keep(REQUEST, Reply(("kept",)))
        assert cache.find(REQUEST) == Reply(("kept",), cached=True)
    assert said == [f"--cache={tmp_path / 'answers'}: waiting while another process writes to it"]


def test_all_who_wait_for_a_locked_cache_wait_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_file, "_LOCKED_SECONDS", 0.05)
    monkeypatch.setattr(answer_file, "_LOCK_TIMEOUT", 0.6)
    said, tries = list[str](), list[float]()
    with closing(AnswerFile(tmp_path / "answers", said.append)) as cache:
        cache.open()
        for _ in range(2):
            with closing(sqlite3.connect(tmp_path / "answers")) as lock:
                lock.execute("BEGIN IMMEDIATE")
                for _ in range(3):
                    begun = time.monotonic()
                    with pytest.raises(DiskError, match="locked"):
                        cache.find_or_claim(REQUEST)
                    tries.append(time.monotonic() - begun)
            assert cache.find_or_claim(REQUEST) is True
            cache.release(REQUEST)
    assert len(said) == 2, "one line for each lock"
    assert min(tries[0], tries[3]) > 0.6 > max(tries[1], tries[2], tries[4], tries[5])


def test_who_is_in_a_hurry_gives_up_on_a_locked_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_file, "_LOCK_TIMEOUT", 1e9)
    monkeypatch.setattr(answer_file, "_HURRIED_TIMEOUT", 0.0)
    monkeypatch.setattr(answer_file, "_BEAT_SECONDS", 1e6)
    said = list[str]()
    with closing(AnswerFile(tmp_path / "answers", said.append)) as cache:
        assert cache.find_or_claim(REQUEST) is True
        with closing(sqlite3.connect(tmp_path / "answers")) as lock:
            lock.execute("BEGIN IMMEDIATE")
            cache.hurry()
            with pytest.raises(GaveUpWaiting, match="locked"):
                cache.keep(REQUEST, Reply(("lost",)))
            cache.release(REQUEST)
        assert cache.keep(REQUEST, Reply(("kept",))) == Reply(("kept",)), "whoever is alone need not wait"


@pytest.mark.heavy
def test_ctrl_c_ends_runs_that_wait_for_a_locked_cache(tmp_path: Path) -> None:
    with Endpoint(schema_answer) as server, closing(AnswerFile(tmp_path / "answers")) as cache:
        cache.open()
        with closing(sqlite3.connect(tmp_path / "answers")) as lock:
            lock.execute("BEGIN IMMEDIATE")
            grid = ["--scenario=exploretom_a4", "--agent=reader", "--episodes=2", "--noreplay", "--grace=0"]
            model = [*server.flags, f"--cache={tmp_path / 'answers'}"]
            outs = {workers: tmp_path / f"out-{workers}" for workers in (1, 2)}
            running = [start(out.name, *grid, *model, f"--workers={n}", f"--out={out}") for n, out in outs.items()]
            for process in running:
                assert process.stderr
                assert any("waiting while another process writes to it" in line for line in process.stderr)
                process.send_signal(signal.SIGINT)
            for process in running:
                _, errors = process.communicate(timeout=answer_file._LOCK_TIMEOUT - 20)
                assert process.returncode == 130
                assert "interrupted" in errors
                assert "Traceback" not in errors
    assert not list(tmp_path.glob("out-*/*/*/*/*/result.json"))


HOLD = """
import fcntl, os, signal, sys
signal.signal(signal.SIGIO, signal.SIG_IGN)
held = os.open(sys.argv[1], os.O_RDWR)
fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print("held", flush=True)
sys.stdin.read()
"""
"""Leases a file (fcntl(2)): whoever opens it waits until standard input ends, as on a server that does not answer."""


def test_a_cache_whose_file_system_hangs_says_so(tmp_path: Path) -> None:
    path, said = tmp_path / "answers", list[str]()
    with closing(AnswerFile(path)) as cache:
        cache.keep(REQUEST, Reply(("kept",)))
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdin
        assert holder.stdout
        assert holder.stdout.readline() == b"held\n"

        def tell(message: str) -> None:
            said.append(message)
            holder.stdin.close()  # type: ignore[union-attr]

        with closing(AnswerFile(path, tell)) as cache:
            assert cache.find(REQUEST) == Reply(("kept",), cached=True)
    assert said == [f"--cache={path}: its disk or network does not answer"]


def test_a_pipe_in_place_of_the_cache_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConfigError, match="it is no file"):
        AnswerFile(tmp_path / "pipe").open()


@pytest.mark.slow
def test_two_commands_at_one_cache_pay_nothing_twice_and_play_what_it_replays(tmp_path: Path) -> None:
    count = iter(range(10**6))

    def answer(body: dict[str, Any]) -> Response:
        """Never the same text twice, so that two answers to one question would show."""
        said = json.loads(json.dumps(schema_answer(body).body))
        said["choices"][0]["message"]["content"] += f" {next(count)}"
        return Response(body=said)

    with Endpoint(answer, delay=0.02) as server:
        grid = ["--scenario=exploretom_a4", "--agent=reader", "--episodes=4", "--max_steps=10", "--noreplay"]
        flags = [*grid, *server.flags, f"--cache={tmp_path / 'answers'}"]
        running = [start(name, *flags, f"--out={tmp_path / name}") for name in ("one", "two")]
        for process in running:
            _, errors = process.communicate(timeout=2 * PATIENCE)
            wrong = [
                line
                for line in errors.splitlines()
                if not line.endswith(": waiting while another process writes to it")
            ]
            assert (process.returncode, wrong) == (0, [])
        asked = [json.dumps(received.body) for received in server.received]
        assert call_here(*flags, "--offline", f"--out={tmp_path / 'three'}")[0] == 0
    assert len(asked) == len(set(asked)) > 10
    assert outcomes(tmp_path / "one") == outcomes(tmp_path / "two") == outcomes(tmp_path / "three")
