"""All steps of the Theory of Mind in one question, with a scripted model."""

from __future__ import annotations

import asyncio
from typing import TypeAlias

from hm_agent.agents.baselines import VanillaMindPrompting
from hm_agent.testing.scripted_model import ReplyFunction, ScriptedModel, each
from hm_agent.theory_of_mind.mind import MindPrompting
from hm_agent.theory_of_mind.mind_questions import MindRead, MindsReadAnswer, ReadMinds
from hm_agent.worlds.melting_pot.games.cooking.roles import LOADS, SERVES, KitchenStrategy
from hm_agent.worlds.melting_pot.games.cooking.seat import NextRound, SharedWork
from hm_agent.worlds.melting_pot.games.matrix.seat import AgainstOne, AmongMany, NextLead
from tests.strategists import (
    PAPERS,
    ROCKS,
    against,
    among,
    arena,
    begin,
    deliver,
    dyad,
    encounter,
    interact,
    kitchen,
    lead,
    see_pickup,
)

Read: TypeAlias = MindsReadAnswer[NextLead, AgainstOne] | MindsReadAnswer[NextLead, AmongMany]
NO_MINDS: Read = MindsReadAnswer(minds=[], strategy=against("rock", {"rock": 6}))


def minds(words: str, then: str = "rock") -> Read:
    """An answer about an only opponent."""
    mind = MindRead(player="opponent", hypothesis=words, next=lead(then))
    return MindsReadAnswer(minds=[mind], strategy=against(then, {"paper": 7}))


def minds_of(player: str, words: str, *seek: str) -> Read:
    """An answer about one of several players."""
    mind = MindRead(player=player, hypothesis=words, next=lead("rock"))
    return MindsReadAnswer(minds=[mind], strategy=among({"paper": 7}, *seek))


def prompting(reply: ReplyFunction, game: MindPrompting | None = None) -> tuple[VanillaMindPrompting, ScriptedModel]:
    model = ScriptedModel({ReadMinds: reply})
    return VanillaMindPrompting(game or dyad().mind, model), model


def test_every_interaction_takes_one_question_that_shows_all_of_them() -> None:
    mind, model = prompting(lambda question: minds("plays rock"))
    for step in range(3):
        interact(mind, step, ROCKS)
        assert model.kinds() == [ReadMinds]
    interact(mind, 3, PAPERS)
    (question,) = model.of(ReadMinds)
    assert [met.behaviour for met in question.history] == ["rock", "rock", "rock", "paper"]


def test_a_hypothesis_is_replaced_and_neither_scored_nor_validated() -> None:
    mind, _ = prompting(each([minds(f"plays rock {n}") for n in range(8)]))
    for step in range(8):
        interact(mind, step, ROCKS)
        (hypothesis,) = mind.hypotheses
        assert (hypothesis.words, hypothesis.value, hypothesis.prediction) == (f"plays rock {step}", 0.0, "rock")
        assert mind.validated is None


def test_the_strategy_has_the_answered_target_and_the_predicted_inventory() -> None:
    mind, _ = prompting(lambda question: minds("plays scissors", "scissors"))
    strategy = interact(mind, 0)
    assert strategy is not None
    assert (strategy.target, strategy.expected) == ((1, 7, 1), (1, 1, 6))


def test_the_prediction_made_before_the_first_interaction_is_told_with_it() -> None:
    mind, _ = prompting(each([minds("plays rock", "rock"), minds("plays paper", "paper")]))
    for step in range(2):
        asyncio.run(mind.revise([encounter(step, ROCKS)]))
        (relied_on,), (right,) = mind.thoughts().relied_on, mind.thoughts().right
        assert relied_on is not None
        assert (relied_on.prediction, right) == (("rock", True), ("paper", False))[step]


def test_before_the_first_interaction_nothing_is_expected() -> None:
    mind, model = prompting(lambda question: minds("plays rock"))
    strategy = begin(mind)
    assert (strategy.target, strategy.expected) == ((1, 7, 1), None)
    assert model.kinds() == [ReadMinds]


