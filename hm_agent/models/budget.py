"""What all episodes of a run share while they are played: a limit on calls and money, and who asks what."""

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
    """Kept in one place, whoever plays where."""

    def take_call(self) -> None:
        """Counts a call before it is made; raises BudgetSpent instead where none is left."""
        ...

    def pay(self, cost: float | None) -> None:
        """Counts what a call has cost, in USD; raises BudgetSpent where that can't be kept within the limit."""
        ...

    def has_answered(self) -> bool:
        """Whether the endpoint has answered anybody in this run."""
        ...

    def claim(self, key: str) -> bool:
        """Whether the asker is the one to ask this now; if not, somebody else is at it."""
        ...

    def release(self, key: str) -> None:
        """Ends a claim."""
        ...


@dataclass
class Account:
    """The one place.

    max_cost: in USD. None sets no limit. calls, cost: what has been spent. paid: how many of the calls were answered.
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
        """An unknown cost can't be kept within a limit and ends the run."""
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
    """A chat that stops when the budget is spent."""

    def __init__(self, chat: Chat, ledger: Budget, cost: Callable[[Reply], float | None]) -> None:
        self._chat, self._ledger, self._cost = chat, ledger, cost

    async def complete(self, request: Request) -> Reply:
        self._ledger.take_call()
        reply = await self._chat.complete(request)
        self._ledger.pay(self._cost(reply))
        return reply
