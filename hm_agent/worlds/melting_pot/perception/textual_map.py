"""The content of a frame in global coordinates and in words (Hypothetical Minds, appendix C.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from hm_agent.grouping import grouped
from hm_agent.worlds.melting_pot.grid import Area, Cell, Facing, Pose


class Detection(NamedTuple):
    """A thing or another player in view.

    kind: a thing's kind or a player's name. offset: (ahead, right) of the viewer. cell: None while the own pose is
    unknown. facing: a player's, as a `Facing`; None for things. mark: the mark over a player's head or on a thing.
    """

    kind: str
    offset: tuple[int, int]
    cell: Cell | None = None
    facing: int | None = None
    mark: str | None = None
    is_player: bool = False

    @property
    def pose(self) -> Pose | None:
        """A player's pose, None while it is unknown."""
        return None if self.cell is None or self.facing is None else Pose(*self.cell, self.facing)


@dataclass(frozen=True)
class TextualMap:
    """Everything perceived in one frame.

    pose: the own pose, None while it is unknown. present: True if the own avatar is on the map. mark: the mark over its
    head. in_view: the cells whose content the frame shows, empty while the pose is unknown. unknown_patches: how many
    cells show a picture that the atlas doesn't hold. lost_for: for how many frames the pose has been unknown, this one
    included. walls: the offsets of walls in view, empty while the pose is known.
    """

    pose: Pose | None
    present: bool
    mark: str | None
    detections: tuple[Detection, ...]
    in_view: Area
    unknown_patches: int
    lost_for: int = 0
    walls: frozenset[tuple[int, int]] = frozenset()

    @cached_property
    def players(self) -> tuple[Detection, ...]:
        return tuple(detection for detection in self.detections if detection.is_player)

    @property
    def things(self) -> tuple[Detection, ...]:
        return tuple(detection for detection in self.detections if not detection.is_player)

    def describe(self, kinds: Sequence[str]) -> str:
        """The frame in the paper's words: one line for each kind, with the cells and marks of all in view.

        kinds: the ones listed first, even if none is in view; other kinds in view follow by name.
        """
        if self.pose is None:
            return "Player position: unknown" if self.present else "Player position: off the map"
        x, y, facing = self.pose
        lines = [f"Player position: ({x}, {y}), facing {Facing(facing).name.lower()}"]
        places = grouped((one.kind, f"{one.cell} {one.mark}" if one.mark else str(one.cell)) for one in self.detections)
        lines += [
            f"Observable {kind} locations: [{', '.join(places.get(kind, ()))}]"
            for kind in (*kinds, *sorted(set(places) - set(kinds)))
        ]
        return "\n".join(lines)
