"""What a game has to tell: the one place where a substrate's meaning lives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from pydantic import BaseModel

from hm_agent.core import Counts, Event, Interaction, Observation, Strategy
from hm_agent.questions import Question, Words
from hm_agent.theory_of_mind.by_reward import Strategising
from hm_agent.theory_of_mind.module import Mindreading
from hm_agent.theory_of_mind.vanilla import MindPrompting
from hm_agent.worlds.melting_pot.grid import Layout
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.planning.subgoals import Subgoal


class Inference(StrEnum):
    """How the other's inventory is found: by exact calculation, or by asking the model as the paper does."""

    EXACT = "exact"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class PlanContext:
    """What a plan is made on.

    history: what happened with others, where planning is to make of it what it can. critiques: what was learnt from
    earlier plans, the latest last.
    """

    observation: Observation
    view: TextualMap
    memory: EntityMemory
    strategy: Strategy
    history: Sequence[Interaction] = ()
    critiques: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class PlanOutcome:
    """A plan and what came of it.

    question: what it answered, with all that was known then. failed: the subgoal that came to nothing and so ended it.
    reward: all that was paid since it was made.
    """

    question: Question[Any]
    plan: Sequence[Subgoal]
    failed: Subgoal | None
    reward: float


class Critique(BaseModel):
    """Why something came to nothing, and what to do instead."""

    reasoning: str = ""
    critique: Words


class Mind(Mindreading, MindPrompting, Strategising, Protocol):
    """What a game has to ask of all kinds of strategists."""


class Game(Protocol):
    """One game as one player plays it through an episode: what happens, what it means, and what can be done.

    subgoals: the functions a plan may call. ready_mark: what a player wears, or a thing shows, that is ready to be
    interacted with; None where all are.
    """

    @property
    def layout(self) -> Layout: ...

    @property
    def players(self) -> Sequence[str]:
        """The names of the others."""
        ...

    @property
    def mind(self) -> Mind: ...

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

    def ask_plan(self, briefing: PlanContext) -> Question[Any]:
        """How to carry out a strategy from here."""
        ...

    def default_plan(self, view: TextualMap) -> Sequence[Subgoal]:
        """What to do where no valid plan came."""
        ...

    def ask_critique(self, briefing: PlanContext, failed: Subgoal) -> Question[Critique] | None:
        """Why a subgoal came to nothing; None where the game has nothing that could."""
        ...

    def ask_evaluation(self, briefing: PlanContext, attempt: PlanOutcome) -> Question[Critique]:
        """What a plan came to, and what to do better."""
        ...
