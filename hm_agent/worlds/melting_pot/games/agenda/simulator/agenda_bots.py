"""The scripted crewmates and impostors of Hidden Agenda's unseen scenarios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hm_agent.worlds.melting_pot.games.agenda.agenda_facts import AgendaFacts
from hm_agent.worlds.melting_pot.games.agenda.agenda_play import (
    ACCUSES,
    FOLLOWS,
    HUNTS,
    LURKS,
    PRETENDS,
    SILENT,
    accusing_calls,
    crew_calls,
    following_calls,
    hunting_calls,
    lurking_calls,
    pretending_calls,
)
from hm_agent.worlds.melting_pot.games.open.open_facts import SubstrateFacts
from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts
from hm_agent.worlds.melting_pot.games.open.seat import PlayingRule
from hm_agent.worlds.melting_pot.games.open.simulator.scripted_player import RuleBots, RulePlayer

OF_IMPOSTORS: Mapping[str, PlayingRule] = {
    "hunts": PlayingRule(HUNTS, hunting_calls),
    "lurks": PlayingRule(LURKS, lurking_calls),
    "pretends": PlayingRule(PRETENDS, pretending_calls),
}
OF_CREWS: Mapping[str, PlayingRule] = {
    "silent": PlayingRule(SILENT, lambda seat: crew_calls(seat, ())),
    "accuses": PlayingRule(ACCUSES, accusing_calls),
    "follows": PlayingRule(FOLLOWS, following_calls),
}
STAND_INS: Mapping[str, str] = {"hunter_impostor": "hunts", "collector_crew": "silent"}
"""The rules that stand in for Melting Pot's trained bots, by what these are called."""
USUAL_IMPOSTOR_RULE, USUAL_CREW_RULE = "hunts", "follows"
"""What players do whose role is not that of the scenario's rule."""


class AgendaBots(RuleBots):
    """Players that follow the scenario's rule, if it is one for their role, else their role's usual one."""

    def __init__(self, game: AgendaFacts, parts: OpenParts) -> None:
        super().__init__(game, parts, {**OF_IMPOSTORS, **OF_CREWS}, STAND_INS)

    def _player(self, game: SubstrateFacts, place: int, slot: int, names: Sequence[str]) -> RulePlayer:
        assert isinstance(game, AgendaFacts)
        of_role, usual = (OF_IMPOSTORS, USUAL_IMPOSTOR_RULE) if game.is_impostor(slot) else (OF_CREWS, USUAL_CREW_RULE)
        fitting = [name for name in names if name in of_role] or [usual]
        return super()._player(game, place, slot, fitting)
