"""What the teammate does, labelled by code from what is seen and what must have happened (appendix C.3, step 1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.games.cooking.kitchen import COUNTER, DISH, SOUP, TOMATO, Kitchen, Pot, Station
from hm_agent.worlds.melting_pot.grid import Cell, Pose
from hm_agent.worlds.melting_pot.memory.entities import PlayerSighting
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap

TOOK_TOMATO, FILLED = "picked up a tomato", "put a tomato into a pot"
TOOK_DISH, TOOK_SOUP, DELIVERED = "picked up a dish", "took soup from a pot", "delivered soup"
PUT_DOWN = "put something down"
LOADING, SERVING = (TOOK_TOMATO, FILLED), (TOOK_DISH, TOOK_SOUP, DELIVERED)
"""What makes a cook one who loads pots, or one who serves soup."""

HASTE = 5
"""By how many steps a pot must be later than it was to have been emptied and filled again in between."""


@dataclass(frozen=True, slots=True)
class Activity:
    """Something the teammate did. cell: where, if that is known. seen: whether it was seen, not inferred."""

    step: int
    did: str
    cell: Cell | None = None
    seen: bool = True


@dataclass(slots=True)
class Account:
    """What must be in a pot by all that one knows. ready: from which step its soup can be taken, once it is full."""

    tomatoes: int = 0
    ready: int | None = None


class ActivityReader:
    """Follows one episode's frames.

    Pots are kept account of: what changed in them and was not oneself, nor seen as it happened, was the teammate.
    """

    def __init__(self, teammate: str) -> None:
        self._teammate = teammate
        self._accounts: dict[Cell, Account] = {}
        self._before: tuple[Pose, str | None] | None = None
        self._seen: PlayerSighting | None = None

    def read(self, step: int, view: TextualMap, kitchen: Kitchen, delivered: int) -> tuple[Activity, ...]:
        """What has been done, by the latest frame. delivered: how many soups the teammate delivered in this step."""
        activities = [Activity(step, DELIVERED, seen=False)] * delivered
        if view.pose is not None:
            self._count_own(view.pose, view.mark)
            activities += self._by_hands(step, view, kitchen)
            activities += self._by_pots(step, kitchen)
        return tuple(activities)

    def _count_own(self, pose: Pose, hands: str | None) -> None:
        """Enters into the account what one did oneself."""
        if self._before is not None:
            self._enter(self._before[0].place(1, 0), self._before[1], hands)
        self._before = pose, hands

    def _enter(self, cell: Cell, before: str | None, after: str | None) -> str | None:
        """What a change of hands in front of a cell did to a pot there; None where it did nothing to any."""
        account = self._accounts.get(cell)
        if account is None:
            return None
        if (before, after) == (TOMATO, None):
            account.tomatoes += 1
            return FILLED
        if (before, after) == (DISH, SOUP):
            account.tomatoes, account.ready = 0, None
            return TOOK_SOUP
        return None

    def _by_hands(self, step: int, view: TextualMap, kitchen: Kitchen) -> Iterator[Activity]:
        """What a change of the teammate's hands tells; what it does to pots out of view is left to the account."""
        sight = next((player for player in view.players if player.kind == self._teammate), None)
        if sight is None or sight.cell is None or sight.facing is None:
            return
        seen, self._seen = self._seen, PlayerSighting(sight.cell, sight.facing, sight.mark, step)
        if seen is None or seen.mark == sight.mark or seen.facing is None:
            return
        is_watched = seen.step == step - 1
        cell = Pose(*seen.cell, seen.facing).place(1, 0) if is_watched else None
        did = self._enter(cell, seen.mark, sight.mark) if cell else None
        if did is None:
            did = _by_change(sight.mark, kitchen.stations.get(cell) if cell else None)
        if did is not None:
            yield Activity(step, did, cell, seen=is_watched)

    def _by_pots(self, step: int, kitchen: Kitchen) -> Iterator[Activity]:
        """What must have been done to the pots in view to make them what they are."""
        for pot in kitchen.pots:
            if pot.step == step:
                account = self._accounts.setdefault(pot.cell, Account())
                for did in _between(account, pot):
                    yield Activity(step, did, pot.cell, seen=False)
                account.tomatoes, account.ready = pot.tomatoes, pot.ready


def _by_change(hands: str | None, used: Station | None) -> str | None:
    """What brought the teammate to what it holds now. That it put a tomato into a pot or took soup, pots tell."""
    if hands in (TOMATO, DISH):
        return TOOK_TOMATO if hands == TOMATO else TOOK_DISH
    is_put_down = hands is None and used is not None and used.kind == COUNTER
    return PUT_DOWN if is_put_down else None


def _between(account: Account, pot: Pot) -> Iterator[str]:
    """The doings that lead from what should be in a pot to what is."""
    if pot.tomatoes >= account.tomatoes and not _is_renewed(account, pot):
        yield from [FILLED] * (pot.tomatoes - account.tomatoes)
    else:
        yield TOOK_SOUP
        yield from [FILLED] * pot.tomatoes


def _is_renewed(account: Account, pot: Pot) -> bool:
    """Whether a pot that cooks can't be what was in it, since that would be further by now."""
    if account.ready is None or pot.ready is None or pot.is_cooked:
        return False
    return pot.ready > account.ready + HASTE
