"""Hidden Agenda: a crew brings gems, an impostor among it freezes players, and all vote on whom to remove."""

from __future__ import annotations

from collections.abc import Mapping

from hm_agent.worlds.melting_pot.games.open.open_kind import OpenKind


class AgendaKind(OpenKind):
    """A crew with an impostor: what is seen when players are frozen, and votes, are watched."""

    facts_at = "games.agenda.agenda_facts:AgendaFacts"
    parts_at = "games.agenda.agenda_mind:PARTS"
    knows_bots = True
    shortcuts: Mapping[str, str] = {
        "joins": "votes like the others, whatever it saw; an impostor freezes whoever is nearest"
    }
