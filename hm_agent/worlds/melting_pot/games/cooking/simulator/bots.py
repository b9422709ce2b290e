"""The bots of a kitchen."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hm_agent.worlds.melting_pot.games.cooking.facts import KitchenFacts
from hm_agent.worlds.melting_pot.games.cooking.kitchen import STANDS
from hm_agent.worlds.melting_pot.games.cooking.simulator.chef import APPRENTICE, SKILLED, ChefPolicy
from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision
from hm_agent.worlds.melting_pot.simulator.bots.game_bots import GameBots


class KitchenBots(GameBots[KitchenFacts]):
    """Chefs: they have no puppeteers, and those that are trained less are called apprentices in their names."""

    intent_standing = STANDS

    def scripted(
        self, bot: str, visions: Sequence[SubstrateVision], stream: random.Random, *, is_puppet: bool
    ) -> ChefPolicy:
        skill = APPRENTICE if "__apprentice_" in bot else SKILLED
        return ChefPolicy(self._game, visions[0], skill, stream)
