"""Which coins to take: what pays beside a player of a rule, and what scripted players and shortcuts do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from hm_agent.worlds.melting_pot.games.coins.coins_seat import CoinsSeat
from hm_agent.worlds.melting_pot.games.coins.takes import Take
from hm_agent.worlds.melting_pot.games.coins.taking_rules import NAMED, NEAR_ONES, SPARES, TAKES_ANY, TakingRule
from hm_agent.worlds.melting_pot.games.open.calls import Call, WalkTo
from hm_agent.worlds.melting_pot.games.open.seat import PlayingRule
from hm_agent.worlds.melting_pot.grid import distance

HORIZON, TICK = 300, 5
"""How far a model of the other looks ahead, and in which steps."""
PACE = 30
"""The steps after which either is taken to have taken another coin of its own colour."""
SETTING_OUT = 2
"""The steps that any coin takes beside the way to it."""


def take_best(seat: CoinsSeat, own: float, others: float) -> Sequence[Call]:
    """Walks to the coin that pays most a step, else where none was seen for longest. own, others: what a coin pays."""
    worth = {cell: pays for is_own, pays in ((True, own), (False, others)) for cell in seat.coins(is_own=is_own)}
    per_step = {cell: pays / (distance(seat.here, cell) + SETTING_OUT) for cell, pays in worth.items() if pays > 0}
    if per_step:
        return [WalkTo(max(per_step, key=lambda cell: (per_step[cell], cell)))]
    return [seat.search]


def play_best(seat: CoinsSeat, rule: TakingRule | None) -> Sequence[Call]:
    """The best beside a player of a rule; without one, any coin."""
    if rule is None:
        return take_best(seat, 1, 1)
    is_hostile = rule.is_hostile(seat.takes, seat.step, seat.other)
    return take_best(seat, 1 + seat.facts.harm * is_hostile, 1 - provoked(seat, rule))


def provoked(seat: CoinsSeat, rule: TakingRule) -> float:
    """What a player loses for having taken one of the other's coins now, to which that answers by a rule."""
    taken = Take(seat.step, seat.own_name, seat.other)
    return _losses(seat, rule, (*seat.takes, taken)) - _losses(seat, rule, seat.takes)


def _losses(seat: CoinsSeat, rule: TakingRule, takes: Sequence[Take]) -> float:
    """What a player that spares the other's coins from now on loses by its own, after these takes."""
    foreseen, lost, harm = list(takes), 0.0, seat.facts.harm + 1
    for ahead in range(TICK, min(seat.left, HORIZON), TICK):
        step = seat.step + ahead
        if ahead % PACE == 0:
            foreseen += [Take(step, seat.own_name, seat.own_name), Take(step, seat.other, seat.other)]
        if rule.is_hostile(foreseen, step, seat.other):
            before, lost = lost, lost + TICK * seat.facts.lost_per_step
            foreseen += [Take(step, seat.other, seat.own_name)] * (int(lost / harm) - int(before / harm))
    return lost


# Scripted players and shortcuts


def follow_rule(seat: CoinsSeat, rule: TakingRule, reach: int | None = None) -> Sequence[Call]:
    """Takes the nearest coin of those that a rule allows its player now.

    reach: at which distance it takes the other's coins at most; None for any.
    """
    is_hostile = rule.is_hostile(seat.takes, seat.step, seat.own_name)
    if is_hostile and reach is not None:
        is_hostile = any(distance(seat.here, cell) <= reach for cell in seat.coins(is_own=False))
    return take_best(seat, 1, 1 if is_hostile else 0)


def spite(seat: CoinsSeat) -> Sequence[Call]:
    """Takes the other's coins; its own while there is none of these."""
    return take_best(seat, 0, 1) if seat.coins(is_own=False) else take_best(seat, 1, 0)


def copy_last(seat: CoinsSeat) -> Sequence[Call]:
    """Takes any coin if the other's latest take that is known was one of the agent's, else its own alone."""
    latest = next((take for take in reversed(seat.takes) if take.taker == seat.other), None)
    return take_best(seat, 1, 1 if latest and latest.owner == seat.own_name else 0)


def own_first(seat: CoinsSeat) -> Sequence[Call]:
    return take_best(seat, 1, 0) if seat.coins(is_own=True) else take_best(seat, 0, 1)


NEAR = 2
"""At which distance a player takes the other's coins that takes only near ones."""
SCRIPTED: Mapping[str, PlayingRule] = {
    name: PlayingRule(rule.words, partial(follow_rule, rule=rule, reach=NEAR if rule is NEAR_ONES else None))
    for name, rule in NAMED.items()
}
"""What scripted players do, by the names that the game's file calls puppeteers."""
STAND_INS = {name: name for name in ("cooperator", "defector", "one_strike", "three_strikes")}
"""The rules of Melting Pot's puppeteers, by a part of their names."""
GOALS: Sequence[PlayingRule] = (
    PlayingRule(SPARES.words, partial(follow_rule, rule=SPARES)),
    PlayingRule(TAKES_ANY.words, partial(follow_rule, rule=TAKES_ANY)),
    PlayingRule(TAKES_ANY.words, spite),
)
"""What puppets do, by the number of their puppeteer's GOAL: to cooperate, to defect, or to be spiteful."""
SHORTCUTS: Mapping[str, PlayingRule] = {
    "takes_own": PlayingRule("Take only your own coins.", lambda seat: take_best(seat, 1, 0)),
    "takes_nearest": PlayingRule("Take the nearest coin.", lambda seat: take_best(seat, 1, 1)),
    "own_first": PlayingRule("Take your own coins, and any other while there is none.", own_first),
    "copies_last": PlayingRule("Take any coin if the other took one of yours last, else only your own.", copy_last),
}
"""What agents do that model nobody, by their names. words: as a strategy."""
