"""Melting Pot policies of scripted players: a puppet that follows a puppeteer's goals, and a player without one.

All state is in `prev_state`, so that one policy can serve several slots.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import dm_env
from meltingpot.utils.policies import policy as policy_lib

from hm_agent.worlds.melting_pot.facts import CharacterRange
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.simulator.character import (
    SCRIPTED_RANGE,
    CharacterPuppeteer,
    Life,
    goal_of,
)
from hm_agent.worlds.melting_pot.games.matrix.simulator.player import PlayerGoal, ScriptedPlayer
from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision
from hm_agent.worlds.melting_pot.perception.sprites import Pixels
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap


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
    many things of its target it has taken, both since it was last removed from the map. last_seen: the latest thing
    that it has seen its partner collect in the episode.
    """

    def __init__(self, player: ScriptedPlayer, target: int, behaviours: Sequence[str], life: Life) -> None:
        self.player, self.target, self._behaviours, self.life = player, target, behaviours, life
        self.collected: Counter[str] = Counter()
        self.held = 0
        self.last_seen: str | None = None

    @property
    def intent(self) -> str:
        return self._behaviours[self.target]

    def watch(self, view: TextualMap) -> None:
        """Counts as collected the things that lay, one frame ago, on cells where a partner stands now."""
        for partner in view.players:
            if partner.cell and (kind := self.player.just_saw(partner.cell)):
                self.collected[kind] += 1
                self.last_seen = kind


class GulliblePolicy(policy_lib.Policy[GullibleState]):
    """Stands in for a trained player without a puppeteer: answers what it sees its partner collect.

    order: at order 1 it expects its partner to play that kind, and best-responds; at order 2 it takes this for known to
    its partner and expects the best response to it, to which it best-responds; and so on.
    """

    MARGIN = 3
    """How many resources it collects before it meets its partner, besides the surplus of its character."""

    def __init__(
        self,
        game: MatrixFacts,
        vision: SubstrateVision,
        stream: random.Random,
        order: int = 1,
        character: CharacterRange = SCRIPTED_RANGE,
    ) -> None:
        self._game, self._vision, self._stream, self._order = game, vision, stream, order
        self._character = CharacterPuppeteer(game, character)

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
        if (seen := self.seen(state)) is not None:
            state.target = self.answer(self._game.things.index(seen))

    def seen(self, state: GullibleState) -> str | None:
        """The kind of thing that it answers; None if it has seen none."""
        return state.collected.most_common(1)[0][0] if state.collected else None

    def answer(self, seen: int) -> int:
        """What it plays after it has seen a kind taken."""
        own = self._game.side.best_response(seen)
        for _ in range(self._order - 1):
            own = self._game.side.best_response(self._game.side.opposite.best_response(own))
        return own

    def close(self) -> None:
        """Nothing to release."""


class LastSeenPolicy(GulliblePolicy):
    """Answers the latest thing that it has seen its partner collect, in this life or an earlier one."""

    def seen(self, state: GullibleState) -> str | None:
        return state.last_seen
