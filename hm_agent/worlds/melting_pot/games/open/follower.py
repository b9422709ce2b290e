"""Carries out a plan in any substrate, move by move: each call ends when it is done, or says why it can't go on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from functools import partial

from hm_agent.agents.written_body import WrittenFollower
from hm_agent.core import Event
from hm_agent.models.prompts import phrase
from hm_agent.theory_of_mind.written_mind import WrittenStrategy
from hm_agent.worlds.melting_pot.facts import Beam
from hm_agent.worlds.melting_pot.games.open.calls import (
    Call,
    CollectThings,
    FollowPlayer,
    KeepAway,
    LookAround,
    StandStill,
    UseAction,
    WalkTo,
)
from hm_agent.worlds.melting_pot.games.open.notes import OpenNotes
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat
from hm_agent.worlds.melting_pot.grid import STEP_QUARTERS, Cell, Move, Pose, around, step_towards
from hm_agent.worlds.melting_pot.planning.beam import find_approach
from hm_agent.worlds.melting_pot.planning.walking import Path, find_path, seek_bearings

_reason = partial(phrase, "melting_pot/open/messages.j2")
STUCK_STEPS = 5
"""A walk that makes no progress for so many steps has failed."""
BLOCKED_STEPS = 4
"""For so many steps, a cell that could not be entered counts as blocked."""
SLOW_STEPS = 3
"""Where players tire, so that a step may take several, a cell counts as blocked after so many have failed."""
WALK_STEPS = 60
"""A call that has not reached a thing after so many steps has failed."""
NEAR = 2
"""The distance at which a player is followed."""
APPROACH = 8
"""The most moves of an approach that takes turns into account; longer ways are walked first."""


class _Ended(Exception):
    """The current call is over. why: the reason if it has failed, in words; None if it is done."""

    def __init__(self, why: str | None = None) -> None:
        super().__init__(why)
        self.why = why


class OpenFollower(WrittenFollower[OpenSeat, IntEnum]):
    """Follows plans of calls."""

    plan: tuple[Call, ...]

    def __init__(self, notes: OpenNotes) -> None:
        super().__init__()
        self._notes, self._actions = notes, notes.actions
        self._by_name = {action.name.lower(): action for action in notes.actions}
        self._why: str | None = None
        """Why the plan is over, if it ended before its last call was done."""
        self._taken = self._times = 0
        """How many steps the current call has taken, and how often it has done what it asks for."""
        self._before: tuple[Pose, Move] | None = None
        """The pose and the step of the latest move; None after anything else."""
        self._blocked: dict[Cell, int] = {}
        """Cells that could not be entered, with the step of the attempt."""
        self._stuck = 0
        self.route: Path = ()
        """The cells that the latest walk has still to enter."""

    @property
    def current(self) -> Call | None:
        return self.plan[self._done] if self._done < len(self.plan) and self._why is None else None

    @property
    def why_ended(self) -> str:
        return self._why or phrase("agent/messages.j2", "used_up")

    def follow(self, plan: Sequence[Call], *, is_forced: bool = False) -> None:
        super().follow(plan)
        self._why = None
        self._begin()

    def _begin(self) -> None:
        self._taken = self._times = self._stuck = 0
        self._before, self.route = None, ()

    def observe(self, situation: OpenSeat, events: Sequence[Event], because: str | None) -> str | None:
        """A plan goes on until it is done or has failed, and ends when the player is put somewhere else, or by news."""
        news = self._news(situation)
        elsewhere = _reason("elsewhere") if self._notes.has_moved_elsewhere else None
        return because or (elsewhere or news if self.plan else None)

    def _news(self, situation: OpenSeat) -> str | None:
        """Why what is new in a frame ends the plan, in words; None if nothing is. It takes every frame, in order."""
        return None

    def reflex(self, situation: OpenSeat) -> IntEnum | None:
        """Stands still off the map, and looks for its bearings while its pose is unknown.

        What it does with something that it has, where it stands, goes on meanwhile: that thing may carry it about.
        """
        sight = self._notes.sight
        if not sight.map.present:
            return self._actions(Move.NOOP)
        if situation.pose is not None:
            return None
        call = self.current or next(iter(self.plan[-1:]), None)
        if situation.has and isinstance(call, UseAction) and call.at is None:
            return self._by_name[call.action]
        return self._actions(seek_bearings(sight.map, situation.step))

    def default_plan(self, situation: OpenSeat) -> Sequence[Call]:
        return (situation.search,)

    def next_action(self, situation: OpenSeat) -> IntEnum | None:
        if situation.pose is None:
            return None
        self._note_blocks(situation, situation.pose)
        while (call := self.current) is not None:
            try:
                action = self._advance(call, situation, situation.pose)
            except _Ended as ended:
                if ended.why is not None:
                    self._failed, self._why = call, _reason("failed", call=str(call), why=ended.why)
                    return None
                self._done += 1
                self._begin()
            else:
                self._taken += 1
                self._before = (situation.pose, Move(action)) if action in STEP_QUARTERS else None
                return action
        return None

    def last_resort(self, situation: OpenSeat) -> IntEnum:
        """Turns: no second plan is asked for in one step."""
        return self._actions(Move.TURN_RIGHT)

    def _note_blocks(self, seat: OpenSeat, pose: Pose) -> None:
        """Notes where the latest step has not led to."""
        self._blocked = {cell: step for cell, step in self._blocked.items() if seat.step - step < BLOCKED_STEPS}
        if self._before and self._before[0] == pose:
            self._stuck += 1
            if self._stuck >= (1 if seat.stamina is None else SLOW_STEPS):
                self._blocked[seat.layout.wrapped(pose.after(self._before[1]).cell)] = seat.step
        elif self._before:
            self._stuck = 0

    def _advance(self, call: Call, seat: OpenSeat, pose: Pose) -> IntEnum:
        """The next action of a call; raises _Ended once it is over."""
        match call:
            case WalkTo(target):
                return self._walk(seat, pose, target)
            case CollectThings():
                return self._collect(call, seat, pose)
            case UseAction():
                return self._use(call, seat, pose)
            case FollowPlayer(player, steps):
                return self._stay_near(seat, pose, player, steps)
            case KeepAway(player, steps):
                return self._leave(seat, pose, player, steps)
            case StandStill(steps):
                return self._for(steps, Move.NOOP)
            case LookAround():
                return self._for(4, Move.TURN_RIGHT)

    def _for(self, steps: int, move: Move) -> IntEnum:
        """A move, while the current call has not taken so many steps; else raises _Ended."""
        if self._taken >= steps:
            raise _Ended
        return self._actions(move)

    def _walk(self, seat: OpenSeat, pose: Pose, target: Cell) -> IntEnum:
        """The next step of a walk; raises _Ended on arrival, and where it can't be reached."""
        if pose.cell == target:
            raise _Ended
        if self._stuck >= STUCK_STEPS:
            raise _Ended(_reason("no_progress", steps=STUCK_STEPS))
        path = self._path(seat, pose.cell, target)
        if path is None:
            raise _Ended(_reason("no_way"))
        self.route = path
        return self._step(seat, pose, path[0])

    def _path(self, seat: OpenSeat, start: Cell, target: Cell) -> Path | None:
        """The shortest path around all that blocks and, if there is one, around what the seat shuns."""
        if self.route and self.route[-1] == target and not self._closed(seat) & {*self.route}:
            if start == self.route[0] and len(self.route) > 1:
                return self.route[1:]
            if seat.layout.distance(start, self.route[0]) == 1:
                return self.route
        shunned, closed = seat.shunned, self._closed(seat)
        for avoid in (closed | shunned - {target}, closed) if shunned else (closed,):
            if (path := find_path(seat.layout, start, target, avoid)) is not None:
                return path
        return None

    def _closed(self, seat: OpenSeat) -> set[Cell]:
        """The cells that can't be entered now, as far as is known, by the player or by what it holds ahead."""
        closed = {*seat.solid, *self._notes.occupied, *self._blocked}
        if seat.held_at is None:
            return closed
        right, down = (ahead - here for ahead, here in zip(seat.held_at, seat.here, strict=True))
        return closed | {(x - right, y - down) for x, y in closed | seat.layout.walls}

    def _end_after(self, times: int) -> None:
        """Raises _Ended once the current call has done so often what it asks for, or has taken too long."""
        if self._times >= times:
            raise _Ended
        if self._taken >= WALK_STEPS * times:
            raise _Ended(_reason("too_long", steps=self._taken))

    def _collect(self, call: CollectThings, seat: OpenSeat, pose: Pose) -> IntEnum:
        self._times += self._notes.entered == call.kind and self._taken > 0
        self._end_after(call.times)
        return self._walk(seat, pose, self._nearest(seat, pose, seat.cells_of([call.kind]), call.kind))

    def _nearest(self, seat: OpenSeat, pose: Pose, cells: Iterable[Cell], kind: str) -> Cell:
        """The nearest of some cells that nothing blocks now; raises _Ended if there is none."""
        taken = self._notes.occupied | self._blocked.keys()
        near = sorted((cell for cell in cells if cell not in taken), key=seat.steps_to)
        if not near:
            raise _Ended(_reason("none_known", thing=kind))
        return near[0]

    def _use(self, call: UseAction, seat: OpenSeat, pose: Pose) -> IntEnum:
        self._end_after(call.times)
        reach = seat.facts.reach.get(call.action, 1)
        if call.at is None or (reach == 0 and call.at in (pose.cell, *seat.own)):
            self._times += 1
            return self._by_name[call.action]
        target = self._target(call.at, seat)
        if reach == 0:
            return self._walk(seat, pose, target)
        closed = self._closed(seat) - {target}
        approach = find_approach(seat.layout, pose, target, Beam(reach, 0), closed, horizon=APPROACH)
        if approach is None:
            return self._walk_beside(seat, pose, target)
        self.route = tuple(map(seat.layout.wrapped, approach.cells))
        if approach.move is Move.INTERACT:
            self._times += 1
            return self._by_name[call.action]
        if self._stuck >= STUCK_STEPS:
            raise _Ended(_reason("no_progress", steps=STUCK_STEPS))
        return self._actions(approach.move)

    def _target(self, at: Cell | str, seat: OpenSeat) -> Cell:
        """The cell that a call is to act on, or of a player that it names."""
        if isinstance(at, tuple):
            return at
        if players := [player.cell for player in seat.players if player.name == at]:
            return players[0]
        if cells := seat.cells_of([at]):
            return min(cells, key=seat.steps_to)
        raise _Ended(_reason("none_known", thing=at))

    def _walk_beside(self, seat: OpenSeat, pose: Pose, target: Cell) -> IntEnum:
        closed = self._closed(seat)
        beside = [cell for cell in map(seat.layout.wrapped, around(target)) if cell not in closed]
        beside = [cell for cell in beside if seat.layout.is_open(cell)]
        if not beside:
            raise _Ended(_reason("no_way"))
        return self._walk(seat, pose, min(beside, key=seat.steps_to))

    def _stay_near(self, seat: OpenSeat, pose: Pose, player: str, steps: int) -> IntEnum:
        still, cell = self._for(steps, Move.NOOP), self._target(player, seat)
        return still if seat.steps_to(cell) <= NEAR else self._walk(seat, pose, cell)

    def _leave(self, seat: OpenSeat, pose: Pose, player: str, steps: int) -> IntEnum:
        still, away = self._for(steps, Move.NOOP), self._target(player, seat)
        closed = self._closed(seat)
        open_cells = [cell for cell in seat.layout.neighbours[pose.cell] if cell not in closed]
        best = max(open_cells, key=lambda cell: (seat.layout.distance(cell, away), cell), default=pose.cell)
        if seat.layout.distance(best, away) <= seat.steps_to(away):
            return still
        return self._step(seat, pose, best)

    def _step(self, seat: OpenSeat, pose: Pose, neighbour: Cell) -> IntEnum:
        return self._actions(step_towards(pose, seat.layout.seen_from(pose.cell, neighbour)))

    def heed(self, strategy: WrittenStrategy, before: WrittenStrategy | None) -> str | None:
        """A plan goes on unless the strategy's words change: expectations change with every stretch."""
        changed = before is not None and strategy.words != before.words
        return phrase("agent/messages.j2", "strategy_changed") if changed else None
