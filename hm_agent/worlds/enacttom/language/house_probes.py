"""The literal probes of one agent at the end of an episode, as the shared body asks them."""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.agents.planning_body import LiteralProbes
from hm_agent.worlds.enacttom.house.probes import Probe, ProbeAnswer, ProbeAnswers
from hm_agent.worlds.enacttom.language.situation import HouseSituation


class HouseProbes(LiteralProbes[HouseSituation, ProbeAnswers]):
    """Asks what the household's last view asks; the answers are the agent's last action."""

    choices = tuple(answer.value for answer in ProbeAnswer)

    def __init__(self) -> None:
        self._due: tuple[Probe, ...] = ()

    def due(self, situation: HouseSituation) -> Sequence[str]:
        self._due = situation.view.probes
        return [probe.words for probe in self._due]

    def take(self, answers: Sequence[str] | None) -> ProbeAnswers:
        """The answers by the probes' names; empty without a usable answer."""
        said = zip(self._due, answers, strict=True) if answers is not None else ()
        return ProbeAnswers({probe.name: ProbeAnswer(answer) for probe, answer in said})
