"""The questions of agents that think in language, the same in every world; a world fills the blocks of their prompts.

Steps are those of Hypothetical Minds' appendix C.3. Every template is in prompts/agent/.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from hm_agent.agents.reflection import Critique
from hm_agent.core import Hypothesis
from hm_agent.models.prompts import phrase
from hm_agent.questions import WORDS_PATTERN, AnswerT, Forms, Question, Remark, Words, check_all, one_of, plan_of
from hm_agent.theory_of_mind.mind import HypothesisAnswer, PlayerBelief
from hm_agent.theory_of_mind.revisions import (
    NONE,
    SOME,
    RevisedHypothesis,
    check_for_each,
    check_revisions,
    forms_for_each,
    revision_forms,
)
from hm_agent.theory_of_mind.situation import (
    BarredCall,
    Behaviour,
    Call,
    NoticedInteraction,
    PlanRecord,
    SeatSituation,
)
from hm_agent.written_calls import CallError

BehaviourT = TypeVar("BehaviourT", bound=Behaviour)
History = tuple[NoticedInteraction, ...]


def check_name(field: str, name: object, known: Sequence[object]) -> None:
    """Raises ValueError if a name in an answer is none of the known ones, which the message lists."""
    if name not in known:
        raise ValueError(phrase("agent/refusals.j2", "unknown_name", field=field, name=str(name)[:60], known=known))


# What others are like


@dataclass(frozen=True, slots=True)
class Propose(Question[HypothesisAnswer]):
    """By which rule does another player act? (step 3)

    history: the latest interactions with it. best: the earlier hypotheses that predicted best, the best first.
    """

    template = "agent/propose.j2"
    schema = HypothesisAnswer
    situation: SeatSituation
    about: str
    history: History
    best: tuple[Hypothesis, ...]


class Foresight(BaseModel, Generic[BehaviourT]):
    """What another player does next by each hypothesis, in their order; one behaviour without any."""

    reasoning: str = ""
    player: str
    next: list[BehaviourT]


class Prediction(Foresight[BehaviourT], Generic[BehaviourT]):
    """The same, and what to do about it; an empty strategy leaves the present one as it is."""

    strategy: Remark


@cache
def answer_about(kind: type[AnswerT], behaviour: type[Behaviour]) -> type[AnswerT]:
    """The class of an answer for a world's behaviours, from one that is generic over them, e.g. `Prediction`."""
    answer: type[AnswerT] = kind[behaviour]  # type: ignore[index]
    return answer


@dataclass(frozen=True, slots=True)
class Predict(Question[Foresight[Any]]):
    """What will another player do by each hypothesis (step 4), and what to do about it (step 5)?

    The last hypothesis is acted on. others: what is believed of the other players. strategy: the present one; None
    before the first. decides: False if no strategy is asked for, since more is to be predicted before.
    """

    template = "agent/predict.j2"
    situation: SeatSituation
    about: str
    history: History
    hypotheses: tuple[Hypothesis, ...]
    others: tuple[PlayerBelief, ...] = ()
    strategy: str | None = None
    decides: bool = True

    @property
    def schema(self) -> type[BaseModel]:
        return answer_about(Prediction if self.decides else Foresight, self.situation.behaviour)

    @property
    def forms(self) -> Forms:
        forms = {"player": one_of([self.about]), "next": forms_for_each(self.hypotheses)}
        return {**self.situation.behaviour_forms(self.about), **forms, **_strategy_forms(self.strategy)}

    def check(self, answer: Foresight[Any]) -> None:
        check_all(
            lambda: check_for_each("next", answer.next, self.hypotheses),
            lambda: check_name("player", answer.player, [self.about]),
            *(partial(self.situation.check_behaviour, self.about, given) for given in answer.next),
            lambda: _check_strategy(answer, self.strategy),
        )


class RevisedMind(RevisedHypothesis, Generic[BehaviourT]):
    """One hypothesis about another player, kept, reworded or new, and what it predicts."""

    next: BehaviourT


class RevisedBeliefs(BaseModel, Generic[BehaviourT]):
    """The hypotheses about one player with what each predicts, and what to do in view of all players."""

    reasoning: str = ""
    hypotheses: list[RevisedMind[BehaviourT]]
    strategy: Remark


