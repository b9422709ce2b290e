"""Where am I? A filter over all poses that agree with the known walls and with what was done.

Three sources are combined: the pattern of walls in the window, the compass (a wall's sprite is drawn turned against
the avatar's facing, so one visible wall tells the facing exactly), and dead reckoning from one step to the next.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.melting_pot.grid import Layout, Pose
from hm_agent.worlds.melting_pot.perception.view import Window

CLEARLY = 2.0
"""How many times likelier than any other a pose must be to be taken as the own one."""
NEGLIGIBLE = 1e-6
"""Poses less likely than this, against all others together, are given up."""


class WallPatterns:
    """Which walls each pose of a map shows, as bit sets over the cells of the window."""

    def __init__(self, layout: Layout, window: Window) -> None:
        self.poses = [Pose(x, y, facing) for x, y in layout.open_cells for facing in range(4)]
        self.number = {pose: n for n, pose in enumerate(self.poses)}
        self._facings = np.array([pose.facing for pose in self.poses])
        self._shown = np.array([[cell in layout.walls for cell in window.cells(pose)] for pose in self.poses])
        self.wall_sets = [sum(1 << int(n) for n in np.flatnonzero(shown)) for shown in self._shown]

    def matching(self, seen: int, hidden: int, facing: int | None) -> list[Pose]:
        """All poses that show exactly the walls seen, whatever lies in the cells that are hidden."""
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
    """Keeps the poses that the own view and the own moves leave possible."""

    def __init__(self, patterns: WallPatterns) -> None:
        self._patterns = patterns
        self._beliefs: dict[Pose, float] = {}

    def forget(self) -> None:
        """After a removal from the map: the avatar may return anywhere."""
        self._beliefs = {}

    @property
    def candidates(self) -> tuple[Pose, ...]:
        """The poses still possible, the most likely first."""
        return tuple(sorted(self._beliefs, key=lambda pose: (-self._beliefs[pose], pose)))

    def update(self, walls: int, hidden: int, facing: int | None, move: int, stayed: float) -> Pose | None:
        """One step of the filter; returns the pose if a single one is by far the most likely.

        walls, hidden: bit sets over the window of the walls seen and of the cells that nothing can be said of.
        facing: what the compass says, None where no wall is in view. move: what was done since the last step.
        stayed: the odds that the move failed for a reason the walls don't give (see `odometry`).
        """
        kept = self._kept(self._moved(move, stayed), walls, hidden, facing)
        self._beliefs = kept or dict.fromkeys(self._patterns.matching(walls, hidden, facing), 1.0)
        return self._most_likely()

    def _moved(self, move: int, stayed: float) -> dict[Pose, float]:
        beliefs: dict[Pose, float] = {}
        for pose, weight in self._beliefs.items():
            after = pose.after(move)
            if after not in self._patterns.number:
                beliefs[pose] = beliefs.get(pose, 0.0) + weight
                continue
            beliefs[after] = beliefs.get(after, 0.0) + weight
            if stayed and after != pose:
                beliefs[pose] = beliefs.get(pose, 0.0) + weight * stayed
        total = sum(beliefs.values())
        return {pose: weight / total for pose, weight in beliefs.items() if weight > NEGLIGIBLE * total}

    def _kept(self, beliefs: dict[Pose, float], walls: int, hidden: int, facing: int | None) -> dict[Pose, float]:
        shown, number = self._patterns.wall_sets, self._patterns.number
        return {
            pose: weight
            for pose, weight in beliefs.items()
            if (facing is None or pose.facing == facing) and not (shown[number[pose]] ^ walls) & ~hidden
        }

    def _most_likely(self) -> Pose | None:
        ranked = sorted(self._beliefs.items(), key=lambda item: -item[1])
        clear = len(ranked) == 1 or (len(ranked) > 1 and ranked[0][1] > CLEARLY * ranked[1][1])
        return ranked[0][0] if clear else None
