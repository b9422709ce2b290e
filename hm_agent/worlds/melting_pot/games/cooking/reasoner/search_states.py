"""What a search for a cook's plan goes through: states of the kitchen, and the errands between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from hm_agent.worlds.melting_pot.games.cooking.kitchen import DISH, SOUP, TOMATO
from hm_agent.worlds.melting_pot.games.cooking.reasoner.teamwork import Contents
from hm_agent.worlds.melting_pot.games.cooking.room_seat import KitchenRoomSeat
from hm_agent.worlds.melting_pot.grid import Cell, Pose
from hm_agent.worlds.melting_pot.planning.calls import Call

DISCOUNT = 0.995
"""The value of a soup one step later, relative to now."""
COOKING, POURED = 0.05, 0.9
"""The value, in soups, of a pot that is cooked, and of a soup in hand."""
LOADING, SERVING = 8, 12
"""The assumed cost of work, in steps, while the stations are unknown."""


class UnfinishedValue(NamedTuple):
    """The value, in soups, of a tomato in a pot and of a dish in hand: by the share of the work done."""

    tomato: float
    dish: float

    @classmethod
    def of(cls, seat: KitchenRoomSeat) -> UnfinishedValue:
        loading, serving = seat.own.loading or LOADING, seat.own.serving or SERVING
        work = seat.rules.tomatoes * loading + serving
        return cls(loading / work, serving / work / 3)

    def held(self, hands: str | None) -> float:
        """The value of what the agent holds; a tomato in hand counts half of one in a pot."""
        if hands == TOMATO:
            return self.tomato / 2
        return self.dish if hands == DISH else POURED if hands == SOUP else 0.0


@dataclass(slots=True, eq=False)
class State:
    """A simulated state of the kitchen. Times in it count from its own time, so it recurs at many times of a search.

    worth: the value of the unfinished work, in soups. options: what the agent can do next, None until that is worked
    out.
    """

    pose: Pose
    hands: str | None
    pots: Contents
    worth: float
    options: list[Errand] | None = None


class Errand(NamedTuple):
    """Something the agent can do next.

    steps: how long it takes. state: the state it leads to. calls: the calls that carry it out. gain: what using the
    station is worth in itself, in soups. used: the number of steps before that use. is_open: True if the plan ends
    here, because what follows depends on what is seen then. counter: the counter that it uses, which serves only once
    in a plan, since the search doesn't track what lies on counters.
    """

    steps: int
    state: State
    calls: tuple[Call, ...]
    gain: float = 0.0
    used: int = 0
    is_open: bool = False
    counter: Cell | None = None


class Node(NamedTuple):
    """A state at a time of the search, in steps from now, and the way to it.

    soups: the discounted number of soups delivered. parent, option: the previous node, and the errand that led from
    there to this one. counters: those used on the way.
    """

    time: int
    state: State
    soups: float
    parent: Node | None = None
    option: Errand | None = None
    counters: tuple[Cell, ...] = ()

    def soups_after(self, option: Errand) -> float:
        """The discounted number of soups delivered after an errand."""
        return self.soups + option.gain * DISCOUNT ** (self.time + option.used) if option.gain else self.soups

    def after(self, option: Errand) -> Node:
        """The node to which an errand leads."""
        counters = self.counters if option.counter is None else (*self.counters, option.counter)
        return Node(self.time + option.steps, option.state, self.soups_after(option), self, option, counters)

    @property
    def value(self) -> float:
        """The soups delivered, and the value of the unfinished work."""
        return self.soups + float(DISCOUNT**self.time) * self.state.worth
