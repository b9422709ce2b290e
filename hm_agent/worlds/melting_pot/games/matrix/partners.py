"""With whom does one interact? With the one other player there is, or with whom the own view and memory point to."""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.worlds.melting_pot.facts import INTERACTING, Beam
from hm_agent.worlds.melting_pot.grid import Cell, Facing, Layout, Pose
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.planning.beam import reaches


class Partners:
    """Follows the frames of one episode and names the partner of an interaction that begins.

    Both players of an interaction wear its mark from the same frame on, and the beam of one reaches the other. Who
    zapped from behind is out of view; then it is the one most likely to have been there.
    """

    def __init__(self, layout: Layout, beam: Beam, players: Sequence[str]) -> None:
        self._layout, self._beam, self._players = layout, beam, players
        self._marked: frozenset[str] = frozenset()

    def read(self, view: TextualMap) -> frozenset[str]:
        """The players that wear the mark since this very frame, as far as they are in view."""
        marked = frozenset(player.kind for player in view.players if player.mark == INTERACTING)
        fresh, self._marked = marked - self._marked, marked
        return fresh

    def find(self, fresh: frozenset[str], view: TextualMap, memory: EntityMemory) -> str | None:
        """The partner of an interaction that begins with this frame; None where nothing tells.

        fresh: as `read` told. memory: with this frame taken in.
        """
        if len(self._players) == 1:
            return self._players[0]
        if view.pose is None:
            return None
        pose = view.pose
        seen = [player for player in view.players if player.kind in fresh and self._touches(pose, player)]
        if seen:
            return min(seen, key=lambda player: sum(map(abs, player.offset))).kind
        return self._unseen(pose, set(view.in_view), memory)

    def _touches(self, pose: Pose, player: Detection) -> bool:
        """Whether a beam of one of both could have hit the other; things and walls may have been in the way."""
        theirs = player.pose
        assert theirs is not None
        return any(reaches(a, b.cell, self._beam, frozenset()) for a, b in ((pose, theirs), (theirs, pose)))

    def _unseen(self, pose: Pose, in_view: set[Cell], memory: EntityMemory) -> str | None:
        """Who is most likely to stand out of view where its beam reaches this far."""
        if memory.whereabouts is None:
            return None
        lairs = [cell for cell in self._within_reach(pose.cell) if cell not in in_view]
        odds = {player: sum(float(memory.whereabouts.of(player)[y, x]) for x, y in lairs) for player in self._players}
        likeliest = max(odds, key=lambda player: odds[player])
        return likeliest if odds[likeliest] > 0 else None

    def _within_reach(self, target: Cell) -> list[Cell]:
        far = range(-self._beam.length, self._beam.length + 1)
        cells = [(target[0] + dx, target[1] + dy) for dx in far for dy in far]
        return [cell for cell in cells if self._layout.is_open(cell) and self._hits(cell, target)]

    def _hits(self, source: Cell, target: Cell) -> bool:
        return any(reaches(Pose(*source, f), target, self._beam, self._layout.walls) for f in Facing)
