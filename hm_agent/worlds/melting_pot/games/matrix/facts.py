"""The facts of matrix games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from hm_agent.repeated_games.payoffs import Side, transposed
from hm_agent.worlds.melting_pot.facts import GameFacts, Holding, Sprites, Strict

READY, INTERACTING = "ready", "interacting"
"""Names of the marks over avatars' heads."""


@dataclass(frozen=True)
class Resource(Strict):
    """One resource of a matrix game and the pure strategy it stands for.

    behaviour: the pure strategy. thing: the resource's name. collect_goals, interact_goals: the positions in a puppet's
    one-hot GOAL that tell it to collect the resource or to play it.
    """

    behaviour: str
    thing: str
    sprite: str
    colour: str = "#8b949e"
    collect_goals: tuple[int, ...] = ()
    interact_goals: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class MatrixSprites(Sprites):
    """ready, interacting: the sprites of the marks over avatars' heads."""

    ready: str
    interacting: tuple[str, ...]


@dataclass(frozen=True)
class Regrowth(Strict):
    """How things that were taken come back: after `delay` steps at the least, then with `chance` in every step.

    all_at_once: True if all of them are back as soon as no player is on the map.
    """

    delay: int
    chance: float
    all_at_once: bool = False

    def chance_after(self, steps: int) -> float:
        """The probability that a thing is back this many steps after it was taken."""
        return 1 - float((1 - self.chance) ** max(0, steps - self.delay))


@dataclass(frozen=True)
class Timing(Strict):
    """What an interaction costs, in steps.

    frozen: from the hit until both players are paid. away: from then until they are on the map again. per_round: from
    one interaction to the next besides collecting, measured. per_thing: to collect one more thing, measured.
    """

    frozen: int
    away: int
    per_round: float
    per_thing: float

    def with_steps_per_thing(self, steps: float) -> Timing:
        """A copy in which collecting one more thing takes this many steps, rounded to halves."""
        return replace(self, per_thing=round(2 * steps) / 2)

    def steps_with(self, things: int) -> float:
        """The steps from one interaction to the next if this many things are collected in between."""
        return self.per_round + self.per_thing * things


@dataclass(frozen=True, kw_only=True)
class OtherSide(Strict):
    """The other side of an asymmetric game. payoff: its reward; rows are its own pure strategies.

    own, players: how its players see themselves and others, as in `Sprites`. slots: who plays it.
    """

    payoff: tuple[tuple[float, ...], ...]
    own: str
    players: Mapping[str, str]
    slots: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class MatrixFacts(GameFacts):
    """A matrix game. payoff: the own reward; rows are the own pure strategies, columns the other player's.

    column: in an asymmetric game, the side that the others play; in its file, that of the column players.
    """

    game: Literal["matrix"]
    payoff: tuple[tuple[float, ...], ...]
    column: OtherSide | None = None
    initial_inventory: int
    regrowth: Regrowth
    timing: Timing
    resources: tuple[Resource, ...]
    sprites: MatrixSprites

    @property
    def is_asymmetric(self) -> bool:
        return self.column is not None

    @property
    def columns(self) -> tuple[int, ...]:
        return self.column.slots if self.column else ()

    @property
    def as_column(self) -> MatrixFacts:
        if self.column is None:
            return self
        column, sprites = self.column, self.sprites
        row = OtherSide(payoff=self.payoff, own=sprites.own, players=sprites.players, slots=())
        column_sprites = replace(sprites, own=column.own, players=column.players)
        return replace(self, payoff=column.payoff, sprites=column_sprites, column=row)

    @cached_property
    def behaviours(self) -> tuple[str, ...]:
        return tuple(resource.behaviour for resource in self.resources)

    @cached_property
    def side(self) -> Side:
        """The game of one interaction as the player sees it whose payoff is `payoff`."""
        theirs = self.column.payoff if self.column else self.payoff
        return Side(self.behaviours, self.behaviours, self.payoff, transposed(theirs))

    @cached_property
    def things(self) -> tuple[str, ...]:
        return tuple(resource.thing for resource in self.resources)

    @property
    def goals(self) -> int:
        """The length of a puppet's one-hot GOAL."""
        return 1 + max(max(resource.collect_goals + resource.interact_goals) for resource in self.resources)

    @property
    def holdings(self) -> tuple[Holding, ...]:
        return tuple(Holding(resource.behaviour, resource.colour) for resource in self.resources)

    @property
    def kinds(self) -> Mapping[str, str]:
        return {resource.sprite: resource.thing for resource in self.resources}

    @property
    def marks(self) -> Mapping[str, str]:
        return {self.sprites.ready: READY} | dict.fromkeys(self.sprites.interacting, INTERACTING)

    @property
    def freezing_mark(self) -> str:
        return INTERACTING
