"""The body of agents that ask for plans: it notes what happens, asks for plans, and follows them call by call.

A world supplies its notes, which turn views into a situation and events, a follower, which carries out calls, and what
it asks of plans. Where strategies are words, the questions are shared (`written_body.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from hm_agent.agents.reflection import FinishedPlan, Reflector
from hm_agent.core import Body, Event, Interaction, Observation, Strategy
from hm_agent.models.prompts import phrase
from hm_agent.questions import UNSHOWN, Model, answer_or_none
from hm_agent.theory_of_mind.decision_questions import Plan
from hm_agent.theory_of_mind.mind import BasicMind
from hm_agent.theory_of_mind.mind_questions import AskProbes
from hm_agent.theory_of_mind.situation import Call, PlanRecord, SeatSituation

ViewT = TypeVar("ViewT")
ViewT_contra = TypeVar("ViewT_contra", contravariant=True)
ActionT = TypeVar("ActionT")
ActionT_co = TypeVar("ActionT_co", covariant=True)
ActionT_contra = TypeVar("ActionT_contra", contravariant=True)
SituationT = TypeVar("SituationT", bound=SeatSituation)
SituationT_co = TypeVar("SituationT_co", bound=SeatSituation, covariant=True)
SituationT_contra = TypeVar("SituationT_contra", bound=SeatSituation, contravariant=True)
StrategyT = TypeVar("StrategyT", bound=Strategy)
StrategyT_contra = TypeVar("StrategyT_contra", bound=Strategy, contravariant=True)


@dataclass(frozen=True, slots=True)
class PlanningState:
    """What an agent plans and knows after a step.

    plan: the latest plan. done: how many of its steps were carried out. call: the one being carried out. failed: the
    call that failed in this step. asked_because: why a plan was asked for in this step. over_because: why the plan is
    over, while the next one waits until the agent can act; None while it is followed. notes: what the world adds.
    """

    plan: Sequence[Call] = field(metadata=UNSHOWN)
    done: int
    call: Call | None
    failed: Call | None
    asked_because: str | None
    over_because: str | None = field(metadata=UNSHOWN)
    notes: object | None = None


class Notes(Protocol[ViewT_contra, SituationT_co, ActionT_contra]):
    """What one seat has noticed in an episode."""

    @property
    def situation(self) -> SituationT_co:
        """What the seat sees and knows after the latest view."""
        ...

    def read(self, observation: Observation[ViewT_contra]) -> Sequence[Event]:
        """Takes in a view; returns what has happened since the one before."""
        ...

    def led(self) -> Any:
        """The action that the world takes for the seat in this step; None in all other steps."""
        return None

    def note_action(self, action: ActionT_contra) -> None:
        """Takes in the action that the agent takes now."""
        return

    def shown(self, planning: PlanningState) -> object:
        """What recordings keep of a step: a frozen dataclass, by default the planning alone."""
        return planning

    def metrics(self) -> Mapping[str, float]:
        """The notes' own metrics."""
        return {}


