"""The interface of a game, the only part of an agent that knows what happens in a substrate and what pays there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy.typing as npt

from hm_agent.agents.planning_body import LiteralProbes, NoProbes
from hm_agent.core import Event, Interaction, Observation
from hm_agent.questions import Question
from hm_agent.theory_of_mind.decision_questions import Critique, Plan, ReviewPlan
from hm_agent.theory_of_mind.mind import Mind
from hm_agent.theory_of_mind.situation import SeatSituation
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.grid import Layout, Move
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.planning.calls import Call, SubstratePlanRecord

View = Mapping[str, npt.NDArray[Any]]
"""The permitted observations of one player by name, e.g. RGB (H, W, 3) uint8."""
LED = "LED"
"""Beside them, the number of the move that the world makes for the player in this step, in place of its own."""


@dataclass(frozen=True, slots=True)
class PlanContext:
    """What a plan is made from.

    strategy: of the game's own class. history: the interactions if planning is to see them itself, else empty.
    critiques: the lessons from earlier plans, the latest last. because: why a plan is asked for, in words. previous:
    the plan before, None for the first plan.
    """

    observation: Observation[View]
    view: TextualMap
    memory: EntityMemory
    strategy: Any
    history: Sequence[Interaction] = ()
    critiques: Sequence[str] = ()
    because: str = ""
    previous: SubstratePlanRecord | None = None


@dataclass(frozen=True, slots=True)
class PlanOutcome:
    """A plan and its outcome.

    question: the question that the plan answered. failed: the call whose failure ended the plan, None if none
    failed. reward: the sum of all rewards since the plan was made.
    """

    question: Plan
    plan: Sequence[Call]
    failed: Call | None
    reward: float


def shared_fields(given: Any) -> dict[str, Any]:
    """The fields of a dataclass, for one that has more."""
    return {field.name: getattr(given, field.name) for field in fields(given)}


class Collection:
    """What the agent and others have collected, and what it still wants; this one: of a game where nothing is.

    all_return: True if no player is on the map while the agent's avatar is not, and all things are back when it
    returns.
    """

    all_return: bool = False

    @property
    def inferred_inventory(self) -> Counts | None:
        """What the other player of the latest interaction held; None if unknown."""
        return None

    def is_armed(self, inventory: Counts) -> bool:
        """False if firing has no effect, because nothing has been collected yet."""
        return True

    def wanted(self, inventory: Counts, strategy: Any) -> frozenset[str]:
        """The kinds of things that the agent still has to collect for a strategy."""
        return frozenset()

    def unwanted(self, inventory: Counts, strategy: Any) -> frozenset[str]:
        """The kinds of things of which one more would spoil an inventory for a strategy."""
        return frozenset()

    def goes_on(self, rest: Sequence[Call], inventory: Counts, strategy: Any) -> bool:
        """True if what is left of a plan is also the only plan that makes sense for a new strategy."""
        return False

    def leading(self, player: str) -> str | None:
        """The behaviour whose resource a player was seen to take most of; None if unknown."""
        return None

    def has_clear_lead(self, player: str) -> bool:
        """True if it is clear, and no slight clue, which resource a player was seen to take most of."""
        return False

    def count_taken(self, player: str, behaviour: str | None = None) -> int:
        """How many things, of one behaviour's resource or of all, a player is known to have taken."""
        return 0

    def expected_kind(self, strategy: Any) -> str | None:
        """The kind of thing that the other players are expected to collect; None if unknown, or if not all the same."""
        return None


class Game(Protocol):
    """One game as one player plays it through an episode.

    Building a question changes no state, but that a game may remember when and against what it last asked for a plan.

    A subclass may leave out the methods that have a body here.

    players: the names of the other players. ready_mark: the mark of a player that can be interacted with, or of a thing
    that is ready; None if all are.
    """

    layout: Layout
    players: Sequence[str]
    mind: Mind
    ready_mark: str | None
    collection: Collection
    probes: LiteralProbes[SeatSituation, Move] = NoProbes()

    def read(self, observation: Observation[View], view: TextualMap, memory: EntityMemory) -> Sequence[Event]:
        """Returns the events that the latest frame reveals. Call it for every frame, once the memory is up to date."""
        ...

    def inventory(self, observation: Observation[View], view: TextualMap) -> Counts: ...

    def is_loaded(self, observation: Observation[View]) -> bool:
        """True if the beam can fire now."""
        return True

    def is_idle(self, view: TextualMap) -> bool:
        """True if no action has any effect now."""
        ...

    def forced_plan(self, context: PlanContext) -> Sequence[Call]:
        """The plan if only one makes sense, so that no model has to be asked; else empty."""
        return ()

    def why_useless(self, station: Detection, held: str | None, moves: int) -> str | None:
        """Why using a station in view would do nothing, in words; None if it may work.

        held: what the agent holds. moves: how many more moves it makes before it uses the station.
        """
        return None

    def why_replan(self, events: Sequence[Event], rest: Sequence[Call], strategy: Any) -> str | None:
        """Why the running plan can't go on after the events that `read` has just returned, in words; None if it can.

        rest: the current call and those after it. strategy: the one that the plan was made for.
        """
        ...

    def ask_plan(self, context: PlanContext) -> Plan: ...

    def default_plan(self, view: TextualMap) -> Sequence[Call]:
        """The plan to follow if the model gives no valid one."""
        ...

    def ask_critique(self, context: PlanContext, failed: Call) -> Question[Critique] | None:
        """Asks why a call failed; None if failures of its kind need no explanation, or if the reason is known."""
        return None

    def remember_failure(self, failed: Call, why: str | None) -> None:
        """Remembers a failure, so that no plan repeats it in the same state. why: the reason, None if unknown."""
        return

    def ask_evaluation(self, context: PlanContext, outcome: PlanOutcome) -> ReviewPlan:
        """Asks what a plan achieved, and what to do better."""
        ...
