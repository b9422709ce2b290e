"""Limits on calls and money, in front of a real HTTP server on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from hm_agent.models.budget import BudgetedChat, BudgetSpent, RunBudget
from hm_agent.models.chat import Reply
from hm_agent.questions import ModelUnavailable
from hm_agent.testing.endpoint import Endpoint as Server
from hm_agent.testing.endpoint import completion, refusal
from tests.models.loopback_client import ANSWER, REQUEST, chat_with, cost


def ask(server: Server, budget: RunBudget, calls: int, *, at_once: bool = False) -> Sequence[Reply | BaseException]:
    async def together() -> Sequence[Reply | BaseException]:
        async with chat_with(server.base_url) as chat:
            budgeted = BudgetedChat(chat, budget, cost)
            if at_once:
                return await asyncio.gather(*(budgeted.complete(REQUEST) for _ in range(calls)), return_exceptions=True)
            return [await budgeted.complete(REQUEST) for _ in range(calls)]

    return asyncio.run(together())


def test_limit_on_calls_holds_for_calls_made_at_once() -> None:
    with Server(lambda body: ANSWER, delay=0.05) as server:
        replies = ask(server, RunBudget(max_calls=4), 10, at_once=True)
    assert len(server.received) == 4
    assert [type(reply) for reply in replies] == [Reply] * 4 + [BudgetSpent] * 6


def test_no_calls_at_all_may_be_made_with_a_limit_of_none() -> None:
    for budget in (RunBudget(max_calls=0), RunBudget(max_cost=0)):
        with Server(lambda body: ANSWER) as server, pytest.raises(BudgetSpent):
            ask(server, budget, 1)
        assert not server.received


def test_failed_calls_count_cost_nothing_and_are_under_way_no_more() -> None:
    budget = RunBudget(max_calls=5, max_cost=1)
    with Server(lambda body: refusal(401, "no")) as server:
        replies = ask(server, budget, 3, at_once=True)
    assert [type(reply) for reply in replies] == [ModelUnavailable] * 3
    assert (budget.calls, budget.cost, budget.under_way) == (3, 0, 0)


def test_limit_on_cost_is_passed_by_one_call_at_most() -> None:
    budget = RunBudget(max_cost=3.0)
    with Server(lambda body: ANSWER) as server:
        replies = ask(server, budget, 30, at_once=True)
    assert len(server.received) == 8, "the eighth call of USD 0.4 passes the limit"
    assert sum(isinstance(reply, BudgetSpent) for reply in replies) == 22
    assert budget.under_way == 0


def test_run_ends_once_the_money_is_spent() -> None:
    budget = RunBudget(max_cost=1.0)
    with Server(lambda body: ANSWER) as server:
        ask(server, budget, 3)
        assert budget.cost == pytest.approx(1.2)
        with pytest.raises(BudgetSpent, match=r"1\.2000 USD are spent, of --max_cost=1$"):
            ask(server, budget, 1)
    assert len(server.received) == 3


def test_a_call_waits_while_those_under_way_may_use_up_the_money() -> None:
    budget = RunBudget(max_cost=1.0)
    budget.take_call()
    budget.pay(0.3)
    assert [budget.take_call() for _ in range(3)] == [True, True, False]


def test_unknown_cost_ends_a_run_with_a_limit_on_money() -> None:
    with (
        Server(lambda body: completion("fine", usage=False)) as server,
        pytest.raises(BudgetSpent, match=r"does not say how many tokens.*--max_cost"),
    ):
        ask(server, RunBudget(max_cost=100), 2)
    assert len(server.received) == 1


def test_unknown_cost_is_no_matter_without_a_limit_on_money() -> None:
    with Server(lambda body: completion("fine", usage=False)) as server:
        assert len(ask(server, RunBudget(max_calls=5), 5)) == 5
