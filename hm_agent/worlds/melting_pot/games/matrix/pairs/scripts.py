"""Both boards of a matched pair up to the decision: every move of both players, rehearsed without the engine.

The agent finds its bearings at a corner. At two stations a player takes a thing of one of two kinds two cells from the
other; the boards differ in when the opponent faces the agent, or in which station comes first. Then the
agent sees things of the third kind and goes to its home, and the opponent leaves its view, collects where the agent
has seen nothing, destroys the same things on both boards, and comes back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from random import Random

from hm_agent.repeated_games.payoffs import Side
from hm_agent.worlds.melting_pot.games.matrix.pairs.kinds import PRELUDE, Creed
from hm_agent.worlds.melting_pot.grid import AHEAD, Cell, Layout, Move, Pose, Window, distance, step_towards
from hm_agent.worlds.melting_pot.planning.walking import find_path

AGENT, OPPONENT = 0, 1
"""The slots of both players."""
COLLECTED = 2
"""How many things the opponent collects of the kind that it plays."""
SHOTS, COOLDOWN = 3, 2
"""How many hits destroy a thing, and how many steps a shooter waits after each."""
APART = 3
"""How far the one who watches stands from where the other steps onto the thing."""
Moves = tuple[Move, Move]
"""What both players do in a step, by slot."""


class Unplayable(Exception):
    """A draw that leads to no pair of boards."""


@dataclass(frozen=True)
class Opening:
    """How an episode begins. things: the kind of the thing on each cell, by its number. poses: by slot."""

    layout: Layout
    window: Window
    side: Side
    things: Mapping[Cell, int]
    poses: tuple[Pose, Pose]


@dataclass(frozen=True)
class Script:
    """One board up to the decision. moves: by step. plays: the kind that the opponent then holds most of."""

    moves: tuple[Moves, ...]
    creed: Creed
    plays: int


@dataclass(frozen=True)
class _Station:
    """Where a thing is taken. facing: of who takes it and goes on straight ahead; the other one stands there."""

    thing: Cell
    facing: int

    def place(self, ahead: int) -> Cell:
        """The cell so many steps beyond the thing."""
        return Pose(*self.thing, self.facing).place(ahead, 0)


def drawn_scripts(opening: Opening, creed: Creed, first: int, rng: Random) -> tuple[Script, Script]:
    """Both boards of one pair; raises Unplayable. first: the station, 0 or 1, that counts on the first board."""
    side, order = opening.side, creed.order
    kinds = rng.sample(range(len(side.actions)), 3)
    stations = [_drawn_station(opening, kind, rng) for kind in kinds]
    home, corner = _drawn_home(opening, rng), _nearest_corner(opening)
    taker, scripts = AGENT if order == 1 else OPPONENT, []
    for shown in (first, 1 - first):
        scene = _Rehearsal(opening)
        scene.walk({AGENT: corner})
        places = (1 - shown, shown) if order == 0 else (0, 1)
        for place in places:
            scene.take(stations[place], taker, is_facing=order == 0 or place == shown)
        scene.walk({AGENT: Pose(*stations[2].place(-2), stations[2].facing)})
        scene.walk({AGENT: home, OPPONENT: _door(home)})
        plays = creed.opponents_kind(side, kinds[shown])
        scene.collect(plays, home)
        scripts.append(Script(tuple(scene.moves), creed, plays))
    one, other = scripts
    return one, other


class _Rehearsal:
    """Both players' poses and what lies on the map, step by step. moves: all so far."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._things, self._poses = dict(opening.things), list(opening.poses)
        self.moves: list[Moves] = []
        self._seen: set[Cell] = set()
        """The cells that the agent has had in view."""

    def _step(self, moves: Mapping[int, Move]) -> None:
        """A step in which nobody is in the other's way."""
        both = moves.get(AGENT, Move.NOOP), moves.get(OPPONENT, Move.NOOP)
        self._seen |= {*self._opening.window.cells(self._poses[AGENT])}
        self._poses = [pose.after(move) for pose, move in zip(self._poses, both, strict=True)]
        for pose in self._poses:
            self._things.pop(pose.cell, None)
        self.moves.append(both)
        if len(self.moves) > PRELUDE:
            raise Unplayable

    def walk(self, goals: Mapping[int, Pose], avoid: Set[Cell] = frozenset()) -> None:
        """Leads players to their goals around all things and `avoid`; a thing on the goal itself is taken."""
        while True:
            moves: dict[int, Move] = {}
            for player, goal in goals.items():
                other = self._poses[1 - player]
                taken = {other.cell, other.after(moves.get(1 - player, Move.NOOP)).cell}
                moves[player] = self._towards(player, goal, taken, avoid)
            if not any(moves.values()):
                if any(self._poses[player] != goal for player, goal in goals.items()):
                    raise Unplayable
                return
            self._step(moves)

    def _towards(self, player: int, goal: Pose, taken: Set[Cell], avoid: Set[Cell]) -> Move:
        pose = self._poses[player]
        if pose.cell == goal.cell:
            turn = (goal.facing - pose.facing) % len(AHEAD)
            return Move.NOOP if not turn else Move.TURN_LEFT if turn == 3 else Move.TURN_RIGHT
        path = find_path(self._opening.layout, pose.cell, goal.cell, self._things.keys() | taken | avoid)
        return step_towards(pose, path[0]) if path and path[0] not in taken else Move.NOOP

    def take(self, station: _Station, taker: int, *, is_facing: bool) -> None:
        """One takes a thing near the other. is_facing: True if the opponent faces the agent, else it looks away.

        It does so before the agent comes and until it has gone, so that it sees all of it or nothing.
        """
        ahead, back, across = station.facing, (station.facing + 2) % 4, (station.facing + 1) % 4
        begins, watches = station.place(-1), station.place(APART - 1)
        self.walk({OPPONENT: Pose(*(watches if taker == AGENT else begins), across)})
        towards_agent = back if taker == AGENT else ahead
        turn = Move.TURN_RIGHT if (towards_agent == (across + 1) % 4) == is_facing else Move.TURN_LEFT
        self._step({OPPONENT: turn})
        self.walk({AGENT: Pose(*begins, ahead) if taker == AGENT else Pose(*watches, back)})
        self._step({taker: step_towards(self._poses[taker], station.thing)})
        self._step({})
        self.walk({AGENT: self._out_of_sight(across)})
        self._step({OPPONENT: Move.TURN_LEFT if turn == Move.TURN_RIGHT else Move.TURN_RIGHT})

    def _out_of_sight(self, facing: int) -> Pose:
        """Where the agent is soonest out of the opponent's view once that faces some way."""
        agent, opponent = self._poses
        in_view = {*self._opening.window.cells(Pose(*opponent.cell, facing))}
        cells = [cell for cell in self._opening.layout.open_cells if cell not in in_view | self._things.keys()]
        return Pose(*min(cells, key=lambda cell: (distance(agent.cell, cell), cell)), agent.facing)

    def collect(self, kind: int, home: Pose) -> None:
        """The opponent leaves the agent's view, collects a kind, clears its caches, and comes back as the prelude ends.

        Caches are some things of each kind in places where the agent has seen nothing. Whatever is left there is
        destroyed, by the same shots on both boards, so that what is missing tells nothing of what was collected.
        """
        door, gate = _door(home), Pose(*home.place(APART + 2, 0), _door(home).facing)
        in_view = {*self._opening.window.cells(home)}
        self.walk({OPPONENT: gate})
        caches = self._caches(gate.cell, in_view)
        for cell in caches[kind]:
            self.walk({OPPONENT: Pose(*cell, gate.facing)}, in_view)
        for cell in (cell for cells in caches for cell in cells):
            self.walk({OPPONENT: _beside(cell)}, in_view)
            for _ in range(SHOTS):
                self._step({OPPONENT: Move.INTERACT})
                for _ in range(COOLDOWN):
                    self._step({})
            self._things.pop(cell, None)
        self.walk({OPPONENT: gate}, in_view)
        while len(self.moves) < PRELUDE - 2:
            self._step({})
        self.walk({OPPONENT: door})
        if len(self.moves) != PRELUDE:
            raise Unplayable

    def _caches(self, gate: Cell, in_view: Set[Cell]) -> list[list[Cell]]:
        """For each kind the nearest cells that the agent has not seen, and where no shot comes into its view."""
        hidden = [cell for cell in self._things.keys() - self._seen if not _range(cell) & in_view]
        hidden.sort(key=lambda cell: (distance(gate, cell), cell))
        caches = [
            [cell for cell in hidden if self._things[cell] == kind][:COLLECTED]
            for kind in range(len(self._opening.side.actions))
        ]
        if any(len(cells) < COLLECTED for cells in caches):
            raise Unplayable
        return caches


