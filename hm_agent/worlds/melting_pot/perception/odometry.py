"""Did the last move happen? What stood still in both frames tells; where nothing did, who stood in the way."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from hm_agent.worlds.melting_pot.grid import Move

Offset = tuple[int, int]
"""(ahead, right) of the viewer."""

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


@dataclass(frozen=True, slots=True)
class Scene:
    """What one frame shows besides walls, relative to the viewer.

    things: what stays where it is, by offset. players: where somebody stands. seen: the offsets, but the own one,
    whose content the frame shows; a beam hides some.
    """

    things: Mapping[Offset, str] = field(default_factory=dict)
    players: Set[Offset] = frozenset()
    seen: Set[Offset] = frozenset()
    has_beam: bool = False


def odds_of_staying(before: Scene, now: Scene, move: int) -> float:
    """How much likelier it is that the move failed than that it happened, by the two frames alone.

    0 where nothing can have failed it: nobody near, and no beam that may hide somebody.
    """
    if not (before.players or now.players or before.has_beam or now.has_beam):
        return 0.0
    stayed, moved = agreement(before, now, Move.NOOP), agreement(before, now, move)
    if stayed != moved:
        return LIKELY if stayed > moved else UNLIKELY
    return _odds_by_company(before, now, move)


def agreement(before: Scene, now: Scene, move: int) -> int:
    """How many things are where the move would show them, less those that would have come or gone."""
    back = OPPOSITE.get(move, Move.NOOP)
    score = 0
    for offset, kind in now.things.items():
        earlier = carry(offset, back)
        if offset in now.seen and earlier in before.seen:
            score += 1 if before.things.get(earlier) == kind else -1
    for offset in before.things:
        later = carry(offset, move)
        if offset in before.seen and later in now.seen and later not in now.things:
            score -= 1
    return score


def _odds_by_company(before: Scene, now: Scene, move: int) -> float:
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
