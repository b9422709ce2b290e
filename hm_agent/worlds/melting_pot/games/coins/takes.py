"""Who took whose coin, as one player's frames and rewards show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hm_agent.worlds.melting_pot.games.open.conduct import Conduct, ConductSeen
from hm_agent.worlds.melting_pot.games.open.seeing import FrameSeen
from hm_agent.worlds.melting_pot.grid import Cell
from hm_agent.worlds.melting_pot.memory.entities import Disappearance
from hm_agent.worlds.melting_pot.perception.atlas import Atlas
from hm_agent.worlds.melting_pot.perception.sprites import SPRITE_SIZE, Pixels

TAKES_OWN, TAKES_YOURS = "takes a coin of its own colour", "takes a coin of your colour"
"""What the other is seen to do."""
SPARES_YOURS, TAKES_BOTH = "spares your coins", "takes coins of both colours"
"""What it can be predicted to do."""


class Take(NamedTuple):
    """A coin that a player took. owner: the player of its colour."""

    step: int
    taker: str
    owner: str


@dataclass(frozen=True, slots=True)
class CoinConduct(Conduct):
    """A coin that the other player took. provoked: how many of its own coins the agent took since the one before."""

    provoked: int

    def shows(self, prediction: str) -> bool | None:
        """Whoever takes coins of both colours may take one of its own: that doesn't tell."""
        if self.behaviour == TAKES_YOURS:
            return prediction == TAKES_BOTH
        return True if prediction == SPARES_YOURS else None


def colours_of(atlas: Atlas, words: Mapping[str, str], coins: Collection[str]) -> Mapping[tuple[int, ...], str]:
    """The word for the coins that a colour is the commonest in, by that colour.

    words: of all sprites. coins: the words of those that are coins.
    """
    drawn = [(words[sprite.name], rgba) for layer in atlas.layers for sprite, rgba in layer.pictures]
    return {_commonest(rgba[rgba[..., 3] == 255][:, :3]): word for word, rgba in drawn if word in coins}


def worn(rgb: Pixels, number: int, columns: int, colours: Mapping[tuple[int, ...], str]) -> str | None:
    """The coins of the player whose avatar is alone in a cell, by its commonest colour; None if that is no coin's.

    rgb: the frame. number: the cell's, row by row. columns: how many there are. colours: as of `colours_of`.
    """
    y, x = (SPRITE_SIZE * place for place in divmod(number, columns))
    patch = rgb[y : y + SPRITE_SIZE, x : x + SPRITE_SIZE]
    return colours.get(_commonest(patch[patch.any(axis=-1)]))


def _commonest(pixels: Pixels) -> tuple[int, ...]:
    """The commonest of some colours; pixels: (n, 3) RGB."""
    counts = Counter(map(tuple, pixels.tolist()))
    return max(counts, key=lambda colour: (counts[colour], colour), default=())


class TakeWatch:
    """Watches who takes whose coins in one episode.

    A reward tells whether the agent took a coin and whether the other took one of the agent's, wherever that was. The
    other's own coins count as taken by it once they are seen to be gone. own_coin: the word for the agent's coins,
    None until it is known. entered: the thing that the agent has just walked onto. takes: all, the oldest first.
    """

    def __init__(self, own: str, other: str, coins: Collection[str], harm: float) -> None:
        self._own, self._other, self._coins, self._harm = own, other, coins, harm
        self.own_coin: str | None = None
        self.entered: str | None = None
        self.takes: list[Take] = []
        self._cell: Cell = (0, 0)
        self._earned, self._provoked = 0.0, 0
        self.behaviours = dict.fromkeys((SPARES_YOURS, TAKES_BOTH))

    def read(
        self, step: int, sight: FrameSeen, gone: Sequence[Disappearance], own: Cell | None, reward: float
    ) -> Sequence[ConductSeen]:
        """Takes in a frame; returns the coins that the other took, each as an interaction."""
        self._earned += reward
        self._cell = next((player.cell for player in sight.map.players if player.cell is not None), self._cell)
        is_lost = reward < 0
        if reward + self._harm * is_lost > 0 and self.entered in self._coins:
            is_own = self.entered == self.own_coin
            self.takes.append(Take(step, self._own, self._own if is_own else self._other))
            self._provoked += not is_own
        spared = sum(each.kind in self._coins and each.kind != self.own_coin for each in gone)
        owners = [self._own] * is_lost + [self._other] * spared
        return [self._taken(step, owner) for owner in owners]

    def _taken(self, step: int, owner: str) -> ConductSeen:
        self.takes.append(Take(step, self._other, owner))
        behaviour = TAKES_YOURS if owner == self._own else TAKES_OWN
        seen = CoinConduct(step, self._other, behaviour, (), 1, self._cell, self._earned, self._provoked)
        self._earned, self._provoked = 0.0, 0
        return ConductSeen(step, seen)
