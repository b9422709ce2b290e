"""The interaction beam: which cells it reaches, and how to get somebody into it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence, Set

from hm_agent.facts import Beam
from hm_agent.grid import TURNS, Cell, Layout, Move, Pose

MOVES = (
    Move.TURN_LEFT,
    Move.TURN_RIGHT,
    Move.FORWARD,
    Move.STEP_LEFT,
    Move.STEP_RIGHT,
    Move.BACKWARD,
)
FURTHEST = 60
"""No way to something that is to be used takes more moves."""
STEPS_FIRST = tuple(sorted(MOVES, key=lambda move: move in TURNS))
"""As MOVES, but turns come last: who turns may lose sight of somebody that moves on."""


def reaches(pose: Pose, target: Cell, beam: Beam, blocked: Set[Cell]) -> bool:
    """Whether a beam fired at this pose hits the target. blocked: walls, things and players that stop a beam.

    One ray goes straight ahead; to either side one starts beside the avatar and goes ahead from there.
    """
    ahead, side = pose.offset(target)
    nearest = 0 if side else 1
    if abs(side) > beam.radius or not nearest <= ahead < nearest + beam.length:
        return False
    return all(pose.place(before, side) not in blocked for before in range(nearest, ahead))


def line_up(
    layout: Layout,
    start: Pose,
    target: Cell,
    beam: Beam,
    things: Set[Cell],
    *,
    horizon: int = 6,
    moves: Sequence[Move] = MOVES,
) -> Move | None:
    """The first move of the shortest way to a pose whose beam reaches the target; INTERACT where that is here already.

    things: cells of things, which block the beam and are not walked into. moves: in this order they are preferred where
    several ways are as short. None where no way of `horizon` moves exists.
    """
    blocked = layout.walls | things
    first: dict[Pose, Move] = {start: Move.INTERACT}
    queue = deque([(start, 0)])
    while queue:
        pose, taken = queue.popleft()
        if reaches(pose, target, beam, blocked):
            return first[pose]
        if taken == horizon:
            continue
        for move in moves:
            after = pose.after(move)
            if after not in first and layout.is_open(after.cell) and after.cell != target and after.cell not in things:
                first[after] = move if pose == start else first[pose]
                queue.append((after, taken + 1))
    return None


def walk_up(layout: Layout, start: Pose, target: Cell, beam: Beam) -> Move | None:
    """A move on the shortest way to where one can use what stands there; INTERACT there, None where nobody can."""
    return line_up(layout, start, target, beam, frozenset(), horizon=FURTHEST)
