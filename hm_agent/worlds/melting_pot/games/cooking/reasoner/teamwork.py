"""What a cook counts on its teammates to do while it works, by what it expects of them and sees in their hands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.games.cooking.kitchen import APART, COUNTER, DISH, HANDOVER, TOMATO
from hm_agent.worlds.melting_pot.games.cooking.roles import LOADS, SERVES, SLOWLY, STANDS, role_in, tempo_in
from hm_agent.worlds.melting_pot.games.cooking.room_seat import KitchenRoomSeat, Teammate
from hm_agent.worlds.melting_pot.grid import Cell, distance

NEVER = 1_000_000
"""The step at which the soup of a pot that is not full will be ready."""
HANDLING = 8
"""The steps in which a teammate is taken to use at a pot what it holds, or what is handed to it."""
REMEMBERED = 12
"""For so many steps what a teammate held when it was last seen is counted on."""

Content = tuple[int, int]
"""The number of tomatoes in a pot, and the step at which its soup is ready, NEVER while it is not full.

A pot without tomatoes that is ready at some step is one that teammates use until then.
"""
Contents = tuple[Content, ...]


def replaced(pots: Contents, n: int, content: Content) -> Contents:
    """The contents with that of pot n replaced."""
    return (*pots[:n], content, *pots[n + 1 :])


@dataclass(frozen=True, slots=True)
class Teamwork:
    """What teammates do to pots, as one cook expects it.

    tomatoes, cooking: of the rules. held: the tomatoes and dishes that teammates are about to use at pots. counters:
    those on which the agent hands things over, if its room has no pots. is_served: True if the agent loads pots, and
    it is a teammate's part to serve soup. Beside one that loads, the agent loads pots, too, while no soup is ready: to
    leave that to a scripted loader earned half as much.
    """

    tomatoes: int
    cooking: int
    held: tuple[str, ...] = ()
    counters: tuple[Cell, ...] = ()
    is_served: bool = False

    @classmethod
    def of(cls, seat: KitchenRoomSeat) -> Teamwork:
        """What a cook counts on; on nothing where each has a room with pots, and of teammates it expects nothing of."""
        rules = seat.rules
        if rules.rooms == APART:
            return cls(rules.tomatoes, rules.cooking_steps)
        if rules.rooms == HANDOVER:
            has_pots = any(pot.cell in seat.reach for pot in seat.pots)
            handed = () if has_pots else tuple(_handed(seat))
            return cls(rules.tomatoes, rules.cooking_steps, handed, () if has_pots else seat.handover)
        prompt = {role_in(each) for each in seat.parts.values() if tempo_in(each) != SLOWLY}
        is_served = seat.role == LOADS and SERVES in prompt
        return cls(rules.tomatoes, rules.cooking_steps, tuple(_held(seat)), is_served=is_served)

    def foresee(self, pots: Sequence[Content]) -> Contents:
        """The contents once teammates have used what they hold, and served what is there if that is their part."""
        contents = tuple(pots)
        for thing in sorted(self.held, reverse=True):  # tomatoes before dishes
            contents = self.handed(thing, contents, 0) or contents
        if not self.is_served:
            return contents
        return tuple((0, ready + HANDLING) if count == self.tomatoes else (count, ready) for count, ready in contents)

    def handed(self, thing: str | None, pots: Contents, steps: int) -> Contents | None:
        """The contents once a teammate has used a thing that it gets in some steps; None if no pot takes it."""
        if thing == TOMATO:
            room = [(-count, n) for n, (count, ready) in enumerate(pots) if count < self.tomatoes and ready >= NEVER]
            if not room:
                return None
            count, n = min(room)
            is_full = 1 - count == self.tomatoes
            return replaced(pots, n, (1 - count, steps + HANDLING + self.cooking if is_full else NEVER))
        soups = [(ready, n) for n, (count, ready) in enumerate(pots) if count == self.tomatoes]
        if thing != DISH or not soups:
            return None
        ready, n = min(soups)
        return replaced(pots, n, (0, max(ready, steps + HANDLING) + 1))

    def filled(self, content: Content, steps: int) -> tuple[Content, float]:
        """A pot's content once the agent has put a tomato into it in some steps, and what that is worth in soups."""
        count = content[0] + 1
        if count < self.tomatoes:
            return (count, NEVER), 0.0
        ready = steps + self.cooking
        return ((0, ready + HANDLING), 1.0) if self.is_served else ((count, ready), 0.0)


def _handed(seat: KitchenRoomSeat) -> Iterator[str]:
    """What lies where things are handed over, and what the teammate in the other room holds."""
    for station in seat.stations:
        if station.kind == COUNTER and station.cell in seat.handover and station.mark:
            yield station.mark
    yield from (mate.hands for mate in seat.teammates if mate.hands in (TOMATO, DISH))


def _held(seat: KitchenRoomSeat) -> Iterator[str]:
    """What teammates that are expected to work promptly hold and use before the agent would use the same."""
    for mate in seat.teammates:
        expected = seat.parts.get(mate.player, STANDS)
        works = expected != STANDS and tempo_in(expected) != SLOWLY and seat.step - mate.step <= REMEMBERED
        if works and mate.hands in (TOMATO, DISH) and not (mate.hands == seat.hands and _is_nearer(seat, mate)):
            yield mate.hands


def _is_nearer(seat: KitchenRoomSeat, mate: Teammate) -> bool:
    """True if the agent is at least as near to a pot as a teammate."""
    cells = [pot.cell for pot in seat.pots]
    return min(distance(seat.pose.cell, cell) for cell in cells) <= min(distance(mate.cell, cell) for cell in cells)
