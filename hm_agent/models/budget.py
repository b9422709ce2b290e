"""The budget of a run: limits on calls and cost that all its episodes share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

from hm_agent.models.chat import Chat, Reply, Request
from hm_agent.questions import ModelUnavailable
from hm_agent.wording import counted

POLL_INTERVAL = 0.1
"""Seconds between two attempts to take a call while calls under way may use up the budget."""


class BudgetSpent(ModelUnavailable):
    """The budget allows no further call."""

    status: ClassVar[str] = "budget_spent"


class Budget(Protocol):
    """The budget as episodes use it: the run's own, or a proxy that sends messages to the process that keeps it."""

    def take_call(self) -> bool:
        """Counts a call before it is made; raises BudgetSpent if a limit is reached.

        Returns False, and counts nothing, if the call has to wait because calls under way may use up the budget. Every
        counted call ends with `pay` or `drop_call`.
        """
        ...

    def pay(self, cost: float | None) -> None:
        """Ends a call that was answered and adds its cost in USD, None if it is unknown."""
        ...

    def drop_call(self) -> None:
        """Ends a call that was not answered; it stays counted, but costs nothing."""
        ...

    def has_answered(self) -> bool:
        """True once the endpoint has answered any call of this run."""
        ...


@dataclass
class RunBudget:
    """The budget of a run, kept by one of its processes.

    max_cost, cost: in USD; a limit of None is no limit. calls: made so far. paid: calls that were answered. under_way:
    calls that have not ended. dearest: the highest cost of a call so far, None before the first. is_unknown: True once
    the cost of an answered call is unknown. declined: how many episodes did not begin, since the rest would not finish
    them.
    """

    max_calls: int | None = None
    max_cost: float | None = None
    calls: int = 0
    cost: float = 0.0
    paid: int = 0
    under_way: int = 0
    dearest: float | None = None
    is_unknown: bool = False
    declined: int = 0

    def take_call(self) -> bool:
        if self.max_calls is not None and self.calls >= self.max_calls:
            raise BudgetSpent(f"all {self.max_calls} calls of --max_calls are made")
        if self.max_cost is not None and not self._is_affordable(self.max_cost):
            return False
        self.calls += 1
        self.under_way += 1
        return True

    def _is_affordable(self, limit: float) -> bool:
        """True if no call is under way, or if those under way and one more fit the limit at the highest cost so far."""
        if self.is_unknown:
            raise BudgetSpent("the endpoint does not say how many tokens it used, so --max_cost can't be kept")
        if self.cost >= limit:
            raise BudgetSpent(f"{self.cost:.4f} USD are spent, of --max_cost={limit:g}")
        if not self.under_way:
            return True
        return self.dearest is not None and self.cost + (self.under_way + 1) * self.dearest <= limit

    def pay(self, cost: float | None) -> None:
        self.under_way -= 1
        self.paid += 1
        if cost is None:
            self.is_unknown = True
            return
        self.cost += cost
        self.dearest = max(self.dearest or 0.0, cost)

    def drop_call(self) -> None:
        self.under_way -= 1

    def has_answered(self) -> bool:
        return self.paid > 0

    @property
    def declined_note(self) -> str:
        if self.max_cost is None or not self.declined:
            return ""
        left = f"{max(0.0, self.max_cost - self.cost):.4f} USD left of --max_cost={self.max_cost:g}"
        return f"{left} would not finish {counted(self.declined, 'more episode')}, which did not begin"


class BudgetedChat:
    """A chat that counts its calls and their cost in the budget. cost: a reply's cost in USD, None if unknown."""

    def __init__(self, chat: Chat, budget: Budget, cost: Callable[[Reply], float | None]) -> None:
        self._chat, self._budget, self._cost = chat, budget, cost

    async def complete(self, request: Request) -> Reply:
        while not self._budget.take_call():  # noqa: ASYNC110 - the budget may be in another process
            await asyncio.sleep(POLL_INTERVAL)
        try:
            reply = await self._chat.complete(request)
        except BaseException:
            self._budget.drop_call()
            raise
        self._budget.pay(self._cost(reply))
        return reply
