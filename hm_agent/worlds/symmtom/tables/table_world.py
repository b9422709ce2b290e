"""A mixed table as a world with one seat: all other agents are scripted partners that keep back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from hm_agent.core import Seat, Turn
from hm_agent.matched_pairs import HALVES
from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.policies.policy import own_seeds
from hm_agent.worlds.symmtom.rules import OFFSETS, Direction, GameState
from hm_agent.worlds.symmtom.sights import sights_of
from hm_agent.worlds.symmtom.tables.partners import OFFERS, PartnerPolicy
from hm_agent.worlds.symmtom.tables.table import MixedTable
from hm_agent.worlds.symmtom.views import BoardView, Cell, SpokenMove
from hm_agent.worlds.symmtom.world import SymmtomWorld

NEWCOMER = 0
"""The number of the agent under test."""
CORNERS = ((-1, -1), (1, 1), (-1, 1), (1, -1))
"""The directions from the centre in which the stalls are, one for each partner."""
LAST_STEPS = 2
"""The steps at the end of the prelude in which all partners leave the newcomer's hearing at once.

Until then it hears that those who pass each other on the way say nothing.
"""
_SEATING, _OWNING, _PLACING, _MILLING = 0x7AB1E, 0x7AB1F, 0x7AB20, 0x7AB30
"""Random-number streams of a table; step t of the prelude draws from stream `_MILLING` + t."""


class MixedTableWorld(SymmtomWorld):
    """One game of a table. The seed draws who sits where, who owns what, and all of the prelude."""

    def __init__(self, table: MixedTable, half: str) -> None:
        super().__init__(table.settings)
        self.seats = self.settings.seats[:1]
        self._table, self._half = table, HALVES.index(half)
        self.partners: Mapping[int, PartnerPolicy] = {}
        """The scripted partners by the numbers of their agents."""

    def _initial_state(self, seed: int) -> GameState:
        state = super()._initial_state(len(HALVES) * seed + self._half)
        count, centre = len(self._table.partners), self.settings.width // 2
        kinds = _shuffled(state, _SEATING, count)
        self.partners = {
            agent: PartnerPolicy(
                OFFERS[self._table.partners[kind]], self._table.patience, self._corner(agent, self.settings.hearing)
            )
            for agent, kind in enumerate(kinds, 1)
        }
        first_hand = np.zeros_like(state.first_hand)
        owners = 1 + np.arange(self.settings.pieces) % count
        pieces = np.array(_shuffled(state, _OWNING, self.settings.pieces))
        first_hand[0, owners, pieces] = True
        self._secret = np.zeros_like(first_hand[0])
        kept = slice(0, count * self._table.secrets)
        self._secret[owners[kept], pieces[kept]] = True
        ring = [(x, y) for x in self._near(centre) for y in self._near(centre) if (x, y) != (centre, centre)]
        cells = [ring[place] for place in _shuffled(state, _PLACING, len(ring))[:count]]
        positions = np.array([[(centre, centre), *cells]], np.int32)
        return replace(state, positions=positions, first_hand=first_hand)

    def _near(self, coordinate: int) -> range:
        return range(coordinate - self._table.apart, coordinate + self._table.apart + 1)

    def _corner(self, agent: int, far: int) -> Cell:
        """The cell so far from the centre in a partner's direction."""
        centre, (x, y) = self.settings.width // 2, CORNERS[agent - 1]
        return centre + far * x, centre + far * y

    def step(self, actions: Mapping[Seat, SpokenMove]) -> Turn[BoardView]:
        state, settings, step = self.state, self.settings, int(self.state.step[0])
        sights = sights_of(settings, state, self._effects, own_seeds(state.seeds, settings.agents))
        chosen = [actions[self.seats[0]]]
        if step == self._table.prelude - LAST_STEPS:
            for agent, partner in self.partners.items():
                partner.stall = self._corner(agent, settings.hearing + 1)
        for agent, partner in self.partners.items():
            directions, pieces = partner.act(sights.row(agent))
            chosen.append(SpokenMove(Direction(int(directions[0])), int(pieces[0])))
        if step < self._table.talk:
            chosen = self._small_talk()
        elif self._is_prelude:
            chosen = [SpokenMove(one.direction, self._unknown(agent)) for agent, one in enumerate(chosen)]
            chosen[NEWCOMER] = replace(chosen[NEWCOMER], direction=Direction.STAY)
        is_counted, counts = not self._is_prelude, self._counts
        self._advance(chosen)
        self._counts = self._counts if is_counted else counts
        return self._turn()

    @property
    def _is_prelude(self) -> bool:
        return int(self.state.step[0]) < self._table.prelude

    def _small_talk(self) -> list[SpokenMove]:
        """A turn of the prelude: the newcomer is held and silent, partners move and speak at random, near it."""
        state, centre = self.state, self.settings.width // 2
        keys = rules.random_keys(state.seeds, _MILLING + int(state.step[0]), 2 * self.settings.agents)[0].tolist()
        chosen = [SpokenMove(Direction.STAY, self._unknown(NEWCOMER))]
        for agent in self.partners:
            moves = [
                direction
                for direction in Direction
                if np.abs(state.positions[0, agent] + OFFSETS[direction] - centre).max() <= self._table.apart
            ]
            said = np.flatnonzero(state.knows[0, agent] & ~self._secret[agent])
            move, piece = moves[keys[2 * agent] % len(moves)], int(said[keys[2 * agent + 1] % len(said)])
            chosen.append(SpokenMove(move, piece))
        return chosen

    def _unknown(self, agent: int) -> int:
        """A piece that an agent does not know, to be silent with; any if it knows all."""
        return int(self.state.knows[0, agent].argmin())

    def _view(self, agent: int) -> BoardView:
        return replace(super()._view(agent), held=(NEWCOMER,) if self._is_prelude else ())


def _shuffled(state: GameState, stream: int, count: int) -> list[int]:
    """The numbers 0 to count - 1 in the order that a game's seed draws from a stream."""
    order: list[int] = np.argsort(rules.random_keys(state.seeds, stream, count)[0], kind="stable").tolist()
    return order
