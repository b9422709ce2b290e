"""Events that call for a new plan before the current one is finished."""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.worlds.melting_pot.facts import Counts, argmax
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.planning.calls import Call, FireAt, MoveTo, reason
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
        """The step at which each other player was last in view; a player that becomes ready in view is no arrival."""

    def read(
        self,
        step: int,
        view: TextualMap,
        inventory: Counts,
        call: Call | None,
        seek: Sequence[str] | None,
        *,
        is_prepared: bool = False,
    ) -> str | None:
        """Returns why this frame calls for a new plan, in words; None if it doesn't.

        Two events do: a pickup during `fire_at` that changes which kind leads in the own inventory, and, once a kind
        leads there, the arrival of a sought player that is ready to interact during `move_to`.

        call: the current one. seek: the players to meet; any if None. is_prepared: True if the plan itself says what
        to do when a player arrives, so that an arrival calls for no new one.
        """
        held, self._held = self._held or inventory, inventory
        arrived = [
            player.kind
            for player in view.players
            if player.mark == self._ready_mark
            and is_sought(player.kind, seek)
            and step - self._last_seen.get(player.kind, -ABSENCE_STEPS) >= ABSENCE_STEPS
        ]
        self._last_seen |= dict.fromkeys((player.kind for player in view.players), step)
        if isinstance(call, FireAt):
            # A pickup on the way to another player may change the pure strategy that is played.
            has_picked_up = any(now > before for now, before in zip(inventory, held, strict=False))
            return reason("picked_up") if has_picked_up and argmax(inventory) != argmax(held) else None
        if isinstance(call, MoveTo) and arrived and argmax(inventory) is not None and not is_prepared:
            return reason("ready_in_view", player=arrived[0])
        return None
