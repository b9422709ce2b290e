"""The questions about what to do: strategies and plans; the same in every world.

Steps are those of Hypothetical Minds' appendix C.3. Every template is in prompts/agent/.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic

from pydantic import BaseModel

from hm_agent.core import Hypothesis
from hm_agent.models.prompts import phrase
from hm_agent.questions import WORDS_PATTERN, Forms, Question, Words, plan_of
from hm_agent.theory_of_mind.mind import Outcome, PlayerBelief
from hm_agent.theory_of_mind.seat_question import History, SeatQuestion, StrategyT, answer_with
from hm_agent.theory_of_mind.situation import (
    BarredCall,
    Call,
    NoticedInteraction,
    PlanRecord,
    SeatSituation,
    TypedStrategy,
)
from hm_agent.written_calls import CallError


class Critique(BaseModel):
    """What was wrong with a plan, and what to do instead."""

    reasoning: str = ""
    critique: Words


class HindsightAnswer(BaseModel):
    """Whether another strategy would have paid in a past interaction."""

    reasoning: str = ""
    outcome: Outcome


class StrategyAnswer(BaseModel, Generic[StrategyT]):
    """A strategy."""

    reasoning: str = ""
    strategy: StrategyT


@dataclass(frozen=True, slots=True)
class ChooseStrategy(SeatQuestion[StrategyAnswer[Any]]):
    """Which strategy to follow next? (step 5 by itself; PlanReAct, appendix D.3; HE + HR, appendix E)

    others: what is believed of the other players. strategy: the present one; None before the first. best: the earlier
    strategies that paid best, the best first. is_rule: True if the strategy is a rule in words, which may be followed
    again, so that the words can't be left empty.
    """

    template = "agent/choose_strategy.j2"
    situation: SeatSituation
    history: History
    strategy: str | None = None
    others: tuple[PlayerBelief, ...] = ()
    best: tuple[Hypothesis, ...] = ()
    is_rule: bool = True

    @property
    def schema(self) -> type[BaseModel]:
        return answer_with(StrategyAnswer, self.situation.strategy)

    @property
    def forms(self) -> Forms:
        rule = {} if self.situation.writes_strategy or not self.is_rule else {"words": {"pattern": WORDS_PATTERN}}
        return {**self.situation.strategy_forms(None), **rule}

    def check(self, answer: StrategyAnswer[Any]) -> None:
        given = answer.strategy
        self.situation.check_strategy(given, None)
        if self.is_rule and isinstance(given, TypedStrategy) and not given.words:
            raise ValueError(phrase("agent/messages.j2", "no_strategy"))


@dataclass(frozen=True, slots=True)
class FollowStrategy(SeatQuestion[StrategyAnswer[Any]]):
    """What does a strategy in words amount to now? (HE + HR, appendix E) Only where a strategy is more than words."""

    template = "agent/follow_strategy.j2"
    situation: SeatSituation
    history: History
    strategy: str

    @property
    def schema(self) -> type[BaseModel]:
        return answer_with(StrategyAnswer, self.situation.strategy)

    @property
    def forms(self) -> Forms:
        return self.situation.strategy_forms(self.strategy)

    def check(self, answer: StrategyAnswer[Any]) -> None:
        self.situation.check_strategy(answer.strategy, self.strategy)


@dataclass(frozen=True, slots=True)
class JudgeStrategy(Question[HindsightAnswer]):
    """What would an interaction have paid with another strategy? (HE + HR, appendix E) instead: that strategy."""

    template = "agent/judge_strategy.j2"
    schema = HindsightAnswer
    situation: SeatSituation
    interaction: NoticedInteraction
    instead: Any


class CallsAnswer(BaseModel):
    """A few calls in order."""

    reasoning: str = ""
    calls: list[str]


@dataclass(frozen=True, slots=True)
class Plan(SeatQuestion[CallsAnswer]):
    """What to do now? (Hypothetical Minds, section 3.2, subgoal module; appendix C.4)

    strategy: None for an agent that plans without a strategist. others: what a strategist believes of the others.
    history: the latest interactions, for an agent that draws its own conclusions. critiques: the lessons from earlier
    plans. because: why a plan is asked for. previous: the plan that is over; None before the first. barred: the call
    that has just failed, which may not come first.
    """

    template = "agent/plan.j2"
    schema = CallsAnswer
    situation: SeatSituation
    strategy: str | None
    others: tuple[PlayerBelief, ...]
    history: History
    critiques: tuple[str, ...]
    because: str
    previous: PlanRecord | None = None
    barred: BarredCall | None = None

    @property
    def forms(self) -> Forms:
        first, further = self.situation.call_patterns(self.barred_call)
        return {"calls": plan_of(first, further, self.situation.most_calls)}

    @property
    def barred_call(self) -> Call | None:
        """The call that may not come first; None if any may."""
        return self.barred.call if self.barred else None

    def check(self, answer: CallsAnswer) -> None:
        """Raises CallError for too many or invalid calls, and for a first call that can't be carried out now."""
        most = self.situation.most_calls
        if len(answer.calls) > most:
            raise CallError(phrase("agent/messages.j2", "too_many_calls", given=len(answer.calls), most=most))
        self.read(answer)

    def read(self, answer: CallsAnswer) -> tuple[Call, ...]:
        """The plan in an answer; raises CallError if it can't be carried out."""
        return self.situation.read_plan(answer.calls, self.barred_call)

    def usable_part(self, answer: CallsAnswer) -> CallsAnswer | None:
        """The calls before the first one that can't be carried out, in a world where they are of use without it."""
        part = self.situation.usable_part(answer.calls[: self.situation.most_calls], self.barred_call)
        return answer.model_copy(update={"calls": list(part)}) if part else None


@dataclass(frozen=True, slots=True)
class ReviewPlan(Question[Critique]):
    """How well did a plan do, and what to do better? (Reflexion's evaluator, appendix D.2)

    plan: the one that is over. because: why it ended, in words. reward: the sum from its beginning to its end. before:
    the situation at its beginning. history: the interactions since then, where the world tells them.
    """

    template = "agent/review_plan.j2"
    schema = Critique
    situation: SeatSituation
    plan: PlanRecord
    because: str
    reward: float
    before: SeatSituation
    history: History = ()


PLANNING = (Plan, ReviewPlan)
"""The kinds of questions that a new plan needs; all others are asked because of events."""
