"""The body of agents that play SymmToM in language: it notes what happens, asks for plans, and follows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from hm_agent.agents.reflection import FinishedPlan, Reflector
from hm_agent.core import Body, Event, Interaction, Observation
from hm_agent.questions import UNSHOWN, Model, answer_or_none
from hm_agent.theory_of_mind.mind import WrittenStrategy
from hm_agent.worlds.symmtom.agents import BeliefScore
from hm_agent.worlds.symmtom.language.board import Board, CameIntoRange, HasRecharged, PieceHeard
from hm_agent.worlds.symmtom.language.call_planner import CallPlanner, PlanRecord
from hm_agent.worlds.symmtom.language.calls import Call, Meet, Recharge, Say, parse_calls
from hm_agent.worlds.symmtom.language.literal import LiteralProbe, ProbeKnowledge
from hm_agent.worlds.symmtom.language.notebook import Notebook
from hm_agent.worlds.symmtom.language.peer_mind import PeerMind, meetings
from hm_agent.worlds.symmtom.language.plan_talk import BarredCall, EvaluateTalk, PlanTalk
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.views import BoardView, Cell, Pieces, SpokenMove, manhattan

BEGINS = "the episode begins"


@dataclass(frozen=True, slots=True)
class TalkerSnapshot:
    """What an agent believes and plans after a step.

    believed: by agent, the pieces that the agent believes this one to know; its own row is certain. call: the walk
    being carried out. plan: the latest plan. failed: the call that failed in this step. asked_because: why a plan was
    asked for in this step; None if none was.
    """

    cell: Cell
    knows: Pieces
    believed: tuple[Pieces, ...]
    call: Call | None
    plan: tuple[Call, ...] = field(metadata=UNSHOWN)
    failed: Call | None = None
    asked_because: str | None = None


class SymmtomBody(Body[BoardView, SpokenMove, WrittenStrategy]):
    """One agent through one episode.

    me: its seat. seed: that of its own random numbers, by which it steps around other agents. score: measures which
    share of its beliefs is true. probe: draws the literal questions and scores their answers.
    """

    def __init__(
        self,
        rules: GameSettings,
        me: str,
        seed: int,
        model: Model,
        reflector: Reflector,
        score: BeliefScore,
        probe: LiteralProbe,
    ) -> None:
        self._rules, self._model, self._reflector = rules, model, reflector
        self._score, self._probe = score, probe
        self._notebook, self._planner = Notebook(seed), CallPlanner(rules)
        self.mind = PeerMind(rules, me)
        self._strategy: WrittenStrategy | None = None
        self._replan_reason: str | None = BEGINS
        """Why a new plan is needed; None while the present one can go on."""
        self._asked_because: str | None = None
        self._failed: Call | None = None
        self._planned_on: Board | None = None
        """The board for which the latest plan was made; None before the first plan."""
        self._earned = 0.0
        """The sum of rewards since the latest plan was made."""

    def perceive(self, observation: Observation[BoardView]) -> Sequence[Event]:
        was_held = self._planned_on is not None and self._notebook.board.is_held
        events = self._notebook.read(observation)
        board = self.mind.board = self._notebook.board
        self._score.note(self._notebook.known[None], self._notebook.sights)
        self._earned, self._asked_because, self._failed = self._earned + observation.reward, None, None
        if self._planned_on is not None:
            if not was_held:  # the plan had no part in what a held agent did
                self._planner.observe(board, recharged=any(isinstance(event, HasRecharged) for event in events))
            because = "you can move again" if was_held and not board.is_held else None
            self._replan_reason = self._replan_reason or because or self._why_replan(events, board)
        return events

    def _why_replan(self, events: Sequence[Event], board: Board) -> str | None:
        """Why the latest events call for a new plan, in words; None if the plan can go on."""
        planner = self._planner
        if any(isinstance(event, HasRecharged) for event in events):
            return "you have recharged"
        new = [event for event in events if isinstance(event, PieceHeard) and event.is_new]
        if new and not board.lacks(self._rules) and not planner.recharges_next:
            return "you know all pieces now"
        if planner.why_over is not None or isinstance(planner.walk, Recharge):
            return planner.why_over
        if new and planner.has_said_all:
            return f"you have heard the new piece {new[0].piece} from {new[0].speaker}"
        partner = planner.walk.player if isinstance(planner.walk, Meet) else None
        newcomers = [event.partner for event in events if isinstance(event, CameIntoRange) and event.partner != partner]
        return f"{newcomers[0]} has come into hearing range" if newcomers else None

    async def act(self, strategy: WrittenStrategy, history: Sequence[Interaction]) -> SpokenMove:
        if self._strategy is not None:
            self._replan_reason = self._replan_reason or strategy.why_replan(self._strategy)
        self._strategy = strategy
        board, sights = self._notebook.board, self._notebook.sights
        await self._ask_literal_questions(board)
        move = None if self._replan_reason else self._planner.next_move(board, sights)
        if move is None:
            self._planner.follow(await self._plan(strategy, history, board))
            move = self._planner.next_move(board, sights)
        assert move is not None, "a plan that has just been made is not over"
        return move

    async def _ask_literal_questions(self, board: Board) -> None:
        """Asks the model the literal questions that are due in this step; the answer only counts in the metrics."""
        if bits := self._probe.bits(board):
            answer = await answer_or_none(self._model, ProbeKnowledge(self._rules, board, tuple(bits)))
            self._probe.note(bits, answer, self._notebook.believed())

    async def _plan(self, strategy: WrittenStrategy, history: Sequence[Interaction], board: Board) -> Sequence[Call]:
        """Asks the model for a plan, with critiques of the latest one; the default plan if it gives no valid answer."""
        because, self._replan_reason = self._replan_reason or self._planner.why_over or BEGINS, None
        self._asked_because, self._failed = because, self._planner.failed
        record = self._planner.record
        question = PlanTalk(
            rules=self._rules,
            board=board,
            strategy=strategy.words or None,
            expects=strategy.expects,
            history=meetings(history),
            critiques=(),
            because=because,
            previous=record,
            barred=BarredCall(self._failed, because) if self._failed else None,
        )
        if record is not None and self._planned_on is not None:
            finished = _FinishedTalk(self._rules, record, because, self._earned, self._planned_on, board)
            question = replace(question, critiques=tuple(await self._reflector.reflect(finished)))
        answer = await answer_or_none(self._model, question)
        self._planned_on, self._earned = board, 0.0
        return parse_calls(answer.calls, question.context) if answer else default_plan(self._rules, board)

    def state(self) -> TalkerSnapshot:
        board = self._notebook.board
        return TalkerSnapshot(
            cell=board.cell,
            knows=board.knows,
            believed=self._notebook.believed(),
            call=self._planner.walk,
            plan=self._planner.plan,
            failed=self._failed,
            asked_because=self._asked_because,
        )

    def metrics(self) -> Mapping[str, float]:
        return {**self._score.metrics(), **self._probe.metrics()}


def default_plan(rules: GameSettings, board: Board) -> tuple[Call, ...]:
    """The plan if the model gives none: recharge if all is known; else tell the nearest agent all, and recharge."""
    if not board.lacks(rules):
        return (Recharge(),)
    nearest = min(board.peers, key=lambda peer: manhattan(board.cell, peer.cell))
    return (Meet(nearest.name), *map(Say, board.knows), Recharge())


@dataclass(frozen=True, slots=True)
class _FinishedTalk(FinishedPlan):
    """A plan that is over and its outcome, about which reflectors ask."""

    rules: GameSettings
    plan: PlanRecord
    because: str
    reward: float
    before: Board
    board: Board

    def ask_evaluation(self) -> EvaluateTalk:
        return EvaluateTalk(self.rules, self.plan, self.because, self.reward, self.before, self.board)
