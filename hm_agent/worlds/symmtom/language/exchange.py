"""The plan that is best by what the others are believed to know: where to go, and what to say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hm_agent.worlds.symmtom.language.board import YOU, Board
from hm_agent.worlds.symmtom.language.calls import Call, GoTo, Meet, Recharge, Say
from hm_agent.worlds.symmtom.language.hearsay import ways
from hm_agent.worlds.symmtom.policies.orders import EXCHANGED, meeting
from hm_agent.worlds.symmtom.views import Cell, hearing_distance, manhattan

Knowing = Mapping[str, Sequence[float]]
"""By player, the chance with which it knows each piece."""
LIKELY, WORTH_SAYING = 0.5, 0.25
"""The least chance with which a player is taken to know a piece, and the least number of listeners expected to lack a
piece that is said."""


def certain_knowing(board: Board) -> Knowing:
    """What the others certainly know, as far as the agent can tell."""
    known = {player.name: (*(player.first_hand or ()), *player.shown) for player in board.others}
    return {name: [float(piece in pieces) for piece in range(board.rules.pieces)] for name, pieces in known.items()}


@dataclass(frozen=True)
class _Prospect:
    """Another agent as it is expected to be when it is met.

    cell: where it is then. steps: after how many. lacks: by piece that the agent knows, the chance that it lacks it.
    teaches: how many pieces it could tell.
    """

    name: str
    cell: Cell
    steps: int
    lacks: Mapping[int, float]
    teaches: float

    @property
    def gain(self) -> float:
        """How many pieces both could tell each other."""
        return self.teaches + sum(self.lacks.values())


def _prospects(board: Board, knowing: Knowing) -> list[_Prospect]:
    """The others on their ways; one out of range that knows all and can move is expected on its base, recharged."""
    prospects, expected = [], ways(board)
    for player in board.others:
        known, way = knowing[player.name], expected[player.name]
        if hearing_distance(way[-1], board.cell) <= board.rules.hearing:  # it comes, and is met on the way
            way = [player.cell]
        steps, cell = meeting(board.rules, board.cell, way)
        if min(known) >= LIKELY and YOU not in player.near and not player.is_held:
            known, cell = [float(piece in (player.first_hand or ())) for piece in range(len(known))], player.base
            # Hearing goes diagonally, too, and may begin a step earlier: to count on that earns no more.
            steps = max(0, manhattan(board.cell, cell) - board.rules.hearing)
        lacks = {piece: 1 - known[piece] for piece in board.knows}
        prospects.append(_Prospect(player.name, cell, steps, lacks, sum(known[piece] for piece in board.lacks)))
    return prospects


def best_exchange(board: Board, knowing: Knowing, barred: Call | None = None) -> list[Call]:
    """Recharges if that pays; else goes where most can be learnt and taught per step, and says what listeners lack."""
    prospects = _prospects(board, knowing)
    steps_left = board.steps - board.step
    if not board.lacks and barred != Recharge() and max(1, manhattan(board.cell, board.base)) <= steps_left:
        return [Recharge(), *_pieces_to_say(board, prospects)]
    walk, listeners = _best_walk(board, prospects, barred)
    return [walk, *_pieces_to_say(board, listeners or prospects), Recharge()]


def _pieces_to_say(board: Board, listeners: Sequence[_Prospect]) -> list[Call]:
    """What to say: the pieces that most listeners lack first, on a tie the agent's own; all if nobody lacks any."""
    lacking = {piece: sum(listener.lacks[piece] for listener in listeners) for piece in board.knows}
    order = sorted(board.knows, key=lambda piece: (-lacking[piece], piece not in board.first_hand, piece))
    return [Say(piece) for piece in order if lacking[piece] >= WORTH_SAYING] or [Say(piece) for piece in order]


def _best_walk(board: Board, prospects: Sequence[_Prospect], barred: Call | None) -> tuple[Call, list[_Prospect]]:
    """The walk with the most gain per step, and the agents that are then in range; never the barred walk.

    If no walk gains anything, it leads to the middle and is heard by nobody.
    """
    options: list[tuple[float, int, Call, list[_Prospect]]] = []
    for index, prospect in enumerate(prospects):
        walk: Call = Meet(prospect.name)
        if prospect.cell != board.player(prospect.name).cell:  # on its way, maybe to its base, which must stay free
            beside = [cell for cell in _cells_near(board, [prospect]) if cell != prospect.cell]
            cell = min(beside, key=lambda cell: manhattan(board.cell, cell))
            walk = Meet(prospect.name) if cell == board.cell else GoTo(cell)
        steps = prospect.steps + max(1, prospect.gain / EXCHANGED)
        options.append((prospect.gain / steps, -index, walk, [prospect]))
    for cell in _cells_near(board, prospects):
        near = [prospect for prospect in prospects if hearing_distance(cell, prospect.cell) <= board.rules.hearing]
        if len(near) > 1 and not any(prospect.cell == cell for prospect in near):
            gain = sum(prospect.gain for prospect in near)
            steps = manhattan(board.cell, cell) + max(1, gain / (2 * EXCHANGED))
            options.append((gain / steps, -len(prospects), GoTo(cell), near))
    useful = [option for option in options if option[2] != barred and option[0] > 0]
    if not useful:
        return _walk_to_the_middle(board, barred), []
    _, _, walk, listeners = max(useful, key=lambda option: option[:2])
    return walk, listeners


def _walk_to_the_middle(board: Board, barred: Call | None) -> GoTo:
    """A walk to the middle of the board or, if that is barred, to the free cell nearest to it."""
    middle = (board.rules.width - 1) // 2, (board.rules.width - 1) // 2
    if GoTo(middle) != barred:
        return GoTo(middle)
    taken = {middle, *(player.cell for player in board.others)}
    cells = ((x, y) for x in range(board.rules.width) for y in range(board.rules.width))
    return GoTo(min((cell for cell in cells if cell not in taken), key=lambda cell: manhattan(cell, middle)))


def _cells_near(board: Board, prospects: Sequence[_Prospect]) -> list[Cell]:
    """The cells in hearing range of any of these agents, sorted."""
    reach = range(-board.rules.hearing, board.rules.hearing + 1)
    cells = {(prospect.cell[0] + x, prospect.cell[1] + y) for prospect in prospects for x in reach for y in reach}
    return sorted(cell for cell in cells if all(0 <= part < board.rules.width for part in cell))
