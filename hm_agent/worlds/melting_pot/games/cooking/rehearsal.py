"""Rehearses a plan: what the agent would hold at each call, and which calls can't work whatever the teammate does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hm_agent.models.prompts import phrase
from hm_agent.worlds.melting_pot.games.cooking.kitchen import (
    COUNTER,
    DELIVERY,
    DISH,
    DISPENSED,
    SHARED,
    SOUP,
    TOMATO,
    Pot,
)
from hm_agent.worlds.melting_pot.games.cooking.work_costs import shortest_approach
from hm_agent.worlds.melting_pot.grid import Cell, around
from hm_agent.worlds.melting_pot.planning.calls import Call, Interact, MoveTo, Wait
from hm_agent.worlds.melting_pot.planning.station_use import WAIT_STEPS

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.games.cooking.room_seat import KitchenRoomSeat

MESSAGES = "melting_pot/cooking/messages.j2"
"""The words of why a call can't work."""
UNSURE = "unsure"
"""Stands for what the agent holds after a call whose outcome can't be foreseen."""
SLACK = 2
"""The steps that a call may take beyond the shortest way."""
AFTER_POT = {TOMATO: None, DISH: SOUP}
"""What the agent holds after a pot has taken what it held."""


@dataclass(slots=True)
class PotBounds:
    """Bounds on what a pot holds.

    tomatoes: the least number in it, unless its soup was taken. cooked: the earliest step at which it may be cooked.
    """

    tomatoes: int
    cooked: int


class Rehearsal:
    """Goes through the calls of one plan. A call that may work if the teammate does its best counts as possible.

    seat: what the plan starts from.
    """

    def __init__(self, seat: KitchenRoomSeat) -> None:
        self._seat, self._rules = seat, seat.rules
        self._hands, self._pose, self._step = seat.hands, seat.pose, seat.step
        self._seen: Mapping[Cell, Pot] = {pot.cell: pot for pot in seat.pots}
        self._pots = {pot.cell: PotBounds(pot.tomatoes, self._earliest_cooked(pot)) for pot in seat.pots}
        self._counters = {each.cell: each.mark for each in seat.stations if each.kind == COUNTER}
        """What lies on each counter, None if it is bare."""
        self._counters |= dict.fromkeys(seat.spare)
        self._other_stations = {each.cell: each.kind for each in seat.stations if each.kind != COUNTER}
        """The kinds of the other stations, apart from pots."""
        self._call_number = 0
        """The number of the present call, from 1."""

    def _earliest_cooked(self, pot: Pot) -> int:
        """The earliest step at which a pot may be cooked."""
        return pot.step + self._rules.cooking_steps - 1 if pot.ready is None else pot.ready - 1

    def problems(self, plan: Iterable[MoveTo | Interact | Wait]) -> Iterator[str]:
        """Why calls of the plan can't work, one sentence per call."""
        for self._call_number, call in enumerate(plan, 1):
            why = self._why_impossible(call)
            if why:
                yield phrase(MESSAGES, "impossible", number=self._call_number, call=str(call), why=why)

    def _why_impossible(self, call: MoveTo | Interact | Wait) -> str | None:
        self._approach(call.target)
        if isinstance(call, Wait):
            return self._wait(call.target)
        return self._use(call.target) if isinstance(call, Interact) else None

    def _approach(self, target: Cell) -> None:
        """Faces the target, and lets as much time pass as the way there may take."""
        path = shortest_approach(self._seat.layout, self._pose, target)
        if path is not None:
            self._pose, self._step = path.pose, self._step + path.moves + SLACK

    def _wait(self, cell: Cell) -> str | None:
        self._step += WAIT_STEPS
        if cell in self._seat.handover:
            return None
        if cell in self._counters or cell in self._other_stations:
            return phrase(MESSAGES, "no_pot")
        return self._refusal("deliver_it", SOUP) if self._hands == SOUP else None

    def _use(self, cell: Cell) -> str | None:
        """Uses a station; returns why that can't work."""
        if self._hands == UNSURE:
            return None
        if cell in self._pots:
            return self._use_pot(cell)
        if cell in self._other_stations:
            return self._use_other(self._other_stations[cell])
        if cell in self._counters and (self._is_now or not self._is_shared(cell)):
            return self._use_counter(cell)
        self._hands = UNSURE
        return None

    @property
    def _is_now(self) -> bool:
        """True for the first call, which is carried out before much can change."""
        return self._call_number == 1

    def _is_shared(self, cell: Cell) -> bool:
        """True if the teammate can use a counter too, so that what lies there may change."""
        if self._rules.rooms == SHARED:
            return True
        beside = [place for place in around(cell) if self._seat.layout.is_open(place)]
        return any(shortest_approach(self._seat.layout, self._pose, place) is None for place in beside)

    def _use_pot(self, cell: Cell) -> str | None:
        pot, hands = self._pots[cell], self._hands
        if hands not in AFTER_POT:
            self._hands = hands if hands == SOUP else UNSURE
            return self._refusal("pot_takes_no_soup" if hands else "pot_gives_nothing", hands)
        self._hands = AFTER_POT[hands]
        why = self._why_refused(cell, hands)
        self._update_pot(pot, hands)
        return why

    def _why_refused(self, cell: Cell, hands: str | None) -> str | None:
        """Why a pot refuses a tomato or dish at this step.

        A first call at a pot in view is judged as it will be when the plan is carried out.
        """
        pot, seen = self._pots[cell], self._seen[cell]
        is_refused = pot.cooked > self._step and (hands == DISH or pot.tomatoes >= self._rules.tomatoes)
        if self._is_now and seen.step == self._seat.step:
            is_refused = seen.why_useless(hands, self._step - SLACK) is not None
        why = "pot_is_full" if hands == TOMATO else "pot_is_not_cooked"
        return self._refusal(why, hands) if is_refused else None

    def _update_pot(self, pot: PotBounds, hands: str | None) -> None:
        """Updates a pot by a tomato that is put in, or by its soup that is taken."""
        is_filled = hands == TOMATO and pot.tomatoes < self._rules.tomatoes
        pot.tomatoes = pot.tomatoes + 1 if is_filled else int(hands == TOMATO)
        pot.cooked = self._step + self._rules.cooking_steps - 1

    def _use_other(self, kind: str) -> str | None:
        hands = self._hands
        if kind in DISPENSED:
            self._hands = DISPENSED[kind]
            return None if hands is None else self._refusal("dispenser_gives_nothing", hands)
        if kind == DELIVERY:
            self._hands = None
            return None if hands == SOUP else self._refusal("delivery_takes_soup", hands)
        self._hands = UNSURE
        return None

    def _use_counter(self, cell: Cell) -> str | None:
        hands, thing = self._hands, self._counters[cell]
        self._hands, self._counters[cell] = thing, hands
        if hands is None and thing is None:
            return self._refusal("nothing_there", None)
        if hands is not None and thing is not None:
            self._hands, self._counters[cell] = hands, thing
            return self._refusal("thing_there", hands, thing=thing)
        return None

    def _refusal(self, name: str, held: str | None, **details: object) -> str:
        """Why the present call can't work with what the agent holds at it, in words."""
        return phrase(MESSAGES, name, held=held, now=self._is_now, **details)


def why_impossible(seat: KitchenRoomSeat, plan: Sequence[Call]) -> list[str]:
    """Which calls of a plan can't work whatever the teammate does, with the reasons."""
    return list(Rehearsal(seat).problems(call for call in plan if isinstance(call, MoveTo | Interact | Wait)))
