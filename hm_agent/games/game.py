"""What a game has to tell: the one place where a substrate's meaning lives."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Protocol

from hm_agent.asking import Question
from hm_agent.core import Counts, Event, Observation, Strategy
from hm_agent.grid import Layout
from hm_agent.memory.entities import EntityMemory
from hm_agent.perception.textual_map import TextualMap
from hm_agent.theory_of_mind.module import Mindreading


class Inference(StrEnum):
    """How the other's inventory is found: by exact calculation, or by asking the model as the paper does."""

    EXACT = "exact"
    MODEL = "model"


class Game(Mindreading, Protocol):
    """One game as one player plays it through an episode: what happens, what it means, and what can be done.

    subgoals: the functions a plan may call. players: the names of the others. ready_mark: what a player wears that can
    be interacted with, None where everybody can be.
    """

    @property
    def layout(self) -> Layout: ...

    @property
    def subgoals(self) -> Sequence[str]: ...

    @property
    def players(self) -> Sequence[str]: ...

    @property
    def ready_mark(self) -> str | None: ...

    def read(self, observation: Observation, view: TextualMap, memory: EntityMemory) -> Sequence[Event]:
        """What has happened, by the latest frame; to be called with every frame, once it is remembered."""
        ...

    def inventory(self, observation: Observation) -> Counts: ...

    def is_loaded(self, observation: Observation) -> bool:
        """Whether the beam can fire now."""
        ...

    def is_idle(self, view: TextualMap) -> bool:
        """Whether nothing can be done."""
        ...

    def ask_plan(
        self,
        observation: Observation,
        view: TextualMap,
        memory: EntityMemory,
        strategy: Strategy,
    ) -> Question[Any]:
        """How to carry out a strategy from here."""
        ...
