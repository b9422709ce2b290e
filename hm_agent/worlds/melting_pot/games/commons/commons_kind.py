"""The seam of common goods: what the rest of the wing needs to know of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hm_agent.models.builtin import ReasonerTable
from hm_agent.questions import Model
from hm_agent.theory_of_mind.strategist import Strategist
from hm_agent.worlds.melting_pot.games.commons.commons_facts import CommonsFacts
from hm_agent.worlds.melting_pot.games.open.open_kind import OpenKind

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.games.commons.commons_notes import CommonsNotes
    from hm_agent.worlds.melting_pot.games.commons.commons_seat import CommonsSeat
    from hm_agent.worlds.melting_pot.games.open.simulator.scripted_player import RuleBots


SHORTCUTS_ABOUT: Mapping[str, str] = {
    "only_eats": "eats, and never cleans",
    "cleans_if_dirty": "cleans while the river is dirty, else eats",
    "strips": "takes every apple",
    "spares": "takes only apples that lie beside three others",
}


class CommonsKind(OpenKind):
    """Apples for all, which last only while somebody cleans, or while some are left."""

    facts = CommonsFacts
    shortcuts = SHORTCUTS_ABOUT

    def shortcuts_in(self, facts: CommonsFacts) -> Collection[str]:
        return ("only_eats", "cleans_if_dirty") if facts.river else ("strips", "spares")

    def shortcut(self, name: str) -> Callable[[Any, Model], Strategist]:
        from hm_agent.worlds.melting_pot.games.commons.rules import SHORTCUTS
        from hm_agent.worlds.melting_pot.games.open.constant_strategist import ConstantStrategist

        return lambda mind, model: ConstantStrategist(mind, model, SHORTCUTS[name].words)

    def notes(self) -> type[CommonsNotes]:
        from hm_agent.worlds.melting_pot.games.commons.commons_notes import CommonsNotes

        return CommonsNotes

    def situation(self) -> type[CommonsSeat]:
        from hm_agent.worlds.melting_pot.games.commons.commons_seat import CommonsSeat

        return CommonsSeat

    def answers(self) -> ReasonerTable:
        from hm_agent.worlds.melting_pot.games.commons.commons_reasoner import ANSWERS

        return ANSWERS

    def bots(self, facts: CommonsFacts) -> RuleBots:
        from hm_agent.worlds.melting_pot.games.commons.simulator.commons_bots import commons_bots

        return commons_bots(facts)

    def problems(self, facts: Any, settings: Mapping[str, Any]) -> Iterator[str]:
        from hm_agent.worlds.melting_pot.games.commons.simulator.commons_checks import common_problems

        yield from super().problems(facts, settings)
        yield from common_problems(facts, settings)

    def file(self, substrate: str) -> str:
        return ""
