"""The facts of substrates that have no kind of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Self

from hm_agent.worlds.melting_pot.facts import Beam, GameFacts, Holding, ScenarioFacts, Sprites, Strict, seat_of

UNNAMED = Sprites(wall="", own="", players={})
NO_BEAM = Beam(length=0, radius=0)
_USED = re.compile(r"use\((\w+)")
PLAYER = "player"
"""The word for other players among what actions are used on."""


@dataclass(frozen=True, kw_only=True)
class RoleFacts(Strict):
    """What is different for players of a role. None: as for all others. The keys are those of `SubstrateFacts`."""

    collects: tuple[str, ...] | None = None
    uses: Mapping[str, tuple[str, ...]] | None = None
    reach: Mapping[str, int] | None = None
    having: Mapping[str, str] | None = None
    spares: tuple[str, ...] | None = None
    tired: float | None = None


@dataclass(frozen=True, kw_only=True)
class StandIns(Strict):
    """What scripted players do in place of Melting Pot's bots: of several calls, the one that is nearest to do.

    In place of one it may be a plan of several, with `;` between them. Calls may also name `player` (any other),
    `a player` (one that looks like others), `others' things` (owned ones) and what is drawn with other players.

    goals: the calls for each goal of a puppet, in the order of its one-hot GOAL. bots: those of a bot without a
    puppeteer, by its name without the substrate and its number. having: those of such a bot while it has a thing, by
    its name and the thing; what comes first counts. together: the actions that it takes only beside a player who has a
    thing for them, too. teams: by slot, if bots' calls depend on it; their names then end with the team's.
    """

    goals: tuple[tuple[str, ...], ...] = ()
    bots: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    having: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    together: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()

    def name_in(self, slot: int, bot: str) -> str:
        """The name under which the calls of a bot in a slot stand."""
        return f"{bot} {self.teams[slot]}" if self.teams else bot

    def named(self, bot: str) -> tuple[str, ...]:
        """The names under which a bot's calls stand."""
        return tuple(dict.fromkeys(self.name_in(slot, bot) for slot in range(len(self.teams) or 1)))


@dataclass(frozen=True, kw_only=True)
class SubstrateFacts(GameFacts):
    """A substrate whose players, things and actions are read in its configuration.

    players: how many play. roles: theirs by slot in one scenario; empty for the usual ones, which files have. summary:
    what it is, in a sentence. items: what INVENTORY counts, in its order. rules: what players are told before they
    play, save for how long, which `length` says. names: words for sprites whose own names say nothing. All else calls
    things by the words of a player's view. collects: what is taken by walking onto it and pays or is carried. avoids:
    what hurts whoever walks onto it. floor: what shows where nothing else lies, so that scripted players know where an
    unknown map ends. uses: what each action beyond steps and turns does something to, PLAYER for any other player.
    reach: how many cells straight ahead such an action reaches. harms: the actions that hurt others, or what pays them,
    and pay nobody. having: what is done with a thing that a player holds, or that is drawn with it, as the call of a
    plan; the actions of these calls are of no use without it. later: the actions that pay some time after, so that the
    reward of their step says nothing of them. owned: the things that are a player's own, by slot, which gain nothing by
    actions. spares: the names of players on whom actions are of no use. tired: at this share of the full stamina or
    below, a player rests; negative if rests are of no use. by_role: what is different for players of a role, by Melting
    Pot's name of it. stand_ins: None if nobody can stand in for trained bots.
    """

    players: int
    roles: tuple[str, ...] = ()
    """The players', by slot, in a scenario where they are not the usual ones; no file says them for the whole game."""
    summary: str
    rules: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    collects: tuple[str, ...] = ()
    avoids: tuple[str, ...] = ()
    floor: str = ""
    uses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reach: Mapping[str, int] = field(default_factory=dict)
    harms: tuple[str, ...] = ()
    having: Mapping[str, str] = field(default_factory=dict)
    later: tuple[str, ...] = ()
    owned: tuple[str, ...] = ()
    spares: tuple[str, ...] = ()
    tired: float = -1.0
    by_role: Mapping[str, RoleFacts] = field(default_factory=dict)
    stand_ins: StandIns | None = None
    items: tuple[Holding, ...] = ()
    sprites: Sprites = UNNAMED
    beam: Beam = NO_BEAM
    scenarios: tuple[ScenarioFacts, ...] = ()

    @property
    def has_stand_ins(self) -> bool:
        return self.stand_ins is not None

    @property
    def named_things(self) -> tuple[str, ...]:
        """The things that plans may name before any was seen."""
        used = (thing for things in self.uses.values() for thing in things if thing != PLAYER)
        return tuple(dict.fromkeys((*self.collects, *self.avoids, *used)))

    @property
    def kept_back(self) -> frozenset[str]:
        """The actions that are of use only with what a player has."""
        used = (_USED.match(call) for call in self.having.values())
        return frozenset(match[1] for match in used if match)

    @property
    def grounds(self) -> tuple[str, ...]:
        """The words of the ground whose places matter."""
        return ()

    @property
    def of_engine(self) -> Mapping[str, object]:
        """What the file says of arguments of the engine's components, by `Component.argument`."""
        return {}

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

    def as_role(self, role: str) -> Self:
        """The same game for a player of a role."""
        told = vars(self.by_role[role]) if role in self.by_role else {}
        return replace(self, **{key: value for key, value in told.items() if value is not None})

    @property
    def holdings(self) -> tuple[Holding, ...]:
        return self.items


@dataclass(frozen=True, kw_only=True)
class OpenFacts(SubstrateFacts):
    """A substrate that has no kind of its own."""

    game: Literal["open"]
