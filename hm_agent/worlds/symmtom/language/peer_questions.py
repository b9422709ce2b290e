"""The questions about other agents that strategists ask a model, and the schemas of the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import BaseModel

from hm_agent.core import Hypothesis
from hm_agent.questions import Question, Words, check_all, one_of
from hm_agent.theory_of_mind.mind import HypothesisAnswer, PlayerBelief, WrittenStrategyAnswer
from hm_agent.theory_of_mind.revisions import (
    NONE,
    SOME,
    RevisedHypothesis,
    check_for_each,
    check_revisions,
    forms_for_each,
    revision_forms,
)
from hm_agent.worlds.symmtom.language.board import Board, Meeting, behaviour_of
from hm_agent.worlds.symmtom.settings import GameSettings

SILENCE = -1
"""How an answer names the piece of an agent that says none."""


class NextTalk(BaseModel):
    """What another agent does until it is met again, and which piece it says first then; `SILENCE` for none."""

    does: str
    says: int

    @property
    def behaviour(self) -> str:
        return behaviour_of(self.does, None if self.says == SILENCE else self.says)


def _next_forms(rules: GameSettings, board: Board, about: str) -> Mapping[str, Mapping[str, Any]]:
    """The schema keywords that restrict a `NextTalk` about an agent to what is possible."""
    return {
        "does": one_of(board.outcomes(about)),
        "says": {"minimum": SILENCE, "maximum": rules.pieces - 1},
    }


def _check_next(rules: GameSettings, board: Board, about: str, given: NextTalk | RevisedPeer) -> None:
    """Raises ValueError if a prediction names an impossible behaviour or piece; it lists the possible ones."""
    known = board.outcomes(about)
    check_all(partial(_check_does, given.does, known), partial(_check_says, given.says, rules.pieces))


def _check_does(does: str, known: Sequence[str]) -> None:
    if does not in known:
        raise ValueError(f"does: {does[:60]!r} is none of {', '.join(map(repr, known))}")


def _check_says(says: int, pieces: int) -> None:
    if not SILENCE <= says < pieces:
        raise ValueError(f"says: there is no piece {says}; pieces are 0 to {pieces - 1}, and {SILENCE} is nothing")


@dataclass(frozen=True, slots=True)
class ProposePeer(Question[HypothesisAnswer]):
    """What does another agent know, and how does it act? (step 3)

    history: the latest meetings with it. best: the earlier hypotheses that predicted best, the best first.
    """

    template = "symmtom/propose_peer.j2"
    schema = HypothesisAnswer
    rules: GameSettings
    board: Board
    about: str
    history: tuple[Meeting, ...]
    best: tuple[Hypothesis, ...]


class PeerPrediction(BaseModel):
    """What another agent will do by each hypothesis, in their order, one without any; and what to do about it."""

    reasoning: str = ""
    player: str
    next: list[NextTalk]
    strategy: Words


@dataclass(frozen=True, slots=True)
class PredictPeer(Question[PeerPrediction]):
    """What will another agent do by each hypothesis (step 4), and what should this one do about it (step 5)?

    The last hypothesis is acted on.
    """

    template = "symmtom/predict_peer.j2"
    schema = PeerPrediction
    rules: GameSettings
    board: Board
    about: str
    history: tuple[Meeting, ...]
    hypotheses: tuple[Hypothesis, ...]

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        next_forms = _next_forms(self.rules, self.board, self.about)
        return {**next_forms, "player": one_of([self.about]), "next": forms_for_each(self.hypotheses)}

    def check(self, answer: PeerPrediction) -> None:
        check_all(
            lambda: check_for_each("next", answer.next, self.hypotheses),
            lambda: _check_player(answer.player, [self.about]),
            *(partial(_check_next, self.rules, self.board, self.about, prediction) for prediction in answer.next),
        )


def _check_player(name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise ValueError(f"player: {name[:60]!r} is none of {', '.join(known)}")


class RevisedPeer(RevisedHypothesis):
    """One hypothesis about another agent, and what it predicts."""

    does: str
    says: int


class PeerRevision(BaseModel):
    """The hypotheses about one agent with what each predicts, and what to do in view of all agents."""

    reasoning: str = ""
    hypotheses: list[RevisedPeer]
    strategy: Words


@dataclass(frozen=True, slots=True)
class RevisePeer(Question[PeerRevision]):
    """Which hypotheses about an agent to keep, reword or add, what does each predict, and what to do in view of all?

    about: None if nothing new is known of any agent, so that no hypothesis is wanted. history: the latest meetings with
    it. hypotheses: all that are kept about it, the oldest first. others: what is believed of the other agents.
    """

    template = "symmtom/revise_peer.j2"
    schema = PeerRevision
    rules: GameSettings
    board: Board
    about: str | None
    history: tuple[Meeting, ...]
    hypotheses: tuple[Hypothesis, ...]
    others: tuple[PlayerBelief, ...]

    @property
    def _counts(self) -> range:
        return NONE if self.about is None else SOME

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        next_forms = _next_forms(self.rules, self.board, self.about or self.board.peers[0].name)
        return {**next_forms, **revision_forms(self.hypotheses, self._counts)}

    def check(self, answer: PeerRevision) -> None:
        about = self.about
        foreseen = answer.hypotheses if about is not None else []
        check_all(
            lambda: check_revisions(answer.hypotheses, self.hypotheses, self._counts),
            *(partial(_check_next, self.rules, self.board, about or "", revised) for revised in foreseen),
        )


@dataclass(frozen=True, slots=True)
class MakeTalkStrategy(Question[WrittenStrategyAnswer]):
    """Which strategy should the agent follow next? (PlanReAct, appendix D.3)"""

    template = "symmtom/make_talk_strategy.j2"
    schema = WrittenStrategyAnswer
    rules: GameSettings
    board: Board
    history: tuple[Meeting, ...]
