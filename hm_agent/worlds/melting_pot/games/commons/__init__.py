"""Common goods: a river that somebody has to clean, and apples that grow back only beside others."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from hm_agent.worlds.melting_pot.games.open.open_kind import OpenKind

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.games.commons.commons_facts import CommonsFacts


class CommonsKind(OpenKind):
    """Apples for all, which last only while somebody cleans, or while some are left."""

    facts_at = "games.commons.commons_facts:CommonsFacts"
    parts_at = "games.commons.commons_reasoner:PARTS"
    knows_bots = True
    counts_on_all = True
    shortcuts: Mapping[str, str] = {
        "only_eats": "eats, and never cleans",
        "cleans_if_dirty": "cleans while the river is dirty, else eats",
        "strips": "takes every apple",
        "spares": "takes only apples that lie beside three others",
    }

    def shortcuts_in(self, facts: CommonsFacts) -> Collection[str]:
        return ("only_eats", "cleans_if_dirty") if facts.river else ("strips", "spares")
