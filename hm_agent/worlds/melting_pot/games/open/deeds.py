"""What a player has done in an episode, and what that was followed by: all that it can learn of what pays."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that a player has done. words: as a call, e.g. `collect(apple)`. reward: the sum over these times.

    got: by how many the things that it has were more then, or until its next deed, over these times.
    """

    words: str
    times: int
    reward: float
    got: int = 0


NOTHING_SPECIAL = "neither"
"""The deed of a step in which nothing was taken and nothing used."""


class DeedLog:
    """Counts the deeds of an episode and the rewards of the steps that they were done in."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = defaultdict(int)
        self._rewards: dict[str, float] = defaultdict(float)
        self._got: dict[str, int] = defaultdict(int)
        self._latest = NOTHING_SPECIAL
        self.all: tuple[Deed, ...] = ()
        """All deeds but steps that were neither, unless these were rewarded; what moved most reward comes first."""

    def note(self, words: str, reward: float, got: int = 0) -> None:
        self._counts[words] += 1
        self._rewards[words] += reward
        if words != NOTHING_SPECIAL:
            self._latest = words
        self._got[self._latest] += got
        if words != NOTHING_SPECIAL or reward or got:
            self.all = self._ranked()

    def _ranked(self) -> tuple[Deed, ...]:
        deeds = [Deed(words, count, self._rewards[words], self._got[words]) for words, count in self._counts.items()]
        told = [deed for deed in deeds if deed.words != NOTHING_SPECIAL or deed.reward]
        return tuple(sorted(told, key=lambda deed: (-abs(deed.reward), deed.words)))
