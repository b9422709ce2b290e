"""The literal probes of one agent at the end of an episode, as the shared body asks them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hm_agent.agents.planning_body import LiteralProbes
from hm_agent.questions import Model, answer_or_none
from hm_agent.worlds.enacttom.house.open_probes import question_of
from hm_agent.worlds.enacttom.house.probes import Probe, ProbeAnswer, ProbeAnswers
from hm_agent.worlds.enacttom.language.report_questions import AskReports, reports_of
from hm_agent.worlds.enacttom.language.situation import HouseSituation


class HouseProbes(LiteralProbes[HouseSituation, ProbeAnswers]):
    """Asks what the household's last view asks; the answers are the agent's last action."""

    choices = tuple(answer.value for answer in ProbeAnswer)

    def __init__(self) -> None:
        self._due: tuple[Probe, ...] = ()

    def due(self, situation: HouseSituation) -> Sequence[str]:
        self._due = situation.view.closed_probes
        return [probe.words for probe in self._due]

    async def ask(self, model: Model, situation: HouseSituation) -> ProbeAnswers | None:
        """Asks what the last view asks, then what it asks for in reports."""
        answers = await super().ask(model, situation)
        if answers is None or not (due := situation.view.open_probes):
            return answers
        asked = AskReports(situation, tuple((probe.name, question_of(probe)) for probe in due))
        return replace(answers, reports=reports_of(await answer_or_none(model, asked)))

    def take(self, answers: Sequence[str] | None) -> ProbeAnswers:
        """The answers by the probes' names; empty without a usable answer."""
        said = zip(self._due, answers, strict=True) if answers is not None else ()
        return ProbeAnswers({probe.name: ProbeAnswer(answer) for probe, answer in said})
