"""The facts of substrates that have no kind of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from hm_agent.worlds.melting_pot.facts import Beam, GameFacts, Holding, ScenarioFacts, Sprites

UNNAMED = Sprites(wall="", own="", players={})
NO_BEAM = Beam(length=0, radius=0)


@dataclass(frozen=True, kw_only=True)
class OpenFacts(GameFacts):
    """A substrate whose players, things and actions are read in its configuration.

    players: how many play. summary: what it is, in a sentence. items: what INVENTORY counts, in its order.
    """

    game: Literal["open"]
    players: int
    summary: str
    items: tuple[Holding, ...] = ()
    sprites: Sprites = UNNAMED
    beam: Beam = NO_BEAM
    scenarios: tuple[ScenarioFacts, ...] = ()

    @property
    def slots(self) -> int:
        return self.players

    @property
    def about(self) -> str:
        return f"{self.summary}; "

    def others(self, slot: int = 0) -> tuple[str, ...]:
        return tuple(f"player_{other}" for other in range(self.players) if other != slot)

    @property
    def holdings(self) -> tuple[Holding, ...]:
        return self.items

    @property
    def kinds(self) -> Mapping[str, str]:
        return {}

    @property
    def marks(self) -> Mapping[str, str]:
        return {}
