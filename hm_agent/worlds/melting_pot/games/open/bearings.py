"""Stub until the real one is merged: dead reckoning that believes every step unless something solid was ahead."""

from __future__ import annotations

from hm_agent.worlds.melting_pot.grid import Layout, Move, Pose
from hm_agent.worlds.melting_pot.perception.atlas import Labels


class Bearings:
    def __init__(self, substrate: str, slot: int) -> None:
        from hm_agent.worlds.melting_pot.games.open.grid_view import GridView

        self.layout = Layout(101, 101, frozenset())
        self.is_own_map = True
        self.starts = 0
        self._view = GridView.of(substrate, slot)
        self._pose: Pose | None = None
        self._labels = None

    @classmethod
    def of(cls, substrate: str, slot: int) -> Bearings:
        return cls(substrate, slot)

    def update(self, labels: Labels, is_present: bool, move: Move) -> Pose | None:
        if not is_present:
            self._pose = None
            return None
        if self._pose is None:
            self._pose = Pose(50, 50, 0)
            self.starts += 1
        else:
            after = self._pose.after(move)
            if after.cell != self._pose.cell:
                off = self._pose.offset(after.cell)
                w = self._view.window
                n = w.offsets.index(off)
                sh = self._view.shown(self._labels[n])
                if sh.solid or sh.player:
                    after = self._pose
            self._pose = after
        self._labels = labels
        return self._pose