def _beside(cell: Cell) -> Pose:
    """From where a thing is shot: its western side."""
    return Pose(cell[0] - 1, cell[1], 1)


def _range(cell: Cell) -> set[Cell]:
    """The cells that such shots may reach, and where the shooter stands."""
    x, y = cell
    return {(x + dx, y + dy) for dx in range(-1, 3) for dy in range(-1, 2)}


def _door(home: Pose) -> Pose:
    """Where the opponent stands before the agent's eyes at its home."""
    return Pose(*home.place(APART, 0), (home.facing + 2) % 4)


def _free(opening: Opening, cells: Iterable[Cell]) -> bool:
    """True if players can stand on all these cells without taking a thing."""
    return all(opening.layout.is_open(cell) and cell not in opening.things for cell in cells)


def _drawn_station(opening: Opening, kind: int, rng: Random) -> _Station:
    """A station of a kind, with room before and behind."""
    cells = [cell for cell, lies in sorted(opening.things.items()) if lies == kind]
    stations = [_Station(cell, facing) for cell in cells for facing in range(len(AHEAD))]
    fit = [one for one in stations if _free(opening, map(one.place, (-2, -1, 1, APART - 1)))]
    if not fit:
        raise Unplayable
    return rng.choice(fit)


def _drawn_home(opening: Opening, rng: Random) -> Pose:
    """Where the agent waits, in the middle of the map, with free cells ahead as far as the opponent comes."""
    layout = opening.layout
    middle = [Pose(x, layout.height // 2, facing) for x in range(layout.width) for facing in range(len(AHEAD))]
    third = layout.width // 3
    fit = [
        pose
        for pose in middle
        if third <= pose.x < layout.width - third
        and _free(opening, (pose.place(ahead, 0) for ahead in range(APART + 3)))
    ]
    if not fit:
        raise Unplayable
    return rng.choice(fit)


def _nearest_corner(opening: Opening) -> Pose:
    """The pose in the nearest corner from which walls on two sides are in view, which tells the agent where it is."""
    layout, here = opening.layout, opening.poses[AGENT].cell
    ends = [(x, y, facing) for x in (2, layout.width - 3) for y, facing in ((2, 0), (layout.height - 3, 2))]
    return Pose(*min(ends, key=lambda pose: (distance(here, pose[:2]), pose)))
