"""Scripted chefs that stand in for trained ones; like those, they see only their own pixels.

Where each has a room with pots, a chef takes the role that suits its side of the kitchen: it loads pots where tomatoes
are nearer to a pot than the delivery is, else it serves soup. While the pots don't change, since its partner doesn't do
the rest, it does everything itself. Elsewhere it does all that can be done in its room, or keeps to one role.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from hm_agent.worlds.melting_pot.games.cooking.facts import KitchenFacts
from hm_agent.worlds.melting_pot.games.cooking.kitchen import (
    APART,
    DELIVERY,
    DISH,
    HANDOVER,
    SOUP,
    TOMATO,
    TOMATOES,
    Kitchen,
    Pot,
)
from hm_agent.worlds.melting_pot.games.cooking.roles import EVERYTHING, LOADS, SERVES, SLOWLY
from hm_agent.worlds.melting_pot.grid import Cell, Move, Pose, distance, nearest
from hm_agent.worlds.melting_pot.perception.perceiver import Perceiver, SubstrateVision
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.planning.beam import MAX_APPROACH_MOVES, BeamApproach
from hm_agent.worlds.melting_pot.planning.passing import Passing

HANDED_AT_ONCE = 2
"""The most tomatoes that lie on counters for the other room."""


@dataclass(frozen=True, slots=True)
class Skill:
    """How often a chef errs, rests and takes over its partner's work.

    stray: the probability of a random move instead of the intended one. pause: the probability per step of beginning to
    stand still. rest: for how many steps it then stands still. patience: after how many steps without a change at the
    pots it does everything itself. role: the one it keeps to, with its tempo if that is slow; None if it chooses.
    """

    stray: float
    pause: float
    rest: int
    patience: int
    role: str | None = None


SKILLED = Skill(stray=0.2, pause=0.08, rest=10, patience=30)
"""Two of these deliver 23 soups in 1,000 steps (23.1 ± 0.3 over 30 seeds), as Melting Pot's trained chefs do.

Without strays and pauses two deliver 50. Beside a chef that stands still it delivers 8 on the left and 12 on the right.
"""
APPRENTICE = Skill(stray=0.35, pause=0.1, rest=15, patience=40)
"""Two of these deliver half as much (11.8 ± 0.2 over 30 seeds).

