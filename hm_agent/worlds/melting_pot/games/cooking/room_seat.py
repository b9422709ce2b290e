"""What a question about a plan in a kitchen shows of one cook: what is known of its room, and what plans may say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from hm_agent.models.prompts import phrase
from hm_agent.questions import UNSHOWN
from hm_agent.worlds.melting_pot.games.cooking.activities import Activity
from hm_agent.worlds.melting_pot.games.cooking.kitchen import Station
from hm_agent.worlds.melting_pot.games.cooking.rehearsal import why_impossible
from hm_agent.worlds.melting_pot.games.cooking.seat import KitchenSeat
from hm_agent.worlds.melting_pot.grid import Cell, Layout, Pose
from hm_agent.worlds.melting_pot.planning.calls import Call, Interact, MoveTo, Wait
from hm_agent.worlds.melting_pot.planning.written_calls import Form, Functions, call_pattern, parse_plan
from hm_agent.written_calls import CallError

_refusal = partial(phrase, "melting_pot/cooking/messages.j2")

CALLS: Functions = {"interact": Form.INTERACT, "wait": Form.WAIT, "move_to": Form.MOVE_TO}
"""The functions a plan may call."""
MOST_CALLS = 10
"""The largest number of calls in a plan; a longer one would be outdated long before its end."""
RECENT = 3
"""How many of the teammate's latest activities a question for a plan shows."""


@dataclass(frozen=True, slots=True)
class Teammate:
    """A teammate as last seen. hands: what it holds, by all it did since. since: when that became known.

    stood: for how many steps it had been seen on this cell, and nowhere else.
    """

    cell: Cell
    hands: str | None
    step: int
    since: int | None = None
    player: str = "teammate"
    stood: int = 0


@dataclass(frozen=True, slots=True)
class Barred:
    """A station whose use failed before in the agent's present state. why: the reason, for the error text."""

    cell: Cell
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KitchenRoomSeat(KitchenSeat):
    """What one cook knows of its room at a step, and the part that its strategy gives it.

    role, expected: what the strategy says of the agent and of an only teammate; None if it says nothing. pots: all that
    were seen. stations: those others that can be used from the room. spare: the bare counters there. floor: the cells
    of the room. unseen: the counters there that were never in view. teammates: those that were seen. recent: the latest
    activities of an only teammate. barred: the stations whose use failed before in the present state. reach: all wall
    cells that can be used from the room. handover: the counters over which things can be handed to the other one.
    parts: what the strategy expects of each teammate, by name.
    """

    blocks = "melting_pot/cooking/room_blocks.j2"
    most_calls = MOST_CALLS

    pose: Pose
    role: str | None
    expected: str | None
    stations: tuple[Station, ...]
    spare: tuple[Cell, ...]
    floor: tuple[Cell, ...]
    unseen: tuple[Cell, ...]
    teammates: tuple[Teammate, ...]
    recent: tuple[Activity, ...]
    barred: tuple[Barred, ...]
    layout: Layout = field(metadata=UNSHOWN)
    reach: frozenset[Cell] = field(metadata=UNSHOWN)
    handover: tuple[Cell, ...] = field(default=(), metadata=UNSHOWN)
    parts: Mapping[str, str] = field(default_factory=dict, metadata=UNSHOWN)

    @property
    def usable(self) -> tuple[Cell, ...]:
        """The cells that the first call may use: with these hands that may work, and it has not failed before."""
        return tuple(cell for cell in self._within_reach if not self._problems((Interact(cell),)))

    def call_patterns(self, barred: Any) -> tuple[str, str]:
        """Allows calls within reach, and as the first call only those that may work at once."""
        pots = [pot.cell for pot in self.pots if pot.cell in self.reach]
        pots += self.handover
        waits = [cell for cell in pots if not self._problems((Wait(cell),))]
        first = call_pattern(CALLS, {"interact": self.usable, "wait": waits, "move_to": self.floor})
        return first, call_pattern(CALLS, {"interact": self._within_reach, "wait": pots, "move_to": self.floor})

    @property
    def _within_reach(self) -> Sequence[Cell]:
        return sorted(cell for cell in self.reach if not self.layout.is_open(cell))

    def read_plan(self, texts: Sequence[str], barred: Any) -> tuple[Call, ...]:
        """Refuses calls out of reach, calls that can't work, and a first call that has failed in the present state."""
        plan = parse_plan(texts, self.layout, CALLS, check=self._check_reach)
        if problems := self._problems(plan):
            raise CallError("; ".join(problems))
        return plan

    def usable_part(self, texts: Sequence[str], barred: Any) -> Sequence[str]:
        """The calls before the first one that can't be carried out."""
        for count in range(len(texts), 0, -1):
            with suppress(CallError):
                self.read_plan(texts[:count], barred)
                return texts[:count]
        return ()

    def _problems(self, plan: Sequence[Call]) -> Sequence[str]:
        """Why calls of a plan within reach can't work, one sentence each; empty if all may."""
        barred = next((barred for barred in self.barred if plan[0] == Interact(barred.cell)), None)
        failed = [_refusal("failed_before", call=str(plan[0]), why=barred.why)] if barred else []
        return [*failed, *why_impossible(self, plan)]

    def _check_reach(self, call: Call) -> None:
        if isinstance(call, MoveTo) and call.target not in self.floor:
            floor = sorted(self.floor)
            raise CallError(_refusal("not_in_room", call=str(call), cell=call.target, floor=floor))
        if isinstance(call, Interact | Wait) and self.layout.is_open(call.target):
            raise CallError(_refusal("bare_floor", call=str(call)))
        if isinstance(call, Interact | Wait) and call.target not in self.reach:
            raise CallError(_refusal("out_of_reach", call=str(call)))
