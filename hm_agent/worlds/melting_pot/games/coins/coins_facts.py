"""The facts of Coins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from hm_agent.worlds.melting_pot.games.open.open_facts import SubstrateFacts


@dataclass(frozen=True, kw_only=True)
class CoinsFacts(SubstrateFacts):
    """Two players among coins of their two colours, of which any pays its taker 1.

    harm: what a coin costs the player of its colour if the other takes it. growth: the chance per step that a place
    without a coin gets one. places: how many there are, on average over the fields that are drawn.
    """

    game: Literal["coins"]
    harm: float
    growth: float
    places: int

    @property
    def of_engine(self) -> Mapping[str, object]:
        return {"ChoiceCoinRegrow.regrowRate": self.growth, "Coin.rewardOtherForMismatch": -self.harm}

    @property
    def lost_per_step(self) -> float:
        """What a player loses in a step in which the other takes any coin: half of its coins, which it can't take."""
        return (self.harm + 1) * self.growth * self.places / 4
