"""Turns calls into primitive moves, one step at a time (Hypothetical Minds, appendix C.5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from hm_agent.worlds.melting_pot.facts import Beam
from hm_agent.worlds.melting_pot.grid import Cell, Layout, Move, Window, nearest
from hm_agent.worlds.melting_pot.planning.calls import (
    USED_UP,
    Call,
    CollectUnseen,
    FireAt,
    FireOnSight,
    Interact,
    MoveTo,
    Pause,
    Shadow,
    Show,
    SubstratePlanRecord,
    Wait,
    plan_record,
    reason,
)
from hm_agent.worlds.melting_pot.planning.concealment import Concealment
from hm_agent.worlds.melting_pot.planning.move_inputs import MoveInputs, NextMove, PlanEnd
from hm_agent.worlds.melting_pot.planning.pursuit import Pursuit
from hm_agent.worlds.melting_pot.planning.station_use import StationCheck, StationUse
from hm_agent.worlds.melting_pot.planning.walking import Walker
from hm_agent.worlds.melting_pot.strategy import is_sought

PAUSE_STEPS = 30
"""The most steps of a `wait` in place."""
SHOW_STEPS = 20
"""The most steps that a `show` waits beside its thing until it is seen."""
LOOK_ROUND = 4
"""An avatar that waits in place turns once in this many steps."""
FACING_FIRST: Mapping[Move, Move] = {
    Move.BACKWARD: Move.TURN_RIGHT,
    Move.STEP_LEFT: Move.TURN_LEFT,
    Move.STEP_RIGHT: Move.TURN_RIGHT,
}
"""The turn that faces the way of a step, for walks on which the agent looks ahead."""


class ActionPlanner:
    """Follows a plan of calls, starting from the perceived pose; drops a call that is reached or obsolete.

    window: what each player sees of the map. ready_mark: the mark of a player or thing that is ready to interact; None
    in a game where everything always is. check_station: tells why a station can't be used; None in a game without
    stations.
    """

    def __init__(
        self,
        layout: Layout,
        beam: Beam,
        window: Window,
        ready_mark: str | None = None,
        check_station: StationCheck | None = None,
    ) -> None:
        self._walker = Walker(layout)
        self._concealment = Concealment(window)
        self._pursuit = Pursuit(layout, beam, self._walker, ready_mark)
        self._stations = StationUse(layout, beam, self._walker, ready_mark, check_station)
        self.plan: tuple[Call, ...] = ()
        """The latest plan, finished calls included."""
        self.current = 0
        """The index of the current call, or of the first that a shot on sight replaces; the plan's length when the
        plan is finished."""
        self.shot: FireAt | None = None
        """The shot on sight that is carried out in place of the rest of the latest plan; None if there is none."""
        self._started: int | None = None
        """The step in which the current call began; None before it does."""
        self._shows_since: int | None = None
        """The step in which the current `show` began to wait beside its thing; None before it does."""
        self._end: PlanEnd | None = None
        """Why the latest plan ended early; None if it did not."""
        self._ended_at = 0
        """The index of the call at which it ended early."""
        self.skipped: tuple[Call, ...] = ()
        """The calls of the latest plan that were skipped because their thing was gone."""
        self._made: int | None = None
        """The step of the latest plan's first move; None before it."""
        self._taken: set[Cell] = set()
        """Where the agent has taken a thing since the latest plan was made."""
        self._bare: frozenset[Cell] = frozenset()
        """The cells that the latest plan walks to and where no thing had ever been seen when it began."""
        self.asked_plan: tuple[Call, ...] = ()
        """The latest plan that a model was asked for, as it began."""
        self._asked: tuple[SubstratePlanRecord, str] | None = None
        """The latest plan that a model was asked for and why it was over, if another plan has replaced it since."""

    @property
    def route(self) -> tuple[Cell, ...]:
        """The cells that the latest walk or approach has still to enter, in order."""
        return self._walker.route

    @property
    def rest(self) -> Sequence[Call]:
        """The current call and those after it."""
        return (self.shot,) if self.shot and not self._end else self.plan[self.current :]

    @property
    def call(self) -> Call | None:
        """The current call; None when the plan is finished."""
        return next(iter(self.rest), None)

    @property
    def fires_on_sight(self) -> bool:
        """True if the plan itself says what to do when a player arrives: to fire on sight."""
        return any(isinstance(call, FireOnSight) for call in self.plan)

    @property
    def previous(self) -> SubstratePlanRecord | None:
        """The latest plan and how far it came; None before the first."""
        if not self.plan:
            return None
        done = self._ended_at if self._end else self.current
        return plan_record(self.plan, done, self.skipped, self.shot, failed=self.failed)

    @property
    def why_over(self) -> str:
        """Why the latest plan is over, in words."""
        return self._end.why if self._end else USED_UP

    @property
    def latest_asked(self) -> tuple[SubstratePlanRecord | None, str]:
        """The latest plan that a model was asked for, and why it is over.

        If other plans have replaced it since (`replace_plan`) and the latest of them ended early, why that one did.
        """
        if self._asked is None:
            return self.previous, self.why_over
        plan, why = self._asked
        return plan, self._end.why if self._end else why

    @property
    def failed(self) -> Call | None:
        """The call that failed and so ended the latest plan; None if none did."""
        return self._end.failed if self._end else None

    def follow(self, plan: Iterable[Call]) -> None:
        """Replaces the current plan by one that a model was asked for."""
        self.asked_plan = tuple(plan)
        self._replace(self.asked_plan)

    def _replace(self, plan: Iterable[Call]) -> None:
        self.plan, self.current, self.skipped, self.shot, self._end = tuple(plan), 0, (), None, None
        self._made, self._taken, self._asked = None, set(), None
        self._begin()

    def replace_plan(self, plan: Iterable[Call]) -> None:
        """Replaces the current plan by one that no model was asked for."""
        before, why = self.latest_asked
        self._replace(plan)
        self._asked = (replace(before, went_on=True), why) if before else None

    def _begin(self) -> None:
        """Forgets how far the current call has come, so that the next move begins one."""
        self._started = self._shows_since = None
        self._pursuit.begin()

    def count_arrival(self, inputs: MoveInputs) -> None:
        """Counts the current call as done if it has just come to its end: a `move_to` or a `shadow`.

        `next_move` would count it, too, but is not called if the plan is replaced first.
        """
        match self.call:
            case MoveTo(target):
                is_seen = target in self._bare and target in inputs.view.in_view
                self.current += inputs.pose.cell == target or is_seen
            case Shadow(player):
                self.current += inputs.has_clear_lead(player)

    def next_move(self, inputs: MoveInputs) -> Move | None:
        """The next move of the plan; None when it is finished."""
        self._taken.update(inputs.memory.taken)
        if self._made is None:
            self._made = inputs.step
            targets = frozenset(call.target for call in self.plan if isinstance(call, MoveTo))
            self._bare = targets - inputs.memory.sites.keys()
        if shot := self._shot_on_sight(inputs):
            self.shot = shot
            self._begin()
        while (call := self.call) is not None:
            if self._started is None:
                self._started = inputs.step
            self._walker.route = ()
            match self._advance(call, inputs, self._started):
                case Move() as move:
                    return move
                case PlanEnd() as end:
                    self._end, self._ended_at, self.current = end, self.current, len(self.plan)
                case None:
                    self.current += 1
            self._begin()
        return None

    def _shot_on_sight(self, inputs: MoveInputs) -> FireAt | None:
        """The shot that the latest `fire_on_sight` before the current call now calls for; None if it calls for none."""
        before = reversed(self.plan[: self.current])
        on_sight = next((call for call in before if isinstance(call, FireOnSight)), None)
        is_on_watch = isinstance(self.call, MoveTo | Pause)
        return self._pursuit.in_sight(on_sight, inputs) if on_sight and is_on_watch else None

    def _advance(self, call: Call, inputs: MoveInputs, started: int) -> NextMove:
        taken = inputs.step - started
        match call:
            case MoveTo():
                return self._move_to(call, inputs)
            case FireAt():
                return self._pursuit.fire_at(call, inputs, taken, is_last=len(self.rest) == 1)
            case FireOnSight() | CollectUnseen():
                return None  # they apply to the calls after them
            case Show():
                return self._show(call, inputs)
            case Shadow():
                return self._pursuit.shadow(call, inputs, taken, is_last=len(self.rest) == 1)
            case Pause():
                return _pause(call, inputs, taken)
            case Interact():
                return self._stations.use(call, inputs, started)
            case Wait():
                return self._stations.wait(call, inputs, taken)

    def _move_to(self, call: MoveTo, inputs: MoveInputs) -> NextMove:
        target, memory = call.target, inputs.memory
        if target in self._bare:
            return self._explore(target, inputs)
        is_empty = target in memory.sites and target not in memory.things and target in inputs.view.in_view
        if is_empty and inputs.pose.cell != target:
            if target not in self._taken:  # the agent itself may have taken it on the way to an earlier call's cell
                self._skip(call, inputs)
            return None
        move = self._walker.walk(target, inputs)
        return Move.NOOP if move is not None and self._should_hide(move, inputs) else move

    def _show(self, call: Show, inputs: MoveInputs) -> NextMove:
        """Walks up to a thing and takes it once that is seen; None if it is gone or nobody sees it for SHOW_STEPS."""
        if call.target not in inputs.memory.things:
            return None
        move = self._walker.walk(call.target, inputs)
        if move is None or inputs.pose.after(move).cell != call.target:
            return move
        if self._concealment.is_seen(call.target, inputs.view.players):
            return move
        self._shows_since = inputs.step if self._shows_since is None else self._shows_since
        waited = inputs.step - self._shows_since
        return _look_round(waited) if waited < SHOW_STEPS else None

    def _skip(self, call: MoveTo, inputs: MoveInputs) -> None:
        """Notes a call as skipped because its thing is gone.

        If nothing has been collected yet and no later call collects anything, the rest of the plan would have no
        effect: then a walk to the nearest known thing of the same kind is inserted after the skipped call.
        """
        memory = inputs.memory
        self.skipped = (*self.skipped, call)
        is_needed = not inputs.armed and not any(isinstance(call, MoveTo) for call in self.rest[1:])
        instead = nearest(inputs.pose.cell, memory.cells_of(memory.sites[call.target])) if is_needed else None
        if instead:
            self.plan = (*self.plan[: self.current + 1], MoveTo(instead), *self.plan[self.current + 1 :])

    def _explore(self, target: Cell, inputs: MoveInputs) -> NextMove:
        """Walks towards a bare cell, facing the way, until that is in view; ends the plan if a wanted thing appears.

        Things that appeared in the step in which the plan was made don't end it: the plan takes them into account.
        """
        memory = inputs.memory
        appeared = memory.appeared if inputs.step != self._made else ()
        wanted = [memory.things[cell][0] for cell in appeared if memory.things[cell][0] in inputs.wanted]
        if wanted:
            return PlanEnd(reason("in_view", thing=wanted[0]))
        if target in inputs.view.in_view:
            return None
        move = self._walker.walk(target, inputs)
        return move if move is None else FACING_FIRST.get(move, move)

    def _should_hide(self, move: Move, inputs: MoveInputs) -> bool:
        """True if a step has to wait: it would covertly collect a thing while another player may be watching."""
        cell = inputs.pose.after(move).cell
        is_covert = inputs.covert or any(isinstance(call, CollectUnseen) for call in self.plan[: self.current])
        if not is_covert or cell not in inputs.memory.things:
            return False
        return self._concealment.should_wait(cell, inputs.view.players, inputs.memory.player_belief)


def _pause(call: Pause, inputs: MoveInputs, taken: int) -> Move | None:
    """Looks around in place for the steps of the call, or until a sought player comes into view."""
    is_met = any(is_sought(player.kind, inputs.seek) for player in inputs.view.players)
    if is_met or taken >= min(call.steps, PAUSE_STEPS):
        return None
    return _look_round(taken)


def _look_round(waited: int) -> Move:
    """The move of an avatar that has waited in place for so many steps: it turns once in LOOK_ROUND."""
    return Move.TURN_RIGHT if waited % LOOK_ROUND == LOOK_ROUND - 1 else Move.NOOP
