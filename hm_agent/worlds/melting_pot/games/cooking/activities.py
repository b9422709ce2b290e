"""What the teammate does and holds.

Code labels its activities from what is in view and what must have happened out of view (appendix C.3, step 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.games.cooking.kitchen import COUNTER, DISH, SOUP, TOMATO, Kitchen, Pot, Station
from hm_agent.worlds.melting_pot.grid import Cell, Pose
from hm_agent.worlds.melting_pot.memory.entities import PlayerSighting
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap

TOOK_TOMATO, FILLED = "took a tomato", "put a tomato into a pot"
TOOK_DISH, TOOK_SOUP, DELIVERED = "took a dish", "took soup from a pot", "delivered soup"
PUT_DOWN = "put something down"
HELD_AFTER = {TOOK_TOMATO: TOMATO, TOOK_DISH: DISH, TOOK_SOUP: SOUP}
"""What a cook holds after an activity; nothing after the others."""

REFILL_DELAY = 5
"""A pot that will be ready more than this many steps later than expected was emptied and refilled in between."""


@dataclass(frozen=True, slots=True)
class Activity:
    """Something the teammate did. cell: where, None if unknown. seen: True if observed, False if inferred."""

    step: int
    did: str
    cell: Cell | None = None
    seen: bool = True


@dataclass(frozen=True, slots=True)
class Held:
    """What the teammate holds, None for nothing. since: the step at which this became known."""

    thing: str | None
    since: int


@dataclass(slots=True)
class PotEstimate:
    """The inferred content of a pot. ready: the step from which its soup can be taken, None if unknown."""

    tomatoes: int = 0
    ready: int | None = None


class ActivityReader:
    """Reads an episode's frames and infers the teammate's activities.

    It tracks the content of each pot: any change that is neither the agent's doing nor already observed must be the
    teammate's, if it is the only one (`is_only`).
    """

    def __init__(self, teammate: str, *, is_only: bool = True) -> None:
        self._teammate, self._is_only = teammate, is_only
        self._pots: dict[Cell, PotEstimate] = {}
        self._before: tuple[Pose, str | None] | None = None
        """The agent's pose and what it held, in the latest frame of known pose."""
        self._seen: PlayerSighting | None = None
        """The teammate as it was last in view."""
        self.held: Held | None = None
        """What the teammate holds by all that is seen and inferred; None before it was first seen."""

    def read(self, step: int, view: TextualMap, kitchen: Kitchen, delivered: int) -> tuple[Activity, ...]:
        """The activities that this frame reveals. delivered: how many soups the teammate delivered in this step."""
        activities = [Activity(step, DELIVERED, seen=False)] * delivered
        sight = next((player for player in view.players if player.kind == self._teammate), None)
        if view.pose is not None:
            if self._before is not None:  # the agent's own change of a pot
                self._update_pot(self._before[0].place(1, 0), self._before[1], view.mark)
            self._before = view.pose, view.mark
            activities += self._from_hands(step, sight, kitchen) if sight else ()
            activities += self._from_pots(step, kitchen)
        self._update_held(step, sight, activities)
        return tuple(activities)

    def _update_held(self, step: int, sight: Detection | None, activities: Sequence[Activity]) -> None:
        """Updates what the teammate holds: by sight where it is in view, else by what it did last."""
        if sight is not None:
            thing = sight.mark
        elif self.held is not None and activities:
            thing = HELD_AFTER.get(activities[-1].did)
        else:
            return
        if self.held is None or self.held.thing != thing:
            self.held = Held(thing, step)

    def _update_pot(self, cell: Cell, before: str | None, after: str | None) -> str | None:
        """Updates the pot at a cell that a cook faces while its hands change; returns the activity, None if none.

        before, after: what the cook held, and what it holds now.
        """
        pot = self._pots.get(cell)
        if pot is None:
            return None
        if (before, after) == (TOMATO, None):
            pot.tomatoes += 1
            return FILLED
        if (before, after) == (DISH, SOUP):
            pot.tomatoes, pot.ready = 0, None
            return TOOK_SOUP
        return None

    def _from_hands(self, step: int, sight: Detection, kitchen: Kitchen) -> Iterator[Activity]:
        """The activity that a change of the teammate's hands reveals; the pots reveal what it did out of view."""
        if sight.cell is None or sight.facing is None:
            return
        former, self._seen = self._seen, PlayerSighting(sight.cell, sight.facing, sight.mark, step)
        if former is None or former.mark == sight.mark or former.facing is None:
            return
        is_watched = former.step == step - 1
        cell = Pose(*former.cell, former.facing).place(1, 0) if is_watched else None
        did = self._update_pot(cell, former.mark, sight.mark) if cell else None
        if did is None:
            did = _activity_by_hands(sight.mark, kitchen.stations.get(cell) if cell else None)
        if did is not None:
            yield Activity(step, did, cell, seen=is_watched)

    def _from_pots(self, step: int, kitchen: Kitchen) -> Iterator[Activity]:
        """The activities that explain the pots in view; corrects the estimates to what is seen."""
        for pot in kitchen.pots:
            if pot.step == step:
                estimate = self._pots.setdefault(pot.cell, PotEstimate())
                for did in _activities_between(estimate, pot) if self._is_only else ():
                    yield Activity(step, did, pot.cell, seen=False)
                estimate.tomatoes, estimate.ready = pot.tomatoes, pot.ready


def _activity_by_hands(hands: str | None, used: Station | None) -> str | None:
    """The activity away from pots that left the teammate with these hands, if clear. used: the station it faced."""
    if hands in (TOMATO, DISH):
        return TOOK_TOMATO if hands == TOMATO else TOOK_DISH
    is_put_down = hands is None and used is not None and used.kind == COUNTER
    return PUT_DOWN if is_put_down else None


def _activities_between(estimate: PotEstimate, pot: Pot) -> Iterator[str]:
    """The teammate's activities that turn the estimated content of a pot into the observed one."""
    is_refilled = (
        estimate.ready is not None
        and pot.ready is not None
        and not pot.is_cooked
        and pot.ready > estimate.ready + REFILL_DELAY
    )
    if pot.tomatoes >= estimate.tomatoes and not is_refilled:
        yield from [FILLED] * (pot.tomatoes - estimate.tomatoes)
    else:
        yield TOOK_SOUP
        yield from [FILLED] * pot.tomatoes
