"""What the agent sees, remembers and means to do, for recordings to look into."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.grid import Cell
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.planning.action_planner import ActionPlanner
from hm_agent.worlds.melting_pot.planning.subgoals import Subgoal


@dataclass(frozen=True, slots=True)
class PresentMind:
    """The `AgentSnapshot` of the composed agent: its parts themselves, which go on changing.

    kinds: of things in the game. failure: the subgoal that has just come to nothing.
    """

    view: TextualMap
    memory: EntityMemory
    planner: ActionPlanner
    kinds: Sequence[str]
    failure: Subgoal | None

    @property
    def scene(self) -> str:
        return self.view.describe(self.kinds)

    @property
    def present(self) -> bool:
        return self.view.present

    @property
    def remembered(self) -> Iterable[tuple[str, Cell, int]]:
        return self.memory.last_seen()

    @property
    def plan(self) -> Sequence[str]:
        return tuple(map(str, self.planner.plan))

    @property
    def place(self) -> int:
        return self.planner.place

    @property
    def route(self) -> Sequence[Cell]:
        """None while the own pose is unknown: the way is sought anew once it is."""
        return self.planner.route if self.view.pose else ()

    @property
    def failed(self) -> str | None:
        return str(self.failure) if self.failure else None
