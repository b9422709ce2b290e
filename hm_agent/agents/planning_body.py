"""The body of agents that think in language: it notes what happens, asks for plans, and follows them call by call.

A world supplies its notes, which turn views into a situation and events, and a follower, which carries out calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from hm_agent.agents.reflection import FinishedPlan, Reflector
from hm_agent.core import Body, Event, Interaction, Observation
from hm_agent.models.prompts import phrase
from hm_agent.questions import UNSHOWN, Model, answer_or_none
from hm_agent.theory_of_mind.language_questions import AskProbes, Plan, ReviewPlan
from hm_agent.theory_of_mind.situation import BarredCall, Call, PlanRecord, SeatSituation
from hm_agent.theory_of_mind.written_mind import WrittenMind, WrittenStrategy

ViewT = TypeVar("ViewT")
ViewT_contra = TypeVar("ViewT_contra", contravariant=True)
ActionT = TypeVar("ActionT")
ActionT_co = TypeVar("ActionT_co", covariant=True)
SituationT = TypeVar("SituationT", bound=SeatSituation)
SituationT_co = TypeVar("SituationT_co", bound=SeatSituation, covariant=True)
SituationT_contra = TypeVar("SituationT_contra", bound=SeatSituation, contravariant=True)


PLANNING = (Plan, ReviewPlan)
"""The kinds of questions that a new plan needs; all others are asked because of events."""


class Notes(Protocol[ViewT_contra, SituationT_co]):
    """What one seat has noticed in an episode."""

    @property
    def situation(self) -> SituationT_co:
        """What the seat sees and knows after the latest view."""
        ...

    def read(self, observation: Observation[ViewT_contra]) -> Sequence[Event]:
        """Takes in a view; returns what has happened since the one before."""
        ...

    def shown(self) -> object | None:
        """What recordings show of the notes beside the plan: a frozen dataclass; None for nothing."""
        return None

    def metrics(self) -> Mapping[str, float]:
        """The notes' own metrics."""
        return {}


class PlanFollower(Protocol[SituationT_contra, ActionT_co]):
    """Carries out one plan after the other, call by call."""

    plan: tuple[Call, ...]
    """The latest plan; empty before the first one and without a usable one."""

    @property
    def record(self) -> PlanRecord:
        """How far the latest plan got."""
        ...

    @property
    def current(self) -> Call | None:
        """The call that is being carried out; None if there is none."""
        return None

    @property
    def failed(self) -> Call | None:
        """The call that the latest plan ended with because it can't be carried out; it is barred from coming first."""
        return None

    def follow(self, plan: Sequence[Call]) -> None:
        """Begins a plan."""
        ...

    def observe(self, situation: SituationT_contra, events: Sequence[Event]) -> str | None:
        """Takes in what the latest action led to; returns why a new plan is needed, in words, or None."""
        ...

    def default_plan(self, situation: SituationT_contra) -> Sequence[Call]:
        """The plan if a model gives none that can be used; empty: it waits, and a plan is asked for again."""
        return ()

    def next_action(self, situation: SituationT_contra) -> ActionT_co:
        """The action that carries the plan on, or that waits."""
        ...


class LiteralProbes(Protocol[SituationT_contra, ActionT_co]):
    """The literal questions of one seat: claims about what somebody knows, asked for the metrics alone."""

    choices: tuple[str, ...]
    """The possible answers."""

    def due(self, situation: SituationT_contra) -> Sequence[str]:
        """The claims to ask about now, in words; none in most steps."""
        return ()

    def take(self, answers: Sequence[str] | None) -> ActionT_co | None:
        """Takes in the answers to the claims that were due, None without a valid answer.

        Returns the action that gives them to the world, or None if the agent goes on playing in this step.
        """
        return None

    def metrics(self) -> Mapping[str, float]:
        return {}


@dataclass(frozen=True, slots=True)
class PlanningState:
    """What an agent plans and knows after a step.

    plan: the latest plan. done: how many of its steps were carried out. call: the one being carried out. failed: the
    call that failed in this step. asked_because: why a plan was asked for in this step. notes: what the world shows.
    """

    plan: tuple[Call, ...] = field(metadata=UNSHOWN)
    done: int
    call: Call | None
    failed: Call | None
    asked_because: str | None
    notes: object | None


