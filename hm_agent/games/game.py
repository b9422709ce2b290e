"""What a game has to tell: the one place where a substrate's meaning lives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from pydantic import BaseModel

from hm_agent.asking import Question
from hm_agent.core import Counts, Event, Observation, Strategy
from hm_agent.grid import Layout
from hm_agent.memory.entities import EntityMemory
from hm_agent.perception.textual_map import TextualMap
from hm_agent.planning.subgoals import Subgoal
from hm_agent.theory_of_mind.module import Mindreading


class Inference(StrEnum):
    """How the other's inventory is found: by exact calculation, or by asking the model as the paper does."""

    EXACT = "exact"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class Briefing:
    """What a plan is made on. critique: what was learnt from the plan before, where anything was."""

    observation: Observation
    view: TextualMap
    memory: EntityMemory
    strategy: Strategy
    critique: str | None = None


class Critique(BaseModel):
    """Why something came to nothing, and what to do instead."""

    reasoning: str = ""
    critique: str


class Game(Mindreading, Protocol):
    """One game as one player plays it through an episode: what happens, what it means, and what can be done.

    subgoals: the functions a plan may call. ready_mark: what a player wears, or a thing shows, that is ready to be
    interacted with; None where all are.
    """

    @property
    def layout(self) -> Layout: ...

    @property
    def subgoals(self) -> Sequence[str]: ...

    @property
    def ready_mark(self) -> str | None: ...

    def read(self, observation: Observation, view: TextualMap, memory: EntityMemory) -> Sequence[Event]:
        """What has happened, by the latest frame; to be called with every frame, once it is remembered."""
        ...

    def inventory(self, observation: Observation, view: TextualMap) -> Counts: ...

    def is_loaded(self, observation: Observation) -> bool:
        """Whether the beam can fire now."""
        ...

    def is_idle(self, view: TextualMap) -> bool:
        """Whether nothing can be done."""
        ...

    def ask_plan(self, briefing: Briefing) -> Question[Any]:
        """How to carry out a strategy from here."""
        ...

    def default_plan(self, view: TextualMap) -> Sequence[Subgoal]:
        """What to do where no valid plan came."""
        ...

    def ask_critique(self, briefing: Briefing, failed: Subgoal) -> Question[Critique] | None:
        """Why a subgoal came to nothing; None where the game has nothing that could."""
        ...
