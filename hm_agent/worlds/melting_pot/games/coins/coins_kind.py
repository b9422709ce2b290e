"""The seam of Coins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from hm_agent.worlds.melting_pot.games.coins.coins_facts import CoinsFacts
from hm_agent.worlds.melting_pot.games.open.open_kind import OpenKind

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.games.coins.simulator.coins_bots import CoinsBots
    from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts


class CoinsKind(OpenKind):
    """Two players with a colour each, of whom is watched who takes whose coins."""

    facts = CoinsFacts
    knows_bots = True
    shortcuts: Mapping[str, str] = {
        "takes_own": "takes only coins of its own colour",
        "takes_nearest": "takes the nearest coin of any colour",
        "own_first": "takes coins of its own colour, and any other while it knows of none",
        "copies_last": "takes any coin if the other took one of its colour last, else only its own",
    }

    def parts(self) -> OpenParts:
        from hm_agent.worlds.melting_pot.games.coins.coins_mind import REASONER, CoinsMind
        from hm_agent.worlds.melting_pot.games.coins.coins_play import SHORTCUTS
        from hm_agent.worlds.melting_pot.games.coins.coins_seat import CoinsFollower, CoinsNotes, CoinsSeat
        from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts

        strategies = {name: rule.words for name, rule in SHORTCUTS.items()}
        return OpenParts(CoinsSeat, CoinsNotes, CoinsFollower, CoinsMind, REASONER, strategies)

    def bots(self, facts: CoinsFacts) -> CoinsBots:
        from hm_agent.worlds.melting_pot.games.coins.simulator.coins_bots import CoinsBots

        return CoinsBots(facts, self.parts())
