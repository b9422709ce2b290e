"""What a frame says, in global coordinates and in words (Hypothetical Minds, appendix C.1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.grid import Cell, Facing, Pose


@dataclass(frozen=True, slots=True)
class Detection:
    """Something in view other than floor and walls.

    offset: (ahead, right) of the viewer. cell: its place on the map, None while the viewer doesn't know its own.
    facing: where a player looks, as a `Facing`, None for things. mark: what a player wears over its head, if anything.
    """

    kind: str
    offset: tuple[int, int]
    cell: Cell | None = None
    facing: int | None = None
    mark: str | None = None
    is_player: bool = False

    @property
    def pose(self) -> Pose | None:
        """A player's, as far as it is known."""
        return None if self.cell is None or self.facing is None else Pose(*self.cell, self.facing)


@dataclass(frozen=True, slots=True)
class TextualMap:
    """One frame, understood.

    pose: the own pose, None while it is not known for certain. present: whether the own avatar is on the map at all.
    mark: what the own avatar wears over its head. in_view: the cells whose content this frame shows, empty while the
    pose is unknown. unknown_patches: how many cells showed a picture that the atlas doesn't hold.
    """

    pose: Pose | None
    present: bool
    mark: str | None
    sights: tuple[Detection, ...]
    in_view: tuple[Cell, ...]
    unknown_patches: int

    @property
    def players(self) -> tuple[Detection, ...]:
        return tuple(sight for sight in self.sights if sight.is_player)

    @property
    def things(self) -> tuple[Detection, ...]:
        return tuple(sight for sight in self.sights if not sight.is_player)

    def describe(self, kinds: Sequence[str]) -> str:
        """The paper's form: each kind of thing with the coordinates of all that are in view, and what each wears."""
        if self.pose is None:
            return "Player position: unknown" if self.present else "Player position: off the map"
        x, y, facing = self.pose
        lines = [f"Player position: ({x}, {y}), facing {Facing(facing).name.lower()}"]
        places = defaultdict(list)
        for sight in self.sights:
            places[sight.kind].append(f"{sight.cell} {sight.mark}" if sight.mark else str(sight.cell))
        lines += [
            f"Observable {kind} locations: [{', '.join(places[kind])}]"
            for kind in (*kinds, *sorted(set(places) - set(kinds)))
        ]
        return "\n".join(lines)
