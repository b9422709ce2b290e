"""Scripted players of matrix games: a puppet that follows a puppeteer's goals, and players without one."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from typing import Any

from hm_agent.worlds.melting_pot.facts import CharacterRange
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.simulator.character import SCRIPTED_RANGE, CharacterPuppeteer, goal_of
from hm_agent.worlds.melting_pot.games.matrix.simulator.player import PlayerGoal, ScriptedPlayer
from hm_agent.worlds.melting_pot.grid import Move
from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.simulator.bots.frame_policy import GOAL


class ScriptedPuppet:
    """Stands in for a trained puppet: pursues the puppeteer's GOAL and otherwise sees only its own RGB."""

    def __init__(
        self, game: MatrixFacts, vision: SubstrateVision, rng: random.Random, other_side: SubstrateVision | None = None
    ) -> None:
        """other_side: as of `ScriptedPlayer`."""
        self._game, self._player = game, ScriptedPlayer(vision, game.beam, rng, other_side)

    def act(self, frame: Mapping[str, Any], reward: float) -> Move:
        kind, plays = goal_of(self._game, frame[GOAL])
        return self._player.act(self._player.look(frame["RGB"]), PlayerGoal(self._game.things[kind], interact=plays))


class GulliblePlayer:
    """Stands in for a trained player without a puppeteer: answers what it sees its partner collect.

    order: at order 1 it expects its partner to play that kind, and best-responds; at order 2 it takes this for known to
    its partner and expects the best response to it, to which it best-responds; and so on. target: the resource that it
    collects, by its index. collected: what it has seen its partner collect since it was last removed from the map.
    last_seen: the latest thing that it has seen its partner collect in the episode.
    """

    MARGIN = 3
    """How many resources it collects before it meets its partner, besides the surplus of its character."""

    def __init__(
        self,
        game: MatrixFacts,
        vision: SubstrateVision,
        rng: random.Random,
        order: int = 1,
        character: CharacterRange = SCRIPTED_RANGE,
    ) -> None:
        self._game, self._order = game, order
        self.target = rng.randrange(len(game.resources))
        self._player = ScriptedPlayer(vision, game.beam, rng)
        self._character = CharacterPuppeteer(game, character)
        self._life = self._character.initial_state()
        self.collected: Counter[str] = Counter()
        self._held = 0
        """How many things of its target it has taken since it was last removed from the map."""
        self.last_seen: str | None = None

    @property
    def intent(self) -> str:
        return self._game.behaviours[self.target]

    def act(self, frame: Mapping[str, Any], reward: float) -> Move:
        view = self._player.look(frame["RGB"])
        self._update(view)
        wanted = self.target, self._held >= self.MARGIN
        kind, plays = self._character.pursue(wanted, frame["INVENTORY"].tolist(), self._life)
        return self._player.act(view, PlayerGoal(self._game.things[kind], interact=plays))

    def _update(self, view: TextualMap) -> None:
        if not view.present:
            self.collected.clear()
            self._held = 0
            return
        self._watch(view)
        if view.pose and self._player.just_saw(view.pose.cell) == self._game.things[self.target]:
            self._held += 1
        if (seen := self.seen) is not None:
            self.target = self.answer(self._game.things.index(seen))

    def _watch(self, view: TextualMap) -> None:
        """Counts as collected the things that lay, one frame ago, on cells where a partner stands now."""
        for partner in view.players:
            if partner.cell and (kind := self._player.just_saw(partner.cell)):
                self.collected[kind] += 1
                self.last_seen = kind

    @property
    def seen(self) -> str | None:
        """The kind of thing that it answers; None if it has seen none."""
        return self.collected.most_common(1)[0][0] if self.collected else None

    def answer(self, seen: int) -> int:
        """What it plays after it has seen a kind taken."""
        own = self._game.side.best_response(seen)
        for _ in range(self._order - 1):
            own = self._game.side.outguessing(own)
        return own


class LastSeenPlayer(GulliblePlayer):
    """Answers the latest thing that it has seen its partner collect, in this life or an earlier one."""

    @property
    def seen(self) -> str | None:
        return self.last_seen
