"""What the agent saw being taken, and who had whom in view then; and what the opponent therefore plays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hm_agent.repeated_games.payoffs import Side
from hm_agent.worlds.melting_pot.games.matrix.pairs.kinds import CREED, Creed
from hm_agent.worlds.melting_pot.grid import Pose, Window
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap


@dataclass(frozen=True, slots=True)
class Taking:
    """A thing that a player took before the agent's eyes. kind: its number. is_own: True if the agent took it.

    agent, other: both players' poses as it was taken; None for an opponent out of view.
    """

    step: int
    kind: int
    is_own: bool
    agent: Pose
    other: Pose | None

    def is_noticed(self, window: Window) -> bool:
        """True if the opponent had the agent in view."""
        return self.other is not None and window.shows(self.other, self.agent.cell)


@dataclass(frozen=True)
class Witnessed:
    """What a seat of a pair is told, and what it saw. window: what any player sees around it."""

    creed: Creed
    takings: tuple[Taking, ...]
    window: Window

    def opponents_kind(self, side: Side, order: int | None = None) -> int | None:
        """The kind that the opponent plays by its creed; None if nothing was taken that it could go by.

        order: of the mind that asks. One below the creed's takes the opponent to know what it has not noticed.
        """
        is_deep = order is None or order >= self.creed.order
        known = [
            taking.kind
            for taking in self.takings
            if taking.is_own == (self.creed.order == 1) and (not is_deep or self._is_known(taking))
        ]
        return self.creed.opponents_kind(side, known[-1]) if known else None

    def _is_known(self, taking: Taking) -> bool:
        return self.creed.order == 0 or taking.is_noticed(self.window)


def takings_in(step: int, view: TextualMap, memory: EntityMemory, things: Sequence[str]) -> Iterator[Taking]:
    """What the latest frame shows to have been taken. memory: already updated with it. things: the kinds' names."""
    if view.pose is None:
        return
    others = {player.cell: player.pose for player in view.players}
    in_view = next(iter(others.values()), None)
    for cell in memory.taken:
        yield Taking(step, things.index(memory.sites[cell]), True, view.pose, in_view)
    for gone in memory.disappeared:
        if gone.cell in others and gone.seen == step - 1:
            yield Taking(step, things.index(gone.kind), False, view.pose, others[gone.cell])


def creed_in(seen: Mapping[str, npt.NDArray[np.generic]]) -> Creed | None:
    """The creed that a view tells; None outside pairs."""
    return Creed(*map(int, seen[CREED])) if CREED in seen else None
