"""The scripted players at common goods: by rules of their own, and in place of Melting Pot's trained bots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from hm_agent.worlds.melting_pot.games.commons.commons_facts import CommonsFacts
from hm_agent.worlds.melting_pot.games.commons.commons_seat import CommonsSeat
from hm_agent.worlds.melting_pot.games.commons.rules import KEEP, REGROWTH_RULES, RIVER_RULES, eat, harvest, zap
from hm_agent.worlds.melting_pot.games.open.calls import Call
from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts
from hm_agent.worlds.melting_pot.games.open.seat import PlayingRule
from hm_agent.worlds.melting_pot.games.open.simulator.scripted_player import PuppetPlayer, RuleBots, RulePlayer


def zap_anyone(seat: CommonsSeat) -> Sequence[Call]:
    """Hits the player that is in view and near; no call if there is none."""
    return zap(seat, [each.name for each in seat.players])


def fight(seat: CommonsSeat, keep: int) -> Sequence[Call]:
    """Zaps whoever is near, else harvests (`harvest`)."""
    return zap_anyone(seat) or harvest(seat, keep)


GOALS: Sequence[PlayingRule] = (
    RIVER_RULES["eats"],
    RIVER_RULES["cleans"],
    PlayingRule(RIVER_RULES["eats"].words, lambda seat: zap_anyone(seat) or eat(seat)),
)
"""What Clean Up's puppets do, by the number of their puppeteer's GOAL: to eat, to clean, or to zap others."""
RAIDS = PlayingRule(REGROWTH_RULES["strips"].words, partial(fight, keep=0))
GUARDS = PlayingRule(REGROWTH_RULES["spares"].words, partial(fight, keep=KEEP))
STAND_INS: Mapping[str, PlayingRule] = {
    "clean_up__cleaner": RIVER_RULES["cleans"],
    "clean_up__consumer": RIVER_RULES["eats"],
    "commons_harvest__closed__free": GUARDS,
    "commons_harvest__closed__pacifist": REGROWTH_RULES["strips"],
    "commons_harvest__open__free": RAIDS,
    "commons_harvest__open__pacifist": REGROWTH_RULES["strips"],
    "commons_harvest__partnership__free": RAIDS,
    "commons_harvest__partnership__good_partner": REGROWTH_RULES["spares"],
    "commons_harvest__partnership__pacifist": REGROWTH_RULES["strips"],
    "commons_harvest__partnership__sustainable_fighter": GUARDS,
}
"""What stands in for bots without a puppeteer, by what they are called: what their scenarios are said to meet."""


class CommonsBots(RuleBots):
    """A player that follows a rule, or a puppet."""

    def __init__(self, game: CommonsFacts, parts: OpenParts) -> None:
        super().__init__(game, parts, RIVER_RULES if game.river else REGROWTH_RULES)

    def stand_in(self, bot: str, slot: int) -> RulePlayer:
        senses = self._parts.senses(self._game, slot)
        if rule := STAND_INS.get(bot.rstrip("_0123456789")):
            return RulePlayer(*senses, rule)
        # A reciprocator that has to be taught first is known by its goal alone.
        answers = "reciprocator" in bot and "corrigible" not in bot
        return PuppetPlayer(*senses, GOALS, RIVER_RULES["reciprocates"].words if answers else None)
