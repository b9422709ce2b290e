"""The questions about plans that the body of an agent asks a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from hm_agent.agents.reflection import Critique
from hm_agent.questions import Question, plan_of
from hm_agent.worlds.symmtom.language.board import Board, Meeting
from hm_agent.worlds.symmtom.language.call_planner import PlanRecord
from hm_agent.worlds.symmtom.language.calls import (
    Call,
    CallContext,
    Recharge,
    Say,
    call_pattern,
    parse_calls,
    walk_pattern,
)
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.written_calls import CallError

MOST_WALKS = 4
"""The largest number of walks in a plan; a longer one would be outdated long before its end."""


class CallsAnswer(BaseModel):
    """A few calls in order."""

    reasoning: str = ""
    calls: list[str]


@dataclass(frozen=True, slots=True)
class BarredCall:
    """A call that has just failed. why: the reason, in words."""

    call: Call
    why: str


@dataclass(frozen=True, slots=True)
class PlanTalk(Question[CallsAnswer]):
    """Where to go and what to say? (Hypothetical Minds, section 3.2, subgoal module; appendix C.4)

    strategy, expects: None for an agent that plans without a strategist. history: the latest meetings, for such an
    agent. critiques: the lessons from earlier plans. because: why a plan is asked for. previous: the plan that is over;
    None before the first. barred: the call that has just failed, which may not be the first walk.
    """

    template = "symmtom/plan_talk.j2"
    schema = CallsAnswer
    rules: GameSettings
    board: Board
    strategy: str | None
    expects: str | None
    history: tuple[Meeting, ...]
    critiques: tuple[str, ...]
    because: str
    previous: PlanRecord | None
    barred: BarredCall | None = None

    @property
    def most(self) -> int:
        """The largest number of calls: each piece once, and the walks."""
        return MOST_WALKS + self.rules.pieces

    @property
    def context(self) -> CallContext:
        return CallContext(self.rules.width, tuple(peer.name for peer in self.board.peers), self.board.knows)

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        """Restricts an answer to calls that can be carried out, the first of them a walk that has an effect now.

        Pieces are said while walks go on, so that a plan means the same whichever of its walks and pieces comes first.
        """
        barred = ([Recharge()] if self.board.lacks(self.rules) else []) + ([self.barred.call] if self.barred else [])
        return {"calls": plan_of(walk_pattern(self.context, barred), call_pattern(self.context), self.most)}

    def check(self, answer: CallsAnswer) -> None:
        """Raises CallError for invalid calls, for too many of them, and for a first walk that has no effect now."""
        if len(answer.calls) > self.most:
            raise CallError(f"{len(answer.calls)} calls are too many; at most {self.most}")
        plan = parse_calls(answer.calls, self.context)
        walks = [call for call in plan if not isinstance(call, Say)]
        if len(walks) > MOST_WALKS:
            raise CallError(f"{len(walks)} walks are too many; at most {MOST_WALKS}, and say() besides")
        lacking = self.board.lacks(self.rules)
        if walks and isinstance(walks[0], Recharge) and lacking:
            pieces = ", ".join(map(str, lacking))
            raise CallError(f"recharge() first: you still lack {pieces}; first meet() who may know it")
        if self.barred and walks and walks[0] == self.barred.call:
            raise CallError(f"{walks[0]} has just failed: {self.barred.why}; begin with another walk")


@dataclass(frozen=True, slots=True)
class EvaluateTalk(Question[Critique]):
    """How well did a plan do, and what should the agent do better? (Reflexion's evaluator, appendix D.2)

    plan: the one that is over. because: why it ended, in words. reward: the sum from its beginning to its end. before:
    the board at its beginning. board: the board now.
    """

    template = "symmtom/evaluate_talk.j2"
    schema = Critique
    rules: GameSettings
    plan: PlanRecord
    because: str
    reward: float
    before: Board
    board: Board
