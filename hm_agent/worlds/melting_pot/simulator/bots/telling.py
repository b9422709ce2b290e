"""What only the reference agent `oracle` is told: what the other players are after, and by which rules they go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import dm_env
import numpy as np
from meltingpot.configs import bots as bot_configs
from meltingpot.utils.policies import policy as policy_lib
from meltingpot.utils.puppeteers import in_the_matrix

from hm_agent.worlds.melting_pot.facts import GameFacts, MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.opponent_strategies import Corrigible, Grudge, tit_for_tat
from hm_agent.worlds.melting_pot.simulator.bots.policies import errand_of


@runtime_checkable
class Aiming(Protocol):
    """The state of a player that can say which behaviour it is after."""

    @property
    def aim(self) -> str | None: ...


@dataclass
class Prompter:
    """Overhears what each background player aims for; `heard` is complete up to the last finished step."""

    game: GameFacts
    heard: list[str | None]

    def enter(self) -> int:
        """Gives the next player its slot; slots are entered in order at every reset."""
        self.heard.append(None)
        return len(self.heard) - 1


class Overheard(policy_lib.Policy[tuple[int, Any]]):
    """Tells the prompter what a puppet is told, or what a free scripted player has chosen for itself."""

    def __init__(self, policy: policy_lib.Policy[Any], prompter: Prompter, aim: str | None = None) -> None:
        """aim: what a player is always after that doesn't say so itself."""
        self._policy, self._prompter, self._constant_aim = policy, prompter, aim

    def initial_state(self) -> tuple[int, Any]:
        return self._prompter.enter(), self._policy.initial_state()

    def step(self, timestep: dm_env.TimeStep, prev_state: tuple[int, Any]) -> tuple[int, tuple[int, Any]]:
        slot, state = prev_state
        action, state = self._policy.step(timestep, state)
        self._prompter.heard[slot] = self._aim(timestep, state)
        return action, (slot, state)

    def _aim(self, timestep: dm_env.TimeStep, state: Any) -> str | None:
        game = self._prompter.game
        if isinstance(game, MatrixFacts) and "GOAL" in timestep.observation:
            kind = errand_of(game, int(np.argmax(timestep.observation["GOAL"]))).kind
            return game.behaviours[game.things.index(kind)]
        return state.aim if isinstance(state, Aiming) else self._constant_aim

    def close(self) -> None:
        self._policy.close()


def rule_of(bot: str, game: GameFacts) -> str | None:
    """How a bot answers what is done to it, in words; None for one that neither rewards nor punishes."""
    if not isinstance(game, MatrixFacts) or bot not in bot_configs.BOT_CONFIGS:
        return None
    builder = bot_configs.BOT_CONFIGS[bot].puppeteer_builder
    said = getattr(builder, "keywords", {})
    if "cooperate_resource" not in said:
        return None
    kind, harsh = (game.behaviours[said[f"{name}_resource"].index] for name in ("cooperate", "defect"))
    puppeteer = builder()
    if isinstance(puppeteer, in_the_matrix.GrimTrigger):
        return Grudge(game.behaviours, kind, harsh, said["threshold"]).words
    if isinstance(puppeteer, in_the_matrix.Corrigible):
        return Corrigible(game.behaviours, harsh, kind, said["threshold"]).words
    return tit_for_tat(game.behaviours, kind).words if isinstance(puppeteer, in_the_matrix.TitForTat) else None
