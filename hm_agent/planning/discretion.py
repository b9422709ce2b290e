"""Keeping from others what one collects: who sees it may answer it."""

from __future__ import annotations

from collections.abc import Iterable

from hm_agent.grid import Cell
from hm_agent.perception.textual_map import Sight
from hm_agent.perception.view import Window

LONGEST_WATCH = 10
"""For how many steps one waits at most for somebody to look away."""


class Discretion:
    """Puts off what others would see. window: what a player sees of its surroundings."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._waited = 0

    def puts_off(self, cell: Cell, others: Iterable[Sight]) -> bool:
        """Whether to wait with what is to be done on a cell. others: the players in view."""
        is_watched = any(other.pose and self._window.shows(other.pose, cell) for other in others)
        self._waited = self._waited + 1 if is_watched and self._waited < LONGEST_WATCH else 0
        return self._waited > 0
