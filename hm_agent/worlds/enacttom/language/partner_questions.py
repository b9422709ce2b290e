"""The questions that strategists ask a model about an agent's partners, and the schemas of the answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import BaseModel

from hm_agent.core import Hypothesis
from hm_agent.questions import Question, Remark, Words, check_all, one_of
from hm_agent.theory_of_mind.mind import MOST_HYPOTHESES, HypothesisAnswer, PlayerBelief
from hm_agent.worlds.enacttom.language.situation import DOINGS, NOTHING, HouseSituation, PartnerAct, act_of


class NextAct(BaseModel):
    """What a partner does next that the agent will notice. about: a thing, or `nothing`."""

    does: str
    about: str

    @property
    def behaviour(self) -> str:
        return act_of(self.does, self.about)


def _next_forms(situation: HouseSituation) -> Mapping[str, Mapping[str, Any]]:
    """The keywords of a `NextAct`."""
    return {"does": one_of(DOINGS), "about": one_of((*situation.things, NOTHING))}


def _next_checks(situation: HouseSituation, given: NextAct | RevisedPartner) -> list[Callable[[], None]]:
    """Checks that raise ValueError if a prediction names what can't be, with what could."""
    return [
        partial(_check_name, "does", given.does, DOINGS),
        partial(_check_name, "about", given.about, (*situation.things, NOTHING)),
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
    """What a partner does next by each hypothesis, in their order, one without any; and what to do about it."""

    reasoning: str = ""
    partner: str
    next: list[NextAct]
    strategy: Words


@dataclass(frozen=True, slots=True)
class PredictPartner(Question[PartnerPrediction]):
    """What will a partner do by each hypothesis (step 4), and what should the agent do about it (step 5)?

    The last hypothesis is acted on.
    """

    template = "enacttom/predict_partner.j2"
    schema = PartnerPrediction
    situation: HouseSituation
    about: str
    history: tuple[PartnerAct, ...]
    hypotheses: tuple[Hypothesis, ...]

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        count = max(1, len(self.hypotheses))
        return {
            **_next_forms(self.situation),
            "partner": one_of([self.about]),
            "next": {"minItems": count, "maxItems": count},
        }

    def check(self, answer: PartnerPrediction) -> None:
        checks = [check for each in answer.next for check in _next_checks(self.situation, each)]
        check_all(
            lambda: self._check_count(len(answer.next)),
            lambda: _check_name("partner", answer.partner, [self.about]),
            *checks,
        )

    def _check_count(self, given: int) -> None:
        wanted = max(1, len(self.hypotheses))
        if given != wanted:
            raise ValueError(f"next: {given} given, {wanted} wanted, one for each hypothesis")


class RevisedPartner(BaseModel):
    """One hypothesis about a partner, kept, reworded or new, and what it predicts."""

    of: int
    hypothesis: Remark
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

    about: None while nothing new is known of any, so that no hypothesis is wanted. hypotheses: all that are kept about
    it, the oldest first. others: what is believed of the others.
    """

    template = "enacttom/revise_partner.j2"
    schema = PartnerRevision
    situation: HouseSituation
    about: str | None
    history: tuple[PartnerAct, ...]
    hypotheses: tuple[Hypothesis, ...]
    others: tuple[PlayerBelief, ...]

    @property
    def count_range(self) -> tuple[int, int]:
        return 0, len(self.hypotheses)

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        least, most = (1, MOST_HYPOTHESES) if self.about else (0, 0)
        return {**_next_forms(self.situation), "hypotheses": {"minItems": least, "maxItems": most}}

    def check(self, answer: PartnerRevision) -> None:
        checks = [check for each in answer.hypotheses for check in _next_checks(self.situation, each)]
        check_all(
            lambda: self._check_count(len(answer.hypotheses)),
            lambda: self._check_numbers([each.of for each in answer.hypotheses]),
            *(partial(_check_words, each) for each in answer.hypotheses),
            *checks,
        )

    def _check_count(self, given: int) -> None:
        if self.about is None and given:
            raise ValueError("hypotheses: nothing new is known of anyone; write []")
        if self.about is not None and not 1 <= given <= MOST_HYPOTHESES:
            raise ValueError(f"hypotheses: {given} given, 1 to {MOST_HYPOTHESES} wanted")

    def _check_numbers(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            if not 0 <= number <= len(self.hypotheses):
                raise ValueError(f"of: no hypothesis has the number {number}; 0 is for a new one")
            if number and numbers.count(number) > 1:
                raise ValueError(f"of: hypothesis {number} is named more than once")


def _check_words(each: RevisedPartner) -> None:
    if not each.of and not each.hypothesis:
        raise ValueError("hypothesis: a new one needs words")


class HouseStrategyAnswer(BaseModel):
    """A strategy in words."""

    reasoning: str = ""
    strategy: Words


@dataclass(frozen=True, slots=True)
class MakeHouseStrategy(Question[HouseStrategyAnswer]):
    """Which strategy should the agent follow next? (PlanReAct, appendix D.3)"""

    template = "enacttom/make_house_strategy.j2"
    schema = HouseStrategyAnswer
    situation: HouseSituation
    history: tuple[PartnerAct, ...]
