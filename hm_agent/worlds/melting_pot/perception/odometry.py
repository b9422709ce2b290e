"""The odds that the last move failed, from the things and players in the frames before and after it."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from hm_agent.worlds.melting_pot.grid import Move

Offset = tuple[int, int]
"""(ahead, right) of the viewer, in cells."""

STEPS: Mapping[int, Offset] = {
    Move.FORWARD: (1, 0),
    Move.BACKWARD: (-1, 0),
    Move.STEP_RIGHT: (0, 1),
    Move.STEP_LEFT: (0, -1),
}
OPPOSITE: Mapping[int, int] = {
    Move.FORWARD: Move.BACKWARD,
    Move.BACKWARD: Move.FORWARD,
    Move.STEP_RIGHT: Move.STEP_LEFT,
    Move.STEP_LEFT: Move.STEP_RIGHT,
    Move.TURN_LEFT: Move.TURN_RIGHT,
    Move.TURN_RIGHT: Move.TURN_LEFT,
}

UNLIKELY, UNDECIDED, LIKELY = 0.02, 1.0, 50.0
"""Odds that a move failed to that it happened."""


@dataclass(frozen=True, slots=True)
class RelativeScene:
    """What one frame shows besides walls, relative to the viewer.

    things: the kinds of things that don't move, by offset. players: the offsets of other players. seen: the offsets
    whose content the frame shows, except the own one and those of players; a beam hides some.
    """

    things: Mapping[Offset, str] = field(default_factory=dict)
    players: Set[Offset] = frozenset()
    seen: Set[Offset] = frozenset()
    has_beam: bool = False


def odds_of_staying(before: RelativeScene, now: RelativeScene, move: int) -> float:
    """The odds that a move failed to that it happened, from the two frames alone.

    0 where only a wall can have blocked it: no player in view, and no beam that may hide one.
    """
    if not (before.players or now.players or before.has_beam or now.has_beam):
        return 0.0
    stayed, moved = agreement(before, now, Move.NOOP), agreement(before, now, move)
    if stayed != moved:
        return LIKELY if stayed > moved else UNLIKELY
    target = STEPS.get(move)
    if target is None or target not in now.players:
        return UNLIKELY
    return LIKELY if target in before.players else UNDECIDED


def agreement(before: RelativeScene, now: RelativeScene, move: int) -> int:
    """The number of things where the move would make them appear, less those that would have come or gone."""
    back = OPPOSITE.get(move, Move.NOOP)
    score = 0
    for offset, kind in now.things.items():
        earlier = offset_after(offset, back)
        if offset in now.seen and earlier in before.seen:
            score += 1 if before.things.get(earlier) == kind else -1
    for offset in before.things:
        later = offset_after(offset, move)
        if offset in before.seen and later in now.seen and later not in now.things:
            score -= 1
    return score


def offset_after(offset: Offset, move: int) -> Offset:
    """The offset of something that stands still, after the viewer's own move."""
    ahead, right = offset
    if move == Move.TURN_RIGHT:
        return right, -ahead
    if move == Move.TURN_LEFT:
        return -right, ahead
    step_ahead, step_right = STEPS.get(move, (0, 0))
    return ahead - step_ahead, right - step_right
