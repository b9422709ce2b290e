"""The seam of common goods: what the rest of the wing needs to know of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from hm_agent.agents.agent import BodyBuilder
from hm_agent.models.builtin import ReasonerTable
from hm_agent.worlds.melting_pot.games.commons.commons_facts import CommonsFacts
from hm_agent.worlds.melting_pot.games.open.open_kind import OpenKind

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.games.commons.commons_seat import CommonsSeat
    from hm_agent.worlds.melting_pot.games.open.simulator.scripted_player import RuleBots
    from hm_agent.worlds.melting_pot.games.options import AgentOptions


class CommonsKind(OpenKind):
    """Apples for all, which last only while somebody cleans, or while some are left."""

    facts = CommonsFacts

    def body(self, facts: Any, options: AgentOptions, slot: int, *, is_column: bool = False) -> BodyBuilder:
        from hm_agent.worlds.melting_pot.games.commons.commons_notes import CommonsNotes
        from hm_agent.worlds.melting_pot.games.open.open_body import open_body

        return partial(open_body, facts, slot, self.situation(), notes_of=CommonsNotes)

    def situation(self) -> type[CommonsSeat]:
        from hm_agent.worlds.melting_pot.games.commons.commons_seat import CommonsSeat

        return CommonsSeat

    def answers(self) -> ReasonerTable:
        from hm_agent.worlds.melting_pot.games.commons.commons_reasoner import ANSWERS

        return ANSWERS

    def bots(self, facts: CommonsFacts) -> RuleBots:
        from hm_agent.worlds.melting_pot.games.commons.simulator.commons_bots import commons_bots

        return commons_bots(facts)

    def file(self, substrate: str) -> str:
        return ""
