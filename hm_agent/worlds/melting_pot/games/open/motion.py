"""Whether a step or turn happened or failed, by the frames before and after it."""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import cached_property

import numpy as np

from hm_agent.worlds.melting_pot.grid import STEP_QUARTERS, TURNS, Numbers, Pose, Window
from hm_agent.worlds.melting_pot.perception.atlas import UNKNOWN, Atlas, Label

NOTHING_TOLD = -1


class Motion:
    """Compares the things in two frames of one player.

    names: the sprites of things that stay where they are. own: those of the player while nothing is the matter with it.
    beams: those that are drawn for a moment, and stand in nobody's way.
    """

    def __init__(self, window: Window, atlas: Atlas, names: Set[str], own: Set[str], beams: Set[str]) -> None:
        self.atlas = atlas
        self._window, self._names, self._own, self._beams = window, names, own, beams
        self._contents = np.empty(0, np.intp)
        self._numbers: dict[frozenset[str], int] = {}

    def evidence(self, before: Numbers, now: Numbers, move: int) -> int:
        """How many more cells speak for the move than against it: negative if it seems to have failed.

        before, now: the labels of the window's cells. Cells that show anything which may move tell nothing.
        """
        if move not in self._pairs:
            return 0
        earlier, here = self._pairs[move]
        old, new = self._contents_of(before), self._contents_of(now)[here]
        failed, moved = (_differing(content, new) for content in (old[here], old[earlier]))
        return failed - moved

    def is_undisturbed(self, *frames: Numbers) -> bool:
        """True if frames show nothing but the player that may move, and the player as it is when it can move."""
        own = self._window.own_index
        return all(
            np.count_nonzero(self._contents_of(labels) == NOTHING_TOLD) == 1
            and all(sprite.name in self._names | self._own for sprite in self.atlas.labels[labels[own]].sprites)
            for labels in frames
        )

    def is_barred(self, before: Numbers, now: Numbers, move: int) -> bool:
        """True if a step seems to have failed, as another player is where it led.

        Had it happened, that player would now be one cell further, where it can be taken to have stood before.
        """
        if move not in STEP_QUARTERS:
            return False
        ahead, right = Pose(0, 0, 0).offset(Pose(0, 0, 0).after(move).cell)
        return self._may_stand(now, ahead, right) and not self._may_stand(before, 2 * ahead, 2 * right)

    def _may_stand(self, labels: Numbers, ahead: int, right: int) -> bool:
        """True if something that may move shows at an offset."""
        if (ahead, right) not in self._window.offsets:
            return False
        label = self.atlas.labels[labels[self._window.offsets.index((ahead, right))]]
        return any(sprite.name not in self._names | self._beams for sprite in label.sprites)

    @cached_property
    def _pairs(self) -> Mapping[int, tuple[Numbers, Numbers]]:
        """By move, the numbers of the cells of the window whose places are in it before and after, before and after."""
        start = Pose(0, 0, 0)
        numbers = {offset: number for number, offset in enumerate(self._window.offsets)}
        pairs = {}
        for move in (*STEP_QUARTERS, *TURNS):
            earlier = [numbers.get(start.offset(cell)) for cell in self._window.cells(start.after(move))]
            both = [(old, number) for number, old in enumerate(earlier) if old is not None]
            pairs[move] = (np.array([old for old, _ in both]), np.array([new for _, new in both]))
        return pairs

    def _contents_of(self, labels: Numbers) -> Numbers:
        known = self._contents
        if len(known) < len(self.atlas.labels):
            new = [self._content(number) for number in range(len(known), len(self.atlas.labels))]
            self._contents = known = np.concatenate([known, np.array(new, np.intp)])
        return known[labels]

    def _content(self, number: int) -> int:
        """A number for what a label shows; the pictures of one moving thing differ by the number in their names."""
        label: Label = self.atlas.labels[number]
        if number == UNKNOWN or any(sprite.name not in self._names for sprite in label.sprites):
            return NOTHING_TOLD
        names = frozenset(sprite.name.rstrip("0123456789") for sprite in label.sprites)
        return self._numbers.setdefault(names, len(self._numbers))


def _differing(old: Numbers, new: Numbers) -> int:
    return int(((old != new) & (old != NOTHING_TOLD) & (new != NOTHING_TOLD)).sum())
