"""The bots of a kitchen."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from meltingpot.utils.puppeteers import puppeteer

from hm_agent.config import ConfigError
from hm_agent.worlds.melting_pot.facts import UnseenFacts
from hm_agent.worlds.melting_pot.games.cooking.facts import KitchenFacts
from hm_agent.worlds.melting_pot.games.cooking.kitchen import STANDS
from hm_agent.worlds.melting_pot.games.cooking.simulator.chef import APPRENTICE, KINDS, SKILLED, ChefPolicy
from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision
from hm_agent.worlds.melting_pot.simulator.bots.game_bots import GameBots


class KitchenBots(GameBots[KitchenFacts]):
    """Chefs: they have no puppeteers, and those that are trained less are called apprentices in their names.

    Those who only visit, in kitchens for many, expect others to get out of their way, or are called robust; scripted
    ones are apprentices then. The chefs of unseen scenarios are always scripted.
    """

    intent_standing = STANDS

    def scripted(
        self, bot: str, visions: Sequence[SubstrateVision], stream: random.Random, *, is_puppet: bool
    ) -> ChefPolicy:
        if self.has_no_model(bot):
            skill = KINDS[self._game.unseen[int(bot.rpartition("_")[2])].puppeteer]
        else:
            skill = SKILLED if "__chef_" in bot else APPRENTICE
        return ChefPolicy(self._game, visions[0], skill, stream)

    def puppeteer(self, unseen: UnseenFacts) -> Callable[[], puppeteer.Puppeteer[Any]] | None:
        if unseen.puppeteer not in KINDS:
            raise ConfigError(f"{unseen.short_name}: no chef {unseen.puppeteer!r}: there are {', '.join(KINDS)}")
        return None

    def has_no_model(self, bot: str) -> bool:
        return "_unseen_" in bot
