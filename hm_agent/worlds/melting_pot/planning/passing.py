"""Walks up to stations past other players: goes round them, waits for them, or gives way to them.

In a narrow place two who meet must agree who gives way without a word. Both know what each holds and where each stands,
so both rank each other alike: soup goes before any other thing, that before empty hands, then the larger cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from functools import lru_cache

from hm_agent.worlds.melting_pot.facts import Beam
from hm_agent.worlds.melting_pot.grid import Cell, Layout, Move, Pose, distance, nearest, step_towards
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.planning.beam import BeamApproach, find_approach_to_use

AHEAD = 2
"""A player counts as in the way on so many of the next cells."""
DETOUR = 4
"""A way round takes at most so many moves more than the straight one, unless waiting was in vain."""
PATIENCE = 3
"""For so many steps the agent waits for a player that has to give way."""
AVOIDED = 12
"""For so many steps it then avoids the cell where that player stood."""
STUCK = 15
"""After so many steps in which players were in the way, something else should be done."""
GOES_FIRST = "soup"
"""Whoever holds this has the right of way."""
STANDING = 12
"""A player that was seen on one cell alone for so many steps is taken to stay there."""


class Passing:
    """Finds the next move to a station, step by step."""

    def __init__(self, layout: Layout, beam: Beam) -> None:
        self._layout, self._beam = layout, beam
        self._blocked = 0
        """For how many steps in a row a player has been in the way."""
        self._avoided: Mapping[Cell, int] = {}
        """The cells to avoid, each until when, in steps of this player's."""
        self._step = 0
        self._before: Mapping[str, Cell] = {}
        """Where the players in the view before were, by name."""
        self._stays: dict[str, tuple[Cell, int]] = {}
        """Where each player was last seen, and the step since which it was seen nowhere else."""

    def gives_up(self) -> bool:
        """True, and counts anew, once players have been in the way for so long that something else should be done."""
        if self._blocked <= STUCK:
            return False
        self._blocked = 0
        return True

    def approach(self, target: Cell, pose: Pose, view: TextualMap) -> BeamApproach | None:
        """The way to use a station with its next move, NOOP to wait; None where no way leads there."""
        self._step += 1
        self._avoided = {cell: until for cell, until in self._avoided.items() if until > self._step}
        others = {player.cell: player for player in view.players if player.cell and self._layout.is_open(player.cell)}
        shunned = {*others, *self._avoided} - {pose.cell}
        straight = self._straight(target, pose, view, others)
        before, self._before = self._before, {player.kind: cell for cell, player in others.items()}
        if straight is None or not shunned & set(straight.cells[:AHEAD]):
            self._blocked = 0
            return straight
        self._blocked += 1
        around = find_approach_to_use(self._layout, pose, target, self._beam, frozenset(shunned))
        blocker = next((others[cell] for cell in straight.cells[:AHEAD] if cell in others), None)
        if blocker is None:
            return around or straight
        return self._meet(blocker, straight, around, pose, view, before.get(blocker.kind))

    def _straight(
        self, target: Cell, pose: Pose, view: TextualMap, others: Mapping[Cell, Detection]
    ) -> BeamApproach | None:
        """The shortest way round those who stay where they are or, if there is none, through them."""
        for cell, player in others.items():
            known = self._stays.get(player.kind)
            self._stays[player.kind] = known if known and known[0] == cell else (cell, self._step)
        stays = {cell for cell, since in self._stays.values() if self._step - since >= STANDING}
        stays -= {cell for cell in view.in_view if cell not in others}
        round_them = _with_walls(self._layout, frozenset(stays)) if stays else None
        past = find_approach_to_use(round_them, pose, target, self._beam) if round_them else None
        return past or find_approach_to_use(self._layout, pose, target, self._beam)

    def _meet(
        self,
        blocker: Detection,
        straight: BeamApproach,
        around: BeamApproach | None,
        pose: Pose,
        view: TextualMap,
        before: Cell | None,
    ) -> BeamApproach:
        """The next move where a player is in the way. before: where that was a step ago, None if it was not in view."""
        assert blocker.cell is not None, "a player in the way is in view"
        stands = before == blocker.cell
        comes = before is None or distance(pose.cell, blocker.cell) < distance(pose.cell, before)
        goes_first = self._rank(view.mark, pose.cell) > self._rank(blocker.mark, blocker.cell)
        is_near = distance(pose.cell, blocker.cell) == 1
        if around and around.moves <= straight.moves + DETOUR and (stands or (comes and not goes_first)):
            return around
        if around and self._blocked > (2 if goes_first else 1) * PATIENCE:
            self._avoided = {**self._avoided, blocker.cell: self._step + AVOIDED}
            return around
        gives_way = (comes or self._blocked > 1) if not goes_first else self._blocked > 2 * PATIENCE
        if is_near and gives_way:
            return BeamApproach(self._step_aside(pose, view, blocker.cell), (), straight.moves)
        return BeamApproach(Move.NOOP, (), straight.moves) if is_near or (comes and not goes_first) else straight

    def _rank(self, held: str | None, cell: Cell) -> tuple[int, Cell]:
        worth = 2 if held == GOES_FIRST else int(held is not None)
        return worth, cell

    def _step_aside(self, pose: Pose, view: TextualMap, other: Cell) -> Move:
        """A step that lets a neighbour pass, to the side of its way if possible, else away from it; NOOP if none."""
        taken = {player.cell for player in view.players}
        free = [cell for cell in self._layout.neighbours[pose.cell] if cell not in taken]
        if not free:
            return Move.NOOP
        straight_on = (2 * pose.x - other[0], 2 * pose.y - other[1])
        return step_towards(pose, min(free, key=lambda cell: (cell == straight_on, -self._room(cell, taken), cell)))

    def _room(self, cell: Cell, taken: Set[Cell | None]) -> int:
        """How many free cells lie next to one."""
        return sum(beside not in taken for beside in self._layout.neighbours[cell])

    def wait(self, target: Cell, pose: Pose, view: TextualMap) -> BeamApproach | None:
        """The way to wait at a station, NOOP there; None if there is none. It leaves the place to players nearby."""
        way = self.approach(target, pose, view)
        if way is None or way.moves > 1:
            return way
        near = self._layout.neighbours[pose.cell]
        within = {*near, *(cell for beside in near for cell in self._layout.neighbours[beside])} - {pose.cell}
        crowding = nearest(pose.cell, within & {player.cell for player in view.players if player.cell})
        if crowding is None:
            return way._replace(move=Move.NOOP) if way.move is Move.INTERACT else way
        is_in_the_way = way.move is Move.INTERACT or crowding in near
        return BeamApproach(self._step_aside(pose, view, crowding) if is_in_the_way else Move.NOOP, ())


@lru_cache(maxsize=100)
def _with_walls(layout: Layout, more: frozenset[Cell]) -> Layout:
    """A layout with walls in more cells; kept, since players stay for long."""
    return replace(layout, walls=layout.walls | more)
