"""What questions show of a player in Coins, how that is found out, and how its plans are carried out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hm_agent.core import Event, Observation
from hm_agent.models.prompts import phrase
from hm_agent.questions import UNSHOWN
from hm_agent.worlds.melting_pot.games.coins.coins_facts import CoinsFacts
from hm_agent.worlds.melting_pot.games.coins.takes import Take, TakeWatch, colours_of, worn
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.games.open.bearings import START
from hm_agent.worlds.melting_pot.games.open.calls import WalkTo
from hm_agent.worlds.melting_pot.games.open.follower import OpenFollower
from hm_agent.worlds.melting_pot.games.open.notes import OpenNotes
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat
from hm_agent.worlds.melting_pot.grid import Cell, Pose, distance

WIDEST = 14
"""How far a wall may be from where the player began, where fields are up to 15 cells wide."""
STRAIGHT = 3
"""So many cells of wall in a row are a side of the field."""


@dataclass(frozen=True)
class CoinsSeat(OpenSeat):
    """What one player knows of Coins at a step.

    own_coin, other_coin: the words for the coins of both colours; None while they are unknown. takes: the coins that
    were taken, as far as is known.
    """

    blocks = "melting_pot/coins/blocks.j2"

    facts: CoinsFacts = field(metadata=UNSHOWN)
    other: str
    own_coin: str | None
    other_coin: str | None
    takes: tuple[Take, ...]

    def coins(self, *, is_own: bool) -> list[Cell]:
        """Where coins of the own colour, or of the other's, were last seen."""
        kinds = [kind for kind in self.facts.collects if (kind == self.own_coin) == is_own]
        return self.cells_of(kinds)

    def steps_of(self, taker: str, owner: str) -> list[int]:
        """The steps in which a player took coins of an owner's colour, the oldest first."""
        return [take.step for take in self.takes if (take.taker, take.owner) == (taker, owner)]

    @property
    def shunned(self) -> Set[Cell]:
        """Coins that a walk doesn't lead to."""
        return {*self.cells_of(self.facts.collects)}

    @cached_property
    def unseen(self) -> tuple[Cell, ...]:
        """As of any game, but within the walls that were seen."""
        (left, right), (top, bottom) = self._sides(0), self._sides(1)
        field = (left + 1, top + 1), (right - 1, bottom - 1)
        return tuple(cell for cell, _ in self.looked_at.unseen_places(self.here, self.step, field)) if self.pose else ()

    def _sides(self, axis: int) -> tuple[int, int]:
        """Where the walls on both sides of the player run, by x (axis 0) or y; as far as they may if none was seen."""
        walls = [cell[axis] for cell in self.cells_of(self.blocking)]
        sides = {each for each in walls if walls.count(each) >= STRAIGHT}
        here, start = self.here[axis], START.cell[axis]
        before, after = [each for each in sides if each < here], [each for each in sides if each > here]
        return max(before, default=start - WIDEST), min(after, default=start + WIDEST)


class CoinsNotes(OpenNotes):
    """Also keeps whose colour is which, and who took whose coins."""

    seat_class = CoinsSeat
    _facts: CoinsFacts
    _watch: TakeWatch

    def _watching(self) -> TakeWatch:
        (self._other,) = self._facts.others(self._slot)
        self._colours = colours_of(self._view.atlas, self._view.words, self._facts.collects)
        self._other_coin: str | None = None
        return TakeWatch(self.own_name, self._other, self._facts.collects, self._facts.harm)

    def read(self, observation: Observation[View]) -> Sequence[Event]:
        rgb, window = observation.view["RGB"], self._view.window
        if self._watch.own_coin is None:  # where players begin, there never is a coin
            self._watch.own_coin = worn(rgb, window.own_index, window.columns, self._colours)
        events = super().read(observation)
        for player in self.sight.map.players:
            if self._other_coin is None and player.mark is None:
                number = window.offsets.index(player.offset)
                self._other_coin = worn(rgb, number, window.columns, self._colours)
        return events

    def _note_deed(self, pose: Pose | None, before: Mapping[Cell, str], reward: float) -> None:
        super()._note_deed(pose, before, reward)
        self._watch.entered = self.entered

    def _more(self) -> Mapping[str, Any]:
        return {
            "other": self._other,
            "own_coin": self._watch.own_coin,
            "other_coin": self._other_coin,
            "takes": tuple(self._watch.takes),
        }


class CoinsFollower(OpenFollower):
    """Follows plans, and interrupts them when the coin they lead to is gone, or a nearer one has come."""

    _known: Set[Cell] = frozenset()

    def _news(self, situation: OpenSeat) -> str | None:
        assert isinstance(situation, CoinsSeat)
        before, self._known = self._known, situation.shunned
        if (self._known - before) & {*self.route}:
            self.route = ()  # so that the next step finds a way around
        if not isinstance(self.current, WalkTo):
            return None
        target = self.current.target
        if target in before - self._known and target != situation.here:
            return phrase("melting_pot/coins/messages.j2", "coin_gone")
        way = distance(situation.here, target)
        is_nearer = any(distance(situation.here, cell) < way for cell in self._known - before)
        return phrase("melting_pot/coins/messages.j2", "coin_new") if is_nearer else None
