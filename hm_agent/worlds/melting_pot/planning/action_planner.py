"""Turns subgoals into primitive moves, one step at a time (Hypothetical Minds, appendix C.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.facts import Beam
from hm_agent.worlds.melting_pot.grid import Cell, Layout, Move, Pose, Window, distance
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.memory.player_belief import place_to_search
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.planning.beam import (
    STEPS_FIRST,
    BeamApproach,
    find_approach,
    find_approach_to_use,
    reaches,
)
from hm_agent.worlds.melting_pot.planning.concealment import Concealment
from hm_agent.worlds.melting_pot.planning.subgoals import (
    HIT_NOBODY,
    USED_UP,
    CollectUnseen,
    FireAt,
    FireOnSight,
    Interact,
    MoveTo,
    Pause,
    PreviousPlan,
    Shadow,
    Subgoal,
    Wait,
)
from hm_agent.worlds.melting_pot.planning.walking import Walker, find_path
from hm_agent.worlds.melting_pot.strategy import is_sought

PURSUIT_STEPS = 10
"""For this many steps, an opponent that went out of view is searched for where it was last seen."""
FIRE_AT_STEPS = 60
"""A `fire_at` without an interaction ends after this many steps, so that a new plan can be made."""
WAIT_STEPS = 25
"""A `wait` at a station ends after this many steps, ready or not."""
PAUSE_STEPS = 30
"""The most steps of a `wait` in place."""
SIGHT = 6
"""The largest distance, in steps, at which a player is fired at on sight."""
SHADOW_STEPS = 30
"""A `shadow` ends after this many steps."""
SHADOW_DISTANCE = 3
"""A player is shadowed from no more than this many cells away."""
LOOK_ROUND = 4
"""An avatar that waits in place turns once in this many steps."""
FACING_FIRST: Mapping[Move, Move] = {
    Move.BACKWARD: Move.TURN_RIGHT,
    Move.STEP_LEFT: Move.TURN_LEFT,
    Move.STEP_RIGHT: Move.TURN_RIGHT,
}
"""The turn that faces the way of a step, for walks on which the agent looks ahead."""

StationCheck = Callable[[Detection, str | None, int], str | None]
"""Why a station in view can't be used after some more moves with what is held, in words; None if it may work."""


@dataclass(frozen=True, slots=True)
class Situation:
    """The inputs of one move.

    loaded: whether the beam can fire now. armed: False if nothing has been collected yet, without which firing has no
    effect. seek: the players to fire at; any if None. covert: whether to hide from other players what the agent
    collects. wanted: the kinds of things that the agent looks for. unwanted: those of which one more would cost the
    leading kind of its inventory the lead. leading: the kind of which a player was seen to take most.
    """

    step: int
    view: TextualMap
    memory: EntityMemory
    loaded: bool = False
    seek: Sequence[str] | None = None
    covert: bool = False
    armed: bool = True
    wanted: Set[str] = frozenset()
    unwanted: Set[str] = frozenset()
    leading: Callable[[str], str | None] = lambda player: None

    @property
    def pose(self) -> Pose:
        assert self.view.pose is not None, "no move is planned while the own pose is unknown"
        return self.view.pose


