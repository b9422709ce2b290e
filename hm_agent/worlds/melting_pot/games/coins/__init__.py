"""Coins: two players, each with a colour; any coin pays its taker, and one of the other's colour costs the other."""

from __future__ import annotations

from collections.abc import Mapping

from hm_agent.worlds.melting_pot.games.open.open_kind import OpenKind


class CoinsKind(OpenKind):
    """Two players with a colour each, of whom is watched who takes whose coins."""

    facts_at = "games.coins.coins_facts:CoinsFacts"
    parts_at = "games.coins.coins_mind:PARTS"
    knows_bots = True
    shortcuts: Mapping[str, str] = {
        "takes_own": "takes only coins of its own colour",
        "takes_nearest": "takes the nearest coin of any colour",
        "own_first": "takes coins of its own colour, and any other while it knows of none",
        "copies_last": "takes any coin if the other took one of its colour last, else only its own",
    }