class PlanFollower(Protocol[SituationT_contra, ActionT_co, StrategyT_contra]):
    """Carries out one plan after the other, call by call."""

    plan: Sequence[Call]
    """The latest plan; empty before the first one and without a usable one."""

    @property
    def record(self) -> PlanRecord:
        """How far the latest plan got."""
        ...

    @property
    def done(self) -> int:
        """How many steps of the latest plan were carried out."""
        return self.record.done

    @property
    def current(self) -> Call | None:
        """The call that is being carried out; None if there is none."""
        return None

    @property
    def failed(self) -> Call | None:
        """The call that the latest plan ended with because it can't be carried out; it is barred from coming first."""
        return None

    @property
    def why_ended(self) -> str:
        """Why the latest plan that a model was asked for is over, in words."""
        return phrase("agent/messages.j2", "used_up")

    def follow(self, plan: Sequence[Call], *, is_forced: bool = False) -> None:
        """Begins a plan. is_forced: True if no model was asked for it."""
        ...

    def observe(self, situation: SituationT_contra, events: Sequence[Event], because: str | None) -> str | None:
        """Takes in what the latest action led to; returns why a new plan is needed, in words, or None.

        because: why one is needed already, since the agent could not ask before.
        """
        ...

    def heed(self, strategy: StrategyT_contra, before: StrategyT_contra | None) -> str | None:
        """Takes in the strategy to follow; returns why the plan can't go on with it, in words, or None.

        before: the strategy up to now; None before the first.
        """
        ...

    def reflex(self, situation: SituationT_contra) -> ActionT_co | None:
        """The action of a step in which no plan matters, e.g. since no action has any effect; None in all others."""
        return None

    def forced_plan(
        self, situation: SituationT_contra, strategy: StrategyT_contra, because: str | None
    ) -> Sequence[Call]:
        """The plan if only one makes sense, so that no model is asked; else empty.

        because: why the plan before is interrupted, in words; None if it has come to its end.
        """
        return ()

    def default_plan(self, situation: SituationT_contra) -> Sequence[Call]:
        """The plan if a model gives none that can be used; empty: it waits, and a plan is asked for again."""
        return ()

    def next_action(self, situation: SituationT_contra) -> ActionT_co | None:
        """The action that carries the plan on, or that waits; None if the plan is over."""
        ...

    def last_resort(self, situation: SituationT_contra) -> ActionT_co:
        """The action if even a new plan leads to none, in a world where that can be."""
        raise AssertionError("every new plan leads to an action")


@dataclass(frozen=True, slots=True)
class PlanRequest(Generic[SituationT, StrategyT]):
    """What a plan is made from.

    history: the interactions that planning is shown beside the strategy. because: why a plan is asked for, in words.
    critiques: the lessons from earlier plans, the latest last. failed: the call that the plan before ended with because
    it can't be carried out.
    """

    situation: SituationT
    strategy: StrategyT
    history: Sequence[Interaction]
    because: str
    failed: Call | None
    critiques: Sequence[str] = ()


class PlanAsking(Protocol[SituationT, StrategyT]):
    """What is asked of plans in a world."""

    def ask(self, request: PlanRequest[SituationT, StrategyT]) -> Plan:
        """Asks for a plan."""
        ...

    def ended(self, request: PlanRequest[SituationT, StrategyT], reward: float) -> FinishedPlan | None:
        """The latest plan that was asked for, which is over; None without a usable one.

        request: for the next plan. reward: the sum since the latest one was made.
        """
        ...


class LiteralProbes(Protocol[SituationT_contra, ActionT_co]):
    """The literal questions of one seat: claims about what somebody knows, asked for the metrics alone."""

    choices: tuple[str, ...]
    """The possible answers."""

    def due(self, situation: SituationT_contra) -> Sequence[str]:
        """The claims to ask about now, in words; none in most steps."""
        return ()

    async def ask(self, model: Model, situation: SituationT_contra) -> ActionT_co | None:
        """Asks what is due; returns the action that gives the answers to the world, None if the agent goes on."""
        if not (claims := tuple(self.due(situation))):
            return None
        answer = await answer_or_none(model, AskProbes(situation, claims, self.choices))
        return self.take(answer.answers if answer else None)

    def take(self, answers: Sequence[str] | None) -> ActionT_co | None:
        """Takes in the answers to the claims that were due, None without a valid answer.

        Returns the action that gives them to the world, or None if the agent goes on playing in this step.
        """
        return None

    def metrics(self) -> Mapping[str, float]:
        return {}


class NoProbes(LiteralProbes[SituationT_contra, ActionT_co]):
    """Asks nothing: predictions of what others do next are what an agent says of their minds."""

    choices = ()


