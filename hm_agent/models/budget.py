"""The budget of a run: limits on calls and cost that all its episodes share, and who is sending which request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from hm_agent.models.chat import Chat, Reply, Request
from hm_agent.questions import ModelUnavailable


class BudgetSpent(ModelUnavailable):
    """No further call may be made."""

    status: ClassVar[str] = "budget_spent"


class Budget(Protocol):
    """The budget as an episode uses it, in the same process or by message."""

    def take_call(self) -> None:
        """Counts a call before it is made; raises BudgetSpent instead if a limit is reached."""
        ...

    def pay(self, cost: float | None) -> None:
        """Adds the cost of an answered call, in USD; raises BudgetSpent if it is unknown and there is a limit."""
        ...

    def has_answered(self) -> bool:
        """True once the endpoint has answered any call of this run."""
        ...

    def claim(self, key: str) -> bool:
        """Takes the right to send this request; False if another episode is already sending it."""
        ...

    def release(self, key: str) -> None:
        """Gives the right to send this request back."""
        ...


@dataclass
class RunBudget:
    """The budget itself, which one process of a run keeps.

    max_cost, cost: in USD; a limit of None is no limit. calls: made so far. paid: calls that were answered. claims: the
    keys of the requests that are being sent.
    """

    max_calls: int | None = None
    max_cost: float | None = None
    calls: int = 0
    cost: float = 0.0
    paid: int = 0
    claims: set[str] = field(default_factory=set)

    def take_call(self) -> None:
        if self.max_calls is not None and self.calls >= self.max_calls:
            raise BudgetSpent(f"all {self.max_calls} calls of --max_calls are made")
        if self.max_cost is not None and self.cost >= self.max_cost:
            raise BudgetSpent(f"{self.cost:.4f} USD are spent, of --max_cost={self.max_cost:g}")
        self.calls += 1

    def pay(self, cost: float | None) -> None:
        self.paid += 1
        if cost is None and self.max_cost is not None:
            raise BudgetSpent("the endpoint does not say how many tokens it used, so --max_cost can't be kept")
        self.cost += cost or 0.0

    def has_answered(self) -> bool:
        return self.paid > 0

    def claim(self, key: str) -> bool:
        is_free = key not in self.claims
        self.claims.add(key)
        return is_free

    def release(self, key: str) -> None:
        self.claims.discard(key)


class BudgetedChat:
    """A chat that counts its calls and their cost in the budget. cost: of a reply in USD, None if unknown."""

    def __init__(self, chat: Chat, budget: Budget, cost: Callable[[Reply], float | None]) -> None:
        self._chat, self._budget, self._cost = chat, budget, cost

    async def complete(self, request: Request) -> Reply:
        self._budget.take_call()
        reply = await self._chat.complete(request)
        self._budget.pay(self._cost(reply))
        return reply