class ActionPlanner:
    """Follows a plan of subgoals, starting from the perceived pose; a subgoal that is reached or obsolete is dropped.

    window: every player's. ready_mark: the mark of a player or thing that is ready to interact; None in a game where
    everything always is. check_station: of a game with stations.
    """

    def __init__(
        self,
        layout: Layout,
        beam: Beam,
        window: Window,
        ready_mark: str | None = None,
        check_station: StationCheck | None = None,
    ) -> None:
        self._layout, self._beam, self._ready_mark, self._check_station = layout, beam, ready_mark, check_station
        self._concealment = Concealment(window)
        self._walker = Walker(layout)
        self.plan: tuple[Subgoal, ...] = ()
        """The latest plan as it was made, finished subgoals included."""
        self.place = 0
        """The index of the current subgoal, or of the first that a shot on sight replaces; the plan's length when the
        plan is finished."""
        self.shot: FireAt | None = None
        """The shot on sight that is carried out in place of the rest of the latest plan; None if there is none."""
        self.route: tuple[Cell, ...] = ()
        """The cells ahead on the way that the latest move belongs to."""
        self._started: int | None = None
        self._goal: Cell | None = None
        self._used: Situation | None = None
        """The situation in which a station was last used; None before the first use."""
        self._over: str | None = None
        """Why the latest plan was ended before its end, in words."""
        self._over_at = 0
        """The place at which it was ended."""
        self.skipped: tuple[Subgoal, ...] = ()
        """The subgoals of the latest plan that were skipped because their thing was gone."""
        self.failed: Subgoal | None = None
        """The subgoal that failed and so ended the latest plan."""
        self._why_failed = ""
        """Why it failed, in words."""

    @property
    def rest(self) -> Sequence[Subgoal]:
        """The current subgoal and those after it."""
        return (self.shot,) if self.shot and not self._over else self.plan[self.place :]

    @property
    def subgoal(self) -> Subgoal | None:
        """The current subgoal; None when the plan is finished."""
        return next(iter(self.rest), None)

    @property
    def fires_on_sight(self) -> bool:
        """Whether the plan says what to do when a player arrives, so that nobody needs to be asked."""
        return any(isinstance(call, FireOnSight) for call in self.plan)

    @property
    def previous(self) -> PreviousPlan | None:
        """The latest plan and how far it came; None before the first."""
        if not self.plan:
            return None
        return PreviousPlan(self.plan, self._over_at if self._over else self.place, self.skipped, self.shot)

    @property
    def why_over(self) -> str:
        """Why the latest plan is over, in words."""
        return self._over or USED_UP

    def follow(self, plan: Iterable[Subgoal]) -> None:
        """Replaces the current plan."""
        self.plan, self.place, self.skipped, self.shot = tuple(plan), 0, (), None
        self._started, self._goal, self.failed, self._over = None, None, None, None

    def next_move(self, situation: Situation) -> Move | None:
        """The next move of the plan; None when it is finished."""
        if self._is_on_watch and (shot := self._in_sight(situation)):
            self.shot, self._started, self._goal = shot, None, None
        while (subgoal := self.subgoal) is not None:
            if self._started is None:
                self._started = situation.step
            self.route = ()
            move = self._advance(subgoal, situation)
            if move is not None:
                return move
            if self.failed:  # the rest of the plan depended on it
                self._end(f"{self.failed} has failed: {self._why_failed}")
            elif not self._over:
                self.place += 1
            self._started, self._goal = None, None
        return None

    @property
    def _is_on_watch(self) -> bool:
        """Whether the plan now says to fire on sight."""
        return isinstance(self.subgoal, MoveTo | Pause) and self._holds(FireOnSight)

    def _holds(self, kind: type[FireOnSight] | type[CollectUnseen]) -> bool:
        """Whether a call of this kind, which holds for those after it, stands before the current one."""
        return any(isinstance(call, kind) for call in self.plan[: self.place])

    def _in_sight(self, situation: Situation) -> FireAt | None:
        """Fires at the nearest sought player that is ready and within SIGHT; None if there is none to meet."""
        here = situation.pose.cell
        ready = [player for player in situation.view.players if player.mark == self._ready_mark and situation.armed]
        called = next(call for call in reversed(self.plan[: self.place]) if isinstance(call, FireOnSight))
        seek = called.players or situation.seek
        sought = [(player.cell, player.kind) for player in ready if player.cell and is_sought(player.kind, seek)]
        near = [FireAt(cell, (kind,)) for cell, kind in sought if distance(here, cell) <= SIGHT]
        return min(near, key=lambda call: distance(here, call.target), default=None)

    def _end(self, why: str) -> None:
        """Ends the plan with the current subgoal. why: in words."""
        self._over, self._over_at, self.place = why, self.place, len(self.plan)

    def _advance(self, subgoal: Subgoal, situation: Situation) -> Move | None:
        match subgoal:
            case MoveTo():
                return self._move_to(subgoal, situation)
            case FireAt():
                return self._fire_at(subgoal, situation)
            case FireOnSight() | CollectUnseen():
                return None  # they hold for the calls after them
            case Shadow():
                return self._shadow(subgoal, situation)
            case Pause():
                return self._pause(subgoal, situation)
            case Interact():
                return self._interact(subgoal, situation)
            case Wait():
                return self._wait(subgoal, situation)

    def _move_to(self, subgoal: MoveTo, situation: Situation) -> Move | None:
        target, memory = subgoal.target, situation.memory
        # Another player has taken the thing to collect if its site is seen empty from another cell.
        is_empty = target in memory.sites and target not in memory.things and target in situation.view.in_view
        if is_empty and situation.pose.cell != target:
            self._skip(subgoal, situation)
            return None
        if target not in memory.sites:
            return self._explore(target, situation)
        move = self._walk(target, situation)
        return Move.NOOP if move is not None and self._should_hide(move, situation) else move

    def _skip(self, subgoal: MoveTo, situation: Situation) -> None:
        """Skips a call whose thing is gone.

        The nearest known thing of its kind comes next if nothing is collected and no later call fetches anything: the
        rest of the plan would have no effect.
        """
        memory, here = situation.memory, situation.pose.cell
        self.skipped = (*self.skipped, subgoal)
        is_needed = not situation.armed and not any(isinstance(call, MoveTo) for call in self.rest[1:])
        cells = memory.cells_of(memory.sites[subgoal.target]) if is_needed else ()
        if cells:
            nearest = min(cells, key=lambda cell: (distance(here, cell), cell))
            self.plan = (*self.plan[: self.place + 1], MoveTo(nearest), *self.plan[self.place + 1 :])

    def _explore(self, target: Cell, situation: Situation) -> Move | None:
        """Walks to a cell on which nothing is known, facing the way, until the cell or a wanted thing is in view."""
        memory = situation.memory
        found = [memory.things[cell][0] for cell in memory.appeared if memory.things[cell][0] in situation.wanted]
        if found:
            self._end(f"{found[0]} has come into view")
            return None
        if target in situation.view.in_view:
            return None
        move = self._walk(target, situation)
        return move if move is None else FACING_FIRST.get(move, move)

    def _should_hide(self, move: Move, situation: Situation) -> bool:
        """Whether a step would covertly collect a thing while another player is watching."""
        cell = situation.pose.after(move).cell
        is_covert = situation.covert or self._holds(CollectUnseen)
        if not is_covert or cell not in situation.memory.things:
            return False
        return self._concealment.should_wait(cell, situation.view.players, situation.memory.player_belief)

    def _fire_at(self, subgoal: FireAt, situation: Situation) -> Move | None:
        """Attacks the sought players in view, those that are ready first, then the nearest first; else searches."""
        assert self._started is not None
        if not situation.armed and situation.step == self._started:
            self._end(f"{subgoal} has no effect: nothing is collected yet")
            return None
        if situation.step - self._started > FIRE_AT_STEPS:
            if len(self.rest) == 1:
                self._end(f"{subgoal} {HIT_NOBODY} {FIRE_AT_STEPS} steps")
            return None
        seek = subgoal.players or situation.seek
        sought = [player for player in situation.view.players if is_sought(player.kind, seek)]
        sought.sort(key=lambda player: (player.mark != self._ready_mark, sum(map(abs, player.offset))))
        for opponent in sought:
            holds = situation.leading(opponent.kind) if subgoal.holding else None
            if holds not in (None, subgoal.holding):
                self._end(f"{opponent.kind} has taken mostly {holds}, not {subgoal.holding}")
                return None
            is_unknown = subgoal.holding is not None and holds is None
            move = self._keep_in_view(opponent, situation) if is_unknown else self._attack(opponent, situation, seek)
            if move is not None:
                return move
        return self._search(subgoal.target, situation, seek)

    def _shadow(self, subgoal: Shadow, situation: Situation) -> Move | None:
        assert self._started is not None
        if situation.step - self._started >= SHADOW_STEPS:
            return None
        for player in situation.view.players:
            if player.kind == subgoal.player:
                return self._keep_in_view(player, situation)
        return self._search(situation.pose.cell, situation, (subgoal.player,))

    def _keep_in_view(self, player: Detection, situation: Situation) -> Move:
        """Turns to a player that is not ahead, comes closer to one that is far, and else stays."""
        assert player.cell is not None
        ahead, right = situation.pose.offset(player.cell)
        if abs(right) > ahead:
            return Move.TURN_RIGHT if right >= 0 else Move.TURN_LEFT
        move = self._walk(player.cell, situation) if ahead + abs(right) > SHADOW_DISTANCE else None
        return move or Move.NOOP

    def _pause(self, subgoal: Pause, situation: Situation) -> Move | None:
        assert self._started is not None
        waited = situation.step - self._started
        if waited >= min(subgoal.steps, PAUSE_STEPS) or any(
            is_sought(player.kind, situation.seek) for player in situation.view.players
        ):
            return None
        return Move.TURN_RIGHT if waited % LOOK_ROUND == LOOK_ROUND - 1 else Move.NOOP

    def _attack(self, opponent: Detection, situation: Situation, seek: Sequence[str] | None) -> Move | None:
        """Walks to where the beam reaches a player and fires, but holds fire while it would meet an unsought one."""
        assert opponent.cell is not None
        things = situation.memory.things.keys()
        approach = find_approach(self._layout, situation.pose, opponent.cell, self._beam, things, moves=STEPS_FIRST)
        move = self._follow_approach(approach)
        if move is not Move.INTERACT:
            return move
        ready = self._ready_mark is None or opponent.mark == self._ready_mark
        is_clear = not any(self._would_hit(player, situation, seek) for player in situation.view.players)
        return Move.INTERACT if situation.loaded and ready and is_clear else Move.NOOP

    def _would_hit(self, player: Detection, situation: Situation, seek: Sequence[str] | None) -> bool:
        """Whether the beam, fired now, would begin an interaction with a player that is not sought."""
        if player.cell is None or is_sought(player.kind, seek) or player.mark != self._ready_mark:
            return False
        return reaches(situation.pose, player.cell, self._beam, self._layout.walls | situation.memory.things.keys())

    def _search(self, around: Cell, situation: Situation, seek: Sequence[str] | None) -> Move | None:
        """Walks to where the opponent was seen within PURSUIT_STEPS, else to `around`, from there to likely places.

        Turns instead of walking backwards, since the window shows little behind the avatar.
        """
        goal = self._goal if self._goal is not None else around
        known = situation.memory.players.items()
        sightings = [s for name, s in known if is_sought(name, seek) and situation.step - s.step <= PURSUIT_STEPS]
        if sightings:
            goal = max(sightings, key=lambda sighting: sighting.step).cell
        if goal in situation.view.in_view:
            goal = self._goal = situation.memory.likely_place(situation.pose.cell, seek or ()) or around
        move = self._walk(goal, situation)
        if move is not None and self._is_unwanted(situation.pose.after(move).cell, situation):
            self._goal = self._free_place(situation, seek) or goal
            move = self._walk(self._goal, situation)
        return Move.TURN_RIGHT if move in (None, Move.BACKWARD) else move

    def _is_unwanted(self, cell: Cell, situation: Situation) -> bool:
        """Whether a thing lies on a cell of which one more would take the lead from what leads in the inventory."""
        kind, _ = situation.memory.things.get(cell, (None, 0))
        return kind in situation.unwanted

    def _free_place(self, situation: Situation, seek: Sequence[str] | None) -> Cell | None:
        """The best likely place out of view to which a way leads that takes nothing unwanted; None if there is none."""
        memory, here = situation.memory, situation.pose.cell
        avoid = {cell for cell in memory.things if self._is_unwanted(cell, situation)}
        avoid |= {player.cell for player in situation.view.players if player.cell}
        free = [
            place
            for place in memory.likely_places(seek or ())
            if place[0] not in situation.view.in_view and find_path(self._layout, here, place[0], avoid)
        ]
        return place_to_search(free, here) if free else None

    def _interact(self, subgoal: Interact, situation: Situation) -> Move | None:
        """Walks to a station and uses it once.

        It fails as soon as the station in view shows that its use can't work, and if the own mark, which shows what is
        held, stays the same after the use.
        """
        assert self._started is not None
        if self._used is not None and self._used.step >= self._started:
            if situation.view.mark == self._used.view.mark:
                self._fail(subgoal, "your hands stayed as they were")
            return None
        approach = find_approach_to_use(self._layout, situation.pose, subgoal.target, self._beam)
        why = self._why_useless(subgoal.target, situation, approach.moves) if approach else "no way leads there"
        if approach is None or why:
            self._fail(subgoal, why or "")
            return None
        if approach.move is Move.INTERACT:
            if self._used is not None and situation.step - self._used.step <= self._beam.rest:
                return Move.NOOP
            self._used = situation
        return self._follow_approach(approach)

    def _fail(self, subgoal: Subgoal, why: str) -> None:
        self.failed, self._why_failed = subgoal, why

    def _why_useless(self, cell: Cell, situation: Situation, moves: int) -> str | None:
        """Why the station on a cell can't be used after some moves; None if it may work or is out of view."""
        station = _thing_at(cell, situation)
        return self._check_station(station, situation.view.mark, moves) if station and self._check_station else None

    def _wait(self, subgoal: Wait, situation: Situation) -> Move | None:
        """Walks to a station and waits until it can be used with what is held; with empty hands, until it is ready."""
        assert self._started is not None
        if self._is_ready(subgoal.target, situation) or situation.step - self._started >= WAIT_STEPS:
            return None
        move = self._follow_approach(find_approach_to_use(self._layout, situation.pose, subgoal.target, self._beam))
        return Move.NOOP if move is Move.INTERACT else move

    def _is_ready(self, cell: Cell, situation: Situation) -> bool:
        """Whether the station on a cell is in view and the wait for it is over."""
        station = _thing_at(cell, situation)
        if station is None or situation.view.mark is None or self._check_station is None:
            return station is not None and station.mark == self._ready_mark
        return self._check_station(station, situation.view.mark, 0) is None

    def _follow_approach(self, approach: BeamApproach | None) -> Move | None:
        self.route = approach.cells if approach else ()
        return approach.move if approach else None

    def _walk(self, target: Cell, situation: Situation) -> Move | None:
        players = frozenset(player.cell for player in situation.view.players if player.cell)
        move = self._walker.step(situation.pose, target, situation.memory, players)
        self.route = self._walker.path
        return move


def _thing_at(cell: Cell, situation: Situation) -> Detection | None:
    """The thing in view on a cell."""
    return next((thing for thing in situation.view.things if thing.cell == cell), None)
