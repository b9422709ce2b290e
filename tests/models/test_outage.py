"""Sitting out an outage, in front of a real HTTP server on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from hm_agent.models.budget import RunBudget
from hm_agent.models.chat import Reply
from hm_agent.models.endpoint.outage import Outage, OutageTolerantChat
from hm_agent.testing.endpoint import Endpoint as Server
from hm_agent.testing.endpoint import Response, completion, refusal
from tests.models.loopback_client import REQUEST, chat_with


def out_of_order(times: int, response: Response) -> Callable[[dict[str, Any]], Response]:
    """An endpoint that fails so often before it answers."""
    failures = iter([response] * times)
    return lambda body: next(failures, completion("fine"))


def ask(server: Server, budget: RunBudget, patience: float = 60.0) -> Reply:
    async def once() -> Reply:
        async with chat_with(server.base_url) as chat:
            return await OutageTolerantChat(chat, budget, patience).complete(REQUEST)

    return asyncio.run(once())


@pytest.mark.parametrize(
    "response", [refusal(429, "slow down"), refusal(503, "later"), Response(drop=True), Response(body=b"<html>")]
)
def test_an_endpoint_that_has_worked_is_waited_for(response: Response) -> None:
    with Server(out_of_order(1, response)) as server:
        assert ask(server, RunBudget(paid=1)).texts == ("fine",)


def test_one_that_never_worked_is_given_up_at_once() -> None:
    with Server(out_of_order(1, refusal(503, "later"))) as server:
        with pytest.raises(Outage):
            ask(server, RunBudget())
        assert len(server.received) == 1


def test_patience_ends() -> None:
    with Server(out_of_order(10**6, refusal(503, "later"))) as server, pytest.raises(Outage, match="later"):
        ask(server, RunBudget(paid=1), patience=0.3)


@pytest.mark.parametrize(
    "response", [refusal(401, "no"), refusal(404, "no"), refusal(429, "no money", code="insufficient_quota")]
)
def test_what_will_not_pass_is_not_waited_for(response: Response) -> None:
    with Server(out_of_order(10**6, response)) as server:
        with pytest.raises(Exception, match=r"no|key") as refused:
            ask(server, RunBudget(paid=1))
        assert not isinstance(refused.value, Outage)
        assert len(server.received) == 1
