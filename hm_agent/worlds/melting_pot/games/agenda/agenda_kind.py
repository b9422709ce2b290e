"""The seam of Hidden Agenda."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from hm_agent.worlds.melting_pot.games.agenda.agenda_facts import AgendaFacts
from hm_agent.worlds.melting_pot.games.open.open_kind import OpenKind

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.games.agenda.simulator.agenda_bots import AgendaBots
    from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts


class AgendaKind(OpenKind):
    """A crew with an impostor: what is seen when players are frozen, and votes, are watched."""

    facts = AgendaFacts
    knows_bots = True
    shortcuts: Mapping[str, str] = {
        "joins": "votes like the others, whatever it saw; an impostor freezes whoever is nearest"
    }

    def parts(self) -> OpenParts:
        from hm_agent.worlds.melting_pot.games.agenda.agenda_mind import REASONER
        from hm_agent.worlds.melting_pot.games.agenda.agenda_play import JOINS
        from hm_agent.worlds.melting_pot.games.agenda.agenda_seat import AgendaFollower, AgendaNotes, AgendaSeat
        from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts

        return OpenParts(AgendaSeat, AgendaNotes, AgendaFollower, reasoner=REASONER, strategies={"joins": JOINS})

    def bots(self, facts: AgendaFacts) -> AgendaBots:
        from hm_agent.worlds.melting_pot.games.agenda.simulator.agenda_bots import AgendaBots

        return AgendaBots(facts, self.parts())
