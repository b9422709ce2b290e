"""The question that asks a model all literal probes of one agent at the end of an episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from hm_agent.questions import Question, one_of
from hm_agent.worlds.enacttom.house.probes import Probe, ProbeAnswer, ProbeAnswers
from hm_agent.worlds.enacttom.language.situation import HouseSituation

CHOICES = tuple(answer.value for answer in ProbeAnswer)


class HouseProbeAnswer(BaseModel):
    """An answer to each probe, in their order."""

    reasoning: str = ""
    answers: list[str]


@dataclass(frozen=True, slots=True)
class ProbeHouse(Question[HouseProbeAnswer]):
    """Does the claim of each probe of one agent hold, e.g. that another agent knows something?"""

    template = "enacttom/probe_house.j2"
    schema = HouseProbeAnswer
    situation: HouseSituation
    probes: tuple[Probe, ...]

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        count = len(self.probes)
        return {"answers": {"items": one_of(CHOICES), "minItems": count, "maxItems": count}}

    def check(self, answer: HouseProbeAnswer) -> None:
        if len(answer.answers) != len(self.probes):
            raise ValueError(f"answers: {len(answer.answers)} given, {len(self.probes)} wanted, one for each question")
        if wrong := [choice for choice in answer.answers if choice not in CHOICES]:
            raise ValueError(f"answers: {wrong[0][:60]!r} is none of {', '.join(CHOICES)}")

    def answers_by_probe(self, answer: HouseProbeAnswer | None) -> ProbeAnswers:
        """The answers by the probes' names; empty without a usable answer."""
        if answer is None:
            return ProbeAnswers()
        choices = zip(self.probes, answer.answers, strict=True)
        return ProbeAnswers({probe.name: ProbeAnswer(choice) for probe, choice in choices})
