"""Games for tests of strategists, and functions that tell a strategist one event."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol

from hm_agent.core import Event, Strategy
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.cooking.facts import KitchenFacts
from hm_agent.worlds.melting_pot.games.cooking.game import CookingGame
from hm_agent.worlds.melting_pot.games.cooking.roles import KitchenStrategy
from hm_agent.worlds.melting_pot.games.cooking.rounds import Delivery, Pace
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.game import MatrixGame
from hm_agent.worlds.melting_pot.games.matrix.interactions import InteractionEvent
from hm_agent.worlds.melting_pot.games.matrix.pickups import Gathering
from hm_agent.worlds.melting_pot.games.matrix.rules import reward
from hm_agent.worlds.melting_pot.games.matrix.seat import AgainstOne, AmongMany, NextLead
from hm_agent.worlds.melting_pot.games.matrix.strategy import MatrixStrategy
from hm_agent.worlds.melting_pot.scenarios import game_named
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of

RWS = game_named("rws_repeated", MatrixFacts)
ROCKS, PAPERS, SCISSORS = (6, 1, 1), (1, 6, 1), (1, 1, 6)
OWN = (1, 7, 1)
"""The agent's inventory in every interaction: a committed paper."""


class Considering(Protocol):
    """The part of a strategist that takes in one event."""

    async def begin(self) -> Strategy: ...

    async def consider(self, event: Event) -> Strategy | None: ...


def dyad(facts: MatrixFacts = RWS) -> MatrixGame:
    return MatrixGame(facts, vision_of(facts.short_name, 0))


def arena() -> MatrixGame:
    facts = game_named("rws_arena", MatrixFacts)
    return MatrixGame(facts, vision_of(facts.short_name, 0))


def kitchen() -> CookingGame:
    facts = game_named("cooking_asymmetric", KitchenFacts)
    return CookingGame(facts, vision_of(facts.short_name, 0))


def lead(kind: str, count: int = 6) -> NextLead:
    return NextLead(kind=kind, count=count)


def against(expects: str, hold: Mapping[str, int], **more: Any) -> AgainstOne:
    """A strategy in an answer about an only opponent, which is expected to hold six of a kind."""
    return AgainstOne(expects=lead(expects), hold=dict(hold), **more)


def among(hold: Mapping[str, int], *seek: str, **more: Any) -> AmongMany:
    return AmongMany(seek=list(seek), hold=dict(hold), **more)


def begin(strategist: Considering) -> MatrixStrategy:
    """The first strategy in a matrix game."""
    strategy = asyncio.run(strategist.begin())
    assert isinstance(strategy, MatrixStrategy)
    return strategy


def interact(
    strategist: Considering, step: int, other: Counts = ROCKS, paid: float | None = None, partner: str = "opponent"
) -> MatrixStrategy | None:
    """Tells of an interaction in which the other player held `other`. paid: its reward, the payoff by default."""
    return _matrix(strategist, encounter(step, other, paid, partner))


def encounter(
    step: int, other: Counts = ROCKS, paid: float | None = None, partner: str = "opponent"
) -> InteractionEvent:
    """An interaction in which the other player held `other`. paid: its reward, the payoff by default."""
    paid = reward(OWN, other, RWS.payoff) if paid is None else paid
    return InteractionEvent(step, partner, OWN, paid, shown=(0, 0, 0))


def see_pickup(
    strategist: Considering,
    step: int,
    suggests: str | None,
    taken: Counts = (0, 1, 0),
    partner: str = "opponent",
    *,
    is_slight: bool = False,
) -> MatrixStrategy | None:
    """Tells of a clue: a player has collected `taken`."""
    return _matrix(strategist, Gathering(step, partner, suggests, taken, own=(1, 3, 1), is_slight=is_slight))


def _matrix(strategist: Considering, event: Event) -> MatrixStrategy | None:
    strategy = asyncio.run(strategist.consider(event))
    assert strategy is None or isinstance(strategy, MatrixStrategy)
    return strategy


def deliver(strategist: Considering, step: int, role: str | None, teammate: str) -> KitchenStrategy | None:
    """Tells of a soup that the agent delivered while the teammate played a role promptly."""
    pace = Pace(tomatoes=1, room=9, soups=1, ready=9)
    strategy = asyncio.run(strategist.consider(Delivery(step, teammate, (), role, pace, by="you")))
    assert strategy is None or isinstance(strategy, KitchenStrategy)
    return strategy
