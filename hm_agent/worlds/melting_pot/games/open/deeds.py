"""What a player has done in an episode, and what that was followed by: all that it can learn of what pays."""

from __future__ import annotations

from dataclasses import dataclass, replace


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
        self._deeds: dict[str, Deed] = {}
        self._latest = NOTHING_SPECIAL
        self.all: tuple[Deed, ...] = ()
        """All deeds but steps that were neither, unless these were rewarded; what moved most reward comes first."""

    def note(self, words: str, reward: float, got: int = 0) -> None:
        before = self._deeds.get(words, Deed(words, 0, 0.0))
        self._deeds[words] = replace(before, times=before.times + 1, reward=before.reward + reward)
        if words != NOTHING_SPECIAL:
            self._latest = words
        latest = self._deeds[self._latest]
        self._deeds[self._latest] = replace(latest, got=latest.got + got)
        if words != NOTHING_SPECIAL or reward or got:
            told = [deed for deed in self._deeds.values() if deed.words != NOTHING_SPECIAL or deed.reward]
            self.all = tuple(sorted(told, key=lambda deed: (-abs(deed.reward), deed.words)))
