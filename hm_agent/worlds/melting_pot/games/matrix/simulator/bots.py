"""The bots of a matrix game: puppets with their puppeteers and rules, and players that watch others."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from meltingpot.configs import bots as bot_configs
from meltingpot.utils.policies import policy as policy_lib
from meltingpot.utils.policies import puppet_policy
from meltingpot.utils.puppeteers import in_the_matrix, puppeteer

from hm_agent.worlds.melting_pot.facts import CharacterRange, UnseenFacts
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.moves import PastMove
from hm_agent.worlds.melting_pot.games.matrix.opponent_rules import Answer, Constant, Until, relations
from hm_agent.worlds.melting_pot.games.matrix.simulator.character import SCRIPTED_RANGE, CharacterPuppeteer, goal_of
from hm_agent.worlds.melting_pot.games.matrix.simulator.practice import MatrixPractice
from hm_agent.worlds.melting_pot.games.matrix.simulator.puppets import GulliblePlayer, LastSeenPlayer, ScriptedPuppet
from hm_agent.worlds.melting_pot.games.matrix.simulator.unseen import WATCHERS, build_puppeteer
from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.frame_policy import FramePlayer, FramePolicy
from hm_agent.worlds.melting_pot.simulator.bots.game_bots import GameBots


class MatrixBots(GameBots[MatrixFacts]):
    """Puppets, and players without a puppeteer, which answer what they see others collect."""

    scripted_character = SCRIPTED_RANGE

    @property
    def goals(self) -> int:
        return self._game.goals

    def scripted(
        self, bot: str, visions: Sequence[SubstrateVision], stream: random.Random, *, is_puppet: bool
    ) -> policy_lib.Policy[Any]:
        return FramePolicy(lambda: self._player(bot, visions, random.Random(stream.getrandbits(64)), is_puppet))

    def _player(self, bot: str, visions: Sequence[SubstrateVision], rng: random.Random, is_puppet: bool) -> FramePlayer:
        vision, *other_side = visions
        if is_puppet:
            return ScriptedPuppet(self._game, vision, rng, *other_side)
        if unseen := self._unseen(bot):
            character = unseen.character or SCRIPTED_RANGE
            return LastSeenPlayer(self._game, vision, rng, WATCHERS[unseen.puppeteer], character)
        return GulliblePlayer(self._game, vision, rng)

    def practice(self, rng: random.Random) -> MatrixPractice:
        return MatrixPractice(self._game, rng)

    def puppeteer(self, unseen: UnseenFacts) -> Callable[[], puppeteer.Puppeteer[Any]] | None:
        return None if unseen.puppeteer in WATCHERS else partial(build_puppeteer, self._game, unseen)

    def _unseen(self, bot: str) -> UnseenFacts | None:
        """The facts about a bot of ours; None for Melting Pot's."""
        return None if bot in bot_configs.BOT_CONFIGS else scenario_named(bot).unseen

    def has_no_model(self, bot: str) -> bool:
        unseen = self._unseen(bot)
        return unseen is not None and unseen.puppeteer in WATCHERS

    def with_character(self, player: policy_lib.Policy[Any], character: CharacterRange) -> policy_lib.Policy[Any]:
        return puppet_policy.PuppetPolicy(CharacterPuppeteer(self._game, character), player)

    def aimed_for(self, goal: npt.NDArray[np.int32]) -> str:
        kind, _ = goal_of(self._game, goal)
        return self._game.behaviours[kind]

    def watches_others(self, bot: str) -> bool:
        config = bot_configs.BOT_CONFIGS.get(bot)
        return self.has_no_model(bot) or (config is not None and config.puppeteer_builder is None)

    def rule_of(self, bot: str) -> str | None:
        config = bot_configs.BOT_CONFIGS.get(bot)
        arguments = getattr(config and config.puppeteer_builder, "keywords", {})
        if config is None or "cooperate_resource" not in arguments:
            return None
        names, threshold = self._game.behaviours, arguments.get("threshold", 1)
        cooperate, defect = (arguments[f"{name}_resource"].index for name in ("cooperate", "defect"))
        same, *_ = relations(self._game.payoff)
        copying = Answer.by_relation(names, same, PastMove(is_own=True, ago=1))
        directed_by = config.puppeteer_builder()
        if isinstance(directed_by, in_the_matrix.GrimTrigger):
            return Until(names, cooperate, defect, threshold, Constant(names, defect)).words
        if isinstance(directed_by, in_the_matrix.Corrigible):
            return Until(names, defect, defect, threshold, copying).words
        return copying.words if isinstance(directed_by, in_the_matrix.TitForTat) else None