Beside a skilled chef that serves 14 are delivered, beside one that loads 18.
"""

ROBUST = Skill(stray=0.1, pause=0.02, rest=5, patience=30)
"""In corridors for many, others could not get past cooks that rest for longer."""
UNSEEN_CHEFS: Mapping[str, Skill] = {
    "loader": replace(ROBUST, role=LOADS),
    "server": replace(ROBUST, role=SERVES),
    "dawdler": Skill(stray=0.5, pause=0.15, rest=15, patience=60, role=f"{EVERYTHING} {SLOWLY}"),
    "quick": Skill(stray=0.0, pause=0.0, rest=0, patience=15),
    "resting": Skill(stray=0.1, pause=0.03, rest=60, patience=30),
}
"""The chefs of unseen scenarios, by their name there."""


class Chef:
    """One chef in one episode; it knows only its frames."""

    def __init__(self, game: KitchenFacts, vision: SubstrateVision, skill: Skill, rng: random.Random) -> None:
        self._beam, self._skill, self._rng, self._rooms = game.beam, skill, rng, game.rooms
        self._recipe, self._passing = game.recipe, Passing(vision.layout, game.beam)
        self._perceiver = Perceiver(vision)
        self._kitchen = Kitchen(vision.layout, game.recipe, vision.patterns.landmarks)
        self._move = Move.NOOP
        self._step = -1
        self._resting = 0
        self._last_use = -MAX_APPROACH_MOVES
        self._pots_changed = 0
        self.intent: str | None = None
        """The game's behaviour that it plays; None until it has seen its whole room."""

    def act(self, frame: Mapping[str, Any], reward: float) -> Move:
        """Perceives the next frame and chooses a move."""
        self._step += 1
        view = self._perceiver.see(frame["RGB"], self._move)
        before = self._kitchen.pots
        self._kitchen.update(self._step, view)
        if view.pose is not None:
            self._watch_pots(before)
            self._choose_role(view.pose.cell)
        self._move = self._choose(view)
        if self._move is Move.INTERACT:
            self._last_use = self._step
        return self._move

    def _watch_pots(self, before: Iterable[Pot]) -> None:
        """Notes when a pot last changed; a change of its tomatoes by the partner resets the own role."""
        now = {pot.cell: pot for pot in self._kitchen.pots}
        for pot in before:
            if (pot.tomatoes, pot.mark) != (now[pot.cell].tomatoes, now[pot.cell].mark):
                self._pots_changed = self._step
            if pot.tomatoes != now[pot.cell].tomatoes and self._move is not Move.INTERACT:
                self.intent = None

    def _choose_role(self, here: Cell) -> None:
        if self._rooms != APART:
            self.intent = self._skill.role or EVERYTHING
        elif self._unseen(here):
            self._pots_changed = self._step
        elif self._step - self._pots_changed > self._skill.patience:
            self.intent = EVERYTHING
        elif self.intent is None:
            tomatoes_are_nearer = self._nearest_pot(here, TOMATOES) < self._nearest_pot(here, DELIVERY)
            self.intent = LOADS if tomatoes_are_nearer else SERVES

    def _nearest_pot(self, here: Cell, kind: str) -> int:
        """The least distance in cells between a pot and a station of a kind in this room."""
        stations = [station for station in self._kitchen.reachable(here).values() if station.kind == kind]
        between = (distance(station.cell, pot.cell) for station in stations for pot in self._kitchen.pots)
        return min(between, default=MAX_APPROACH_MOVES)

    def _unseen(self, here: Cell) -> list[Cell]:
        return [cell for cell in self._kitchen.within_reach(here) if cell not in self._kitchen.looked_at]

    def _choose(self, view: TextualMap) -> Move:
        pose = view.pose
        if pose is None:
            return Move.TURN_RIGHT
        if self._resting or self._rng.random() < self._skill.pause:
            self._resting = (self._resting or self._skill.rest) - 1
            return Move.NOOP
        if self._rng.random() < self._skill.stray:
            return self._rng.choice((Move.FORWARD, Move.TURN_LEFT, Move.TURN_RIGHT))
        if unseen := nearest(pose.cell, self._unseen(pose.cell)):
            return _move(self._passing.approach(unseen, pose, view))
        return self._work(pose, view)

    def _work(self, pose: Pose, view: TextualMap) -> Move:
        goal = self._goal(pose.cell)
        if goal is None:
            return _move(self._passing.wait(self._waiting_place(pose.cell), pose, view))
        move = _move(self._passing.approach(goal, pose, view))
        is_idle = self._step - self._last_use <= self._beam.rest
        return Move.NOOP if move is Move.INTERACT and is_idle else move

    def _waiting_place(self, here: Cell) -> Cell:
        """The pot that is ready soonest or, if none is cooking, the fullest; where things are handed over, there."""
        if self._rooms == HANDOVER:
            counters = self._kitchen.handover
            return counters[len(counters) // 2]
        pots = sorted(self._kitchen.pots, key=lambda pot: (pot.ready or self._step + MAX_APPROACH_MOVES, -pot.tomatoes))
        return pots[0].cell if pots else here

    def _goal(self, here: Cell) -> Cell | None:
        """The station, or the bare counter to put an item down on, to use next; None if the chef has to wait."""
        kitchen, wanted = self._kitchen, self._wanted(here)
        if kitchen.hands is not None and (usable := self._uses(here, kitchen.hands)):
            return usable[0]
        if wanted is None or wanted == kitchen.hands:
            return None
        if kitchen.hands is None:
            return nearest(here, (s.cell for s in kitchen.reachable(here).values() if s.mark == wanted))
        return nearest(here, kitchen.within_reach(here) - kitchen.stations.keys())

    def _wanted(self, here: Cell) -> str | None:
        """The item to fetch with empty hands, by role; None if nothing is needed."""
        pots = self._kitchen.pots
        if self._hands_over(here):
            return self._missing()
        needs_tomato = any(not pot.is_full for pot in pots)
        if self.intent == LOADS:
            return TOMATO if needs_tomato else None
        if self.intent == SERVES:
            return DISH if any(pot.tomatoes for pot in pots) else None
        has_soup = any(pot.is_cooked_by(self._step) for pot in pots)
        return TOMATO if needs_tomato and not has_soup else DISH

    def _uses(self, here: Cell, held: str) -> list[Cell]:
        """The stations where the item held can be used now, the best first."""
        if self._hands_over(here):
            bare = [cell for cell in self._kitchen.handover if cell not in self._kitchen.stations]
            return bare if held == self._missing() else []
        if held == SOUP:
            return [s.cell for s in self._kitchen.reachable(here).values() if s.kind == DELIVERY]
        if held == TOMATO:
            not_full = [pot for pot in self._kitchen.pots if not pot.is_full]
            return [pot.cell for pot in sorted(not_full, key=lambda pot: -pot.tomatoes)]
        return [pot.cell for pot in self._kitchen.pots if pot.is_cooked_by(self._step)]

    def _hands_over(self, here: Cell) -> bool:
        """True in a room without pots, from which tomatoes and dishes are handed to the other one."""
        within = self._kitchen.within_reach(here)
        return self._rooms == HANDOVER and not any(pot.cell in within for pot in self._kitchen.pots)

    def _missing(self) -> str | None:
        """What the other room needs and does not find on the counters; None if nothing."""
        stations, pots = self._kitchen.stations, self._kitchen.pots
        lying = [stations[cell].mark for cell in self._kitchen.handover if cell in stations]
        if any(pot.is_full for pot in pots) and DISH not in lying:
            return DISH
        needed = sum(self._recipe.tomatoes - pot.tomatoes for pot in pots)
        return TOMATO if lying.count(TOMATO) < min(needed, HANDED_AT_ONCE) else None


def _move(approach: BeamApproach | None) -> Move:
    """The first move of an approach; NOOP if there is none."""
    return approach.move if approach else Move.NOOP
