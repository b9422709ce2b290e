"""The facts of substrates that have no kind of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Self

from hm_agent.worlds.melting_pot.facts import Beam, GameFacts, Holding, ScenarioFacts, Sprites, seat_of

UNNAMED = Sprites(wall="", own="", players={})
NO_BEAM = Beam(length=0, radius=0)
PLAYER = "player"
"""The word for other players among what actions are used on."""


@dataclass(frozen=True, kw_only=True)
class SubstrateFacts(GameFacts):
    """A substrate whose players, things and actions are read in its configuration.

    players: how many play. roles: theirs by slot in one scenario; empty for the usual ones, which files have. summary:
    what it is, in a sentence. items: what INVENTORY counts, in its order. rules: what players are told before they
    play, save for how long, which `length` says. names: words for sprites whose own names say nothing. All else calls
    things by the words of a player's view. collects: what is taken by walking onto it and pays or is carried. avoids:
    what hurts whoever walks onto it. uses: what each action beyond steps and turns does something to, PLAYER for any
    other player. reach: how many cells straight ahead such an action reaches. harms: the actions that hurt others, or
    what pays them, and pay nobody.
    """

    players: int
    roles: tuple[str, ...] = ()
    """The players', by slot, in a scenario where they are not the usual ones; no file says them for the whole game."""
    summary: str
    rules: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    collects: tuple[str, ...] = ()
    avoids: tuple[str, ...] = ()
    uses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reach: Mapping[str, int] = field(default_factory=dict)
    harms: tuple[str, ...] = ()
    items: tuple[Holding, ...] = ()
    sprites: Sprites = UNNAMED
    beam: Beam = NO_BEAM
    scenarios: tuple[ScenarioFacts, ...] = ()

    @property
    def named_things(self) -> tuple[str, ...]:
        """The things that plans may name before any was seen."""
        used = (thing for things in self.uses.values() for thing in things if thing != PLAYER)
        return tuple(dict.fromkeys((*self.collects, *self.avoids, *used)))

    @property
    def grounds(self) -> tuple[str, ...]:
        """The words of the ground whose places matter."""
        return ()

    @property
    def slots(self) -> int:
        return self.players

    @property
    def about(self) -> str:
        return f"{self.summary}; "

    def others(self, slot: int = 0) -> tuple[str, ...]:
        return tuple(seat_of(other) for other in range(self.players) if other != slot)

    def played_by(self, players: int, roles: tuple[str, ...]) -> Self:
        return replace(self, players=players, roles=roles)

    @property
    def holdings(self) -> tuple[Holding, ...]:
        return self.items

    @property
    def kinds(self) -> Mapping[str, str]:
        return {}

    @property
    def marks(self) -> Mapping[str, str]:
        return {}


@dataclass(frozen=True, kw_only=True)
class OpenFacts(SubstrateFacts):
    """A substrate that has no kind of its own."""

    game: Literal["open"]
