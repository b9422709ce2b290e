"""The rules that players at a common good may follow: what scripted players do, and what minds take others to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from hm_agent.worlds.melting_pot.games.commons.commons_conduct import OWN
from hm_agent.worlds.melting_pot.games.commons.commons_facts import CommonsFacts
from hm_agent.worlds.melting_pot.games.commons.commons_seat import CommonsSeat
from hm_agent.worlds.melting_pot.games.open.calls import Call, CollectThings, LookAround, StandStill, UseAction, WalkTo
from hm_agent.worlds.melting_pot.games.open.seat import PlayingRule
from hm_agent.worlds.melting_pot.grid import Cell, distance, nearest

COMPANY = 50
"""For so many steps after another was seen to clean, a reciprocator cleans."""
TURN = 60
"""The steps of a turn of players that clean in turns."""
WATCH = 40
"""After so many steps without a look at the river a player may go to see who cleans, and how dirty it is."""
KEEP = 3
"""A player that spares the apples takes only those that lie beside so many others."""
GRUDGE = 40
"""For so many steps after it took a last apple, a player is zapped by those that punish."""
NEAR_ENOUGH = 6
"""The distance at which a player is hit rather than followed."""
STEPS_HERE = 3
"""How long a player waits that has nothing to take."""


def _nearest(seat: CommonsSeat, cells: Sequence[Cell]) -> Cell | None:
    return nearest(seat.here, (cell for cell in cells if cell != seat.here))


# A river to clean


def _await_at(seat: CommonsSeat, cells: Sequence[Cell]) -> Sequence[Call]:
    """Walks to the nearest of these cells, and waits and looks around beside it; no call without any."""
    place = _nearest(seat, cells)
    if place is None:
        return []
    return [StandStill(STEPS_HERE), LookAround()] if distance(seat.here, place) <= 1 else [WalkTo(place)]


def eat(seat: CommonsSeat) -> Sequence[Call]:
    """Collects apples; waits in the orchard while there are none."""
    if _nearest(seat, seat.apples):
        return [CollectThings(seat.facts.apple, 2)]
    return _await_at(seat, seat.orchard)


def clean(seat: CommonsSeat) -> Sequence[Call]:
    """Removes dirt; looks for more along the river while none is known."""
    river = seat.facts.river
    assert river is not None, "there is a river to clean"
    if seat.cells_of((river.dirt,)):
        return [UseAction(river.clean, river.dirt, 2)]
    return _await_at(seat, seat.water)


def last_company(seat: CommonsSeat) -> int | None:
    """The latest step at which anybody else was seen to clean; None if nobody was."""
    return max((step for player, step in seat.cleaned if player != OWN), default=None)


def has_looked(seat: CommonsSeat) -> bool:
    """True if much of the river was in view lately."""
    return seat.river is not None and seat.step - seat.river.step < WATCH


def look_at_river(seat: CommonsSeat) -> Sequence[Call]:
    """Goes to the water, and looks around there; no call if none is known."""
    place = _nearest(seat, seat.water)
    return [] if place is None else [WalkTo(place), LookAround()]


def reciprocate(seat: CommonsSeat) -> Sequence[Call]:
    """Cleans for a while after anybody else was seen to, else eats and goes to look at the river now and then."""
    company = last_company(seat)
    if company is not None and seat.step - company < COMPANY:
        return clean(seat)
    return look_at_river(seat) if not has_looked(seat) else eat(seat)


def take_turns(seat: CommonsSeat) -> Sequence[Call]:
    """Cleans for TURN steps, then eats for as many, and so on."""
    return eat(seat) if seat.step // TURN % 2 else clean(seat)


def tend(seat: CommonsSeat) -> Sequence[Call]:
    """Cleans while the river is more than half as dirty as lets nothing grow, as far as was seen, else eats."""
    river, seen = seat.facts.river, seat.river
    assert river is not None, "there is a river to clean"
    if seen is None:
        return []
    gathered = river.dirties * max(0, seat.step - max(seen.step, river.spared)) / river.places
    return clean(seat) if seen.share + gathered > river.depletion / 2 else eat(seat)


# Apples that grow back beside others


def harvest(seat: CommonsSeat, keep: int) -> Sequence[Call]:
    """Takes the nearest apple that lies beside at least `keep` others; waits, or looks elsewhere, if there is none."""
    target = _nearest(seat, seat.apples_leaving(keep))
    if target is not None:
        return [WalkTo(target)]
    if seat.unseen and seat.step % 2:
        return [WalkTo(seat.unseen[0])]
    return [StandStill(STEPS_HERE)] if seat.apples else []


def zap(seat: CommonsSeat, players: Sequence[str]) -> Sequence[Call]:
    """Hits one of these players, if it is in view and near."""
    near = [each for each in seat.players if each.name in players and not each.ago]
    near = [each for each in near if distance(seat.here, each.cell) <= NEAR_ENOUGH]
    return [UseAction("fire_zap", near[0].name)] if near else []


def punish(seat: CommonsSeat) -> Sequence[Call]:
    """Spares the apples, and zaps who was lately seen to take a last one."""
    spoilers = [player for player, step in seat.spoiled if seat.step - step < GRUDGE]
    return zap(seat, spoilers) or harvest(seat, KEEP)


RIVER_RULES: Mapping[str, PlayingRule] = {
    "cleans": PlayingRule("It always cleans.", clean),
    "reciprocates": PlayingRule("It cleans after it saw another clean, else it eats.", reciprocate),
    "eats": PlayingRule("It only eats.", eat),
    "takes_turns": PlayingRule(f"It cleans for {TURN} steps, then eats for {TURN}, and so on.", take_turns),
}
REGROWTH_RULES: Mapping[str, PlayingRule] = {
    "spares": PlayingRule("It spares the last apples.", partial(harvest, keep=KEEP)),
    "strips": PlayingRule("It takes every apple.", partial(harvest, keep=0)),
    "punishes": PlayingRule("It spares the last apples, and zaps who takes them.", punish),
}
"""By the names that the games' files have for them; of rules that fit as well the first counts.

