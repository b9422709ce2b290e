"""The best plan at a common good, given what rules the others follow: what pays the most in a model in whole flows.

The model knows no map: a player at the river removes so much dirt a step, one in the orchard eats so many apples, and
the way between takes so long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from hm_agent.worlds.melting_pot.games.commons.commons_facts import River
from hm_agent.worlds.melting_pot.games.commons.commons_seat import CommonsSeat
from hm_agent.worlds.melting_pot.games.commons.rules import (
    COMPANY,
    KEEP,
    TURN,
    clean,
    eat,
    harvest,
    has_looked,
    last_company,
    look_at_river,
    zap,
)
from hm_agent.worlds.melting_pot.games.open.calls import Call
from hm_agent.worlds.melting_pot.grid import distance

CLEANING, EATING = 0.45, 0.9
"""How much dirt a player at the river removes in a step, and how many apples one eats where there are many."""
PLENTY = 80
"""With fewer apples in the orchard it takes longer to get to the next."""
NOTICE = 30
"""After so many steps a reciprocator in the orchard has noticed that somebody cleans."""
WAY = 12
"""The steps between river and orchard."""
FAR = 99
"""The way to a place that is unknown."""
KEEP_GOING = 150
"""For so many steps several reciprocators are taken to keep each other cleaning, unseen."""
TICK = 5
"""The steps of the model."""
HORIZON = 200
"""How far it looks ahead at most."""
TIMES_TO_CLEAN = (0, 10, 20, 40, 80)
"""For how many steps it considers to clean before it eats."""
GONE = 20
"""A player that was not in view for so many steps takes nothing here."""
FOLLOWING = 8
"""The steps that it takes to hit a player that is near, and to be back at the apples."""


@dataclass(frozen=True)
class RiverState:
    """A river and its orchard at a step. share: of the river's places with dirt. apples: in the orchard.

    company: for how many steps reciprocators will go on cleaning if nobody else does.
    """

    step: int
    share: float
    apples: float
    company: int


def income(river: River, now: RiverState, rules: Sequence[str], cleaning: range, steps: int) -> float:
    """What a player earns in so many steps that cleans in those of `cleaning` and eats else, beside these rules."""
    share, apples, company, earned = now.share, now.apples, now.company, 0.0
    noticed_after: int | None = None
    for after in range(0, steps, TICK):
        step, cleans = now.step + after, after in cleaning
        of_rule = [_cleans(rule, step, company) for rule in rules]
        if noticed_after is None and (cleans or any(of_rule)):
            noticed_after = after + NOTICE
        is_seen = (cleans or any(of_rule)) and share > 0 and noticed_after is not None and after >= noticed_after
        company = COMPANY if is_seen else company - TICK
        share = _share_after(river, share, step, sum(of_rule) + cleans)
        apples += TICK * river.growing(share) * (river.orchard - apples)
        is_there = not cleans and (after < cleaning.start or after >= cleaning.stop + WAY)
        eaters = of_rule.count(False) + is_there
        eaten = min(apples, TICK * EATING * min(1.0, sqrt(apples / PLENTY)) * eaters)
        apples -= eaten
        earned += eaten / eaters if is_there else 0.0
    return earned


def _share_after(river: River, share: float, step: int, cleaners: int) -> float:
    """The share of the river's places with dirt a TICK later."""
    dirties = river.dirties if step >= river.spared else 0.0
    return min(1.0, max(0.0, share + TICK * (dirties - CLEANING * cleaners) / river.places))


def _cleans(rule: str, step: int, company: int) -> bool:
    """True if a player of a rule cleans in a step."""
    if rule == "takes_turns":
        return step // TURN % 2 == 0
    return rule == "cleans" or (rule == "reciprocates" and company > 0)


def river_state(seat: CommonsSeat, rules: Sequence[str]) -> RiverState:
    """The state as far as a seat knows it: since it last saw the river, dirt has gathered and others have cleaned."""
    river, seen = seat.facts.river, seat.river
    assert river is not None
    assert seen is not None, "it is not known before it was seen"
    company, lasts = last_company(seat), KEEP_GOING if rules.count("reciprocates") > 1 else COMPANY
    left = 0 if company is None else min(COMPANY, max(0, company + lasts - seat.step))
    share = seen.share
    for step in range(seen.step, seat.step, TICK):
        share = _share_after(river, share, step, sum(_cleans(rule, step, left) for rule in rules))
    known = max(len(seat.orchard), river.orchard // 4)
    return RiverState(seat.step, share, len(seat.apples) * max(1.0, river.orchard / known), left)


def _is_at_river(seat: CommonsSeat) -> bool:
    """True if the seat's player is nearer to the river than to the orchard."""
    ways = ((distance(seat.here, cell) for cell in cells) for cells in (seat.water, seat.orchard))
    water, orchard = (min(way, default=FAR) for way in ways)
    return water <= orchard


def time_to_clean(seat: CommonsSeat, rules: Sequence[str]) -> int:
    """For how many steps to clean now, which pays the most; 0 to eat.

    Where neither pays an apple, cleaning costs nothing, and others who think the same may clean, too.
    """
    river, steps = seat.facts.river, min(HORIZON, seat.left)
    assert river is not None
    now, way = river_state(seat, rules), 0 if _is_at_river(seat) else WAY
    pays = {
        time: income(river, now, rules, range(way, way + time) if time else range(-WAY * (not way), 0), steps)
        for time in TIMES_TO_CLEAN
    }
    if max(pays.values()) < 1:
        return TIMES_TO_CLEAN[-1]
    return max(pays, key=lambda time: (round(pays[time], 6), -time))


def tend_river(seat: CommonsSeat, rules: Sequence[str]) -> Sequence[Call]:
    """Cleans or eats, whichever pays more beside players of these rules; looks for the river at first.

    Where there is nothing to eat, it looks at the river again: others may not do what they are believed to do.
    """
    if seat.river is None:
        return []
    if time_to_clean(seat, rules):
        return clean(seat)
    return eat(seat) if seat.sees_apples or has_looked(seat) else look_at_river(seat)


def tend_apples(seat: CommonsSeat, rules: Mapping[str, str]) -> Sequence[Call]:
    """Spares apples while sparing pays, which it does unless others take them or the end is near.

    rules: of the others, by name. Those that strip are zapped where that saves more apples than it costs; then apples
    are spared while none of them is about.
    """
    regrowth = seat.facts.regrowth
    assert regrowth is not None
    strippers = [player for player, rule in rules.items() if rule == "strips"]
    saves = EATING * min(regrowth.removed, seat.left) / seat.facts.players
    can_stop_them = saves > EATING * FOLLOWING
    if can_stop_them and (shot := zap(seat, strippers)):
        return shot
    near = [each for each in seat.players if each.name in strippers and each.ago < GONE]
    ends_soon = seat.left * EATING <= len(seat.apples)
    return harvest(seat, 0 if ends_soon or (near if can_stop_them else strippers) else KEEP)
