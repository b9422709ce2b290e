"""The seam of common goods: what the rest of the wing needs to know of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from hm_agent.worlds.melting_pot.games.commons.commons_facts import CommonsFacts
from hm_agent.worlds.melting_pot.games.open.open_kind import OpenKind

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.games.commons.simulator.commons_bots import CommonsBots
    from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts


class CommonsKind(OpenKind):
    """Apples for all, which last only while somebody cleans, or while some are left."""

    facts = CommonsFacts
    knows_bots = True
    counts_on_all = True
    shortcuts: Mapping[str, str] = {
        "only_eats": "eats, and never cleans",
        "cleans_if_dirty": "cleans while the river is dirty, else eats",
        "strips": "takes every apple",
        "spares": "takes only apples that lie beside three others",
    }

    def parts(self) -> OpenParts:
        from hm_agent.worlds.melting_pot.games.commons.commons_notes import CommonsNotes
        from hm_agent.worlds.melting_pot.games.commons.commons_reasoner import REASONER
        from hm_agent.worlds.melting_pot.games.commons.commons_seat import CommonsSeat
        from hm_agent.worlds.melting_pot.games.commons.rules import SHORTCUTS
        from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts

        strategies = {name: rule.words for name, rule in SHORTCUTS.items()}
        return OpenParts(CommonsSeat, CommonsNotes, reasoner=REASONER, strategies=strategies)

    def shortcuts_in(self, facts: CommonsFacts) -> Collection[str]:
        return ("only_eats", "cleans_if_dirty") if facts.river else ("strips", "spares")

    def bots(self, facts: CommonsFacts) -> CommonsBots:
        from hm_agent.worlds.melting_pot.games.commons.simulator.commons_bots import CommonsBots

        return CommonsBots(facts, self.parts())
