"""The body of agents that live in a household and think in language: the shared one, with this world's parts."""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.agents.reflection import Reflector
from hm_agent.agents.written_body import WrittenBody, written_body
from hm_agent.core import Interaction
from hm_agent.questions import Model
from hm_agent.theory_of_mind.written_mind import WrittenMind
from hm_agent.worlds.enacttom.house.commands import HouseCommand
from hm_agent.worlds.enacttom.house.probes import ProbeAnswers
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.worlds.enacttom.language.command_follower import CommandFollower
from hm_agent.worlds.enacttom.language.house_probes import HouseProbes
from hm_agent.worlds.enacttom.language.notebook import HouseNotebook
from hm_agent.worlds.enacttom.language.situation import HouseSituation


class HouseholdMind(WrittenMind):
    """What strategists ask about partners in a household."""

    def repeats(self, history: Sequence[Interaction], *, validated: bool = False) -> bool:
        """True if the partner has acted like that before: expected as well, it teaches nothing."""
        *earlier, latest = history
        return latest.behaviour in [act.behaviour for act in earlier]


EnacttomBody = WrittenBody[HouseView, HouseCommand | ProbeAnswers, HouseSituation]


def enacttom_body(me: str, agents: Sequence[str], model: Model, reflector: Reflector) -> EnacttomBody:
    """The body of one agent. agents: all of the household."""
    notes = HouseNotebook()
    mind = HouseholdMind([name for name in agents if name != me], notes)
    return written_body(notes, CommandFollower(agents), mind, model, reflector, HouseProbes())
