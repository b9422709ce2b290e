"""Turns the calls of a plan into moves: walks one after the other, and meanwhile the pieces in turn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from hm_agent.agents.written_body import WrittenFollower
from hm_agent.core import Event
from hm_agent.models.prompts import phrase
from hm_agent.theory_of_mind.situation import PlanRecord
from hm_agent.theory_of_mind.written_mind import WrittenStrategy
from hm_agent.worlds.symmtom.language.board import Board, CameIntoRange, HasRecharged, PieceHeard
from hm_agent.worlds.symmtom.language.calls import Call, GoTo, Meet, Recharge, Say, Walk
from hm_agent.worlds.symmtom.language.exchange import best_exchange, certain_knowing
from hm_agent.worlds.symmtom.language.notebook import Notebook
from hm_agent.worlds.symmtom.policies.orders import nearest_in_range
from hm_agent.worlds.symmtom.policies.policy import approach, next_known
from hm_agent.worlds.symmtom.rules import Direction
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.sights import Sights
from hm_agent.worlds.symmtom.views import Cell, SpokenMove, manhattan

_reason = partial(phrase, "symmtom/messages.j2")

BLOCKED_STEPS = 4
"""A walk to a cell fails if the agent came no nearer in this many steps."""
MEETING_WIDTHS = 2
"""A `meet` fails if the other agent is not in range after this many steps for each cell of the board's width."""
UNHEARD_STEPS = 3
"""A plan without walks ends this many steps after its last piece even if nobody was there to hear its pieces."""


