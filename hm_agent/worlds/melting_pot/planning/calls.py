"""The calls of a plan (appendix C.4), and what is told of a plan that is over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from hm_agent.models.prompts import phrase
from hm_agent.theory_of_mind.situation import PlanRecord
from hm_agent.worlds.melting_pot.grid import Cell
from hm_agent.written_calls import WrittenCall

reason = partial(phrase, "melting_pot/messages.j2")
"""Why a plan is over or can't go on in words, by the name of the macro."""


@dataclass(frozen=True, slots=True)
class MoveTo(WrittenCall):
    """Walk to a cell by the shortest path around resources other than the target."""

    function = "move_to"
    target: Cell


@dataclass(frozen=True, slots=True)
class Aim:
    """Whom a call to fire means.

    players: the only ones; any that the strategy seeks if empty. holding: the kind that the player must be known to
    have taken most of; anything if None. least: how many things it must be known to have taken, of that kind if there
    is one.
    """

    players: tuple[str, ...] = ()
    holding: str | None = None
    least: int = 0

    @property
    def arguments(self) -> Sequence[str]:
        """The arguments of a call that say so."""
        return [str(argument) for argument in (*self.players, self.holding, self.least) if argument]


ANYBODY = Aim()


@dataclass(frozen=True, slots=True)
class FireAt(WrittenCall):
    """Search near a cell, approach a player and fire the beam at it."""

    function = "fire_at"
    target: Cell
    aim: Aim = ANYBODY

    @property
    def arguments(self) -> Sequence[object]:
        return self.target, *self.aim.arguments


@dataclass(frozen=True, slots=True)
class FireOnSight(WrittenCall):
    """For the rest of the plan, fire at a player that is meant as soon as it is near and ready."""

    function = "fire_on_sight"
    aim: Aim = ANYBODY

    @property
    def arguments(self) -> Sequence[object]:
        return self.aim.arguments


@dataclass(frozen=True, slots=True)
class CollectUnseen(WrittenCall):
    """For the rest of the plan, wait before collecting a thing while another player may be watching."""

    function = "collect_unseen"


@dataclass(frozen=True, slots=True)
class Show(WrittenCall):
    """Walk up to a thing and take it as soon as another player is seen to have it in view."""

    function = "show"
    target: Cell


@dataclass(frozen=True, slots=True)
class Shadow(WrittenCall):
    """Keep a player in view without firing, to see what it takes."""

    function = "shadow"
    player: str


@dataclass(frozen=True, slots=True)
class Pause(WrittenCall):
    """Stay in place and look around for a number of steps, or until a sought player comes into view."""

    function = "wait"
    steps: int


@dataclass(frozen=True, slots=True)
class Interact(WrittenCall):
    """Walk up to a station and use it: take an item, put one down, fill a pot or deliver."""

    function = "interact"
    target: Cell


@dataclass(frozen=True, slots=True)
class Wait(WrittenCall):
    """Walk up to a station and wait until it is ready."""

    function = "wait"
    target: Cell


Call = MoveTo | FireAt | FireOnSight | CollectUnseen | Show | Shadow | Pause | Interact | Wait


def players_named(plan: Sequence[Call]) -> frozenset[str]:
    """The players that the calls of a plan name."""
    named: set[str] = set()
    for call in plan:
        match call:
            case FireAt(aim=aim) | FireOnSight(aim=aim):
                named.update(aim.players)
            case Shadow(player):
                named.add(player)
    return frozenset(named)


USED_UP = phrase("agent/messages.j2", "used_up")
"""Why a plan is over that was carried out to its last call."""
HIT_NOBODY = reason("hit_nobody")
"""Part of why a plan is over whose last call searched for a player in vain."""


@dataclass(frozen=True, slots=True)
class SubstratePlanRecord(PlanRecord):
    """A plan that is over.

    skipped: the calls whose thing was gone. shot: the call that was carried out in place of the rest, because the plan
    fires on sight; None if nobody was fired at on sight. failed: the call whose failure ended it, None if none failed.
    went_on: True if the agent has since followed a plan that no model was asked for.
    """

    skipped: tuple[Call, ...] = ()
    shot: Call | None = None
    failed: Call | None = None
    went_on: bool = False


def plan_record(
    calls: Sequence[Call],
    done: int,
    skipped: Sequence[Call] = (),
    shot: Call | None = None,
    *,
    failed: Call | None = None,
) -> SubstratePlanRecord:
    """The record of a plan of which the first `done` calls were carried out."""
    plan = tuple(calls)
    return SubstratePlanRecord(plan, done, len(plan), plan[done:], tuple(skipped), shot, failed)
