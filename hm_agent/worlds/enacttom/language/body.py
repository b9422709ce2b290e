"""The body of agents that live in a household and think in language: the shared one, with this world's parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hm_agent.agents.planning_body import LiteralProbes
from hm_agent.agents.reflection import Reflector
from hm_agent.agents.written_body import WrittenBody, written_body
from hm_agent.core import Interaction
from hm_agent.questions import Model, answer_or_none
from hm_agent.theory_of_mind.written_mind import WrittenMind
from hm_agent.worlds.enacttom.house.open_probes import question_of
from hm_agent.worlds.enacttom.house.probes import HouseAction, Probe, ProbeAnswer, ProbeAnswers
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.worlds.enacttom.language.command_follower import CommandFollower
from hm_agent.worlds.enacttom.language.notebook import HouseNotebook
from hm_agent.worlds.enacttom.language.report_questions import AskReports, reports_of
from hm_agent.worlds.enacttom.language.situation import HouseSituation


class HouseholdMind(WrittenMind):
    """What strategists ask about partners in a household."""

    def repeats(self, history: Sequence[Interaction], *, validated: bool = False) -> bool:
        """True if the partner has acted like that before: expected as well, it teaches nothing."""
        *earlier, latest = history
        return latest.behaviour in [act.behaviour for act in earlier]


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


EnacttomBody = WrittenBody[HouseView, HouseAction, HouseSituation]


def enacttom_body(me: str, agents: Sequence[str], model: Model, reflector: Reflector) -> EnacttomBody:
    """The body of one agent. agents: all of the household."""
    notes = HouseNotebook()
    mind = HouseholdMind([name for name in agents if name != me], notes)
    return written_body(notes, CommandFollower(agents), mind, model, reflector, HouseProbes())
