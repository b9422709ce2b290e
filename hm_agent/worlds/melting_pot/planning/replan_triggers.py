"""Events that call for a new plan before the current one is finished."""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.worlds.melting_pot.facts import Counts, argmax
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
        self._last_seen: dict[str, int] = {}
        """The step at which each other player was last in view. One that becomes ready in view does not arrive."""

    def read(
        self,
        step: int,
        view: TextualMap,
        inventory: Counts,
        subgoal: Subgoal | None,
        seek: Sequence[str] | None,
        *,
        is_prepared: bool = False,
    ) -> str | None:
        """Why this frame calls for a new plan, in words; None if it doesn't.

        That is an unplanned pickup during `fire_at` after which another kind leads, or none, or the arrival of a sought
        player that is ready to interact during `move_to`, once a kind leads in the own inventory. subgoal: the current
        one. seek: the players to meet; any if None. is_prepared: whether the plan says what to do about an arrival.
        """
        has_picked_up = any(now > before for now, before in zip(inventory, self._held, strict=False))
        leads, led = argmax(inventory), argmax(self._held or inventory)
        self._held = inventory
        arrived = [
            player.kind
            for player in view.players
            if player.mark == self._ready_mark
            and is_sought(player.kind, seek)
            and step - self._last_seen.get(player.kind, -ABSENCE_STEPS) >= ABSENCE_STEPS
        ]
        self._last_seen |= dict.fromkeys((player.kind for player in view.players), step)
        if isinstance(subgoal, FireAt):
            # A pickup on the way to another player may change the pure strategy that is played.
            return "you have picked something up on the way" if has_picked_up and leads != led else None
        if isinstance(subgoal, MoveTo) and arrived and leads is not None and not is_prepared:
            return f"{arrived[0]} has come into view, ready to interact"
        return None