class PlanningBody(Body[ViewT, ActionT, StrategyT], Generic[ViewT, ActionT, SituationT, StrategyT]):
    """One agent through one episode.

    It notes what has happened, decides why a plan is needed, asks for it and follows it. mind: through which
    strategists ask about the others.
    """

    def __init__(
        self,
        notes: Notes[ViewT, SituationT, ActionT],
        follower: PlanFollower[SituationT, ActionT, StrategyT],
        plans: PlanAsking[SituationT, StrategyT],
        mind: BasicMind,
        model: Model,
        reflector: Reflector,
        probes: LiteralProbes[SituationT, ActionT],
    ) -> None:
        self._notes, self._follower, self._plans, self.mind = notes, follower, plans, mind
        self._model, self._reflector, self._probes = model, reflector, probes
        self._strategy: StrategyT | None = None
        self._because: str | None = phrase("agent/messages.j2", "begins")
        """Why a new plan is needed; None while the present one can go on."""
        self._asked_because: str | None = None
        self._failed: Call | None = None
        self._has_asked = False
        """True once a plan was asked for."""
        self._earned = 0.0
        """The sum of rewards since the latest plan was asked for."""

    def perceive(self, observation: Observation[ViewT]) -> Sequence[Event]:
        events = self._notes.read(observation)
        self._earned, self._asked_because, self._failed = self._earned + observation.reward, None, None
        self._because = self._follower.observe(self._notes.situation, events, self._because)
        return events

    def led(self) -> ActionT | None:
        action: ActionT | None = self._notes.led()
        if action is not None:
            self._notes.note_action(action)
        return action

    async def act(self, strategy: StrategyT, history: Sequence[Interaction]) -> ActionT:
        situation = self._notes.situation
        if (answers := await self._probes.ask(self._model, situation)) is not None:
            return answers
        outdated = self._follower.heed(strategy, self._strategy)
        self._because = self._because or outdated
        self._strategy, self.mind.strategy_now = strategy, strategy.words or None
        action = await self._choose(situation, strategy, history)
        self._notes.note_action(action)
        return action

    async def _choose(self, situation: SituationT, strategy: StrategyT, history: Sequence[Interaction]) -> ActionT:
        if (reflex := self._follower.reflex(situation)) is not None:
            return reflex
        action = self._follower.next_action(situation) if self._because is None else None
        if action is None:
            await self._plan(situation, strategy, history)
            action = self._follower.next_action(situation)
        return self._follower.last_resort(situation) if action is None else action

    async def _plan(self, situation: SituationT, strategy: StrategyT, history: Sequence[Interaction]) -> None:
        """Follows a new plan: the only one that makes sense, or one that the model is asked for after a reflection."""
        interrupted_by, self._because = self._because, None
        if forced := self._follower.forced_plan(situation, strategy, interrupted_by):
            self._follower.follow(forced, is_forced=True)
            return
        self._asked_because = because = interrupted_by or self._follower.why_ended
        self._failed = self._follower.failed
        request = PlanRequest(situation, strategy, history, because, self._failed)
        if self._has_asked and (ended := self._plans.ended(request, self._earned)):
            critiques = tuple(await self._reflector.reflect(ended))
            request = replace(request, critiques=critiques) if critiques else request
        question = self._plans.ask(request)
        answer = await answer_or_none(self._model, question)
        plan = question.read(answer) if answer else self._follower.default_plan(situation)
        self._follower.follow(plan)
        self._because = None if plan else phrase("agent/messages.j2", "no_plan")
        self._has_asked, self._earned = True, 0.0

    def state(self) -> object:
        return self._notes.shown(
            PlanningState(
                plan=self._follower.plan,
                done=self._follower.done,
                call=self._follower.current,
                failed=self._failed,
                asked_because=self._asked_because,
                over_because=self._because,
            )
        )

    def metrics(self) -> Mapping[str, float]:
        return {**self._notes.metrics(), **self._probes.metrics()}
