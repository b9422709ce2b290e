"""Turns subgoals into primitive moves, one step at a time (Hypothetical Minds, appendix C.5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hm_agent.core import is_sought
from hm_agent.worlds.melting_pot.facts import Beam
from hm_agent.worlds.melting_pot.grid import Cell, Layout, Move, Pose
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.perception.view import Window
from hm_agent.worlds.melting_pot.planning.beam import STEPS_FIRST, Way, find_way, walk_up
from hm_agent.worlds.melting_pot.planning.concealment import Concealment
from hm_agent.worlds.melting_pot.planning.subgoals import FireAt, Interact, MoveTo, Subgoal, Wait
from hm_agent.worlds.melting_pot.planning.walking import Walker

PURSUIT = 10
"""For how many steps an opponent that went out of view is followed to where it was seen last."""
PATIENCE = 60
"""After how many steps without an interaction a `fire_at` is given up, so that the plan can be thought over."""

LONGEST_WAIT = 25
"""After how many steps a `wait` ends, whatever has become of what it waited for."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What a move is decided on.

    loaded: whether the beam can fire now. seek: whom to fire at; anybody if None. covert: whether nobody is to see
    what one collects.
    """

    step: int
    view: TextualMap
    memory: EntityMemory
    loaded: bool = False
    seek: Sequence[str] | None = None
    covert: bool = False

    @property
    def pose(self) -> Pose:
        assert self.view.pose is not None, "nothing is planned while the own pose is unknown"
        return self.view.pose


class ActionPlanner:
    """Follows a plan of subgoals from the true pose; a subgoal that is reached or has become moot is dropped.

    window: what every player sees of its surroundings. ready_mark: what a player wears, or a thing shows, that is ready
    to be interacted with; None where all are.
    """

    def __init__(self, layout: Layout, beam: Beam, window: Window, ready_mark: str | None = None) -> None:
        self._layout, self._beam, self._ready_mark = layout, beam, ready_mark
        self._discretion = Concealment(window)
        self._walker = Walker(layout)
        self.plan: tuple[Subgoal, ...] = ()
        """The latest plan, with what of it is done."""
        self.place = 0
        """Which subgoal of it is being followed; its length when the plan is used up."""
        self.route: tuple[Cell, ...] = ()
        """The cells that the latest move is to lead through."""
        self._begun: int | None = None
        self._goal: Cell | None = None
        self._used: Situation | None = None
        """What was there when something was used; None until then."""
        self._is_outdated = False
        """Whether something was not as the plan has it."""
        self.failed: Subgoal | None = None
        """The subgoal that came to nothing and so ended the latest plan."""

    @property
    def subgoal(self) -> Subgoal | None:
        """The subgoal being followed; None when the plan is used up."""
        return self.plan[self.place] if self.place < len(self.plan) else None

    def follow(self, plan: Iterable[Subgoal]) -> None:
        """Takes up a new plan in place of the present one."""
        self.plan, self.place = tuple(plan), 0
        self._begun, self._goal, self.failed = None, None, None

    def next_move(self, situation: Situation) -> Move | None:
        """The next move of the plan; None when it is used up."""
        while (subgoal := self.subgoal) is not None:
            if self._begun is None:
                self._begun = situation.step
            self.route = ()
            move = self._advance(subgoal, situation)
            if move is not None:
                return move
            self._finish()
        return None

    def _finish(self) -> None:
        """Goes on to the next subgoal; where one came to nothing, what was to follow is given up: it counted on it."""
        is_given_up = self.failed or self._is_outdated
        self.place = len(self.plan) if is_given_up else self.place + 1
        self._begun, self._goal, self._is_outdated = None, None, False

    def _advance(self, subgoal: Subgoal, situation: Situation) -> Move | None:
        match subgoal:
            case MoveTo():
                return self._move_to(subgoal, situation)
            case FireAt():
                return self._fire_at(subgoal, situation)
            case Interact():
                return self._interact(subgoal, situation)
            case Wait():
                return self._wait(subgoal, situation)

    def _move_to(self, subgoal: MoveTo, situation: Situation) -> Move | None:
        if self._is_gone(subgoal.target, situation):
            self._is_outdated = True
            return None
        move = self._walk(subgoal.target, situation)
        return Move.NOOP if move is not None and self._is_put_off(move, situation) else move

    def _is_put_off(self, move: Move, situation: Situation) -> bool:
        """Whether a step would take something that nobody is to see one take."""
        cell = situation.pose.after(move).cell
        if not situation.covert or cell not in situation.memory.things:
            return False
        return self._discretion.puts_off(cell, situation.view.players, situation.memory.whereabouts)

    def _is_gone(self, target: Cell, situation: Situation) -> bool:
        """Whether a thing that was to be collected is seen to be there no more, and one has not taken it oneself."""
        memory = situation.memory
        is_empty = target in memory.sites and target not in memory.things and target in situation.view.in_view
        return is_empty and situation.pose.cell != target

    def _fire_at(self, subgoal: FireAt, situation: Situation) -> Move | None:
        assert self._begun is not None
        if situation.step - self._begun > PATIENCE:
            return None
        for opponent in self._prey(situation):
            move = self._attack(opponent, situation)
            if move is not None:
                return move
        return self._search(subgoal.target, situation)

    def _prey(self, situation: Situation) -> list[Detection]:
        """Who is in view and to be fired at: who is ready before who is not yet, then the nearest."""
        sought = [player for player in situation.view.players if is_sought(player.kind, situation.seek)]
        return sorted(sought, key=lambda player: (player.mark != self._ready_mark, sum(map(abs, player.offset))))

    def _attack(self, opponent: Detection, situation: Situation) -> Move | None:
        assert opponent.cell is not None
        things = situation.memory.things.keys()
        move = self._along(find_way(self._layout, situation.pose, opponent.cell, self._beam, things, moves=STEPS_FIRST))
        if move is not Move.INTERACT:
            return move
        ready = self._ready_mark is None or opponent.mark == self._ready_mark
        return Move.INTERACT if situation.loaded and ready else Move.NOOP

    def _search(self, around: Cell, situation: Situation) -> Move | None:
        """To where the opponent was just seen; else to the place named; from there to where it may be.

        Nobody is found by walking backwards: one hardly sees where one goes.
        """
        goal = self._goal if self._goal is not None else around
        known = situation.memory.players.items()
        sightings = [s for name, s in known if is_sought(name, situation.seek) and situation.step - s.step <= PURSUIT]
        if sightings:
            goal = max(sightings, key=lambda sighting: sighting.step).cell
        if goal in situation.view.in_view:
            goal = self._goal = situation.memory.likely_place(situation.pose.cell, situation.seek or ()) or around
        move = self._walk(goal, situation)
        return Move.TURN_RIGHT if move in (None, Move.BACKWARD) else move

    def _interact(self, subgoal: Interact, situation: Situation) -> Move | None:
        """Uses what is there once; that has worked if the own hands are not as they were."""
        assert self._begun is not None
        if self._used is not None and self._used.step >= self._begun:
            self.failed = subgoal if situation.view.mark == self._used.view.mark else None
            return None
        move = self._approach(subgoal.target, situation)
        if move is None:
            self.failed = subgoal
        if move is Move.INTERACT:
            if self._used is not None and situation.step - self._used.step <= self._beam.rest:
                return Move.NOOP
            self._used = situation
        return move

    def _wait(self, subgoal: Wait, situation: Situation) -> Move | None:
        assert self._begun is not None
        look = next((sight for sight in situation.view.things if sight.cell == subgoal.target), None)
        is_over = look is not None and look.mark == self._ready_mark
        if is_over or situation.step - self._begun >= LONGEST_WAIT:
            return None
        move = self._approach(subgoal.target, situation)
        return Move.NOOP if move is Move.INTERACT else move

    def _approach(self, target: Cell, situation: Situation) -> Move | None:
        return self._along(walk_up(self._layout, situation.pose, target, self._beam))

    def _along(self, way: Way | None) -> Move | None:
        self.route = way.cells if way else ()
        return way.move if way else None

    def _walk(self, target: Cell, situation: Situation) -> Move | None:
        players = frozenset(player.cell for player in situation.view.players if player.cell)
        move = self._walker.step(situation.pose, target, situation.memory, players)
        self.route = self._walker.path
        return move
