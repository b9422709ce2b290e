"""Localizes the own avatar: odometry from one frame to the next, and a Bayes filter over all poses of the map.

It combines three sources: the pattern of walls in the window, the compass (a wall's sprite is drawn rotated against the
avatar's facing, so one visible wall gives the facing exactly), and dead reckoning from the own moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.melting_pot.grid import Cell, Layout, Move, Pose, Window
from hm_agent.worlds.melting_pot.perception.placing import Areas

MIN_RATIO = 2.0
"""The likeliest pose is taken as the own one if it is more than this many times as likely as the second likeliest."""
MIN_PROBABILITY = 1e-6
"""Poses with a lower probability are dropped."""


class WallPatterns:
    """The walls in the window at each pose of a map, as bit sets over the cells of the window.

    areas: the map cells in the window at each pose, by their number in the window. landmarks: the cells of walls that
    look different, by the beginning of their kind; each kind has a bit set of its own, which follows that of the walls.
    """

    def __init__(
        self, layout: Layout, window: Window, landmarks: Mapping[str, Set[Cell]] = MappingProxyType({})
    ) -> None:
        self.layout, self.window = layout, window
        self.landmarks = landmarks
        self.poses = [Pose(x, y, facing) for x, y in layout.open_cells for facing in range(4)]
        self.number = {pose: n for n, pose in enumerate(self.poses)}
        self._facings = np.array([pose.facing for pose in self.poses])
        self.areas = Areas(layout, window)
        shown = (layout.walls, *landmarks.values())
        self._shown = np.array([[cell in cells for cells in shown for cell in self.areas[pose]] for pose in self.poses])
        self.wall_sets = [sum(1 << int(n) for n in np.flatnonzero(shown)) for shown in self._shown]

    def bits(self, number: int, kind: str) -> int:
        """The bits that a wall of this kind sets on a cell of the window."""
        size = len(self.window.offsets)
        sets = (n for n, landmark in enumerate(self.landmarks, 1) if kind.startswith(landmark))
        return 1 << number | sum(1 << number + n * size for n in sets)

    def in_all_sets(self, bits: int) -> int:
        """A bit set over the window as one that covers the landmarks', too."""
        size = len(self.window.offsets)
        return sum(bits << n * size for n in range(1 + len(self.landmarks)))

    def matching(self, seen: int, hidden: int, facing: int | None) -> list[Pose]:
        """All poses that show exactly the walls seen, hidden cells aside, and have the facing, if it is known."""
        match = ((self._shown == self._cells(seen)) | self._cells(hidden)).all(axis=1)
        if facing is not None:
            match &= self._facings == facing
        return [self.poses[n] for n in np.flatnonzero(match)]

    def _cells(self, bits: int) -> npt.NDArray[np.bool_]:
        """A bit set as an array over the cells of the window."""
        count = self._shown.shape[1]
        octets = np.frombuffer(bits.to_bytes((count + 7) // 8, "little"), np.uint8)
        return np.unpackbits(octets, count=count, bitorder="little").astype(np.bool_)


class Localizer:
    """Tracks the possible own poses and their weights."""

    def __init__(self, patterns: WallPatterns) -> None:
        self._patterns = patterns
        self._beliefs: dict[Pose, float] = {}

    def reset(self) -> None:
        """Drops all poses, since an avatar that was removed from the map may return anywhere."""
        self._beliefs = {}

    @property
    def candidates(self) -> tuple[Pose, ...]:
        """The possible poses, the likeliest first."""
        return tuple(sorted(self._beliefs, key=lambda pose: (-self._beliefs[pose], pose)))

    def update(self, walls: int, hidden: int, facing: int | None, move: int, odds_of_staying: float) -> Pose | None:
        """One step of the filter; returns the likeliest pose, or None if it is not likelier by MIN_RATIO.

        walls, hidden: bit sets over the window of the walls seen and of the cells whose content is hidden.
        facing: by the compass; None if no wall is in view. move: the own move since the last step.
        odds_of_staying: the odds that something other than a wall blocked the move (see `odds_of_staying`).
        """
        shown, number = self._patterns.wall_sets, self._patterns.number
        consistent = {
            pose: weight
            for pose, weight in self._predicted(move, odds_of_staying).items()
            if (facing is None or pose.facing == facing) and not (shown[number[pose]] ^ walls) & ~hidden
        }
        self._beliefs = consistent or dict.fromkeys(self._patterns.matching(walls, hidden, facing), 1.0)
        ranked = sorted(self._beliefs.items(), key=lambda item: -item[1])
        clear = len(ranked) == 1 or (len(ranked) > 1 and ranked[0][1] > MIN_RATIO * ranked[1][1])
        return ranked[0][0] if clear else None

    def _predicted(self, move: int, odds_of_staying: float) -> dict[Pose, float]:
        """The beliefs after a move, normalised; a move into a wall leaves the pose as it was."""
        beliefs: dict[Pose, float] = {}
        for pose, weight in self._beliefs.items():
            after = pose.after(move)
            if after not in self._patterns.number:
                beliefs[pose] = beliefs.get(pose, 0.0) + weight
                continue
            beliefs[after] = beliefs.get(after, 0.0) + weight
            if odds_of_staying and after != pose:
                beliefs[pose] = beliefs.get(pose, 0.0) + weight * odds_of_staying
        total = sum(beliefs.values())
        return {pose: weight / total for pose, weight in beliefs.items() if weight > MIN_PROBABILITY * total}


Offset = tuple[int, int]
"""(ahead, right) of the viewer, in cells."""

VIEWER = Pose(0, 0, 0)
"""A viewer somewhere: an offset and a move mean the same to all."""
OPPOSITE: Mapping[int, int] = {
    Move.FORWARD: Move.BACKWARD,
    Move.BACKWARD: Move.FORWARD,
    Move.STEP_RIGHT: Move.STEP_LEFT,
    Move.STEP_LEFT: Move.STEP_RIGHT,
    Move.TURN_LEFT: Move.TURN_RIGHT,
    Move.TURN_RIGHT: Move.TURN_LEFT,
}

UNLIKELY, UNDECIDED, LIKELY = 0.02, 1.0, 50.0
"""Odds that a move failed rather than happened."""


@dataclass(frozen=True, slots=True)
class RelativeScene:
    """What one frame shows besides walls, relative to the viewer.

    things: the kinds of things that don't move, by offset. players: the offsets of other players. seen: the offsets
    whose content the frame shows, except the own one and those of players; a beam hides what it covers.
    """

    things: Mapping[Offset, str] = field(default_factory=dict)
    players: Set[Offset] = frozenset()
    seen: Set[Offset] = frozenset()
    has_beam: bool = False


def odds_of_staying(before: RelativeScene, now: RelativeScene, move: int) -> float:
    """The odds that a move failed rather than happened, judged from the frames before and after it alone.

    0 if only a wall can have blocked it: no player is in view, and no beam that may hide one.
    """
    if not (before.players or now.players or before.has_beam or now.has_beam):
        return 0.0
    stayed, moved = agreement(before, now, Move.NOOP), agreement(before, now, move)
    if stayed != moved:
        return LIKELY if stayed > moved else UNLIKELY
    target = VIEWER.offset(VIEWER.after(move).cell)
    if target not in now.players:
        return UNLIKELY
    return LIKELY if target in before.players else UNDECIDED


def agreement(before: RelativeScene, now: RelativeScene, move: int) -> int:
    """How well two frames fit a move: +1 for each thing where the move would put it, -1 for each that came or went.

    Things at cells that one of the frames doesn't show are not counted.
    """
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


@cache
def offset_after(offset: Offset, move: int) -> Offset:
    """The offset of something that stands still, after the viewer's own move. Cached, as a window has few offsets."""
    return VIEWER.after(move).offset(VIEWER.place(*offset))