@dataclass(frozen=True, slots=True)
class Revise(Question[RevisedBeliefs[Any]]):
    """Which hypotheses about a player to keep, reword or add, what does each predict, and what to do in view of all?

    about: None if nothing new is known of anybody, so that no hypothesis is wanted. hypotheses: all that are kept about
    it, the oldest first. others, strategy: as in `Predict`.
    """

    template = "agent/revise.j2"
    situation: SeatSituation
    about: str | None
    history: History
    hypotheses: tuple[Hypothesis, ...]
    others: tuple[PlayerBelief, ...]
    strategy: str | None = None

    @property
    def schema(self) -> type[BaseModel]:
        return answer_about(RevisedBeliefs, self.situation.behaviour)

    @property
    def _counts(self) -> range:
        return NONE if self.about is None else SOME

    @property
    def forms(self) -> Forms:
        return {
            **self.situation.behaviour_forms(self.about),
            **revision_forms(self.hypotheses, self._counts),
            **_strategy_forms(self.strategy),
        }

    def check(self, answer: RevisedBeliefs[Any]) -> None:
        checks: list[Callable[[], None]] = []
        if self.about is not None:
            foreseen = (revised.next for revised in answer.hypotheses)
            checks = [partial(self.situation.check_behaviour, self.about, given) for given in foreseen]
        check_all(
            lambda: check_revisions(answer.hypotheses, self.hypotheses, self._counts),
            *checks,
            lambda: _check_strategy(answer, self.strategy),
        )


def _strategy_forms(present: str | None) -> Forms:
    """The JSON schema keywords of a strategy, which may be left empty only if there is one already."""
    return {} if present else {"strategy": {"pattern": WORDS_PATTERN}}


def _check_strategy(answer: BaseModel, present: str | None) -> None:
    """Raises ValueError if an answer leaves a strategy as it is before there is one."""
    if not getattr(answer, "strategy", present) and not present:
        raise ValueError(phrase("agent/refusals.j2", "no_strategy"))


# What to do


class WrittenStrategyAnswer(BaseModel):
    """A strategy in words."""

    reasoning: str = ""
    strategy: Words


@dataclass(frozen=True, slots=True)
class ChooseStrategy(Question[WrittenStrategyAnswer]):
    """Which strategy to follow next? (PlanReAct, appendix D.3) strategy: the present one; None before the first."""

    template = "agent/choose_strategy.j2"
    schema = WrittenStrategyAnswer
    situation: SeatSituation
    history: History
    strategy: str | None = None


class CallsAnswer(BaseModel):
    """A few calls in order."""

    reasoning: str = ""
    calls: list[str]


@dataclass(frozen=True, slots=True)
class Plan(Question[CallsAnswer]):
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
            raise CallError(phrase("agent/refusals.j2", "too_many_calls", given=len(answer.calls), most=most))
        self.situation.read_plan(answer.calls, self.barred_call)


@dataclass(frozen=True, slots=True)
class ReviewPlan(Question[Critique]):
    """How well did a plan do, and what to do better? (Reflexion's evaluator, appendix D.2)

    plan: the one that is over. because: why it ended, in words. reward: the sum from its beginning to its end. before:
    the situation at its beginning.
    """

    template = "agent/review_plan.j2"
    schema = Critique
    situation: SeatSituation
    plan: PlanRecord
    because: str
    reward: float
    before: SeatSituation


# What others know


class ProbesAnswer(BaseModel):
    """An answer to each claim, in their order."""

    reasoning: str = ""
    answers: list[str]


@dataclass(frozen=True, slots=True)
class AskProbes(Question[ProbesAnswer]):
    """Does each claim about what somebody knows hold? Asked for the metrics alone (literal Theory of Mind).

    claims: the questions in words, e.g. `Does player_1 know 2 now?`. choices: the possible answers.
    """

    template = "agent/probe.j2"
    schema = ProbesAnswer
    situation: SeatSituation
    claims: tuple[str, ...]
    choices: tuple[str, ...]

    @property
    def forms(self) -> Forms:
        count = len(self.claims)
        return {"answers": {"items": one_of(self.choices), "minItems": count, "maxItems": count}}

    def check(self, answer: ProbesAnswer) -> None:
        count, given = len(self.claims), len(answer.answers)
        if given != count:
            raise ValueError(phrase("agent/refusals.j2", "answers_wanted", given=given, wanted=count))
        for choice in answer.answers:
            check_name("answers", choice, self.choices)
