"""Melting Pot policies of scripted players: a puppet that follows a puppeteer's goals, and a player without one.

Their intents and rules are logged for the reference agent `oracle` and for recordings alone.

All state is in `prev_state`, so that one policy can serve several slots.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dm_env
from meltingpot.configs import bots as bot_configs
from meltingpot.utils.policies import policy as policy_lib
from meltingpot.utils.puppeteers import in_the_matrix

from hm_agent.worlds.melting_pot.facts import GameFacts, MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.opponent_rules import (
    Answer,
    Constant,
    PastMove,
    Until,
    relations,
)
from hm_agent.worlds.melting_pot.perception.atlas import Pixels
from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.simulator.bots.character import SCRIPTED_RANGE, CharacterPuppeteer, Life, goal_of
from hm_agent.worlds.melting_pot.simulator.bots.player import PlayerGoal, ScriptedPlayer


class ScriptedPuppet(policy_lib.Policy[ScriptedPlayer]):
    """Stands in for a trained puppet: pursues the puppeteer's GOAL and otherwise sees only its own RGB."""

    def __init__(
        self,
        game: MatrixFacts,
        vision: SubstrateVision,
        stream: random.Random,
        other_side: SubstrateVision | None = None,
    ) -> None:
        """other_side: in an asymmetric game, the vision of its other side: one puppet serves players of both."""
        self._game, self._vision, self._stream, self._other_side = game, vision, stream, other_side

    def initial_state(self) -> ScriptedPlayer:
        rng = random.Random(self._stream.getrandbits(64))
        return ScriptedPlayer(self._vision, self._game.beam, rng, self._other_side)

    def step(self, timestep: dm_env.TimeStep, prev_state: ScriptedPlayer) -> tuple[int, ScriptedPlayer]:
        kind, plays = goal_of(self._game, timestep.observation["GOAL"])
        goal = PlayerGoal(self._game.things[kind], interact=plays)
        view = prev_state.look(timestep.observation["RGB"])
        return int(prev_state.act(view, goal)), prev_state

    def close(self) -> None:
        """Nothing to release."""


class GullibleState:
    """The state of a `GulliblePolicy`.

    target: the resource that it collects, by its index. collected: what it has seen its partner collect, and held: how
    many things of its target it has taken, both since it was last removed from the map.
    """

    def __init__(self, player: ScriptedPlayer, target: int, behaviours: Sequence[str], life: Life) -> None:
        self.player, self.target, self._behaviours, self.life = player, target, behaviours, life
        self.collected: Counter[str] = Counter()
        self.held = 0

    @property
    def intent(self) -> str:
        return self._behaviours[self.target]

    def watch(self, view: TextualMap) -> None:
        """Counts as collected the things that lay, one frame ago, on cells where a partner stands now."""
        for partner in view.players:
            if partner.cell and (kind := self.player.just_saw(partner.cell)):
                self.collected[kind] += 1


class GulliblePolicy(policy_lib.Policy[GullibleState]):
    """Stands in for a trained player without a puppeteer: best-responds to what it sees its partner collect."""

    MARGIN = 3
    """How many resources it collects before it meets its partner, besides the surplus of its character."""

    def __init__(self, game: MatrixFacts, vision: SubstrateVision, stream: random.Random) -> None:
        self._game, self._vision, self._stream = game, vision, stream
        self._character = CharacterPuppeteer(game, SCRIPTED_RANGE)

    def initial_state(self) -> GullibleState:
        rng = random.Random(self._stream.getrandbits(64))
        target = rng.randrange(len(self._game.resources))
        player = ScriptedPlayer(self._vision, self._game.beam, rng)
        return GullibleState(player, target, self._game.behaviours, self._character.initial_state())

    def step(self, timestep: dm_env.TimeStep, prev_state: GullibleState) -> tuple[int, GullibleState]:
        rgb: Pixels = timestep.observation["RGB"]
        view = prev_state.player.look(rgb)
        self._update(prev_state, view)
        wanted = prev_state.target, prev_state.held >= self.MARGIN
        kind, plays = self._character.pursue(wanted, timestep.observation["INVENTORY"].tolist(), prev_state.life)
        goal = PlayerGoal(self._game.things[kind], interact=plays)
        return int(prev_state.player.act(view, goal)), prev_state

    def _update(self, state: GullibleState, view: TextualMap) -> None:
        if not view.present:
            state.collected.clear()
            state.held = 0
            return
        state.watch(view)
        if view.pose and state.player.just_saw(view.pose.cell) == self._game.things[state.target]:
            state.held += 1
        if state.collected:
            payoff, seen = self._game.payoff, self._game.things.index(state.collected.most_common(1)[0][0])
            state.target = max(range(len(payoff)), key=lambda own: payoff[own][seen])

    def close(self) -> None:
        """Nothing to release."""


@dataclass
class IntentLog:
    """The behaviour that each background player intends, by slot; complete once all have acted in a step."""

    game: GameFacts
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
        game = self._log.game
        if isinstance(game, MatrixFacts) and "GOAL" in timestep.observation:
            kind, _ = goal_of(game, timestep.observation["GOAL"])
            return game.behaviours[kind]
        intent: str | None = getattr(state, "intent", self._constant_intent)
        return intent

    def close(self) -> None:
        self._policy.close()


def watches_others(bot: str, game: GameFacts) -> bool:
    """True if a bot answers what it sees others collect: in matrix games, those without a puppeteer do."""
    config = bot_configs.BOT_CONFIGS.get(bot)
    return isinstance(game, MatrixFacts) and config is not None and config.puppeteer_builder is None


def rule_of(bot: str, game: GameFacts) -> str | None:
    """A bot's rule of reciprocity in words; None for a bot that neither rewards nor punishes."""
    if not isinstance(game, MatrixFacts) or bot not in bot_configs.BOT_CONFIGS:
        return None
    builder = bot_configs.BOT_CONFIGS[bot].puppeteer_builder
    arguments = getattr(builder, "keywords", {})
    if "cooperate_resource" not in arguments:
        return None
    names, threshold = game.behaviours, arguments.get("threshold", 1)
    cooperate, defect = (arguments[f"{name}_resource"].index for name in ("cooperate", "defect"))
    same, *_ = relations(game.payoff)
    copying = Answer.by_relation(names, same, PastMove(is_own=True, ago=1))
    puppeteer = builder()
    if isinstance(puppeteer, in_the_matrix.GrimTrigger):
        return Until(names, cooperate, defect, threshold, Constant(names, defect)).words
    if isinstance(puppeteer, in_the_matrix.Corrigible):
        return Until(names, defect, defect, threshold, copying).words
    return copying.words if isinstance(puppeteer, in_the_matrix.TitForTat) else None
