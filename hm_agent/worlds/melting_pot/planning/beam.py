"""The interaction beam: which cells it reaches, and how to get somebody into it."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

from hm_agent.worlds.melting_pot.facts import Beam
from hm_agent.worlds.melting_pot.grid import TURNS, Cell, Layout, Move, Pose

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


class Way(NamedTuple):
    """How to get something into the beam. move: the first one; INTERACT on arrival. cells: those it leads to."""

    move: Move
    cells: tuple[Cell, ...]


def find_way(
    layout: Layout,
    start: Pose,
    target: Cell,
    beam: Beam,
    things: Set[Cell],
    *,
    horizon: int = 6,
    moves: Sequence[Move] = MOVES,
) -> Way | None:
    """The shortest way to a pose whose beam reaches the target.

    things: cells of things, which block the beam and are not walked into. moves: in this order they are preferred where
    several ways are as short. None where no way of `horizon` moves exists.
    """
    blocked = layout.walls | things
    before: dict[Pose, tuple[Pose, Move] | None] = {start: None}
    queue = deque([(start, 0)])
    while queue:
        pose, taken = queue.popleft()
        if reaches(pose, target, beam, blocked):
            return _traced(before, pose)
        if taken == horizon:
            continue
        for move in moves:
            after = pose.after(move)
            if after not in before and layout.is_open(after.cell) and after.cell != target and after.cell not in things:
                before[after] = pose, move
                queue.append((after, taken + 1))
    return None


def _traced(before: Mapping[Pose, tuple[Pose, Move] | None], end: Pose) -> Way:
    """The way that led to a pose, by the pose and the move before each."""
    first, cells = Move.INTERACT, deque[Cell]()
    while (link := before[end]) is not None:
        cells.appendleft(end.cell)
        end, first = link
    return Way(first, tuple(cell for cell in dict.fromkeys(cells) if cell != end.cell))


def line_up(
    layout: Layout, start: Pose, target: Cell, beam: Beam, things: Set[Cell], *, horizon: int = 6
) -> Move | None:
    """The first move of `find_way`."""
    way = find_way(layout, start, target, beam, things, horizon=horizon)
    return way.move if way else None


def walk_up(layout: Layout, start: Pose, target: Cell, beam: Beam) -> Way | None:
    """The shortest way to where one can use what stands there; None where nobody can."""
    return find_way(layout, start, target, beam, frozenset(), horizon=FURTHEST)