class CallPlanner(WrittenFollower[Board, SpokenMove]):
    """Follows one plan after the other.

    The walks are carried out in order. In each step the agent also says a piece: those of the plan in turn, the next
    one as soon as anyone was in range to hear the one before; without pieces in the plan, all that it knows in turn.

    why_over: why the plan is over, in words; None while it goes on. notebook: its sights say how to walk.
    """

    def __init__(self, rules: GameSettings, notebook: Notebook) -> None:
        super().__init__()
        self._rules, self._notebook = rules, notebook
        self.why_over: str | None = _used_up()
        self._was_held = False
        self._walks: tuple[Walk, ...] = ()
        self._pieces: tuple[int, ...] = ()
        self._walk_index = 0
        """The index of the walk that is being carried out."""
        self._pieces_said = 0
        """In how many steps since the plan was made anyone was in range to hear the piece said."""
        self._walk_steps = 0
        """How many steps the present walk has taken."""
        self._pieces_told = 0
        """In how many steps of the present walk the player that it is to meet was in range."""
        self._least_distance = 0
        """The smallest distance of the present walk to its target."""
        self._steps_without_progress = 0
        """The number of steps since the present walk came nearer to its target."""

    def follow(self, plan: Sequence[Call], *, is_forced: bool = False) -> None:
        """Begins a plan, which must not be empty."""
        self.plan, self._failed, self.why_over = tuple(plan), None, None
        self._walks = tuple(call for call in plan if not isinstance(call, Say))
        self._pieces = tuple(call.piece for call in plan if isinstance(call, Say))
        self._walk_index, self._pieces_said = 0, 0
        self._begin_walk()

    def _begin_walk(self) -> None:
        self._walk_steps = self._pieces_told = self._steps_without_progress = 0
        self._least_distance = 2 * self._rules.width

    @property
    def walk(self) -> Walk | None:
        """The walk being carried out; None if there is none."""
        return self._walks[self._walk_index] if self._walk_index < len(self._walks) else None

    @property
    def recharges_next(self) -> bool:
        """True if the plan goes on with a recharge as soon as all pieces are known."""
        return self.why_over is None and any(isinstance(walk, Recharge) for walk in self._walks[self._walk_index :])

    @property
    def has_said_all(self) -> bool:
        """True if each piece of the plan was said while anyone was in range to hear it."""
        return self._pieces_said >= len(self._pieces)

    @property
    def current(self) -> Call | None:
        return self.walk

    @property
    def record(self) -> PlanRecord:
        left = (*self._walks[self._walk_index :], *(call for call in self.plan if isinstance(call, Say)))
        return PlanRecord(self.plan, self._walk_index, len(self._walks), left)

    def default_plan(self, situation: Board) -> Sequence[Call]:
        """Recharge if all is known; else tell the nearest agent all, and recharge."""
        if not situation.lacks:
            return (Recharge(),)
        nearest = min(situation.others, key=lambda player: manhattan(situation.cell, player.cell))
        return (Meet(nearest.name), *map(Say, situation.knows), Recharge())

    def forced_plan(self, situation: Board, strategy: WrittenStrategy, because: str | None) -> Sequence[Call]:
        """Calculated from chances of what the others know, if there are any; what the agent witnessed is certain."""
        told = {other.name: [percent / 100 for _, percent in other.knows] for other in strategy.others if other.knows}
        if not told:
            return ()
        knowing = {
            name: [max(chances) for chances in zip(certain, told.get(name, certain), strict=True)]
            for name, certain in certain_knowing(situation).items()
        }
        return best_exchange(situation, knowing, self._failed)

    def observe(self, situation: Board, events: Sequence[Event], because: str | None) -> str | None:
        was_held, self._was_held = self._was_held, situation.is_held
        if not was_held:  # the plan had no part in what a held agent did
            self.note_move(situation, recharged=any(isinstance(event, HasRecharged) for event in events))
        if was_held and not situation.is_held:
            return because or _reason("can_move")
        return because or self._why_replan(situation, events)

    def _why_replan(self, board: Board, events: Sequence[Event]) -> str | None:
        """Why the latest events call for a new plan, in words; None if the plan can go on."""
        if any(isinstance(event, HasRecharged) for event in events):
            return _reason("recharged")
        new = [event for event in events if isinstance(event, PieceHeard) and event.is_new]
        if new and not board.lacks and not self.recharges_next:
            return _reason("knows_all")
        if self.why_over is not None or isinstance(self.walk, Recharge):
            return self.why_over
        if new and self._pieces and self.has_said_all:
            return _reason("heard_new", piece=new[0].piece, speaker=new[0].speaker)
        partner = self.walk.player if isinstance(self.walk, Meet) else None
        newcomers = [event.partner for event in events if isinstance(event, CameIntoRange) and event.partner != partner]
        return _reason("in_range", partner=newcomers[0]) if newcomers else None

    def note_move(self, board: Board, *, recharged: bool) -> None:
        """Updates the plan after a move. recharged: True if the agent has recharged in it."""
        if self.why_over is not None:
            return
        self._walk_steps += 1
        self._pieces_said += bool(board.in_range)
        walk = self.walk
        if isinstance(walk, Meet):
            self._pieces_told += walk.player in board.in_range
        if len(board.knows) == self._rules.pieces and self.recharges_next and not isinstance(walk, Recharge):
            ahead = [isinstance(later_walk, Recharge) for later_walk in self._walks[self._walk_index :]]
            self._walk_index += ahead.index(True)
            self._begin_walk()
        elif self._is_done(walk, board, recharged):
            self._advance(board)
        elif (why := self._why_failed(walk, board)) is not None:
            self._failed, self.why_over = walk, why

    def _is_done(self, walk: Walk | None, board: Board, recharged: bool) -> bool:
        """True if a walk is complete, or the pieces of a plan without walks were said."""
        match walk:
            case GoTo(target):
                return board.cell == target
            case Meet(player):
                enough = self._pieces_told >= max(1, len(self._pieces))
                return enough or (self._pieces_told > 0 and player not in board.in_range)
            case Recharge():
                return recharged
        waited = self._walk_steps >= len(self._pieces) + UNHEARD_STEPS
        return self._pieces_said >= len(self._pieces) or waited

    def _advance(self, board: Board) -> None:
        """Begins the next walk, or ends the plan if there is none or it is a recharge that still has to wait."""
        self._walk_index = min(self._walk_index + 1, len(self._walks))
        self._begin_walk()
        if self.walk is None:
            self.why_over = _used_up()
        elif isinstance(self.walk, Recharge) and board.lacks:
            self.why_over = _reason("recharge_waits", lacking=board.lacks)

    def _why_failed(self, walk: Walk | None, board: Board) -> str | None:
        """Why a walk can't be carried out, in words; None if it may go on."""
        most = MEETING_WIDTHS * self._rules.width
        if isinstance(walk, Meet):
            is_missed = self._pieces_told == 0 and self._walk_steps >= most
            return _reason("not_reached", player=walk.player, steps=most) if is_missed else None
        target = self._target(walk, board)
        if target is None:
            return None
        distance = manhattan(board.cell, target)
        self._steps_without_progress = 0 if distance < self._least_distance else self._steps_without_progress + 1
        self._least_distance = min(distance, self._least_distance)
        if self._steps_without_progress < BLOCKED_STEPS:
            return None
        occupant = next((player.name for player in board.others if player.cell == target), None)
        return _reason("no_nearer", walk=str(walk), steps=BLOCKED_STEPS, occupant=occupant)

    def _target(self, walk: Walk | None, board: Board) -> Cell | None:
        """The cell to walk to; None to stay."""
        match walk:
            case GoTo(target):
                return target
            case Meet(player):
                if player in board.in_range:
                    return None
                return nearest_in_range(self._rules, board.cell, board.player(player).cell)
            case Recharge():
                return board.base
        return None

    def next_action(self, situation: Board) -> SpokenMove:
        """The next move by the plan; once it is over, it stays and speaks on."""
        sights = self._notebook.sights
        target = self._target(self.walk, situation)
        direction = Direction.STAY
        if target is not None:
            direction = Direction(int(approach(sights, np.array([target], np.int32))[0]))
        return SpokenMove(direction, self._next_piece(situation, sights))

    def _next_piece(self, board: Board, sights: Sights) -> int:
        """The piece to say next: those of the plan that are known in turn, else all that are known in turn."""
        known = [piece for piece in self._pieces if piece in board.knows]
        if known:
            return known[self._pieces_said % len(known)]
        last = -1 if board.said is None else board.said
        return int(next_known(sights.knows, np.array([last], np.int32))[0])


def _used_up() -> str:
    return phrase("agent/messages.j2", "used_up")
