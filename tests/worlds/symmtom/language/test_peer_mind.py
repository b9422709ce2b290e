"""What the mind of an agent in SymmToM asks and understands, and how predictions are scored."""

from __future__ import annotations

import asyncio

import pytest

from hm_agent.core import Interaction
from hm_agent.testing.scripted_model import ScriptedModel
from hm_agent.theory_of_mind.hypotheses import TABLE_2
from hm_agent.theory_of_mind.mind import HypothesisAnswer, WrittenStrategy
from hm_agent.theory_of_mind.module import TheoryOfMind
from hm_agent.worlds.symmtom.language.board import RETURNS, VISITS_BASE, Meeting, MeetingEnded, PieceHeard
from hm_agent.worlds.symmtom.language.peer_mind import SHOWN_INTERACTIONS, PeerMind
from hm_agent.worlds.symmtom.language.peer_questions import NextTalk, PeerPrediction, PredictPeer, ProposePeer
from tests.worlds.symmtom.language.language_examples import BOARD, IDEAS, MEETINGS, RULES


def mind() -> PeerMind:
    made = PeerMind(RULES, "player_0")
    made.board = BOARD
    return made


def met(step: int, does: str | None = VISITS_BASE, says: int | None = 1) -> Meeting:
    return Meeting(step, "player_1", does, (says,), (0,))


@pytest.mark.parametrize(
    ("prediction", "meeting", "right"),
    [
        ("visits its base, says 1", met(8), True),
        ("visits its base, says 2", met(8), False),
        ("comes straight back, says 1", met(8), False),
        ("comes straight back, says nothing", met(8, RETURNS, None), True),
        ("visits its base, says 1", met(8, None), None),
    ],
)
def test_a_prediction_is_right_if_deed_and_word_are(prediction: str, meeting: Meeting, right: bool | None) -> None:
    assert mind().is_right(prediction, meeting) is right


def test_only_the_end_of_a_meeting_is_an_interaction() -> None:
    assert mind().understand(PieceHeard(3, "player_1", 1, is_new=True), None) is None
    assert mind().understand(MeetingEnded(3, MEETINGS[0]), None) == MEETINGS[0]


def test_a_meeting_repeats_if_the_same_was_done_and_said_the_time_before() -> None:
    assert mind().repeats((met(3), met(8)))
    assert not mind().repeats((met(3, None), met(8)))
    assert not mind().repeats((met(3, RETURNS), met(8)))
    assert not mind().repeats((met(3), met(8, says=2)))
    assert not mind().repeats((met(8),))


def test_questions_show_the_latest_meetings_with_one_player_alone() -> None:
    history: tuple[Interaction, ...] = tuple(met(step) for step in range(SHOWN_INTERACTIONS + 3))
    question = mind().ask_prediction(history, IDEAS)
    assert [meeting.step for meeting in question.history] == [3, 4, 5, 6, 7]
    assert (question.about, question.board) == ("player_1", BOARD)


def prediction(says: int) -> PeerPrediction:
    return PeerPrediction(
        player="player_1", next=[NextTalk(does=VISITS_BASE, says=says)], strategy="Meet it at its base."
    )


def test_the_five_steps_score_refine_and_validate_hypotheses_about_a_player() -> None:
    model = ScriptedModel(
        {
            ProposePeer: lambda question: HypothesisAnswer(hypothesis="It says 1 after each visit to its base."),
            PredictPeer: lambda question: prediction(1),
        }
    )
    strategist = TheoryOfMind(mind(), model, TABLE_2)
    asyncio.run(strategist.revise(()))
    assert model.kinds() == []
    strategy = asyncio.run(strategist.revise([MeetingEnded(3, met(3, None, 2))]))
    assert strategy == WrittenStrategy("Meet it at its base.", "player_1 visits its base, says 1")
    assert model.kinds() == [ProposePeer, PredictPeer]
    for step in (8, 12, 16, 20):
        asyncio.run(strategist.revise([MeetingEnded(step, met(step))]))
    (hypothesis,) = strategist.hypotheses
    assert (hypothesis.right, hypothesis.tested) == (4, 4)
    assert hypothesis.value == pytest.approx(0.7599)
    assert strategist.validated == hypothesis
    # The first hit is unlike the meeting before it, so all is asked; from then on nothing has changed.
    assert model.kinds() == [ProposePeer, PredictPeer]
    asyncio.run(strategist.revise([MeetingEnded(24, met(24, says=0))]))
    assert strategist.hypotheses[0].value < 0.7
    assert model.kinds() == [ProposePeer, PredictPeer]


@pytest.mark.parametrize(
    ("strategy", "because"),
    [
        (WrittenStrategy("Wait.", "player_1 says 1"), None),
        (WrittenStrategy("Wait.", "player_1 says 2"), "you now expect something else"),
        (WrittenStrategy("Go.", "player_1 says 2"), "your strategy has changed"),
    ],
)
def test_a_plan_is_told_truly_what_has_changed(strategy: WrittenStrategy, because: str | None) -> None:
    assert strategy.why_replan(WrittenStrategy("Wait.", "player_1 says 1")) == because
