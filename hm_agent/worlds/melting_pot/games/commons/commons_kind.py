"""The seam of common goods: what the rest of the wing needs to know of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hm_agent.worlds.melting_pot.games.commons.commons_facts import CommonsFacts
from hm_agent.worlds.melting_pot.games.open.open_kind import OpenKind

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts
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

    def parts(self) -> OpenParts:
        from hm_agent.worlds.melting_pot.games.commons.commons_notes import CommonsNotes
        from hm_agent.worlds.melting_pot.games.commons.commons_reasoner import ANSWERS
        from hm_agent.worlds.melting_pot.games.commons.commons_seat import CommonsSeat
        from hm_agent.worlds.melting_pot.games.commons.rules import SHORTCUTS
        from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts

        strategies = {name: rule.words for name, rule in SHORTCUTS.items()}
        return OpenParts(CommonsSeat, CommonsNotes, answers=ANSWERS, strategies=strategies)

    def shortcuts_in(self, facts: CommonsFacts) -> Collection[str]:
        return ("only_eats", "cleans_if_dirty") if facts.river else ("strips", "spares")

    def bots(self, facts: CommonsFacts) -> RuleBots:
        from hm_agent.worlds.melting_pot.games.commons.simulator.commons_bots import commons_bots

        return commons_bots(facts)

    def problems(self, facts: Any, settings: Mapping[str, Any]) -> Iterator[str]:
        from hm_agent.worlds.melting_pot.games.commons.simulator.commons_checks import common_problems

        yield from super().problems(facts, settings)
        yield from common_problems(facts, settings)

    def file(self, substrate: str) -> str:
        return ""
