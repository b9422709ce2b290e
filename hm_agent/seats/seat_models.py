"""The models of an episode of which some seats are taken from outside."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field

from hm_agent.models.builtin import ReasonerTable
from hm_agent.models.providers import ModelPool
from hm_agent.models.settings import ModelSettings
from hm_agent.questions import Model


@dataclass(frozen=True)
class SeatModels:
    """Opens the model of this name by calling `build` with the seat's seed, and others as every run does."""

    name: str
    build: Callable[[int], Model]
    pool: ModelPool = field(default_factory=lambda: ModelPool(ModelSettings()))

    def model(self, name: str, seed: int, answers: ReasonerTable) -> AbstractAsyncContextManager[Model]:
        """As `playing.Models` says."""
        return nullcontext(self.build(seed)) if name == self.name else self.pool.model(name, seed, answers)
