"""A scripted background player of matrix games; like the trained ones, it sees only its own pixels.

It explores, collects, searches for its partner, approaches it and fires its beam. Some of its moves are random, which
also keeps two such players from blocking each other for ever.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.facts import FELLOW, Beam
from hm_agent.worlds.melting_pot.grid import Cell, Move, Pose, distance, nearest
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.memory.player_belief import PlayerBeliefMap
from hm_agent.worlds.melting_pot.perception.perceiver import Perceiver, SubstrateVision
from hm_agent.worlds.melting_pot.perception.sprites import Pixels
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.planning.beam import find_approach
from hm_agent.worlds.melting_pot.planning.walking import Walker, seek_bearings

RANDOM_MOVE_PROBABILITY = 0.1
"""The probability of a random move instead of the intended one."""
COOLDOWN_STEPS = 2
"""For this many steps after a shot, the beam can't fire."""
APPROACH_PROBABILITY = 0.2
"""With several other players, the probability per step of approaching one in view; otherwise the player explores."""
PURSUIT_STEPS = 8
"""For this many steps, a partner that went out of view is searched for where it was last seen."""
DETOUR_CELLS = 3
"""While following its partner, a player collects resources of its kind that are at most this far away."""


@dataclass(frozen=True, slots=True)
class PlayerGoal:
    """The thing to collect or, if `interact`, to play against the partner."""

    thing: str
    interact: bool


class ScriptedPlayer:
    """One player in one episode; it knows only the frames given to `look`."""

    def __init__(
        self, vision: SubstrateVision, beam: Beam, rng: random.Random, other_side: SubstrateVision | None = None
    ) -> None:
        """other_side: in an asymmetric game, the vision of its other side, if the player may be on it.

        The first frame tells which side that is.
        """
        self._layout, self._beam, self._rng, self._other_side = vision.layout, beam, rng, other_side
        self._freezing_mark = vision.roles.freezing_mark
        self._walker = Walker(vision.layout)
        self._move = Move.NOOP
        self._step = -1
        self._cooldown = 0
        self._destination: Cell | None = None
        self._take(vision)

    def _take(self, vision: SubstrateVision) -> None:
        """Sets perception and memory up for a player of one side, by that side's vision."""
        self._perceiver = Perceiver(vision)
        others = tuple(vision.roles.players.values())
        self._has_many_others = vision.roles.is_crowd
        tracked = () if self._has_many_others else others
        belief = PlayerBeliefMap(vision.layout, tracked, vision.window.left) if tracked else None
        self.memory = EntityMemory(vision.layout, belief)

    def look(self, rgb: Pixels) -> TextualMap:
        """Perceives the next frame."""
        self._step += 1
        self._cooldown = max(0, self._cooldown - 1)
        if self._step == 0 and self._other_side and self._other_side.is_own(rgb):
            self._take(self._other_side)
        return self._perceiver.see(rgb, self._move)

    def just_saw(self, cell: Cell) -> str | None:
        """The kind of thing seen on a cell one frame ago; None if none was."""
        kind, step = self.memory.things.get(cell, (None, -1))
        return kind if step == self._step - 1 else None

    def act(self, view: TextualMap, goal: PlayerGoal) -> Move:
        """Chooses the move after a frame."""
        self.memory.update(self._step, view)
        self._move = self._choose(view, goal)
        if self._move is Move.INTERACT:
            self._cooldown = COOLDOWN_STEPS + 1
        return self._move

    def _choose(self, view: TextualMap, goal: PlayerGoal) -> Move:
        if not view.present or view.mark == self._freezing_mark:
            return Move.NOOP
        if view.pose is None:
            return seek_bearings(view, self._step)
        if self._rng.random() < RANDOM_MOVE_PROBABILITY:
            return self._rng.choice((Move.FORWARD, Move.TURN_LEFT, Move.TURN_RIGHT))
        return self._hunt(view.pose, view, goal) if goal.interact else self._collect(view.pose, view, goal)

    def _collect(self, pose: Pose, view: TextualMap, goal: PlayerGoal) -> Move:
        known = nearest(pose.cell, self.memory.cells_of(goal.thing))
        return self._go(pose, view, known) if known else self._explore(pose, view)

    def _hunt(self, pose: Pose, view: TextualMap, goal: PlayerGoal) -> Move:
        if self._has_many_others and self._rng.random() >= APPROACH_PROBABILITY:
            return self._explore(pose, view)
        for partner in view.players:
            if partner.kind == FELLOW:
                continue
            assert partner.cell is not None
            approach = find_approach(self._layout, pose, partner.cell, self._beam, self.memory.things.keys())
            if approach is not None:
                return Move.NOOP if approach.move is Move.INTERACT and self._cooldown else approach.move
        return self._explore(pose, view) if self._has_many_others else self._pursue(pose, view, goal)

    def _pursue(self, pose: Pose, view: TextualMap, goal: PlayerGoal) -> Move:
        """Walks to where the partner was last seen; from there collects what is near, else searches for the partner."""
        last_seen = [
            sighting.cell for sighting in self.memory.players.values() if self._step - sighting.step <= PURSUIT_STEPS
        ]
        if last_seen and last_seen[0] != pose.cell:
            return self._go(pose, view, last_seen[0])
        near = [cell for cell in self.memory.cells_of(goal.thing) if distance(pose.cell, cell) <= DETOUR_CELLS]
        return self._collect(pose, view, goal) if near else self._search(pose, view)

    def _search(self, pose: Pose, view: TextualMap) -> Move:
        """Walks to a likely place of the partner."""
        if self._destination is None or self.memory.looked_at.of(self._destination) == self._step:
            self._destination = self.memory.likely_place(pose.cell)
        return self._go(pose, view, self._destination) if self._destination else self._explore(pose, view)

    def _explore(self, pose: Pose, view: TextualMap) -> Move:
        """Walks to the cell out of view for longest."""
        if self._destination is None or self.memory.looked_at.of(self._destination) == self._step:
            self._destination = self.memory.looked_at.stalest_cell(pose.cell, self._step)
        return self._go(pose, view, self._destination)

    def _go(self, pose: Pose, view: TextualMap, destination: Cell) -> Move:
        players = frozenset(player.cell for player in view.players if player.cell)
        move = self._walker.step(pose, destination, self.memory, players)
        return Move.TURN_RIGHT if move is None else move
