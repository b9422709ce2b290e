"""Scripted partners that never lie but choose whom to tell what, and when; each is of order 1: it acts on its own K.

K is that of conservative encounters: what a partner itself heard others say and be told. A partner that knows all
pieces goes to its base, else to its stall. A piece *serves* an agent that lacks it by K. Listeners are those in hearing
of the cell that the partner moves to, as they stand when it decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from hm_agent.worlds.symmtom.knowledge.k_matrix import KMatrix, nothing_unheard
from hm_agent.worlds.symmtom.policies.policy import Policy, approach, in_earshot
from hm_agent.worlds.symmtom.rules import SILENT, Bools, GameState, Ints
from hm_agent.worlds.symmtom.sights import Sights
from hm_agent.worlds.symmtom.views import Cell

PRICE = 2
"""How many new pieces a trader wants for each that it tells."""
LONG_AGO = 1_000
"""As many turns as no game has."""


@dataclass
class Account:
    """What passed between a partner and each other agent.

    gifts: (n,), how many pieces new to the partner each told it. told: (n,), how many it told each to serve it. now:
    (n,), the gifts of the turn before. giver: who last told it something new, None for nobody yet. stale: how many
    turns ago anybody last told it a piece that it knew.
    """

    gifts: Ints
    told: Ints
    now: Ints
    giver: int | None = None
    stale: int = LONG_AGO

    def note(self, heard: Ints, knew: Bools, served: Bools) -> None:
        """Takes in a turn. heard: (n,), what each other agent said, SILENT for none. knew: (c,), before it."""
        is_said = heard != SILENT
        self.now = (is_said & ~knew[heard]).astype(np.int32)
        self.gifts, self.told = self.gifts + self.now, self.told + served
        self.giver = int(self.now.argmax()) if self.now.any() else self.giver
        self.stale = 0 if (is_said & knew[heard]).any() else self.stale + 1


Offers = Callable[[Bools, Account], Bools]
"""(listeners (n,), account) → (n,): the listeners to serve."""


def keeps(listeners: Bools, account: Account) -> Bools:
    """The keeper serves all listeners, but only in the turn after it was told something new."""
    return listeners & bool(account.now.any())


def trades(listeners: Bools, account: Account) -> Bools:
    """The trader tells an agent one piece for every `PRICE` new ones that this agent told it."""
    return listeners & (account.gifts >= PRICE * (account.told + 1))


def chooses(listeners: Bools, account: Account) -> Bools:
    """The chooser serves the agent that last told it something new, and only if that is its one listener."""
    is_wanted = np.arange(len(listeners)) == account.giver
    alone: Bools = listeners & is_wanted & (listeners.sum() == 1)
    return alone


OFFERS: Mapping[str, Offers] = {"keeper": keeps, "trader": trades, "chooser": chooses}
"""The rule of each kind of partner."""


class PartnerPolicy(Policy):
    """Plays one partner, in one row, by its rule.

    patience: for how many turns it serves nobody after it was told a piece that it knew. stall: its cell, which may
    change.
    """

    def __init__(self, offers: Offers, patience: int, stall: Cell) -> None:
        self.offers, self._patience, self.stall = offers, patience, stall
        self._knowledge = KMatrix(nothing_unheard)
        self._account: Account | None = None
        self._served: Bools
        self._word: int
        self.believed: Bools | None = None
        """(1, n, c): K after the latest sight."""

    def act(self, sights: Sights, truth: GameState | None = None) -> tuple[Ints, Ints]:
        known, before = sights.knows[0], self.believed
        self.believed = self._knowledge.update(sights)
        account = self._settled(sights, before)
        goal = sights.own_base if known.all() else np.array([self.stall], np.int32)
        directions = approach(sights, goal)
        listeners = in_earshot(sights, directions)[0]
        lacking = known & ~self.believed[0]
        self._served = self.offers(listeners, account) & (account.stale >= self._patience)
        self._word = word(known, lacking, self._served, listeners)
        return directions, np.array([self._word], np.int32)

    def _settled(self, sights: Sights, before: Bools | None) -> Account:
        """The account after the turn before. before: K as it was then; None in the first turn."""
        if self._account is None or before is None:
            nothing = np.zeros(sights.settings.agents, np.int32)
            self._account = Account(nothing, nothing, nothing)
            return self._account
        me, heard = int(sights.me[0]), sights.heard[0].copy()
        said, heard[me] = int(heard[me]), SILENT
        served = self._served & sights.near[0, me] & (said != SILENT) & (said == self._word)
        self._account.note(heard, before[0, me], served)
        return self._account


def word(known: Bools, lacking: Bools, served: Bools, listeners: Bools) -> int:
    """The piece that is new to most of those served and to fewest others; where nobody is, one that it does not know.

    A partner that knows all pieces can't be silent: it says the one that serves fewest listeners.
    """
    gain = lacking[served].sum(0)
    if gain.any():
        return int((gain - 1e-3 * lacking[listeners & ~served].sum(0)).argmax())
    return int(np.where(known, 1 + lacking[listeners].sum(0), 0).argmin())
