"""How the built-in reasoner answers the questions of agents that think in language, in any world.

A world says which rules it tries, what each foresees, and what is best to do; the answers' form is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp
from typing import Any, Generic, TypeVar

from hm_agent.core import Hypothesis
from hm_agent.models.builtin import ReasonerTable
from hm_agent.theory_of_mind.decision_questions import (
    CallsAnswer,
    ChooseStrategy,
    Critique,
    Plan,
    ReviewPlan,
    StrategyAnswer,
)
from hm_agent.theory_of_mind.mind_questions import (
    AskProbes,
    Foresight,
    HypothesisAnswer,
    MindRead,
    MindsReadAnswer,
    Predict,
    Prediction,
    ProbesAnswer,
    Propose,
    ReadMinds,
    Revise,
    RevisedBeliefs,
    RevisedMind,
)
from hm_agent.theory_of_mind.odds import LikelyRule
from hm_agent.theory_of_mind.odds_questions import (
    MOST_RULES,
    ChancesAnswer,
    ForeseeingRule,
    ForeseenBehaviour,
    GiveChances,
    OddsAnswer,
    RuleChances,
)
from hm_agent.theory_of_mind.seat_question import answer_about, answer_deciding
from hm_agent.theory_of_mind.situation import Behaviour, SeatSituation

KEPT = 3
"""How many hypotheses about a player a revision keeps."""
OPEN, SURE = 0.1, 0.9
"""The chance that a player does what no rule foresees, and that it knows what it is taken to know."""

SituationT = TypeVar("SituationT", bound=SeatSituation)


@dataclass(frozen=True)
class WrittenReasoner(Generic[SituationT]):
    """One world's calculations.

    situation: the class of its situations. weigh: the rules by which a player may act, in words, each with the
    logarithm of its weight, from the situation, the player and the interactions with it. foresee: what the player does
    next by a rule in words; None and words of no rule stand for a rule of its choice. strategy: what to do, in words.
    calls: the plan that a question asks for, without the call that has just failed at its beginning. review: a critique
    of a plan that is over. probes: the answers to the claims that are asked about. knows: those of the things that a
    player may know that it knows. trust: about how often its predictions come true. keeps_all: True if situations keep
    all that was seen of a player; else a question shows a part, and the values of earlier hypotheses count like
    evidence.
    """

    situation: type[SituationT]
    weigh: Callable[[SituationT, str, Sequence[Any]], Mapping[str, float]]
    foresee: Callable[[str | None, SituationT, str, Sequence[Any]], Behaviour]
    strategy: Callable[[SituationT], str]
    calls: Callable[[SituationT, Plan], Sequence[str]]
    review: Callable[[ReviewPlan], str]
    probes: Callable[[SituationT, Sequence[str]], Sequence[str]] = lambda situation, claims: ()
    knows: Callable[[SituationT, str], Collection[str]] = lambda situation, about: ()
    trust: float = 0.7
    keeps_all: bool = False

    @property
    def answers(self) -> ReasonerTable:
        """The function that answers each question."""
        return {
            Propose: self._propose,
            Predict: self._predict,
            Revise: self._revise,
            ReadMinds: self._read_minds,
            ChooseStrategy: lambda question: StrategyAnswer(strategy=self.strategy(self._of(question))),
            GiveChances: self._give_chances,
            Plan: lambda question: CallsAnswer(calls=list(self.calls(self._of(question), question))),
            ReviewPlan: lambda question: Critique(critique=self.review(question)),
            AskProbes: lambda question: ProbesAnswer(answers=list(self.probes(self._of(question), question.claims))),
        }

    def _of(self, question: Any) -> SituationT:
        assert isinstance(question.situation, self.situation)
        return question.situation

    def _ranked(
        self, situation: SituationT, about: str, history: Sequence[Any], earlier: Sequence[Hypothesis]
    ) -> Sequence[str]:
        """The rules in words, the likeliest first."""
        weights = self.weigh(situation, about, history)
        values = {} if self.keeps_all else {hypothesis.words: hypothesis.value for hypothesis in earlier}
        return sorted(weights, key=lambda words: weights[words] + values.get(words, 0.0), reverse=True)

    def _propose(self, question: Propose) -> HypothesisAnswer:
        ranked = self._ranked(self._of(question), question.about, question.history, question.best)
        return HypothesisAnswer(hypothesis=ranked[0])

    def _predict(self, question: Predict) -> Foresight[Any]:
        situation, about = self._of(question), question.about
        beliefs: list[str | None] = [hypothesis.words for hypothesis in question.hypotheses]
        foreseen = [self.foresee(belief, situation, about, question.history) for belief in beliefs or [None]]
        if question.decides:
            deciding: type[Prediction[Any, Any]] = answer_deciding(Prediction, situation)
            return deciding(player=about, next=foreseen, strategy=self.strategy(situation))
        foresight: type[Foresight[Any]] = answer_about(Foresight, situation)
        return foresight(player=about, next=foreseen)

    def _read_minds(self, question: ReadMinds) -> MindsReadAnswer[Any, Any]:
        situation = self._of(question)
        kind: type[MindsReadAnswer[Any, Any]] = answer_deciding(MindsReadAnswer, situation)
        mind: type[MindRead[Any]] = answer_about(MindRead, situation)
        minds = []
        for player in question.players:
            history = [each for each in question.history if each.partner == player]
            if history:
                (rule, *_) = self._ranked(situation, player, history, ())
                minds.append(mind(player=player, hypothesis=rule, next=self.foresee(rule, situation, player, history)))
        return kind(minds=minds, strategy=self.strategy(situation))

    def _revise(self, question: Revise) -> RevisedBeliefs[Any, Any]:
        """Keeps the `KEPT` likeliest rules, the likeliest last; those among the hypotheses by their numbers."""
        situation, about = self._of(question), question.about
        kind: type[RevisedBeliefs[Any, Any]] = answer_deciding(RevisedBeliefs, situation)
        revised: type[RevisedMind[Any]] = answer_about(RevisedMind, situation)
        hypotheses = []
        if about is not None:
            numbers = {hypothesis.words: place for place, hypothesis in enumerate(question.hypotheses, 1)}
            for words in reversed(self._ranked(situation, about, question.history, question.hypotheses)[:KEPT]):
                of, then = numbers.get(words, 0), self.foresee(words, situation, about, question.history)
                hypotheses.append(revised(of=of, hypothesis="" if of else words, next=then))
        return kind(hypotheses=hypotheses, strategy=self.strategy(situation))

    def _give_chances(self, question: GiveChances) -> ChancesAnswer[Any]:
        """The likeliest rules, each with what it foresees; what all others foresee shares most of the rest."""
        situation, about, history = self._of(question), question.about, question.history
        weights = self.weigh(situation, about, history)
        kind: type[ChancesAnswer[Any]] = answer_about(ChancesAnswer, situation)
        told: type[ForeseeingRule[Any]] = answer_about(ForeseeingRule, situation)
        foreseen: type[ForeseenBehaviour[Any]] = answer_about(ForeseenBehaviour, situation)
        best, ranked = max(weights.values()), self._ranked(situation, about, history, ())[: question.most]
        behaviours = {words: self.foresee(words, situation, about, history) for words in ranked}
        distinct = {behaviour.words: behaviour for behaviour in behaviours.values()}
        rules = []
        for words, behaviour in behaviours.items():
            others = [each for name, each in distinct.items() if name != behaviour.words]
            each_other = round(100 * (1 - self.trust - OPEN) / max(1, len(others)))
            next_ones = [(behaviour, round(100 * self.trust)), *((other, each_other) for other in others)]
            rules.append(
                told(
                    rule=words,
                    share=max(1, round(100 * exp(weights[words] - best))),
                    next=[foreseen(behaviour=each, chance=chance) for each, chance in next_ones],
                )
            )
        known = self.knows(situation, about)
        knows = [round(100 * (SURE if thing in known else 1 - SURE)) for thing in question.things]
        return kind(rules=rules, knows=knows)


def odds_of(rules: Sequence[LikelyRule]) -> OddsAnswer:
    """The answer with the likeliest of these rules, the likeliest first.

    Those that foresee the same are told as one.
    """
    alike: dict[LikelyRule, LikelyRule] = {}
    for rule in rules:
        foreseen = replace(rule, words="", share=0.0)
        before = alike.get(foreseen)
        alike[foreseen] = replace(before, share=before.share + rule.share) if before else rule
    likeliest = sorted(alike.values(), key=lambda rule: rule.share, reverse=True)[:MOST_RULES]
    total = sum(rule.share for rule in likeliest)
    return OddsAnswer(rules=[RuleChances.of(replace(rule, share=rule.share / total)) for rule in likeliest])
