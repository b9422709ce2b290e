"""What the mind of an agent that thinks in language asks and understands, in SymmToM as an example."""

from __future__ import annotations

import asyncio

import pytest

from hm_agent.core import Interaction
from hm_agent.models.prompts import render
from hm_agent.testing.scripted_model import ScriptedModel
from hm_agent.theory_of_mind.decision_questions import ChooseStrategy, StrategyAnswer
from hm_agent.theory_of_mind.hypotheses import TABLE_2
from hm_agent.theory_of_mind.mind import Foreseen, PlayerBelief
from hm_agent.theory_of_mind.mind_questions import Foresight, HypothesisAnswer, Predict, Prediction, Propose
from hm_agent.theory_of_mind.module import TheoryOfMind
from hm_agent.theory_of_mind.written_mind import SHOWN_INTERACTIONS, WrittenMind, WrittenStrategy
from hm_agent.worlds.symmtom.language.board import RETURNS, VISITS_BASE, Meeting, MeetingEnded, NextTalk, PieceHeard
from tests.worlds.symmtom.language.language_examples import BOARD, IDEAS, MEETINGS


class Sitting:
    """A seat whose situation never changes."""

    situation = BOARD


def mind(strategy: str | None = None) -> WrittenMind:
    asked = WrittenMind(["player_1", "player_2"], Sitting())
    asked.strategy_now = strategy
    return asked


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
    assert mind().understand(PieceHeard(3, "player_1", 1, is_new=True)) is None
    assert mind().understand(MeetingEnded(3, MEETINGS[0])) == MEETINGS[0]


def test_a_meeting_repeats_if_the_same_was_done_and_said_the_time_before() -> None:
    assert mind().repeats((met(3), met(8)))
    assert not mind().repeats((met(3, None), met(8)))
    assert not mind().repeats((met(3, RETURNS), met(8)))
    assert not mind().repeats((met(3), met(8, says=2)))
    assert not mind().repeats((met(8),))


def test_questions_show_the_latest_meetings_with_one_player_alone() -> None:
    history: tuple[Interaction, ...] = tuple(met(step) for step in range(SHOWN_INTERACTIONS + 3))
    question = mind().ask_prediction(history, IDEAS).question
    assert isinstance(question, Predict)
    assert [meeting.step for meeting in question.history] == [3, 4, 5, 6, 7]
    assert (question.about, question.situation) == ("player_1", BOARD)


def prediction(says: int) -> Prediction[NextTalk, str]:
    return Prediction[NextTalk, str](
        player="player_1", next=[NextTalk(does=VISITS_BASE, says=says)], strategy="Meet it at its base."
    )


def test_the_five_steps_score_refine_and_validate_hypotheses_about_a_player() -> None:
    model = ScriptedModel(
        {
            Propose: lambda question: HypothesisAnswer(hypothesis="It says 1 after each visit to its base."),
            Predict: lambda question: prediction(1),
        }
    )
    strategist = TheoryOfMind(mind(), model, TABLE_2)
    asyncio.run(strategist.revise(()))
    assert model.kinds() == []
    strategy = asyncio.run(strategist.revise([MeetingEnded(3, met(3, None, 2))]))
    rule = "It says 1 after each visit to its base."
    assert strategy == WrittenStrategy(
        "Meet it at its base.", (PlayerBelief("player_1", rule, "visits its base, says 1"),)
    )
    assert model.kinds() == [Propose, Predict]
    for step in (8, 12, 16, 20):
        asyncio.run(strategist.revise([MeetingEnded(step, met(step))]))
    (hypothesis,) = strategist.hypotheses
    assert (hypothesis.right, hypothesis.tested) == (4, 4)
    assert hypothesis.value == pytest.approx(0.7599)
    assert strategist.validated == hypothesis
    # The first hit is unlike the meeting before it, so what comes next is asked; from then on nothing has changed.
    assert model.kinds() == [Predict]
    asyncio.run(strategist.revise([MeetingEnded(24, met(24, says=0))]))
    assert strategist.hypotheses[0].value < 0.7
    assert model.kinds() == [Propose, Predict]


def expecting(words: str, expected: str, rule: str = "A rule.") -> WrittenStrategy:
    return WrittenStrategy(words, (PlayerBelief("player_1", rule, expected),))


@pytest.mark.parametrize(
    ("strategy", "because"),
    [
        (expecting("Wait.", "says 1", "Another rule."), None),
        (expecting("Wait.", "says 2"), "you now expect something else"),
        (expecting("Go.", "says 2"), "your strategy has changed"),
    ],
)
def test_a_plan_is_told_truly_what_has_changed(strategy: WrittenStrategy, because: str | None) -> None:
    assert strategy.why_replan(expecting("Wait.", "says 1")) == because


def test_of_several_interactions_in_one_step_the_last_alone_asks_for_a_strategy() -> None:
    asked: list[Predict] = []

    def foresee(question: Predict) -> Foresight[NextTalk]:
        asked.append(question)
        return prediction(1) if question.decides else Foresight(player=question.about, next=prediction(1).next)

    answers = {Propose: lambda question: HypothesisAnswer(hypothesis="It says 1."), Predict: foresee}
    strategist = TheoryOfMind(mind(), ScriptedModel(answers), TABLE_2)
    events = [MeetingEnded(3, met(3)), PieceHeard(3, "player_2", 1, is_new=True), MeetingEnded(3, met(3))]
    strategy = asyncio.run(strategist.revise(events))
    assert [question.decides for question in asked] == [False, True]
    assert strategy.words == "Meet it at its base."


def test_the_present_strategy_is_shown_and_stands_if_an_answer_leaves_it_empty() -> None:
    made = mind("Wait for player_2.")
    answer = Prediction[NextTalk, str](player="player_1", next=[NextTalk(does=RETURNS, says=0)], strategy="")
    asked = made.ask_prediction((met(3),), IDEAS[:1])
    asked.question.check(answer)
    assert "# Your strategy\nWait for player_2." in render(asked.question)
    assert asked.read(answer).strategy == WrittenStrategy("Wait for player_2.")
    with pytest.raises(ValueError, match="strategy: you have none yet"):
        mind().ask_prediction((met(3),), IDEAS[:1]).question.check(answer)
    assert mind().ask_strategy((), ()).question == ChooseStrategy(BOARD, ())
    assert made.ask_strategy((), ()).read(StrategyAnswer(strategy="Go.")) == WrittenStrategy("Go.")


def test_a_prediction_that_was_not_to_decide_leaves_the_strategy_open() -> None:
    asked = mind().ask_prediction((met(3),), IDEAS[:1], decides=False)
    foreseen = asked.read(Foresight(player="player_1", next=[NextTalk(does=RETURNS, says=0)]))
    assert foreseen == Foreseen(["comes straight back, says 0"], None)