class PlanningBody(Body[ViewT, ActionT, WrittenStrategy], Generic[ViewT, ActionT, SituationT]):
    """One agent through one episode. players: the names of the others."""

    def __init__(
        self,
        notes: Notes[ViewT, SituationT],
        follower: PlanFollower[SituationT, ActionT],
        players: Sequence[str],
        model: Model,
        reflector: Reflector,
        probes: LiteralProbes[SituationT, ActionT],
    ) -> None:
        self._notes, self._follower, self.mind = notes, follower, WrittenMind(players, notes)
        self._model, self._reflector, self._probes = model, reflector, probes
        self._strategy: WrittenStrategy | None = None
        self._because: str | None = phrase("agent/reasons.j2", "begins")
        """Why a new plan is needed; None while the present one can go on."""
        self._asked_because: str | None = None
        self._failed: Call | None = None
        self._planned_on: SituationT | None = None
        """The situation for which the latest plan was made; None before the first."""
        self._earned = 0.0
        """The sum of rewards since the latest plan was made."""

    def perceive(self, observation: Observation[ViewT]) -> Sequence[Event]:
        events = self._notes.read(observation)
        self._earned, self._asked_because, self._failed = self._earned + observation.reward, None, None
        if self._planned_on is not None:
            because = self._follower.observe(self._notes.situation, events)
            self._because = self._because or because
        return events

    async def act(self, strategy: WrittenStrategy, history: Sequence[Interaction]) -> ActionT:
        situation = self._notes.situation
        if claims := tuple(self._probes.due(situation)):
            answer = await answer_or_none(self._model, AskProbes(situation, claims, self._probes.choices))
            if (action := self._probes.take(answer.answers if answer else None)) is not None:
                return action
        if self._strategy is not None:
            self._because = self._because or strategy.why_replan(self._strategy)
        self._strategy, self.mind.strategy_now = strategy, strategy.words or None
        if self._because is not None:
            await self._ask_for_plan(situation, strategy, history, self._because)
        return self._follower.next_action(situation)

    async def _ask_for_plan(
        self, situation: SituationT, strategy: WrittenStrategy, history: Sequence[Interaction], because: str
    ) -> None:
        """Replaces the plan, after a reflection on it."""
        self._asked_because, self._failed = because, self._follower.failed
        record = self._follower.record if self._follower.plan else None
        critiques: Sequence[str] = ()
        if record is not None and self._planned_on is not None:
            evaluation = ReviewPlan(situation, record, because, self._earned, self._planned_on)
            critiques = await self._reflector.reflect(_EndedPlan(evaluation))
        question = Plan(
            situation=situation,
            strategy=strategy.words or None,
            others=strategy.others,
            history=self.mind.noticed(history),
            critiques=tuple(critiques),
            because=because,
            previous=record,
            barred=BarredCall(self._failed, because) if self._failed is not None else None,
        )
        answer = await answer_or_none(self._model, question)
        default = self._follower.default_plan
        plan = situation.read_plan(answer.calls, question.barred_call) if answer else default(situation)
        self._follower.follow(plan)
        self._because = None if plan else phrase("agent/reasons.j2", "no_plan")
        self._planned_on, self._earned = situation, 0.0

    def state(self) -> PlanningState:
        return PlanningState(
            plan=self._follower.plan,
            done=self._follower.record.done,
            call=self._follower.current,
            failed=self._failed,
            asked_because=self._asked_because,
            notes=self._notes.shown(),
        )

    def metrics(self) -> Mapping[str, float]:
        return {**self._notes.metrics(), **self._probes.metrics()}


@dataclass(frozen=True, slots=True)
class _EndedPlan(FinishedPlan):
    """A plan that is over, about which reflectors ask. The world itself says why a call failed, so nobody is asked."""

    evaluation: ReviewPlan

    def ask_evaluation(self) -> ReviewPlan:
        return self.evaluation
