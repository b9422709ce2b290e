"""The body of agents whose strategies are words, in any world: the planning body with the shared questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hm_agent.agents.planning_body import (
    ActionT,
    ActionT_co,
    LiteralProbes,
    Notes,
    PlanAsking,
    PlanFollower,
    PlanningBody,
    PlanRequest,
    SituationT,
    SituationT_contra,
    ViewT,
)
from hm_agent.agents.reflection import FinishedPlan, Reflector
from hm_agent.questions import Model
from hm_agent.theory_of_mind.decision_questions import Plan, ReviewPlan
from hm_agent.theory_of_mind.situation import BarredCall, Call, PlanRecord
from hm_agent.theory_of_mind.written_mind import WrittenMind, WrittenStrategy


class WrittenFollower(PlanFollower[SituationT_contra, ActionT_co, WrittenStrategy]):
    """Carries out plans for strategies in words, one call after the other."""

    def __init__(self) -> None:
        self.plan: tuple[Call, ...] = ()
        self._done = 0
        """How many calls of the plan were carried out."""
        self._failed: Call | None = None

    @property
    def record(self) -> PlanRecord:
        return PlanRecord(self.plan, self._done, len(self.plan), self.plan[self._done :])

    @property
    def failed(self) -> Call | None:
        return self._failed

    def follow(self, plan: Sequence[Call], *, is_forced: bool = False) -> None:
        self.plan, self._done, self._failed = tuple(plan), 0, None

    def heed(self, strategy: WrittenStrategy, before: WrittenStrategy | None) -> str | None:
        return strategy.why_replan(before) if before else None


class WrittenPlans(PlanAsking[SituationT, WrittenStrategy]):
    """Asks for plans, and about those that are over, in the shared words."""

    def __init__(self, follower: PlanFollower[SituationT, ActionT, WrittenStrategy], mind: WrittenMind) -> None:
        self._follower, self._mind = follower, mind
        self._asked_on: SituationT
        """The situation for which the latest plan was made."""

    @property
    def _record(self) -> PlanRecord | None:
        return self._follower.record if self._follower.plan else None

    def ask(self, request: PlanRequest[SituationT, WrittenStrategy]) -> Plan:
        self._asked_on = request.situation
        return Plan(
            situation=request.situation,
            strategy=request.strategy.words or None,
            others=request.strategy.others,
            history=self._mind.noticed(request.history),
            critiques=tuple(request.critiques),
            because=request.because,
            previous=self._record,
            barred=None if request.failed is None else BarredCall(request.failed, request.because),
        )

    def ended(self, request: PlanRequest[SituationT, WrittenStrategy], reward: float) -> FinishedPlan | None:
        if (record := self._record) is None:
            return None
        return _EndedPlan(ReviewPlan(request.situation, record, request.because, reward, self._asked_on))


@dataclass(frozen=True, slots=True)
class _EndedPlan(FinishedPlan):
    """A plan that is over, about which reflectors ask. The world itself says why a call failed, so nobody is asked."""

    evaluation: ReviewPlan

    def ask_evaluation(self) -> ReviewPlan:
        return self.evaluation


WrittenBody: TypeAlias = PlanningBody[ViewT, ActionT, SituationT, WrittenStrategy]


def written_body(
    notes: Notes[ViewT, SituationT, ActionT],
    follower: PlanFollower[SituationT, ActionT, WrittenStrategy],
    mind: WrittenMind,
    model: Model,
    reflector: Reflector,
    probes: LiteralProbes[SituationT, ActionT],
) -> WrittenBody[ViewT, ActionT, SituationT]:
    """The body of one seat."""
    return PlanningBody(notes, follower, WrittenPlans(follower, mind), mind, model, reflector, probes)
