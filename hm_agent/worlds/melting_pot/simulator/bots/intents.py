"""The background players' intents and rules, which only the reference agent `oracle` and recordings are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import dm_env
import numpy as np
from meltingpot.configs import bots as bot_configs
from meltingpot.utils.policies import policy as policy_lib
from meltingpot.utils.puppeteers import in_the_matrix

from hm_agent.worlds.melting_pot.facts import GameFacts, MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.opponent_strategies import Corrigible, GrimTrigger, tit_for_tat
from hm_agent.worlds.melting_pot.simulator.bots.policies import goal_of


@runtime_checkable
class HasIntent(Protocol):
    """The state of a scripted player that knows which of the game's behaviours it intends."""

    @property
    def intent(self) -> str | None: ...


@dataclass
class IntentLog:
    """The behaviour that each background player intends, by slot; complete up to the last finished step."""

    game: GameFacts
    intents: list[str | None]

    def add_slot(self) -> int:
        """Adds a player and returns its slot; at every reset players are added in the population's order."""
        self.intents.append(None)
        return len(self.intents) - 1


class IntentReporter(policy_lib.Policy[tuple[int, Any]]):
    """Wraps a policy and logs its intent at every step: a puppet's GOAL, or a free scripted player's own choice."""

    def __init__(self, policy: policy_lib.Policy[Any], log: IntentLog, intent: str | None = None) -> None:
        """intent: the constant intent of a policy whose state doesn't have one."""
        self._policy, self._log, self._constant_intent = policy, log, intent

    def initial_state(self) -> tuple[int, Any]:
        return self._log.add_slot(), self._policy.initial_state()

    def step(self, timestep: dm_env.TimeStep, prev_state: tuple[int, Any]) -> tuple[int, tuple[int, Any]]:
        slot, state = prev_state
        action, state = self._policy.step(timestep, state)
        self._log.intents[slot] = self._intent(timestep, state)
        return action, (slot, state)

    def _intent(self, timestep: dm_env.TimeStep, state: Any) -> str | None:
        game = self._log.game
        if isinstance(game, MatrixFacts) and "GOAL" in timestep.observation:
            thing = goal_of(game, int(np.argmax(timestep.observation["GOAL"]))).thing
            return game.behaviours[game.things.index(thing)]
        return state.intent if isinstance(state, HasIntent) else self._constant_intent

    def close(self) -> None:
        self._policy.close()


def rule_of(bot: str, game: GameFacts) -> str | None:
    """A bot's rule of reciprocity in words; None for a bot that neither rewards nor punishes."""
    if not isinstance(game, MatrixFacts) or bot not in bot_configs.BOT_CONFIGS:
        return None
    builder = bot_configs.BOT_CONFIGS[bot].puppeteer_builder
    arguments = getattr(builder, "keywords", {})
    if "cooperate_resource" not in arguments:
        return None
    kind, harsh = (game.behaviours[arguments[f"{name}_resource"].index] for name in ("cooperate", "defect"))
    puppeteer = builder()
    if isinstance(puppeteer, in_the_matrix.GrimTrigger):
        return GrimTrigger(game.behaviours, kind, harsh, arguments["threshold"]).words
    if isinstance(puppeteer, in_the_matrix.Corrigible):
        return Corrigible(game.behaviours, harsh, kind, arguments["threshold"]).words
    return tit_for_tat(game.behaviours, kind).words if isinstance(puppeteer, in_the_matrix.TitForTat) else None
