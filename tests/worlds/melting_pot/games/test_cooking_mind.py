"""How the rounds of a kitchen score predictions, what is asked again, and what an answer comes to."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.questions import AnswerT, Question, Unanswered
from hm_agent.theory_of_mind.decision_questions import StrategyAnswer
from hm_agent.theory_of_mind.hypotheses import TABLE_2
from hm_agent.theory_of_mind.mind import MindsRead, PlayerModel
from hm_agent.theory_of_mind.mind_questions import MindsReadAnswer
from hm_agent.theory_of_mind.module import TheoryOfMind
from hm_agent.worlds.melting_pot.games import answers
from hm_agent.worlds.melting_pot.games.cooking.activities import FILLED, Activity
from hm_agent.worlds.melting_pot.games.cooking.mind import CookingMind
from hm_agent.worlds.melting_pot.games.cooking.roles import (
    EVERYTHING,
    LOADS,
    PROMPTLY,
    SERVES,
    SLOWLY,
    STANDS,
    KitchenStrategy,
    strategy_for,
)
from hm_agent.worlds.melting_pot.games.cooking.rounds import OWN, Delivery, Lull, Pace, RoundEnd
from hm_agent.worlds.melting_pot.games.cooking.seat import SharedWork
from hm_agent.worlds.melting_pot.planning.calls import Interact
from tests.strategists import kitchen
from tests.worlds.melting_pot.games.kitchen_examples import UPPER, ended

DONE = (Activity(8, FILLED, UPPER),)
BUSY, LAZY, NO_WORK = Pace(tomatoes=1, room=9), Pace(room=50), Pace()


def mind() -> CookingMind:
    return kitchen().mind


@pytest.mark.parametrize(
    ("prediction", "role", "tempo", "right"),
    [
        ("loads pots promptly", LOADS, PROMPTLY, True),
        ("loads pots promptly", LOADS, SLOWLY, False),
        ("loads pots promptly", SERVES, PROMPTLY, False),
        ("loads pots slowly", LOADS, None, True),
        ("loads pots", LOADS, SLOWLY, True),
        ("loads pots promptly", None, None, None),
    ],
)
def test_prediction_is_right_by_role_and_tempo(
    prediction: str, role: str | None, tempo: str | None, right: bool | None
) -> None:
    assert mind().is_right(prediction, ended(40, role, OWN, DONE, tempo)) is right


def test_words_of_a_strategy_say_nothing_that_later_steps_would_make_untrue() -> None:
    assert strategy_for(None).words == "Fill the pots, fetch a dish while they cook, and deliver the soup."
    assert strategy_for("loads pots slowly").words.endswith(", since the teammate loads pots slowly.")


def test_round_in_which_nothing_happened_scores_nobody() -> None:
    assert mind().is_right("loads pots promptly", ended(40, LOADS, OWN)) is None
    assert mind().is_right("loads pots promptly", ended(40, LOADS, OWN, tempo=SLOWLY)) is False
    assert mind().is_right("loads pots promptly", ended(40, STANDS, None)) is False


def test_rounds_repeat_while_role_and_tempo_stay() -> None:
    prompt, slow, idle = (ended(40, LOADS, OWN, DONE, tempo) for tempo in (PROMPTLY, SLOWLY, None))
    assert mind().repeats([prompt, prompt])
    assert mind().repeats([prompt, idle])
    assert mind().repeats([prompt, ended(41, None, None), prompt])
    assert not mind().repeats([prompt, slow])
    assert not mind().repeats([prompt, ended(40, SERVES, OWN, DONE, PROMPTLY)])
    assert not mind().repeats([prompt])


def test_round_is_understood_with_its_tempo() -> None:
    understood = mind().understand(Delivery(40, "teammate", DONE, LOADS, Pace(tomatoes=1, room=22), OWN))
    assert understood is not None
    assert (understood.behaviour, understood.tempo) == (LOADS, SLOWLY)


def test_strategy_of_an_answer_expects_what_it_says_once_anything_is_known() -> None:
    given = SharedWork(words="Do all.", expects="loads pots slowly", role=EVERYTHING)
    strategy = KitchenStrategy("Do all.", role=EVERYTHING, expected_role=LOADS, expected_tempo=SLOWLY)
    choice = StrategyAnswer[SharedWork](strategy=given)
    assert mind().ask_choice([PlayerModel("teammate", (ended(40, LOADS, OWN),))]).read(choice) == strategy
    unexpecting = KitchenStrategy("Do all.", role=EVERYTHING)
    assert mind().ask_choice([PlayerModel("teammate")]).read(choice) == unexpecting
    read = mind().ask_minds([PlayerModel("teammate")]).read(MindsReadAnswer[Any, SharedWork](minds=[], strategy=given))
    assert read == MindsRead({}, unexpecting)
    assert mind().ask_strategy((ended(40, LOADS, OWN),), ()).read(choice) == unexpecting


class Listening:
    """The built-in reasoner, which remembers what it was asked. unanswered: the kind of question that it leaves."""

    name = "builtin"

    def __init__(self, unanswered: str = "") -> None:
        self.asked: list[str] = []
        self._unanswered = unanswered

    async def answer(self, question: Question[AnswerT], note: object = None) -> AnswerT:
        self.asked.append(type(question).__name__)
        if self.asked[-1] == self._unanswered:
            raise Unanswered("as told")
        return await BuiltinReasoner(answers()).answer(question)


def asked_after(*rounds: RoundEnd, unanswered: str = "") -> list[str]:
    """What Hypothetical Minds asks after the last of these rounds. unanswered: as in `Listening`."""
    model = Listening(unanswered)
    strategist = TheoryOfMind(mind(), model, TABLE_2)
    asyncio.run(strategist.revise(()))
    for event in rounds:
        model.asked.clear()
        asyncio.run(strategist.revise((event,)))
    return model.asked


def delivery(step: int, role: str, pace: Pace = BUSY) -> Delivery:
    return Delivery(step, "teammate", DONE, role, pace, OWN)


def test_only_a_round_that_tells_anything_new_is_asked_about() -> None:
    first = delivery(20, LOADS)
    assert asked_after() == []
    assert asked_after(first) == ["Propose", "Predict", "ChooseStrategy"]
    for expected in (delivery(40, LOADS), Lull(80, "teammate", (), None, NO_WORK)):
        assert asked_after(first, expected) == []


def test_choice_is_asked_only_if_hypothesis_or_prediction_has_changed() -> None:
    later = asked_after(delivery(20, LOADS), delivery(40, LOADS), delivery(60, SERVES, Pace(soups=1, ready=2)))
    assert later[:2] == ["Propose", "Predict"]
    once_more = asked_after(delivery(20, LOADS), delivery(40, LOADS, LAZY), delivery(60, LOADS))
    assert once_more.count("ChooseStrategy") <= 1


def test_choice_without_an_answer_is_asked_again_though_nothing_has_changed() -> None:
    asked = asked_after(delivery(20, LOADS), delivery(40, LOADS), unanswered="ChooseStrategy")
    assert asked == ["ChooseStrategy"]


def test_plan_survives_a_delivery() -> None:
    game = kitchen()
    assert game.why_replan([delivery(20, LOADS)], [Interact((0, 1)), Interact(UPPER)], KitchenStrategy("")) is None
