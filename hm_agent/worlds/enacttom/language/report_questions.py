"""The question by which an agent that thinks in language answers the open literal probes (paper, appendix H)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, WithJsonSchema

from hm_agent.questions import Forms, Question, check_all, one_of
from hm_agent.theory_of_mind.seat_question import check_name
from hm_agent.worlds.enacttom.house.probes import UNKNOWN_PREDICATE, ProbeReport
from hm_agent.worlds.enacttom.language.situation import HouseSituation
from hm_agent.worlds.enacttom.tasks.propositions import PHYSICAL

_HOLDS = {"true": True, "false": False, "null": None}
Holds = Annotated[
    bool | None,
    BeforeValidator(lambda value: _HOLDS.get(value, value) if isinstance(value, str) else value),
    WithJsonSchema({"type": "string", "enum": list(_HOLDS)}),
]
"""Whether a predicate holds: true, false or null, also in quotes."""
PREDICATES = (*PHYSICAL, UNKNOWN_PREDICATE)


class WrittenReport(BaseModel):
    """One structured answer, with the paper's field names."""

    probe_id: str
    predicate: str
    holds: Holds
    args: list[str]


class WrittenReports(BaseModel):
    """A structured answer for each probe."""

    answers: list[WrittenReport]


@dataclass(frozen=True, slots=True)
class AskReports(Question[WrittenReports]):
    """What does the agent report of each proposition, or predict that another agent would report?

    probes: the name of each, and what it asks.
    """

    template = "enacttom/report.j2"
    schema = WrittenReports
    situation: HouseSituation
    probes: tuple[tuple[str, str], ...]

    @property
    def probe_names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.probes)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of which arguments may be taken."""
        plan = self.situation.view.briefing.plan
        asked = (name for probe in self.situation.view.open_probes for name in probe.about.proposition.arguments)
        return tuple(dict.fromkeys((*asked, *self.situation.things, *plan.rooms, *plan.agents)))

    @property
    def forms(self) -> Forms:
        count = len(self.probes)
        return {
            "answers": {"minItems": count, "maxItems": count},
            "probe_id": one_of(self.probe_names),
            "predicate": one_of(PREDICATES),
            "args": {"items": one_of(self.names), "maxItems": 2},
        }

    def check(self, answer: WrittenReports) -> None:
        check_all(
            *(partial(check_name, "probe_id", one.probe_id, self.probe_names) for one in answer.answers),
            *(partial(check_name, "predicate", one.predicate, PREDICATES) for one in answer.answers),
        )


def reports_of(answer: WrittenReports | None) -> Mapping[str, ProbeReport]:
    """The reports by the probes' names, the first of several on one probe; none without an answer."""
    written = answer.answers if answer else ()
    return {one.probe_id: ProbeReport(one.predicate, one.holds, tuple(one.args)) for one in reversed(written)}
