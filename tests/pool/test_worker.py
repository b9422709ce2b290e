"""What a worker process does with the pool's messages."""

from __future__ import annotations

import asyncio
from multiprocessing import Pipe

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