def test_without_an_answer_the_first_strategy_is_calculated_and_a_later_one_kept() -> None:
    mind, _ = prompting(lambda question: None)
    assert begin(mind).target is not None
    assert interact(mind, 0) is None
    assert mind.hypotheses == ()


def test_a_clue_against_the_prediction_asks_again() -> None:
    mind, model = prompting(lambda question: minds("plays rock"))
    interact(mind, 0)
    model.asked.clear()
    assert see_pickup(mind, 5, "paper", (0, 2, 0)) is not None
    assert model.kinds() == [ReadMinds]


def test_a_clue_that_fits_or_suggests_nothing_asks_no_question() -> None:
    mind, model = prompting(lambda question: minds("plays rock"))
    interact(mind, 0)
    model.asked.clear()
    assert see_pickup(mind, 5, "rock") is see_pickup(mind, 6, None) is None
    assert not model.asked


def test_a_clue_about_an_unmet_player_asks_once_until_it_suggests_another_behaviour() -> None:
    mind, model = prompting(lambda question: NO_MINDS)
    see_pickup(mind, 5, "paper", (0, 1, 0))
    assert model.kinds() == [ReadMinds]
    see_pickup(mind, 6, "paper", (0, 2, 0))
    assert model.kinds() == []
    see_pickup(mind, 9, "rock", (3, 2, 0))
    assert model.kinds() == [ReadMinds]


def test_an_interaction_discards_earlier_clues_about_its_player() -> None:
    mind, model = prompting(lambda question: NO_MINDS)
    see_pickup(mind, 5, "paper", (0, 1, 0))
    interact(mind, 9)
    model.asked.clear()
    see_pickup(mind, 12, "paper", (0, 1, 0))
    assert model.kinds() == [ReadMinds]


def test_among_several_players_the_question_is_about_all_and_the_answer_says_whom_to_seek() -> None:
    game = arena()
    mind, model = prompting(lambda question: minds_of("player_3", "plays rock", "player_3"), game.mind)
    strategy = interact(mind, 0, partner="player_3")
    assert strategy is not None
    assert (strategy.seek, strategy.target) == (("player_3",), (1, 7, 1))
    (question,) = model.of(ReadMinds)
    assert [other.player for other in question.situation.others] == list(game.players)  # type: ignore[attr-defined]
    assert question.players == ("player_3",)
    assert [met.partner for met in question.history] == ["player_3"]
    assert mind.about == "player_3"


def test_hypotheses_about_players_stay_while_answers_are_about_others() -> None:
    mind, _ = prompting(each([minds_of("player_1", "plays rock"), minds_of("player_2", "plays paper")]), arena().mind)
    interact(mind, 0, partner="player_1")
    interact(mind, 1, partner="player_2")
    assert [hypothesis.words for hypothesis in mind.hypotheses] == ["plays paper"]
    interact(mind, 2, partner="player_1")
    assert [hypothesis.words for hypothesis in mind.hypotheses] == ["plays rock"]


def test_in_a_kitchen_the_teammate_is_read_and_the_answered_role_played() -> None:
    game = kitchen()
    read = MindRead[NextRound](
        player=game.players[0], hypothesis="It loads.", next=NextRound(does="loads pots promptly")
    )
    strategy_given = SharedWork(words="I serve.", expects="loads pots promptly", role=SERVES)
    reply = MindsReadAnswer[NextRound, SharedWork](minds=[read], strategy=strategy_given)
    first_reply = reply.model_copy(update={"minds": []})
    model = ScriptedModel({ReadMinds: each([first_reply, reply])})
    mind = VanillaMindPrompting(game.mind, model)
    first = asyncio.run(mind.begin())
    assert isinstance(first, KitchenStrategy)
    assert first.expected_role is None
    strategy = deliver(mind, 40, LOADS, game.players[0])
    assert strategy is not None
    assert (strategy.words, strategy.role, strategy.expected_role) == ("I serve.", SERVES, LOADS)
    assert [(each.words, each.prediction) for each in mind.hypotheses] == [("It loads.", "loads pots promptly")]
