"""The seam of Hidden Agenda."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hm_agent.models.builtin import ReasonerTable
from hm_agent.worlds.melting_pot.games.agenda.agenda_facts import AgendaFacts
from hm_agent.worlds.melting_pot.games.open.open_kind import OpenKind

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.games.agenda.agenda_follower import AgendaFollower
    from hm_agent.worlds.melting_pot.games.agenda.agenda_seat import AgendaNotes, AgendaSeat
    from hm_agent.worlds.melting_pot.games.agenda.simulator.agenda_bots import AgendaBots


class AgendaKind(OpenKind):
    """A crew with an impostor: what is seen when players are frozen, and votes, are watched."""

    facts = AgendaFacts
    knows_bots = True

    def notes(self) -> type[AgendaNotes]:
        from hm_agent.worlds.melting_pot.games.agenda.agenda_seat import AgendaNotes

        return AgendaNotes

    def follower(self) -> type[AgendaFollower]:
        from hm_agent.worlds.melting_pot.games.agenda.agenda_follower import AgendaFollower

        return AgendaFollower

    def situation(self) -> type[AgendaSeat]:
        from hm_agent.worlds.melting_pot.games.agenda.agenda_seat import AgendaSeat

        return AgendaSeat

    def answers(self) -> ReasonerTable:
        from hm_agent.worlds.melting_pot.games.agenda.agenda_mind import ANSWERS

        return ANSWERS

    def bots(self, facts: AgendaFacts) -> AgendaBots:
        from hm_agent.worlds.melting_pot.games.agenda.simulator.agenda_bots import AgendaBots

        return AgendaBots(facts)
