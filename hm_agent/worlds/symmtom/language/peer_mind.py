"""The questions that strategists ask about other agents, from what one agent has noticed of them."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from hm_agent.core import Clue, Event, Interaction
from hm_agent.theory_of_mind.hypotheses import Bank
from hm_agent.theory_of_mind.mind import (
    JointMindReading,
    MindOfWords,
    MindReading,
    OpponentModel,
    Revision,
    WrittenStrategy,
    WrittenStrategyAnswer,
)
from hm_agent.worlds.symmtom.language.board import Board, Meeting, MeetingEnded, behaviour_of
from hm_agent.worlds.symmtom.language.peer_questions import (
    SILENCE,
    MakeTalkStrategy,
    PeerPrediction,
    PeerRevision,
    PredictPeer,
    ProposePeer,
    RevisePeer,
)
from hm_agent.worlds.symmtom.settings import GameSettings

SHOWN_INTERACTIONS = 5
"""How many of the latest interactions questions show."""


class PeerMind(MindOfWords, MindReading, JointMindReading):
    """The mind of one agent. board: its present board, which the body sets at every step.

    An interaction is a meeting; the behaviour to predict is what the partner does until the next meeting, and the piece
    that it says first then.
    """

    first_strategy = "Meet the others, tell them what they lack, and recharge once you know all pieces."
    asks_at_first = False

    def __init__(self, rules: GameSettings, me: str) -> None:
        self.rules, self._me = rules, me
        self.players = tuple(name for name in rules.seats if name != me)
        self.board: Board

    def understand(self, event: Event, answer: BaseModel | None) -> Meeting | None:
        return event.meeting if isinstance(event, MeetingEnded) else None

    def is_right(self, prediction: str, interaction: Interaction) -> bool | None:
        """True if the partner did and first said what was predicted; None for the first meeting with it."""
        assert isinstance(interaction, Meeting)
        return None if interaction.does is None else prediction == interaction.behaviour

    def repeats(self, history: Sequence[Interaction], *, validated: bool = False) -> bool:
        """True if the latest two meetings show the same behaviour."""
        latest = [meeting.behaviour for meeting in meetings(history)[-2:]]
        return len(latest) == 2 and latest[0] == latest[1]

    def ask_hypothesis(self, history: Sequence[Interaction], best: Bank) -> ProposePeer:
        return ProposePeer(self.rules, self.board, history[-1].partner, meetings(history), tuple(best))

    def ask_prediction(
        self, history: Sequence[Interaction], hypotheses: Bank, clue: Clue | None = None, *, certain: bool = False
    ) -> PredictPeer:
        about = history[-1].partner if history else self.players[0]
        return PredictPeer(self.rules, self.board, about, meetings(history), tuple(hypotheses))

    def predicted(self, answer: BaseModel) -> Sequence[str | None]:
        assert isinstance(answer, PeerPrediction)
        return [prediction.behaviour for prediction in answer.next]

    def ask_revision(self, opponents: Sequence[OpponentModel], about: str | None = None) -> RevisePeer:
        partner = next((opponent for opponent in opponents if opponent.player == about), None)
        return RevisePeer(
            rules=self.rules,
            board=self.board,
            about=about,
            history=meetings(partner.history) if partner else (),
            hypotheses=tuple(partner.hypotheses) if partner else (),
            others=tuple(opponent.belief for opponent in opponents if opponent.player != about and opponent.history),
        )

    def revised(self, answer: BaseModel) -> Sequence[Revision]:
        assert isinstance(answer, PeerRevision)
        return [
            Revision(peer.of, peer.hypothesis, behaviour_of(peer.does, None if peer.says == SILENCE else peer.says))
            for peer in answer.hypotheses
        ]

    def ask_strategy(self, history: Sequence[Interaction], best: Bank) -> MakeTalkStrategy:
        return MakeTalkStrategy(self.rules, self.board, meetings(history))

    def strategy(self, answer: BaseModel, *, informed: bool) -> WrittenStrategy:
        if isinstance(answer, PeerPrediction):
            return WrittenStrategy(answer.strategy, f"{answer.player} {answer.next[-1].behaviour}")
        assert isinstance(answer, PeerRevision | WrittenStrategyAnswer)
        return WrittenStrategy(answer.strategy)


def meetings(history: Sequence[Interaction]) -> tuple[Meeting, ...]:
    """Returns the meetings among the latest `SHOWN_INTERACTIONS`."""
    return tuple(interaction for interaction in history[-SHOWN_INTERACTIONS:] if isinstance(interaction, Meeting))
