"""Situations of a plan in one empty room, and planners that follow a plan there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hm_agent.worlds.melting_pot.facts import Beam
from hm_agent.worlds.melting_pot.grid import Cell, Facing, Layout, Pose, Window
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.memory.player_belief import PlayerBeliefMap
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.planning.action_planner import ActionPlanner
from hm_agent.worlds.melting_pot.planning.calls import Call
from hm_agent.worlds.melting_pot.planning.move_inputs import MoveInputs

BEAM = Beam(length=3, radius=1)
WINDOW = Window(left=2, right=2, forward=3, backward=1)
READY = "ready"
ROOM = Layout.from_ascii("\n".join(["WWWWWWWWW", *["W       W"] * 7, "WWWWWWWWW"]))
HERE = Pose(4, 6, Facing.NORTH)


def opponent(cell: Cell, mark: str | None = READY, facing: Facing = Facing.NORTH) -> Detection:
    return Detection("opponent", (0, 0), cell, facing, mark, is_player=True)


def box(cell: Cell) -> Detection:
    return Detection("yellow_box", (0, 0), cell)


class Situations:
    """Builds the inputs of each step and keeps the memory between them."""

    def __init__(self) -> None:
        self.memory = EntityMemory(ROOM, PlayerBeliefMap(ROOM, ("opponent",), 2))

    def at(
        self,
        *sights: Detection,
        pose: Pose = HERE,
        step: int = 0,
        loaded: bool = True,
        in_view: Sequence[Cell] = (),
        covert: bool = False,
        armed: bool = True,
        wanted: frozenset[str] = frozenset(),
        leading: Callable[[str], str | None] = lambda player: None,
        has_clear_lead: bool = False,
        count_taken: int = 0,
    ) -> MoveInputs:
        cells = (*in_view, *(sight.cell for sight in sights if sight.cell))
        view = TextualMap(pose, True, None, sights, ROOM.area(cells), 0)
        self.memory.update(step, view)
        return MoveInputs(
            step,
            view,
            self.memory,
            loaded,
            armed=armed,
            covert=covert,
            wanted=wanted,
            leading=leading,
            has_clear_lead=lambda player: has_clear_lead,
            count_taken=lambda player, kind: count_taken,
        )


def planner_of(*plan: Call, ready_mark: str | None = READY) -> ActionPlanner:
    planner = ActionPlanner(ROOM, BEAM, WINDOW, ready_mark)
    planner.follow(plan)
    return planner
