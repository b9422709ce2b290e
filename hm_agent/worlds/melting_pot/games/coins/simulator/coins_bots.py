"""The scripted players of Coins: by rules of their own, and as the puppets of Melting Pot's puppeteers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from hm_agent.worlds.melting_pot.games.coins.coins_facts import CoinsFacts
from hm_agent.worlds.melting_pot.games.coins.coins_play import follow_rule, spite
from hm_agent.worlds.melting_pot.games.coins.taking_rules import NAMED, NEAR_ONES, SPARES, TAKES_ANY
from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts
from hm_agent.worlds.melting_pot.games.open.seat import PlayingRule
from hm_agent.worlds.melting_pot.games.open.simulator.scripted_player import PuppetPlayer, RuleBots
from hm_agent.worlds.melting_pot.perception.sprites import Pixels

NEAR = 2
"""At which distance a player takes the other's coins that takes only near ones."""
GOALS: Sequence[PlayingRule] = (
    PlayingRule(SPARES.words, partial(follow_rule, rule=SPARES)),
    PlayingRule(TAKES_ANY.words, partial(follow_rule, rule=TAKES_ANY)),
    PlayingRule(TAKES_ANY.words, spite),
)
"""What puppets do, by the number of their puppeteer's GOAL: to cooperate, to defect, or to be spiteful."""


class CoinsBots(RuleBots):
    """A player that follows a rule, or a puppet."""

    def __init__(self, game: CoinsFacts, parts: OpenParts) -> None:
        reach = {NEAR_ONES: NEAR}
        rules = {
            name: PlayingRule(rule.words, partial(follow_rule, rule=rule, reach=reach.get(rule)))
            for name, rule in NAMED.items()
        }
        super().__init__(game, parts, rules)

    def own_slot(self, rgb: Pixels) -> int:
        """The second one, since colours, by which players look different, are drawn for each episode."""
        return 1

    def stand_in(self, bot: str, slot: int) -> PuppetPlayer:
        """A puppet, which Melting Pot's own puppeteer tells what to do."""
        (rule,) = (rule for name, rule in NAMED.items() if name in bot)
        return PuppetPlayer(*self._parts.senses(self._game, slot), GOALS, rule.words)
