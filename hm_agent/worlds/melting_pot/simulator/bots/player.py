"""A scripted background player: it sees only its own pixels, as the trained ones do.

It explores, collects, seeks its partner, lines up its beam and zaps. It is clumsy at times, which also keeps two such
players from waiting for each other for ever.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.facts import Beam
from hm_agent.worlds.melting_pot.grid import Cell, Move, distance
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.memory.places import stalest_cell
from hm_agent.worlds.melting_pot.memory.player_belief import PlayerBeliefMap
from hm_agent.worlds.melting_pot.perception.atlas import Pixels
from hm_agent.worlds.melting_pot.perception.perceiver import Perceiver, SubstrateVision
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.planning.beam import line_up
from hm_agent.worlds.melting_pot.planning.walking import Walker, seek_bearings

CLUMSINESS = 0.1
"""How often a random move is made instead of the one intended."""
COOLDOWN = 2
"""How many steps the beam rests after a shot."""
EAGERNESS = 0.2
"""How often, among many, a player that has collected enough goes for one it sees; else it strolls on."""
PURSUIT = 8
"""For how many steps a partner that went out of view is followed to where it was seen."""
GREED = 3
"""How far, in steps, a hunting player goes out of its way for another resource of its own."""


@dataclass(frozen=True, slots=True)
class Errand:
    """What to collect, and whether it is time to meet the partner."""

    kind: str
    interact: bool


class ScriptedPlayer:
    """One player through one episode; all it knows comes from `act`."""

    def __init__(self, eyes: SubstrateVision, beam: Beam, rng: random.Random) -> None:
        self._layout, self._beam, self._rng = eyes.layout, beam, rng
        self._perceiver = Perceiver(eyes)
        self._freezing_mark = eyes.roles.freezing_mark
        self._walker = Walker(eyes.layout)
        self._move = Move.NOOP
        self._step = -1
        self._rest = 0
        self._lookout: Cell | None = None
        others = tuple(eyes.roles.players.values())
        self._is_in_a_crowd = len(others) > 1
        tracked = () if self._is_in_a_crowd else others
        self.memory = EntityMemory(PlayerBeliefMap(eyes.layout, tracked, eyes.window.left) if tracked else None)

    def look(self, rgb: Pixels) -> TextualMap:
        """Takes in the next frame."""
        self._step += 1
        self._rest = max(0, self._rest - 1)
        return self._perceiver.see(rgb, self._move)

    def just_saw(self, cell: Cell) -> str | None:
        """The kind of thing that lay on a cell one frame ago, if it was in view then."""
        kind, step = self.memory.things.get(cell, (None, -1))
        return kind if step == self._step - 1 else None

    def act(self, view: TextualMap, errand: Errand) -> Move:
        """Decides on the move after a frame."""
        self.memory.update(self._step, view)
        self._move = self._choose(view, errand)
        if self._move is Move.INTERACT:
            self._rest = COOLDOWN + 1
        return self._move

    def _choose(self, view: TextualMap, errand: Errand) -> Move:
        if not view.present or view.mark == self._freezing_mark:
            return Move.NOOP
        if view.pose is None:
            return seek_bearings(view, self._step)
        if self._rng.random() < CLUMSINESS:
            return self._rng.choice((Move.FORWARD, Move.TURN_LEFT, Move.TURN_RIGHT))
        return self._hunt(view, errand) if errand.interact else self._collect(view, errand)

    def _collect(self, view: TextualMap, errand: Errand) -> Move:
        assert view.pose is not None
        known = self.memory.cells_of(errand.kind)
        if not known:
            return self._explore(view)
        here = view.pose.cell
        return self._go(view, min(known, key=lambda cell: (distance(here, cell), cell)))

    def _hunt(self, view: TextualMap, errand: Errand) -> Move:
        assert view.pose is not None
        if self._is_in_a_crowd and self._rng.random() >= EAGERNESS:
            return self._explore(view)
        for partner in view.players:
            assert partner.cell is not None
            move = line_up(self._layout, view.pose, partner.cell, self._beam, self.memory.things.keys())
            if move is not None:
                return Move.NOOP if move is Move.INTERACT and self._rest else move
        return self._explore(view) if self._is_in_a_crowd else self._pursue(view, errand)

    def _pursue(self, view: TextualMap, errand: Errand) -> Move:
        """After the one partner, which is out of reach."""
        assert view.pose is not None
        here = view.pose.cell
        seen = [sighting.cell for sighting in self.memory.players.values() if self._step - sighting.step <= PURSUIT]
        if seen and seen[0] != here:
            return self._go(view, seen[0])
        near = [cell for cell in self.memory.cells_of(errand.kind) if distance(here, cell) <= GREED]
        return self._collect(view, errand) if near else self._search(view)

    def _search(self, view: TextualMap) -> Move:
        """Goes where the partner may be."""
        assert view.pose is not None
        if self._lookout is None or self._sees(self._lookout):
            self._lookout = self.memory.likely_place(view.pose.cell)
        return self._go(view, self._lookout) if self._lookout else self._explore(view)

    def _explore(self, view: TextualMap) -> Move:
        """Goes where things may be."""
        assert view.pose is not None
        if self._lookout is None or self._sees(self._lookout):
            self._lookout = stalest_cell(self._layout, view.pose.cell, self.memory.looked_at, self._step)
        return self._go(view, self._lookout)

    def _sees(self, cell: Cell) -> bool:
        return self.memory.looked_at.get(cell) == self._step

    def _go(self, view: TextualMap, goal: Cell) -> Move:
        assert view.pose is not None
        players = frozenset(player.cell for player in view.players if player.cell)
        move = self._walker.step(view.pose, goal, self.memory, players)
        return Move.TURN_RIGHT if move is None else move
