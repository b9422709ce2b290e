"""The interaction beam: which cells it reaches, and how to walk to where it reaches a target."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence, Set
from functools import cache, lru_cache, partial
from itertools import product
from typing import NamedTuple

from hm_agent.worlds.melting_pot.facts import Beam
from hm_agent.worlds.melting_pot.grid import AHEAD, TURNS, Cell, Layout, Move, Pose
from hm_agent.worlds.melting_pot.planning.traffic import Step, against_traffic

MOVES = (Move.TURN_LEFT, Move.TURN_RIGHT, Move.FORWARD, Move.STEP_LEFT, Move.STEP_RIGHT, Move.BACKWARD)
MAX_APPROACH_MOVES = 60
"""More moves than the longest approach to a thing takes."""
STEPS_FIRST = tuple(sorted(MOVES, key=lambda move: move in TURNS))
"""MOVES with turns last, since a turn may put a moving target out of view."""


def reaches(pose: Pose, target: Cell, beam: Beam, blocked: Set[Cell]) -> bool:
    """Whether a beam fired at this pose hits the target. blocked: the cells of walls, things and players that stop it.

    A beam is a ray straight ahead and, to either side, rays that start beside the avatar and run parallel.
    """
    ahead, side = pose.offset(target)
    ray = _ray(beam, side)
    if abs(side) > beam.radius or ahead not in ray:
        return False
    return all(pose.place(before, side) not in blocked for before in range(ray.start, ahead))


def _ray(beam: Beam, side: int) -> range:
    """How many steps ahead the cells lie that the ray on one side can reach, the nearest first."""
    nearest = 0 if side else 1
    return range(nearest, nearest + beam.length)


class BeamApproach(NamedTuple):
    """A way to a pose whose beam reaches a target.

    move: its first move, INTERACT where the beam reaches the target already. cells: the cells it enters, in order.
    moves: how many moves it takes before the beam is fired.
    """

    move: Move
    cells: tuple[Cell, ...]
    moves: int = 0


def find_approach(
    layout: Layout,
    start: Pose,
    target: Cell,
    beam: Beam,
    things: Set[Cell],
    *,
    horizon: int = 6,
    moves: Sequence[Move] = MOVES,
    avoid: Set[Step] = frozenset(),
) -> BeamApproach | None:
    """The shortest approach to the target, None where none has at most `horizon` moves.

    things: cells that stop the beam and are not entered. moves: of approaches of the same length, the one whose moves
    come first here is taken. avoid: steps that it does not take.
    """
    target = layout.seen_from(start.cell, target)
    blocked = layout.all_seen_from(start.cell, layout.walls | things)
    free = layout.all_seen_from(start.cell, layout.neighbours.keys()) - blocked - {target}
    ends, ways, reach = _hitting(target, beam, blocked), _ways(tuple(moves)), beam.radius + beam.length
    before: dict[_Place, tuple[_Place, Move] | None] = {start: None}
    queue = deque[tuple[_Place, int]]([(start, 0)])
    while queue:
        place, taken = queue.popleft()
        if place in ends:
            return _traced(before, place)
        x, y, faces = place
        if taken + abs(x - target[0]) + abs(y - target[1]) - reach > horizon or taken == horizon:
            continue  # even the straight way is too long
        for move, dx, dy, facing in ways[faces]:
            cell = x + dx, y + dy
            if (after := (*cell, facing)) not in before and cell in free and ((x, y), cell) not in avoid:
                before[after] = place, move
                queue.append((after, taken + 1))
    return None


_Place = tuple[int, int, int]
"""A pose as a plain tuple, which equals it and is made in half the time."""


def _hitting(target: Cell, beam: Beam, blocked: Set[Cell]) -> Set[_Place]:
    """The poses at which a beam hits a target."""
    x, y = target
    return {
        (x + dx, y + dy, facing)
        for dx, dy, facing, on_the_way in _hits(beam)
        if not any((x + between_x, y + between_y) in blocked for between_x, between_y in on_the_way)
    }


@cache
def _hits(beam: Beam) -> Sequence[tuple[int, int, int, Sequence[Cell]]]:
    """The poses at which a beam hits the cell (0, 0) if nothing stops it, each with the cells on the beam's way."""
    found = []
    for facing, side in product(range(len(AHEAD)), range(-beam.radius, beam.radius + 1)):
        ray = _ray(beam, side)
        for ahead in ray:
            pose = Pose(*Pose(0, 0, facing).place(-ahead, -side), facing)
            found.append((*pose, [pose.place(before, side) for before in range(ray.start, ahead)]))
    return found


@cache
def _ways(moves: tuple[Move, ...]) -> Sequence[Sequence[tuple[Move, int, int, int]]]:
    """By facing, where each of some moves leads: the columns to the east, the rows to the south, the facing then."""
    return [[(move, *Pose(0, 0, facing).after(move)) for move in moves] for facing in range(len(AHEAD))]


def _traced(before: Mapping[_Place, tuple[_Place, Move] | None], end: _Place) -> BeamApproach:
    """The approach that ends at a pose. before: the pose and the move that led to each pose."""
    first, cells = Move.INTERACT, deque[Cell]()
    while (link := before[end]) is not None:
        cells.appendleft(end[:2])
        end, first = link
    return BeamApproach(first, tuple(cell for cell in dict.fromkeys(cells) if cell != end[:2]), len(cells))


@lru_cache(maxsize=10_000)
def find_approach_to_use(
    layout: Layout, start: Pose, target: Cell, beam: Beam, shunned: frozenset[Cell] = frozenset()
) -> BeamApproach | None:
    """The shortest approach to a thing that is to be used, through none of the cells to shun; None if none exists.

    It goes against the traffic only where no other way leads.
    """
    find = partial(find_approach, layout, start, target, beam, shunned, horizon=MAX_APPROACH_MOVES)
    return find(avoid=against_traffic(layout)) or find()
