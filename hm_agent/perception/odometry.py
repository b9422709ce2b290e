"""Did the last move happen? What stood still in both frames tells; where nothing did, who stood in the way."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from hm_agent.grid import Move

Offset = tuple[int, int]  # (ahead, right) of the viewer

STEPS: dict[int, Offset] = {
    Move.FORWARD: (1, 0),
    Move.BACKWARD: (-1, 0),
    Move.STEP_RIGHT: (0, 1),
    Move.STEP_LEFT: (0, -1),
}

UNLIKELY, UNDECIDED, LIKELY = 0.02, 1.0, 50.0


@dataclass(frozen=True, slots=True)
class Scene:
    """What one frame shows besides walls, relative to the viewer: things that stay where they are, and players."""

    things: Set[tuple[Offset, str]] = frozenset()
    players: Set[Offset] = frozenset()
    disturbed: bool = False
    """Whether a beam was in view, or the viewer was caught in an interaction."""


def odds_of_staying(before: Scene, now: Scene, move: int) -> float:
    """How much likelier it is that the move failed than that it happened, by the two frames alone.

    0 where nothing can have failed it: nobody near and no beam in sight.
    """
    if not (before.players or now.players or before.disturbed or now.disturbed):
        return 0.0
    kept = len(before.things & now.things)
    carried = len({(carry(offset, move), kind) for offset, kind in before.things} & now.things)
    if kept != carried:
        return LIKELY if kept > carried else UNLIKELY
    return _odds_by_company(before, now, move)


def _odds_by_company(before: Scene, now: Scene, move: int) -> float:
    if now.disturbed and not before.disturbed:
        return UNDECIDED
    target = STEPS.get(move)
    if target is None or target not in now.players:
        return UNLIKELY
    return LIKELY if target in before.players else UNDECIDED


def carry(offset: Offset, move: int) -> Offset:
    """Where something that stands still appears after one's own move."""
    ahead, right = offset
    if move == Move.TURN_RIGHT:
        return right, -ahead
    if move == Move.TURN_LEFT:
        return -right, ahead
    step_ahead, step_right = STEPS.get(move, (0, 0))
    return ahead - step_ahead, right - step_right
