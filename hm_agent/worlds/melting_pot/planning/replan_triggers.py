"""Events that call for a new plan before the current one is finished."""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.planning.subgoals import FireAt, MoveTo, Subgoal
from hm_agent.worlds.melting_pot.strategy import is_sought

ABSENCE_STEPS = 10
"""A player that was out of view for this many steps counts as a new arrival."""


class ReplanTriggers:
    """Watches the frames of one episode.

    ready_mark: the mark of a player that is ready to interact; None in a game where every player always is.
    """

    def __init__(self, ready_mark: str | None) -> None:
        self._ready_mark = ready_mark
        self._held: Counts = ()
        self._last_ready: dict[str, int] = {}
        """The step at which each other player was last seen ready to interact."""

    def read(
        self, step: int, view: TextualMap, inventory: Counts, subgoal: Subgoal | None, seek: Sequence[str] | None
    ) -> bool:
        """True if this frame calls for a new plan.

        That is an unplanned pickup during `fire_at`, or the arrival of a sought player that is ready to interact during
        `move_to`. subgoal: the current one. seek: the players to meet; any if None.
        """
        has_picked_up = any(now > before for now, before in zip(inventory, self._held, strict=False))
        self._held = inventory
        ready = {player.kind for player in view.players if player.mark == self._ready_mark}
        arrived = {player for player in ready if step - self._last_ready.get(player, -ABSENCE_STEPS) >= ABSENCE_STEPS}
        self._last_ready |= dict.fromkeys(ready, step)
        if isinstance(subgoal, FireAt):
            # A pickup on the way to another player is unplanned and may change the pure strategy that is played.
            return has_picked_up
        return isinstance(subgoal, MoveTo) and any(is_sought(player, seek) for player in arrived)
