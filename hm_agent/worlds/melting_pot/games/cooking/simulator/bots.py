"""The bots of a kitchen."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from meltingpot.utils.puppeteers import puppeteer

from hm_agent.config import ConfigError
from hm_agent.worlds.melting_pot.facts import UnseenFacts
from hm_agent.worlds.melting_pot.games.cooking.facts import KitchenFacts
from hm_agent.worlds.melting_pot.games.cooking.roles import STANDS
from hm_agent.worlds.melting_pot.games.cooking.simulator.chef import APPRENTICE, ROBUST, SKILLED, UNSEEN_CHEFS, Chef
from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision
from hm_agent.worlds.melting_pot.simulator.bots.frame_policy import FramePolicy
from hm_agent.worlds.melting_pot.simulator.bots.game_bots import GameBots

SKILLS = {"__apprentice_": APPRENTICE, "__chef_": SKILLED, "__independent_chef_": ROBUST, "__robust_chef_": ROBUST}
"""The skills of the chefs that stand in for trained ones, by a part of their names."""


class KitchenBots(GameBots[KitchenFacts]):
    """Chefs: they have no puppeteers, and those that are trained less are called apprentices in their names.

    The chefs of unseen scenarios are always scripted.
    """

    intent_standing = STANDS

    def scripted(
        self, bot: str, visions: Sequence[SubstrateVision], stream: random.Random, *, is_puppet: bool
    ) -> FramePolicy:
        if self.has_no_model(bot):
            skill = UNSEEN_CHEFS[self._game.unseen[int(bot.rpartition("_")[2])].puppeteer]
        else:
            skill = next(skill for part, skill in SKILLS.items() if part in bot)
        return FramePolicy(lambda: Chef(self._game, visions[0], skill, random.Random(stream.getrandbits(64))))

    def puppeteer(self, unseen: UnseenFacts) -> Callable[[], puppeteer.Puppeteer[Any]] | None:
        if unseen.puppeteer not in UNSEEN_CHEFS:
            raise ConfigError(f"{unseen.short_name}: no chef {unseen.puppeteer!r}: there are {', '.join(UNSEEN_CHEFS)}")
        return None

    def has_no_model(self, bot: str) -> bool:
        return "_unseen_" in bot
