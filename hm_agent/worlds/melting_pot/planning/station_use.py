"""Walks up to stations, uses them, and waits for them, in games that have stations."""

from __future__ import annotations

from collections.abc import Callable

from hm_agent.worlds.melting_pot.facts import Beam
from hm_agent.worlds.melting_pot.grid import Cell, Layout, Move
from hm_agent.worlds.melting_pot.perception.textual_map import Detection
from hm_agent.worlds.melting_pot.planning.calls import Interact, Wait, reason
from hm_agent.worlds.melting_pot.planning.move_inputs import MoveInputs, NextMove, PlanEnd
from hm_agent.worlds.melting_pot.planning.passing import Passing
from hm_agent.worlds.melting_pot.planning.walking import Walker

WAIT_STEPS = 25
"""A `wait` at a station ends after this many steps, ready or not."""

StationCheck = Callable[[Detection, str | None, int], str | None]
"""From a station, the item held and the moves until its use to why it can't be used then; None if it may work."""


class StationUse:
    """Carries out `interact` and `wait` calls.

    ready_mark: the mark of a ready station. A wait ends at it if the agent holds nothing or there is no check_station.
    """

    def __init__(
        self, layout: Layout, beam: Beam, walker: Walker, ready_mark: str | None, check_station: StationCheck | None
    ) -> None:
        self._beam, self._walker, self._passing = beam, walker, Passing(layout, beam)
        self._ready_mark, self._check_station = ready_mark, check_station
        self._used: MoveInputs | None = None
        """The inputs in which a station was last used; None before the first use."""

    def use(self, call: Interact, inputs: MoveInputs, started: int) -> NextMove:
        """Walks to a station and uses it once; None after that. started: the step in which the call began.

        Ends the plan if no way leads to the station or players have long been in the way, as soon as the station in
        view shows that it can't be used, or if the own mark, which shows the item held, is unchanged after the use.
        """
        if self._used is not None and self._used.step >= started:
            is_unchanged = inputs.view.mark == self._used.view.mark
            return _failure(call, reason("hands_unchanged")) if is_unchanged else None
        approach = self._passing.approach(call.target, inputs.pose, inputs.view)
        if approach is None:
            return _failure(call, reason("no_way"))
        if self._passing.gives_up():
            return PlanEnd(reason("in_the_way", call=str(call)))
        if why := self._why_useless(call.target, inputs, approach.moves):
            return _failure(call, why)
        if approach.move is Move.INTERACT:
            if self._used is not None and inputs.step - self._used.step <= self._beam.rest:
                return Move.NOOP
            self._used = inputs
        return self._walker.follow(approach)

    def wait(self, call: Wait, inputs: MoveInputs, taken: int) -> Move | None:
        """Walks to a station and waits until it can be used with the item held; with empty hands, until it is ready.

        None once that is so, or after WAIT_STEPS. taken: how many steps the call has taken.
        """
        if self._is_ready(call.target, inputs) or taken >= WAIT_STEPS:
            return None
        return self._walker.follow(self._passing.wait(call.target, inputs.pose, inputs.view))

    def _why_useless(self, cell: Cell, inputs: MoveInputs, moves: int) -> str | None:
        """Why the station on a cell can't be used after some moves; None if it may work or is out of view."""
        station = _thing_at(cell, inputs)
        return self._check_station(station, inputs.view.mark, moves) if station and self._check_station else None

    def _is_ready(self, cell: Cell, inputs: MoveInputs) -> bool:
        """True if the station on a cell is in view and usable with the item held or, with empty hands, is ready."""
        station = _thing_at(cell, inputs)
        if station is None or inputs.view.mark is None or self._check_station is None:
            return station is not None and station.mark == self._ready_mark
        return self._check_station(station, inputs.view.mark, 0) is None


def _failure(call: Interact, why: str) -> PlanEnd:
    """Ends the whole plan, since the rest of it depends on the failed call."""
    return PlanEnd(reason("failed", call=str(call), why=why), call)


def _thing_at(cell: Cell, inputs: MoveInputs) -> Detection | None:
    """The thing in view on a cell; None if there is none."""
    return next((thing for thing in inputs.view.things if thing.cell == cell), None)
