"""The questions that strategists ask a model about an agent's partners, and the schemas of the answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import BaseModel

from hm_agent.core import Hypothesis
from hm_agent.questions import Question, Words, check_all, one_of
from hm_agent.theory_of_mind.mind import HypothesisAnswer, PlayerBelief, WrittenStrategyAnswer
from hm_agent.theory_of_mind.revisions import (
    NONE,
    SOME,
    RevisedHypothesis,
    check_for_each,
    check_revisions,
    forms_for_each,
    revision_forms,
)
from hm_agent.worlds.enacttom.language.situation import ACT_KINDS, NOTHING, HouseSituation, PartnerAct, act_words


class NextAct(BaseModel):
    """The next act of a partner that the agent will notice. about: a thing, or `nothing`."""

    does: str
    about: str

    @property
    def behaviour(self) -> str:
        return act_words(self.does, self.about)


def _next_forms(situation: HouseSituation) -> Mapping[str, Mapping[str, Any]]:
    """The JSON schema keywords of a `NextAct`."""
    return {"does": one_of(ACT_KINDS), "about": one_of((*situation.things, NOTHING))}


def _next_checks(situation: HouseSituation, prediction: NextAct | RevisedPartner) -> list[Callable[[], None]]:
    """Checks that raise ValueError if a predicted act or its thing is unknown; the message lists the known ones."""
    return [
        partial(_check_name, "does", prediction.does, ACT_KINDS),
        partial(_check_name, "about", prediction.about, (*situation.things, NOTHING)),
    ]


def _check_name(field: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise ValueError(f"{field}: {name[:60]!r} is none of {', '.join(known)}")


@dataclass(frozen=True, slots=True)
class ProposePartner(Question[HypothesisAnswer]):
    """What does a partner know and want, and how does it act? (step 3)

    history: its latest acts. best: the earlier hypotheses that predicted best, the best first.
    """

    template = "enacttom/propose_partner.j2"
    schema = HypothesisAnswer
    situation: HouseSituation
    about: str
    history: tuple[PartnerAct, ...]
    best: tuple[Hypothesis, ...]


class PartnerPrediction(BaseModel):
    """The next act of a partner by each hypothesis, in their order (one act without any), and what to do about it."""

    reasoning: str = ""
    partner: str
    next: list[NextAct]
    strategy: Words


@dataclass(frozen=True, slots=True)
class PredictPartner(Question[PartnerPrediction]):
    """What will a partner do by each hypothesis (step 4), and what should the agent do about it (step 5)?

    The last hypothesis is acted on. others: what is believed of the other partners.
    """

    template = "enacttom/predict_partner.j2"
    schema = PartnerPrediction
    situation: HouseSituation
    about: str
    history: tuple[PartnerAct, ...]
    hypotheses: tuple[Hypothesis, ...]
    others: tuple[PlayerBelief, ...] = ()

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        counts = forms_for_each(self.hypotheses)
        return {**_next_forms(self.situation), "partner": one_of([self.about]), "next": counts}

    def check(self, answer: PartnerPrediction) -> None:
        checks = [check for act in answer.next for check in _next_checks(self.situation, act)]
        check_all(
            lambda: check_for_each("next", answer.next, self.hypotheses),
            lambda: _check_name("partner", answer.partner, [self.about]),
            *checks,
        )


class RevisedPartner(RevisedHypothesis):
    """One hypothesis about a partner, and what it predicts."""

    does: str
    about: str


class PartnerRevision(BaseModel):
    """The hypotheses about one partner with what each predicts, and what to do in view of all partners."""

    reasoning: str = ""
    hypotheses: list[RevisedPartner]
    strategy: Words


@dataclass(frozen=True, slots=True)
class RevisePartner(Question[PartnerRevision]):
    """Which hypotheses about a partner to keep, reword or add, what does each predict, and what to do in view of all?

    about: the partner; None while nothing new is known of any, so that the answer must hold no hypothesis. hypotheses:
    all that are kept about the partner, the oldest first. others: what is believed of the other partners.
    """

    template = "enacttom/revise_partner.j2"
    schema = PartnerRevision
    situation: HouseSituation
    about: str | None
    history: tuple[PartnerAct, ...]
    hypotheses: tuple[Hypothesis, ...]
    others: tuple[PlayerBelief, ...]

    @property
    def _counts(self) -> range:
        return NONE if self.about is None else SOME

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        return {**_next_forms(self.situation), **revision_forms(self.hypotheses, self._counts)}

    def check(self, answer: PartnerRevision) -> None:
        checks = [check for item in answer.hypotheses for check in _next_checks(self.situation, item)]
        check_all(lambda: check_revisions(answer.hypotheses, self.hypotheses, self._counts), *checks)


@dataclass(frozen=True, slots=True)
class MakeHouseStrategy(Question[WrittenStrategyAnswer]):
    """Which strategy should the agent follow next? (PlanReAct, appendix D.3)"""

    template = "enacttom/make_house_strategy.j2"
    schema = WrittenStrategyAnswer
    situation: HouseSituation
    history: tuple[PartnerAct, ...]
