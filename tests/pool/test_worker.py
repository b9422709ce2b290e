"""How worker processes start, and what they do with the pool's messages."""

from __future__ import annotations

import asyncio
from multiprocessing import Pipe, popen_forkserver
from typing import Any

import pytest

from hm_agent.config import ConfigError
from hm_agent.pool.pool import LocalHost
from hm_agent.pool.shared_state import StateAnswer
from hm_agent.pool.worker import Stop, _WorkerLoop


def test_a_stop_that_comes_while_the_worker_waits_for_the_budget_is_obeyed_at_once() -> None:
    pool, worker = Pipe()

    async def stopped() -> None:
        loop = _WorkerLoop(worker)
        serving = asyncio.ensure_future(loop.serve())
        await asyncio.sleep(0)
        pool.send(Stop())
        pool.send(StateAnswer(value=True))
        assert loop._state.take_call()
        await asyncio.wait_for(serving, 10)

    asyncio.run(stopped())


def killed(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """Has the fork server die at so many starts, as if it were killed just then."""
    starter: Any = popen_forkserver.Popen
    deaths, launch = iter(range(times)), starter._launch

    def dying(popen: Any, process: Any) -> None:
        if next(deaths, None) is not None:
            raise EOFError("unexpected EOF")
        launch(popen, process)

    monkeypatch.setattr(starter, "_launch", dying)


def test_a_worker_starts_though_the_fork_server_was_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    killed(monkeypatch, 1)
    (link,) = LocalHost(()).start(1)
    link.end(0)


def test_that_no_worker_starts_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    killed(monkeypatch, 2)
    with pytest.raises(ConfigError, match="no worker process starts"):
        LocalHost(()).start(1)
