"""The scripted players of Coins: by rules of their own, and as the puppets of Melting Pot's puppeteers."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from itertools import repeat
from typing import Any

import dm_env
from meltingpot.configs.bots import BOT_CONFIGS
from meltingpot.utils.policies import policy as policy_lib

from hm_agent.worlds.melting_pot.games.coins.coins_facts import CoinsFacts
from hm_agent.worlds.melting_pot.games.coins.coins_play import follow_rule, spite
from hm_agent.worlds.melting_pot.games.coins.coins_seat import CoinsSeat
from hm_agent.worlds.melting_pot.games.coins.taking_rules import NAMED, NEAR_ONES, SPARES, TAKES_ANY
from hm_agent.worlds.melting_pot.games.open.calls import Call
from hm_agent.worlds.melting_pot.games.open.follower import OpenFollower
from hm_agent.worlds.melting_pot.games.open.notes import OpenNotes
from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts
from hm_agent.worlds.melting_pot.games.open.seat import PlayingRule
from hm_agent.worlds.melting_pot.games.open.simulator.scripted_player import RuleBots, RulePlayer, RulePolicy

NEAR = 2
"""At which distance a player takes the other's coins that takes only near ones."""
GOALS: Sequence[Callable[[CoinsSeat], Sequence[Call]]] = (
    partial(follow_rule, rule=SPARES),
    partial(follow_rule, rule=TAKES_ANY),
    spite,
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
        super().__init__(game, rules, parts)

    def scripted(
        self, bot: str, visions: Sequence[Any], stream: random.Random, *, is_puppet: bool
    ) -> policy_lib.Policy[Any]:
        """As of all open games; of Melting Pot's bots the puppet, which its own puppeteer tells what to do."""
        if bot not in BOT_CONFIGS:
            return super().scripted(bot, visions, stream, is_puppet=is_puppet)
        (rule,) = (rule for name, rule in NAMED.items() if name in bot)
        return PuppetPlayers(
            lambda place, slot: CoinPuppet(*self._parts.senses(self._game, slot), rule.words), repeat(1)
        )


class CoinPuppet(RulePlayer):
    """A puppet in one episode. words: what its puppeteer makes it do, as agents say it."""

    def __init__(self, notes: OpenNotes, follower: OpenFollower, words: str) -> None:
        super().__init__(notes, follower, PlayingRule(words, self._next))
        self._goal = 0

    def _next(self, seat: CoinsSeat) -> Sequence[Call]:
        return GOALS[self._goal](seat)

    def aim(self, goal: int) -> None:
        """Takes in a goal; another one ends the plan."""
        if goal != self._goal:
            self._goal = goal
            self._follower.follow(())


class PuppetPlayers(RulePolicy):
    """The puppets of an episode."""

    def step(self, timestep: dm_env.TimeStep, prev_state: Any) -> tuple[int, Any]:
        prev_state.aim(int(timestep.observation["GOAL"].argmax()))
        return super().step(timestep, prev_state)
