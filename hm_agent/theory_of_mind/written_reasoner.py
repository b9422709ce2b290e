"""How the built-in reasoner answers the questions of agents that think in language, in any world.

A world says which rules it tries, what each foresees, and what is best to do; the answers' form is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from hm_agent.agents.reflection import Critique
from hm_agent.core import Hypothesis
from hm_agent.models.builtin import ReasonerTable
from hm_agent.theory_of_mind.language_questions import (
    MOST_RULES,
    AskProbes,
    CallsAnswer,
    ChooseStrategy,
    Foresight,
    MindRead,
    MindsReadAnswer,
    OddsAnswer,
    Plan,
    Predict,
    Prediction,
    ProbesAnswer,
    Propose,
    ReadMinds,
    ReviewPlan,
    Revise,
    RevisedBeliefs,
    RevisedMind,
    RuleChances,
    StrategyAnswer,
    answer_about,
    answer_deciding,
)
from hm_agent.theory_of_mind.mind import HypothesisAnswer
from hm_agent.theory_of_mind.odds import LikelyRule
from hm_agent.theory_of_mind.situation import Behaviour, Call, SeatSituation

KEPT = 3
"""How many hypotheses about a player a revision keeps."""

SituationT = TypeVar("SituationT", bound=SeatSituation)


@dataclass(frozen=True)
class WrittenReasoner(Generic[SituationT]):
    """One world's calculations.

    situation: the class of its situations. ranked: the rules by which a player may act, in words, the likeliest first,
    from the situation, the player, the interactions with it, and earlier hypotheses, whose values count like evidence.
    foresee: what the player does next by a rule in words; None and words of no rule stand for a rule of its choice.
    strategy: what to do, in words. calls: the best plan, without the call that has just failed at its beginning.
    review: a critique of a plan that is over. probes: the answers to the claims that are asked about.
    """

    situation: type[SituationT]
    ranked: Callable[[SituationT, str, Sequence[Any], Sequence[Hypothesis]], Sequence[str]]
    foresee: Callable[[str | None, SituationT, str, Sequence[Any]], Behaviour]
    strategy: Callable[[SituationT], str]
    calls: Callable[[SituationT, Call | None], Sequence[str]]
    review: Callable[[ReviewPlan], str]
    probes: Callable[[SituationT, Sequence[str]], Sequence[str]] = lambda situation, claims: ()

    @property
    def answers(self) -> ReasonerTable:
        """The function that answers each question."""
        return {
            Propose: self._propose,
            Predict: self._predict,
            Revise: self._revise,
            ReadMinds: self._read_minds,
            ChooseStrategy: lambda question: StrategyAnswer(strategy=self.strategy(self._of(question))),
            Plan: self._plan,
            ReviewPlan: lambda question: Critique(critique=self.review(question)),
            AskProbes: lambda question: ProbesAnswer(answers=list(self.probes(self._of(question), question.claims))),
        }

    def _of(self, question: Any) -> SituationT:
        assert isinstance(question.situation, self.situation)
        return question.situation

    def _propose(self, question: Propose) -> HypothesisAnswer:
        ranked = self.ranked(self._of(question), question.about, question.history, question.best)
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
                (rule, *_) = self.ranked(situation, player, history, ())
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
            for words in reversed(self.ranked(situation, about, question.history, question.hypotheses)[:KEPT]):
                of, then = numbers.get(words, 0), self.foresee(words, situation, about, question.history)
                hypotheses.append(revised(of=of, hypothesis="" if of else words, next=then))
        return kind(hypotheses=hypotheses, strategy=self.strategy(situation))

    def _plan(self, question: Plan) -> CallsAnswer:
        return CallsAnswer(calls=list(self.calls(self._of(question), question.barred_call)))


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
