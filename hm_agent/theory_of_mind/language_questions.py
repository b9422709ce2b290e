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
from hm_agent.questions import WORDS_PATTERN, AnswerT, Forms, Question, Words, check_all, one_of, plan_of
from hm_agent.theory_of_mind.mind import HindsightAnswer, HypothesisAnswer, PlayerBelief
from hm_agent.theory_of_mind.revisions import (
    ANY,
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
    TypedStrategy,
)
from hm_agent.written_calls import CallError

BehaviourT = TypeVar("BehaviourT", bound=Behaviour)
StrategyT = TypeVar("StrategyT")
History = tuple[NoticedInteraction, ...]


def check_name(field: str, name: object, known: Sequence[object]) -> None:
    """Raises ValueError if a name in an answer is none of the known ones, which the message lists."""
    if name not in known:
        raise ValueError(phrase("agent/messages.j2", "unknown_name", field=field, name=str(name)[:60], known=known))


class SeatQuestion(Question[AnswerT]):
    """A question of a seat; the seat's situation narrows down what an answer may hold."""

    __slots__ = ()
    situation: SeatSituation

    @property
    def keys(self) -> Sequence[str]:
        return self.situation.keys

    @property
    def count_range(self) -> tuple[int, int] | None:
        return self.situation.count_range


@cache
def _with(kind: type[AnswerT], *parameters: Any) -> type[AnswerT]:
    answer: type[AnswerT] = kind[parameters]  # type: ignore[index]
    return answer


def answer_about(kind: type[AnswerT], situation: SeatSituation) -> type[AnswerT]:
    """The class of an answer for a world's behaviours, from one that is generic over them, e.g. `Foresight`."""
    return _with(kind, situation.behaviour)


def answer_deciding(kind: type[AnswerT], situation: SeatSituation) -> type[AnswerT]:
    """The same from one that is generic over behaviours and strategies, e.g. `Prediction`."""
    return _with(kind, situation.behaviour, situation.strategy)


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


class Prediction(Foresight[BehaviourT], Generic[BehaviourT, StrategyT]):
    """The same, and what to do about it; a strategy in words that is empty leaves the present one as it is."""

    strategy: StrategyT


@dataclass(frozen=True, slots=True)
class Predict(SeatQuestion[Foresight[Any]]):
    """What will another player do by each hypothesis (step 4), and what to do about it (step 5)?

    The last hypothesis is acted on. others: what is believed of the other players. strategy: the present one; None
    before the first. decides: False if no strategy is asked for, since more is to be predicted before, or since that is
    a question of its own. certain: True if the last hypothesis is known to be true.
    """

    template = "agent/predict.j2"
    situation: SeatSituation
    about: str
    history: History
    hypotheses: tuple[Hypothesis, ...]
    others: tuple[PlayerBelief, ...] = ()
    strategy: str | None = None
    decides: bool = True
    certain: bool = False

    @property
    def schema(self) -> type[BaseModel]:
        if self.decides:
            return answer_deciding(Prediction, self.situation)
        return answer_about(Foresight, self.situation)

    @property
    def forms(self) -> Forms:
        forms = {"player": one_of([self.about]), "next": forms_for_each(self.hypotheses)}
        decided = self.situation.strategy_forms(self.strategy) if self.decides else {}
        return {**self.situation.behaviour_forms(self.about), **forms, **decided}

    def check(self, answer: Foresight[Any]) -> None:
        check_all(
            lambda: check_for_each("next", answer.next, self.hypotheses),
            lambda: check_name("player", answer.player, [self.about]),
            *(partial(self.situation.check_behaviour, self.about, given) for given in answer.next),
            lambda: self._check_strategy(answer),
        )

    def _check_strategy(self, answer: Any) -> None:
        if self.decides:
            self.situation.check_strategy(answer.strategy, self.strategy)


class RevisedMind(RevisedHypothesis, Generic[BehaviourT]):
    """One hypothesis about another player, kept, reworded or new, and what it predicts."""

    next: BehaviourT


class RevisedBeliefs(BaseModel, Generic[BehaviourT, StrategyT]):
    """The hypotheses about one player with what each predicts, and what to do in view of all players."""

    reasoning: str = ""
    hypotheses: list[RevisedMind[BehaviourT]]
    strategy: StrategyT


@dataclass(frozen=True, slots=True)
class Revise(SeatQuestion[RevisedBeliefs[Any, Any]]):
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
        return answer_deciding(RevisedBeliefs, self.situation)

    @property
    def _counts(self) -> range:
        """How many hypotheses are wanted: before the first interaction there may be none."""
        if self.about is None:
            return NONE
        return SOME if self.history else ANY

    @property
    def forms(self) -> Forms:
        return {
            **self.situation.behaviour_forms(self.about),
            **revision_forms(self.hypotheses, self._counts),
            **self.situation.strategy_forms(self.strategy),
        }

    def check(self, answer: RevisedBeliefs[Any, Any]) -> None:
        checks: list[Callable[[], None]] = []
        if self.about is not None:
            foreseen = (revised.next for revised in answer.hypotheses)
            checks = [partial(self.situation.check_behaviour, self.about, given) for given in foreseen]
        check_all(
            lambda: check_revisions(answer.hypotheses, self.hypotheses, self._counts),
            *checks,
            lambda: self.situation.check_strategy(answer.strategy, self.strategy),
        )


class MindRead(BaseModel, Generic[BehaviourT]):
    """A hypothesis about another player, and what it predicts."""

    player: str
    hypothesis: Words
    next: BehaviourT


class MindsReadAnswer(BaseModel, Generic[BehaviourT, StrategyT]):
    """A hypothesis about each player that was met, and what to do about them."""

    reasoning: str = ""
    minds: list[MindRead[BehaviourT]]
    strategy: StrategyT


@dataclass(frozen=True, slots=True)
class ReadMinds(SeatQuestion[MindsReadAnswer[Any, Any]]):
    """By which rule does each player act, what does it do next, and what to do about it? (Vanilla Mind Prompting)

    All steps in one question (section 4.5). players: those that the agent has met, whose minds are read. history: the
    latest interactions with them. strategy: as in `Predict`.
    """

    template = "agent/read_minds.j2"
    situation: SeatSituation
    players: tuple[str, ...]
    history: History
    strategy: str | None = None

    @property
    def schema(self) -> type[BaseModel]:
        return answer_deciding(MindsReadAnswer, self.situation)

    @property
    def forms(self) -> Forms:
        return {
            **self.situation.behaviour_forms(None),
            "minds": {"maxItems": len(self.players)},
            "player": one_of(self.players),
            **self.situation.strategy_forms(self.strategy),
        }

    def check(self, answer: MindsReadAnswer[Any, Any]) -> None:
        check_all(
            *(partial(check_name, "player", mind.player, self.players) for mind in answer.minds),
            *(partial(self.situation.check_behaviour, mind.player, mind.next) for mind in answer.minds),
            lambda: self.situation.check_strategy(answer.strategy, self.strategy),
        )


# What to do


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
        return _with(StrategyAnswer, self.situation.strategy)

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
        return _with(StrategyAnswer, self.situation.strategy)

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
        self.situation.read_plan(answer.calls, self.barred_call)

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
            raise ValueError(phrase("agent/messages.j2", "answers_wanted", given=given, wanted=count))
        for choice in answer.answers:
            check_name("answers", choice, self.choices)
