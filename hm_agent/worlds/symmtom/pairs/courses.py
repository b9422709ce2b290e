"""What both boards of a matched pair share: cells, bases, owners of pieces, and all moves up to the decision.

The tested agent stands still. The others step in and out of its hearing, and then walk to where the decision finds
them. Two of them are rivals: to which of them to go, or to which of them the third goes, is what is asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from random import Random

from hm_agent.worlds.symmtom.pairs.kinds import AGENTS, PIECES, WIDTH, PairKind
from hm_agent.worlds.symmtom.policies.orders import nearest_in_range, walk
from hm_agent.worlds.symmtom.rules import Direction
from hm_agent.worlds.symmtom.views import Cell, Pieces, direction_to, hearing_distance, manhattan

TESTED = 0
"""The number of the tested agent."""
BOARD = [(x, y) for x in range(WIDTH) for y in range(WIDTH)]
TALK = 8
"""In how many steps the others step in and out of hearing."""


@dataclass(frozen=True)
class Course:
    """A board and all moves on it. rivals, third: numbers of agents; the third is the one that walks in order 2.

    moves: by step of the prelude and by agent. ends: where each agent is at the decision.
    """

    kind: PairKind
    rivals: tuple[int, int]
    third: int
    starts: tuple[Cell, ...]
    bases: tuple[Cell, ...]
    first_hand: tuple[Pieces, ...]
    moves: tuple[tuple[Direction, ...], ...]
    ends: tuple[Cell, ...]

    def way_to(self, rival: int) -> list[Cell]:
        """The third agent's way to a rival, by step from the decision on."""
        here = self.ends[self.third]
        way = walk(here, nearest_in_range(self.kind.settings, here, self.ends[rival]))
        return [*way, *way[-1:] * (self.kind.turns + 1)]


def draw_course(kind: PairKind, rng: Random) -> Course | None:
    """Draws a course; None if agents would collide or come too late."""
    roles, drawn = rng.sample(range(1, AGENTS), AGENTS - 1), None
    while drawn is None:
        drawn = _draw_ends(kind, rng)
    ends = dict(zip((TESTED, *roles), drawn, strict=True))
    tracks = [[ends[TESTED]] * (kind.prelude + 1)]
    for agent in range(1, AGENTS):
        way = _draw_track(ends[TESTED], ends[agent], rng)
        if len(way) > kind.prelude + 1:
            return None
        tracks.append(way + way[-1:] * (kind.prelude + 1 - len(way)))
    if any(
        len(set(cells)) < AGENTS or (kind.overhears and _talk_unheard(cells)) for cells in zip(*tracks, strict=True)
    ):
        return None
    moves = tuple(tuple(direction_to(track[step], track[step + 1]) for track in tracks) for step in range(kind.prelude))
    bases = tuple(rng.sample(BOARD, AGENTS))
    starts, last = tuple(track[0] for track in tracks), tuple(track[-1] for track in tracks)
    return Course(kind, (roles[0], roles[1]), roles[2], starts, bases, _deal(rng), moves, last)


@cache
def steps_to_hear(here: Cell, there: Cell, hearing: int = 1) -> int:
    """The number of steps until an agent that stays is within hearing."""
    return sum(max(abs(own - other) - hearing, 0) for own, other in zip(here, there, strict=True))


def _draw_ends(kind: PairKind, rng: Random) -> tuple[Cell, ...] | None:
    """Where the tested agent, the rivals and the third are at the decision; None if the drawn cells allow none.

    Up to order 1 the tested agent has time for either rival, but neither for both nor for the third. In order 2 it has
    time for the third alone, who stands diagonally from it, with one rival far along each side.
    """
    here = rng.choice(BOARD)
    far = [cell for cell in BOARD if kind.turns < steps_to_hear(here, cell) <= kind.prelude - TALK]
    if kind.order < 2:
        near = [cell for cell in BOARD if 2 <= steps_to_hear(here, cell) <= kind.turns - 2]
        first = rng.choice(near)
        near = [cell for cell in near if steps_to_hear(first, cell, 2) > kind.turns - 2]
        far = [cell for cell in far if near and min(hearing_distance(cell, first), 9) > 1]
        if not near or not far:
            return None
        second, third = rng.choice(near), rng.choice(far)
        return (here, first, second, third) if hearing_distance(second, third) > 1 else None
    side = kind.turns + 1  # at any other distance, another first step would do as well
    third = rng.choice([(here[0] + x, here[1] + y) for x in (-side, side) for y in (-side, side)])
    if third not in far:
        return None
    rivals = []
    for along in (0, 1):
        back, across = here[along] - third[along], 1 - along
        options = [
            cell
            for cell in far
            if (cell[along] - third[along]) * back > 0
            and abs(cell[along] - third[along]) - abs(cell[across] - third[across]) >= kind.turns - 1
        ]
        if not options:
            return None
        rivals.append(rng.choice(options))
    rng.shuffle(rivals)
    return (here, *rivals, third)


@cache
def _ring(here: Cell, distance: int) -> tuple[Cell, ...]:
    """The cells at a distance of hearing."""
    return tuple(cell for cell in BOARD if hearing_distance(cell, here) == distance)


def _draw_track(here: Cell, end: Cell, rng: Random) -> list[Cell]:
    """The cells of an agent that steps in and out of hearing of one that is `here`, and then walks to its end."""
    outside = rng.choice(_ring(here, 2))
    inside = min(_ring(here, 1), key=lambda cell: manhattan(cell, outside))
    if manhattan(inside, outside) > 1:  # a corner
        outside = (inside[0], outside[1])
    track = [rng.choice((inside, outside)) for _ in range(TALK + 1)]
    while track[-1] != end:
        x, y = track[-1]
        dx, dy = end[0] - x, end[1] - y
        along_x = dy == 0 or (dx != 0 and rng.random() < 0.5)
        track.append((x + (dx > 0) - (dx < 0), y) if along_x else (x, y + (dy > 0) - (dy < 0)))
    return track


def _talk_unheard(cells: tuple[Cell, ...]) -> bool:
    """True if an agent is within hearing of one that the tested agent can't hear."""
    pairs = ((one, other) for one in cells[1:] for other in cells[1:] if one != other)
    return any(hearing_distance(one, other) == 1 < hearing_distance(one, cells[TESTED]) for one, other in pairs)


def _deal(rng: Random) -> tuple[Pieces, ...]:
    """Deals the pieces; everyone gets at least one."""
    owners = [*range(AGENTS), *rng.choices(range(AGENTS), k=PIECES - AGENTS)]
    rng.shuffle(owners)
    return tuple(tuple(piece for piece, owner in enumerate(owners) if owner == agent) for agent in range(AGENTS))
