"""Logs what bots aim for, for the reference agent `oracle` and for recordings alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dm_env
from meltingpot.utils.policies import policy as policy_lib

from hm_agent.worlds.melting_pot.simulator.bots.frame_policy import GOAL
from hm_agent.worlds.melting_pot.simulator.bots.game_bots import GameBots


@dataclass
class IntentLog:
    """The behaviour that each background player intends, by slot; complete once all have acted in a step."""

    bots: GameBots[Any]
    intents: list[str | None]


class IntentReporter(policy_lib.Policy[tuple[int, Any]]):
    """Wraps a policy and logs its intent at every step: a puppet's GOAL, or the own choice of a scripted player."""

    def __init__(self, policy: policy_lib.Policy[Any], log: IntentLog, intent: str | None = None) -> None:
        """intent: what is logged of a policy that has no GOAL and whose state has no intent."""
        self._policy, self._log, self._constant_intent = policy, log, intent

    def initial_state(self) -> tuple[int, Any]:
        """A new slot in the log and the player's own state; at a reset, players get slots in the population's order."""
        self._log.intents.append(None)
        return len(self._log.intents) - 1, self._policy.initial_state()

    def step(self, timestep: dm_env.TimeStep, prev_state: tuple[int, Any]) -> tuple[int, tuple[int, Any]]:
        slot, state = prev_state
        action, state = self._policy.step(timestep, state)
        self._log.intents[slot] = self._intent(timestep, state)
        return action, (slot, state)

    def _intent(self, timestep: dm_env.TimeStep, state: Any) -> str | None:
        if self._log.bots.goals and GOAL in timestep.observation:
            return self._log.bots.aimed_for(timestep.observation[GOAL])
        intent: str | None = getattr(state, "intent", self._constant_intent)
        return intent

    def close(self) -> None:
        self._policy.close()
