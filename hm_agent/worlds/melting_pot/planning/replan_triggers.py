"""What calls for another plan before the present one is carried out."""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.core import Counts, is_sought
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.planning.subgoals import FireAt, MoveTo, Subgoal

RECESS = 10
"""Somebody who was out of view for so many steps has come anew."""


class ReplanTriggers:
    """Follows one episode's frames; ready_mark: what a player wears that can be met, None where everybody can be."""

    def __init__(self, ready_mark: str | None) -> None:
        self._ready_mark = ready_mark
        self._held: Counts = ()
        self._company: dict[str, int] = {}
        """When each other player was last seen ready to be met."""

    def read(
        self, step: int, view: TextualMap, inventory: Counts, subgoal: Subgoal | None, seek: Sequence[str] | None
    ) -> bool:
        """Whether this frame is one. subgoal: what one is after. seek: whom one would meet; anybody if None."""
        has_more = any(now > before for now, before in zip(inventory, self._held, strict=False))
        self._held = inventory
        arrived = self._arrivals(step, view)
        if isinstance(subgoal, FireAt):
            # What is picked up on the way to another player isn't meant to be, and may belie what one wants to play.
            return has_more
        return isinstance(subgoal, MoveTo) and any(is_sought(player, seek) for player in arrived)

    def _arrivals(self, step: int, view: TextualMap) -> set[str]:
        """Who has come into view and can be met."""
        here = {player.kind for player in view.players if player.mark == self._ready_mark}
        arrived = {player for player in here if step - self._company.get(player, -RECESS) >= RECESS}
        self._company |= dict.fromkeys(here, step)
        return arrived
