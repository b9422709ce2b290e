"""The seam of Hidden Agenda."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from hm_agent.models.builtin import ReasonerTable
from hm_agent.questions import Model
from hm_agent.theory_of_mind.strategist import Strategist
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
    shortcuts: Mapping[str, str] = {
        "joins": "votes like the others, whatever it saw; an impostor freezes whoever is nearest"
    }

    def shortcut(self, name: str) -> Callable[[Any, Model], Strategist]:
        from hm_agent.worlds.melting_pot.games.agenda.agenda_play import JOINS
        from hm_agent.worlds.melting_pot.games.open.constant_strategist import ConstantStrategist

        return lambda mind, model: ConstantStrategist(mind, model, JOINS)

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
