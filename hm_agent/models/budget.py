"""A limit on calls and money over a whole run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from hm_agent.asking import ModelUnavailable
from hm_agent.models.chat import Chat, Reply, Request


class BudgetSpent(ModelUnavailable):
    """No further call may be made."""

    status: ClassVar[str] = "budget_spent"


@dataclass
class Budget:
    """What a run may spend, and has spent. max_cost: in USD. None sets no limit."""

    max_calls: int | None = None
    max_cost: float | None = None
    calls: int = 0
    cost: float = 0.0

    def take_call(self) -> None:
        """Counts a call before it is made; raises BudgetSpent instead where none is left."""
        if self.max_calls is not None and self.calls >= self.max_calls:
            raise BudgetSpent(f"all {self.max_calls} calls of --max_calls are made")
        if self.max_cost is not None and self.cost >= self.max_cost:
            raise BudgetSpent(f"{self.cost:.4f} USD are spent, of --max_cost={self.max_cost:g}")
        self.calls += 1

    def pay(self, cost: float | None) -> None:
        """Counts what a call has cost. An unknown cost can't be kept within a limit and ends the run."""
        if cost is None and self.max_cost is not None:
            raise BudgetSpent("the endpoint does not say how many tokens it used, so --max_cost can't be kept")
        self.cost += cost or 0.0


class BudgetedChat:
    """A chat that stops when the budget is spent."""

    def __init__(self, chat: Chat, budget: Budget, cost: Callable[[Reply], float | None]) -> None:
        self._chat, self._budget, self._cost = chat, budget, cost

    async def complete(self, request: Request) -> Reply:
        self._budget.take_call()
        reply = await self._chat.complete(request)
        self._budget.pay(self._cost(reply))
        return reply
