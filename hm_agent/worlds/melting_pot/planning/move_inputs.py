"""The inputs of one move, and the end of a plan before its last call is carried out."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import TypeAlias

from hm_agent.worlds.melting_pot.grid import Cell, Move, Pose
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.planning.calls import Call


@dataclass(frozen=True, slots=True)
class MoveInputs:
    """The inputs of one move.

    loaded: whether the beam can fire now. armed: False if nothing has been collected yet, without which firing has no
    effect. seek: the players to fire at; any if None. covert: whether to hide from other players what the agent
    collects. wanted: the kinds of things that the agent looks for. unwanted: the kinds of which one more would
    make its inventory worse. leading: from a player's name to the kind of which that player
    was seen to take most; None if that is unknown. has_clear_lead: from a player's name to whether that is more than a
    slight clue. count_taken: from a player's name and a kind, None for all kinds, to how many things of it that player
    is known to have taken.
    """

    step: int
    view: TextualMap
    memory: EntityMemory
    loaded: bool = False
    seek: Sequence[str] | None = None
    covert: bool = False
    armed: bool = True
    wanted: Set[str] = frozenset()
    unwanted: Set[str] = frozenset()
    leading: Callable[[str], str | None] = lambda player: None
    has_clear_lead: Callable[[str], bool] = lambda player: False
    count_taken: Callable[[str, str | None], int] = lambda player, kind: 0

    @property
    def pose(self) -> Pose:
        assert self.view.pose is not None, "no move is planned while the own pose is unknown"
        return self.view.pose

    @property
    def occupied(self) -> frozenset[Cell]:
        """The cells of the players in view."""
        return frozenset(player.cell for player in self.view.players if player.cell)


@dataclass(frozen=True, slots=True)
class PlanEnd:
    """Why a plan can't go on, in words. failed: the call that has failed; None if the plan has become obsolete."""

    why: str
    failed: Call | None = None


NextMove: TypeAlias = Move | PlanEnd | None
"""What a call leads to: a move; the end of the whole plan; or None if the call is over and the next one begins."""
