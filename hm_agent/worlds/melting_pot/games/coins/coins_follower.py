"""Carries out a plan in Coins, where coins come and go on the way."""

from __future__ import annotations

from collections.abc import Sequence, Set

from hm_agent.core import Event
from hm_agent.models.prompts import phrase
from hm_agent.worlds.melting_pot.games.coins.coins_seat import CoinsSeat
from hm_agent.worlds.melting_pot.games.open.calls import WalkTo
from hm_agent.worlds.melting_pot.games.open.follower import OpenFollower
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat
from hm_agent.worlds.melting_pot.grid import Cell, distance


class CoinsFollower(OpenFollower):
    """Follows plans, and interrupts them when the coin they lead to is gone, or a nearer one has come."""

    _known: Set[Cell] = frozenset()

    def observe(self, situation: OpenSeat, events: Sequence[Event], because: str | None) -> str | None:
        because = super().observe(situation, events, because)
        assert isinstance(situation, CoinsSeat)
        before, self._known = self._known, situation.shunned
        if (self._known - before) & {*self.route}:
            self.route = ()  # so that the next step finds a way around
        if because or not self.plan or not isinstance(self.current, WalkTo):
            return because
        target = self.current.target
        if target in before - self._known and target != situation.here:
            return phrase("melting_pot/coins/messages.j2", "coin_gone")
        way = distance(situation.here, target)
        is_nearer = any(distance(situation.here, cell) < way for cell in self._known - before)
        return phrase("melting_pot/coins/messages.j2", "coin_new") if is_nearer else None
