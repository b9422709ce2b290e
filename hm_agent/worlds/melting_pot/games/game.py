"""What a game has to tell: the one place where the meaning of a substrate lives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy.typing as npt
from pydantic import BaseModel

from hm_agent.agents.reflection import Critique
from hm_agent.core import Event, Interaction, Observation
from hm_agent.questions import Question
from hm_agent.theory_of_mind.mind import Mind
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.grid import Layout
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.planning.subgoals import Functions, Names, PreviousPlan, Subgoal

View = Mapping[str, npt.NDArray[Any]]
"""The permitted observations of one player by name, e.g. RGB (H, W, 3) uint8."""


@dataclass(frozen=True, slots=True)
class PlanContext:
    """What a plan is made from.

    strategy: the game's own. history: the interactions, for agents that leave to planning what to make of them.
    critiques: of earlier plans, the latest last. because: why a plan is asked for, in words. previous: None at first.
    """

    observation: Observation[View]
    view: TextualMap
    memory: EntityMemory
    strategy: Any
    history: Sequence[Interaction] = ()
    critiques: Sequence[str] = ()
    because: str = ""
    previous: PreviousPlan | None = None


@dataclass(frozen=True, slots=True)
class PlanOutcome:
    """A plan and its outcome.

    question: the one it answered. failed: the subgoal that failed and so ended the plan. reward: the sum of all rewards
    since the plan was made.
    """

    question: Question[Any]
    plan: Sequence[Subgoal]
    failed: Subgoal | None
    reward: float


class Game(Protocol):
    """One game as one player plays it through an episode. Building a question changes nothing.

    A class that extends it may leave out the methods with a body here.

    players: the names of the others. subgoals: the functions a plan may call. names: those that its calls may hold.
    ready_mark: the mark of a player that can be interacted with, or of a thing that is ready; None if all are.
    inferred_inventory: what the other player of the latest interaction held, if known. all_return: True if nobody is on
    the map while the own avatar is not, and all things are back after that.
    """

    layout: Layout
    players: Sequence[str]
    mind: Mind
    subgoals: Functions
    ready_mark: str | None
    all_return: bool

    @property
    def inferred_inventory(self) -> Counts | None:
        return None

    @property
    def names(self) -> Names:
        return Names()

    def read(self, observation: Observation[View], view: TextualMap, memory: EntityMemory) -> Sequence[Event]:
        """What has happened, by the latest frame; to be called with every frame, after the memory has taken it in."""
        ...

    def inventory(self, observation: Observation[View], view: TextualMap) -> Counts: ...

    def is_loaded(self, observation: Observation[View]) -> bool:
        """True if the beam can fire now."""
        ...

    def is_idle(self, view: TextualMap) -> bool:
        """True if no action has any effect now."""
        ...

    def is_armed(self, inventory: Counts) -> bool:
        """False if firing has no effect, because nothing has been collected yet."""
        return True

    def wanted(self, inventory: Counts, strategy: Any) -> frozenset[str]:
        """The kinds of things that the agent looks for by a strategy."""
        return frozenset()

    def unwanted(self, inventory: Counts) -> frozenset[str]:
        """The kinds of things of which one more would spoil an inventory."""
        return frozenset()

    def goes_on(self, rest: Sequence[Subgoal], inventory: Counts, strategy: Any) -> bool:
        """Whether what is left of a plan is the only plan that makes sense for a new strategy."""
        return False

    def leading(self, player: str) -> str | None:
        """The kind of which a player was seen to take most; None if that is unknown."""
        return None

    def forced_plan(self, context: PlanContext) -> Sequence[Subgoal]:
        """The plan if only one makes sense, so that nobody need be asked; else empty."""
        return ()

    def why_useless(self, station: Detection, held: str | None, moves: int) -> str | None:
        """Why a station in view can't be used after some more moves, in words; None if it may work.

        held: what the agent holds.
        """
        return None

    def why_replan(self, events: Sequence[Event], rest: Sequence[Subgoal], strategy: Any) -> str | None:
        """Why the running plan can't go on after what `read` has just told, in words; None if it can.

        rest: the current subgoal and those after it. strategy: the game's own, that the plan was made for.
        """
        ...

    def ask_plan(self, context: PlanContext) -> Question[Any]:
        """How to carry out the strategy from here."""
        ...

    def default_plan(self, view: TextualMap) -> Sequence[Subgoal]:
        """What to do if the model gives no valid plan."""
        ...

    def ask_critique(self, context: PlanContext, failed: Subgoal) -> Question[Critique] | None:
        """Why a subgoal failed; None if no subgoal of the game can fail so, or if the reason is known."""
        ...

    def remember_failure(self, failed: Subgoal, why: str | None) -> None:
        """Keeps a failure, so that no plan repeats it in the same state. why: None if it is not explained."""
        ...

    def ask_evaluation(self, context: PlanContext, outcome: PlanOutcome) -> Question[Critique]:
        """What a plan achieved, and what to do better."""
        ...


class PlanAnswer(BaseModel):
    """A few subgoals in order, each a function call."""

    reasoning: str = ""
    subgoals: list[str]