So a player is taken to answer others that clean until it was seen not to: to try that costs less than not to know.
"""


def zap_anyone(seat: CommonsSeat) -> Sequence[Call]:
    """Hits the player that is in view and near; no call if there is none."""
    return zap(seat, [each.name for each in seat.players])


def fight(seat: CommonsSeat, keep: int) -> Sequence[Call]:
    """Zaps whoever is near, else harvests (`harvest`)."""
    return zap_anyone(seat) or harvest(seat, keep)


FIGHTERS: Mapping[str, PlayingRule] = {
    "raids": PlayingRule(REGROWTH_RULES["strips"].words, partial(fight, keep=0)),
    "guards": PlayingRule(REGROWTH_RULES["spares"].words, partial(fight, keep=KEEP)),
}
"""Scripted players that zap whoever is near, in the words of the rule by which they harvest else."""
GOALS: Sequence[PlayingRule] = (
    RIVER_RULES["eats"],
    RIVER_RULES["cleans"],
    PlayingRule(RIVER_RULES["eats"].words, lambda seat: zap_anyone(seat) or eat(seat)),
)
"""What Clean Up's puppets do, by the number of their puppeteer's GOAL: to eat, to clean, or to zap others."""
STAND_INS: Mapping[str, str] = {
    "cleaner": "cleans",
    "consumer": "eats",
    "threshold_reciprocator": "reciprocates",  # one that has to be taught first is known by its goal alone
    "closed__free": "guards",
    "__free": "raids",
    "sustainable_fighter": "guards",
    "good_partner": "spares",
    "pacifist": "strips",
}
"""The rules in place of Melting Pot's bots, by a part of their names: what their scenarios are said to meet."""
SHORTCUTS: Mapping[str, PlayingRule] = {
    "only_eats": PlayingRule("Eat, and never clean.", eat),
    "cleans_if_dirty": PlayingRule("Clean while the river is dirty, else eat.", tend),
    "strips": PlayingRule("Take every apple.", partial(harvest, keep=0)),
    "spares": PlayingRule("Spare the last apples.", partial(harvest, keep=KEEP)),
}
"""What agents do that model nobody, by their names. words: as a strategy."""


def rules_in(seat: CommonsSeat) -> Mapping[str, PlayingRule]:
    """The rules that minds take players of a seat's common good to follow."""
    return RIVER_RULES if seat.facts.river else REGROWTH_RULES


def scripted_rules(facts: CommonsFacts, slot: int) -> Mapping[str, PlayingRule]:
    """What scripted players of a common good do."""
    return RIVER_RULES if facts.river else {**REGROWTH_RULES, **FIGHTERS}
