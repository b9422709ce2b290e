"""Finds other players, follows them and fires the beam at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hm_agent.worlds.melting_pot.facts import Beam
from hm_agent.worlds.melting_pot.grid import Cell, Layout, Move, distance
from hm_agent.worlds.melting_pot.memory.entities import PlayerSighting
from hm_agent.worlds.melting_pot.memory.player_belief import place_to_search
from hm_agent.worlds.melting_pot.perception.textual_map import Detection
from hm_agent.worlds.melting_pot.planning.beam import STEPS_FIRST, find_approach, reaches
from hm_agent.worlds.melting_pot.planning.calls import Aim, FireAt, FireOnSight, Shadow, reason
from hm_agent.worlds.melting_pot.planning.move_inputs import MoveInputs, NextMove, PlanEnd
from hm_agent.worlds.melting_pot.planning.walking import Walker, find_path
from hm_agent.worlds.melting_pot.strategy import is_sought

PURSUIT_STEPS = 10
"""For this many steps, an opponent that went out of view is searched for where it was last seen."""
FIRE_AT_STEPS = 60
"""A `fire_at` without an interaction ends after this many steps, so that a new plan can be made."""
GUARDED_STEPS = 12
"""A `fire_at` that names what the player must have taken ends after so many steps in view of one that has not."""
SIGHT = 6
"""The largest distance, in steps, at which a player is fired at on sight."""
SHADOW_STEPS = 30
"""A `shadow` ends after this many steps at the latest."""
SHADOW_DISTANCE = 2
"""A player is shadowed from no more than this many cells away: one step further, one that walks off is out of view."""


class Pursuit:
    """Carries out `fire_at`, `shadow` and shots on sight. ready_mark: of a player that is ready; None if all are."""

    def __init__(self, layout: Layout, beam: Beam, walker: Walker, ready_mark: str | None) -> None:
        self._layout, self._beam, self._walker, self._ready_mark = layout, beam, walker, ready_mark
        self._goal: Cell | None = None
        """Where the present call searches, once the place that it names has been looked at."""
        self._steps_in_view = self._steps_guarded = 0
        """In how many steps of the present call a player to fire at was in view, and in how many only such as the call
        would fire at once they had taken more."""

    def begin(self) -> None:
        """Forgets where the last call searched and what it saw; to be called before another one begins."""
        self._goal, self._steps_in_view, self._steps_guarded = None, 0, 0

    def in_sight(self, on_sight: FireOnSight, inputs: MoveInputs) -> FireAt | None:
        """The call to fire at the nearest player that `on_sight` means, that is ready and within SIGHT.

        None if there is none, or if the agent is not armed.
        """
        here, seek = inputs.pose.cell, on_sight.aim.players or inputs.seek
        ready = [player for player in inputs.view.players if player.mark == self._ready_mark and inputs.armed]
        sought = [(player.cell, player.kind) for player in ready if player.cell and is_sought(player.kind, seek)]
        near = [
            FireAt(cell, replace(on_sight.aim, players=(player,)))
            for cell, player in sought
            if distance(here, cell) <= SIGHT and _has_taken_enough(player, on_sight.aim, inputs)
        ]
        return min(near, key=lambda call: distance(here, call.target), default=None)

    def fire_at(self, call: FireAt, inputs: MoveInputs, taken: int, *, is_last: bool) -> NextMove:
        """Attacks the sought players in view, those that are ready first, then the nearest first; else searches.

        Where the call says what the player must have taken, one that has clearly taken more of another kind ends the
        plan, and any other that has not taken it yet is kept in view for GUARDED_STEPS at most. taken: how many steps
        the call has taken.
        is_last: True if the plan has no further call.
        """
        if not inputs.armed and taken == 0:
            return PlanEnd(reason("no_effect", call=str(call)))
        if taken > FIRE_AT_STEPS:
            why = reason("search_in_vain", call=str(call), steps=FIRE_AT_STEPS, in_view=self._steps_in_view)
            return PlanEnd(why) if is_last else None
        seek = call.aim.players or inputs.seek
        sought = [player for player in inputs.view.players if is_sought(player.kind, seek)]
        meant = [player for player in sought if _has_taken_enough(player.kind, call.aim, inputs)]
        self._steps_in_view += bool(meant)
        self._steps_guarded += bool(sought) and not meant
        if self._steps_guarded > GUARDED_STEPS and not meant and sought:
            player, of = sought[0].kind, call.aim.holding
            has, most = inputs.count_taken(player, of), GUARDED_STEPS
            why = reason("taken_too_little", call=str(call), steps=most, player=player, has=has, of=of or "anything")
            return PlanEnd(why) if is_last else None
        sought.sort(key=lambda player: (player.mark != self._ready_mark, sum(map(abs, player.offset))))
        for opponent in sought:
            player = opponent.kind
            if opponent in meant:
                move = self._attack(opponent, inputs, seek)
            elif inputs.has_clear_lead(player) and not _leads(player, call.aim, inputs):
                mostly = inputs.leading(player)
                return PlanEnd(reason("other_taken", player=player, mostly=mostly, wanted=call.aim.holding))
            else:
                move = self._keep_in_view(opponent, inputs)
            if move is not None:
                return move
        return self._search(call.target, inputs, seek)

    def shadow(self, call: Shadow, inputs: MoveInputs, taken: int, *, is_last: bool) -> NextMove:
        """Keeps a player in view, or searches for it, until it is clear what it takes most of.

        An agent that has collected nothing walks around all things, so that nobody can interact with it meanwhile.
        taken, is_last: as in `fire_at`.
        """
        if not inputs.armed:
            kinds = frozenset(kind for kind, _ in inputs.memory.things.values())
            inputs = replace(inputs, unwanted=kinds)
        if inputs.has_clear_lead(call.player):
            return None
        if taken >= SHADOW_STEPS:
            return PlanEnd(reason("shown_too_little", call=str(call), steps=SHADOW_STEPS)) if is_last else None
        for player in inputs.view.players:
            if player.kind == call.player:
                return self._keep_in_view(player, inputs)
        return self._search(inputs.pose.cell, inputs, (call.player,))

    def _keep_in_view(self, player: Detection, inputs: MoveInputs) -> Move:
        """Turns to a player that is not ahead, and comes closer to one that is far unless over an unwanted thing."""
        assert player.cell is not None
        ahead, right = inputs.pose.offset(player.cell)
        if abs(right) > ahead:
            return Move.TURN_RIGHT if right >= 0 else Move.TURN_LEFT
        is_far = ahead + abs(right) > SHADOW_DISTANCE
        closer = self._walker.walk(player.cell, inputs) if is_far else None
        if closer is None or _is_unwanted(inputs.pose.after(closer).cell, inputs):
            return Move.NOOP
        return closer

    def _attack(self, opponent: Detection, inputs: MoveInputs, seek: Sequence[str] | None) -> Move | None:
        """Walks to where the beam reaches a player and fires; holds fire while it would hit a player not sought."""
        assert opponent.cell is not None
        things = inputs.memory.things.keys()
        approach = find_approach(self._layout, inputs.pose, opponent.cell, self._beam, things, moves=STEPS_FIRST)
        move = self._walker.follow(approach)
        if move is not Move.INTERACT:
            return move
        ready = self._ready_mark is None or opponent.mark == self._ready_mark
        is_clear = not any(self._would_hit(player, inputs, seek) for player in inputs.view.players)
        return Move.INTERACT if inputs.loaded and ready and is_clear else Move.NOOP

    def _would_hit(self, player: Detection, inputs: MoveInputs, seek: Sequence[str] | None) -> bool:
        """True if this player is not sought and the beam, fired now, would begin an interaction with it."""
        if player.cell is None or is_sought(player.kind, seek) or player.mark != self._ready_mark:
            return False
        return reaches(inputs.pose, player.cell, self._beam, self._layout.walls | inputs.memory.things.keys())

    def _search(self, around: Cell, inputs: MoveInputs, seek: Sequence[str] | None) -> Move:
        """Walks to where a sought player was seen within PURSUIT_STEPS and may still be, else to `around`.

        Once that cell is in view, it goes on to likely places; before a step onto an unwanted thing, it heads for a
        likely place that can be reached without any. It turns instead of walking backwards, since the window shows
        little behind the avatar.
        """
        goal = self._goal if self._goal is not None else around
        known = [sighting for name, sighting in inputs.memory.players.items() if is_sought(name, seek)]
        sightings = [each for each in known if _may_be_there(each, inputs)]
        if sightings:
            goal = max(sightings, key=lambda sighting: sighting.step).cell
        if goal in inputs.view.in_view:
            goal = self._goal = inputs.memory.likely_place(inputs.pose.cell, seek or ()) or around
        move = self._walker.walk(goal, inputs)
        if move is not None and _is_unwanted(inputs.pose.after(move).cell, inputs):
            self._goal = self._free_place(inputs, seek) or goal
            move = self._walker.walk(self._goal, inputs)
        return Move.TURN_RIGHT if move in (None, Move.BACKWARD) else move

    def _free_place(self, inputs: MoveInputs, seek: Sequence[str] | None) -> Cell | None:
        """The best likely place out of view that can be reached without an unwanted pickup; None if there is none."""
        memory, here = inputs.memory, inputs.pose.cell
        avoid = {cell for cell in memory.things if _is_unwanted(cell, inputs)} | inputs.occupied
        free = [
            place
            for place in memory.likely_places(seek or ())
            if place[0] not in inputs.view.in_view and find_path(self._layout, here, place[0], avoid)
        ]
        return place_to_search(free, here) if free else None


def _may_be_there(sighting: PlayerSighting, inputs: MoveInputs) -> bool:
    """True if a player was seen within PURSUIT_STEPS, and its cell has not been in view without it since."""
    looked_at = inputs.memory.looked_at.of(sighting.cell)
    is_refuted = looked_at is not None and looked_at > sighting.step
    return inputs.step - sighting.step <= PURSUIT_STEPS and not is_refuted


def _has_taken_enough(player: str, aim: Aim, inputs: MoveInputs) -> bool:
    """True if a player is known to have taken what an aim says it must have taken."""
    is_enough = aim.least == 0 or inputs.count_taken(player, aim.holding) >= aim.least
    return is_enough and _leads(player, aim, inputs)


def _leads(player: str, aim: Aim, inputs: MoveInputs) -> bool:
    """True if a player is known to have taken most of the kind that an aim names, or if it names none."""
    return aim.holding is None or inputs.leading(player) == aim.holding


def _is_unwanted(cell: Cell, inputs: MoveInputs) -> bool:
    """True if the thing remembered on a cell is of an unwanted kind."""
    kind, _ = inputs.memory.things.get(cell, (None, 0))
    return kind in inputs.unwanted
