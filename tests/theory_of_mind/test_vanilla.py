"""All steps of the Theory of Mind in one question, with a model that answers as it is told."""

from __future__ import annotations

import asyncio

from hm_agent.theory_of_mind.memory import InteractionMemory
from hm_agent.theory_of_mind.vanilla import MindPrompting, VanillaMind
from hm_agent.worlds.melting_pot.games.cooking.kitchen import LOADS, SERVES
from hm_agent.worlds.melting_pot.games.cooking.questions.minds import MindAnswer as TeammateAnswer
from hm_agent.worlds.melting_pot.games.cooking.questions.minds import ReadTeammate
from hm_agent.worlds.melting_pot.games.matrix.best_response import TYPICAL
from hm_agent.worlds.melting_pot.games.matrix.pickups import Life
from hm_agent.worlds.melting_pot.games.matrix.questions.minds import MindAnswer, MindsAnswer, ReadMinds
from tests.strategists import PAPERS, ROCKS, Reply, ScriptedModel, arena, deliver, dyad, each, find_gone, kitchen, meet

ALL_OPEN = MindsAnswer(minds=[], own_next={"rock": 6})


def thought(words: str, then: str = "rock", player: str = "opponent", seek: tuple[str, ...] = ()) -> MindsAnswer:
    mind = MindAnswer(player=player, hypothesis=words, next=then)
    return MindsAnswer(minds=[mind], seek=list(seek), own_next={"paper": 7})


def think(reply: Reply, game: MindPrompting | None = None) -> tuple[VanillaMind, ScriptedModel]:
    model = ScriptedModel({ReadMinds: reply})
    return VanillaMind(game or dyad().mind, model, InteractionMemory()), model


def test_every_interaction_takes_one_question_that_shows_all_of_them() -> None:
    mind, model = think(lambda question: thought("plays rock"))
    for step in range(3):
        meet(mind, step, ROCKS)
        assert model.kinds() == [ReadMinds]
    meet(mind, 3, PAPERS)
    (question,) = model.of(ReadMinds)
    (opponent,) = question.opponents
    assert [met.behaviour for met in opponent.history] == ["rock", "rock", "rock", "paper"]
    assert (opponent.hypothesis, opponent.expected) == (None, None)


def test_what_is_thought_is_replaced_and_neither_scored_nor_validated() -> None:
    mind, _ = think(each([thought(f"plays rock {n}") for n in range(8)]))
    for step in range(8):
        meet(mind, step, ROCKS)
        (hypothesis,) = mind.hypotheses
        assert (hypothesis.words, hypothesis.value, hypothesis.prediction) == (f"plays rock {step}", 0.0, "rock")
        assert mind.validated is None


def test_the_strategy_holds_what_was_answered_against_what_was_predicted() -> None:
    mind, _ = think(lambda question: thought("plays scissors", "scissors"))
    strategy = meet(mind, 0)
    assert strategy is not None
    assert (strategy.target, strategy.expected) == ((1, 7, 1), (1, 1, TYPICAL))


def test_before_anything_is_known_nothing_is_expected() -> None:
    mind, model = think(lambda question: thought("plays rock"))
    strategy = asyncio.run(mind.open())
    assert (strategy.target, strategy.expected) == ((1, 7, 1), None)
    assert model.kinds() == [ReadMinds]


def test_without_an_answer_the_first_strategy_is_calculated_and_a_later_one_goes_on() -> None:
    mind, _ = think(lambda question: None)
    assert asyncio.run(mind.open()).target is not None
    assert meet(mind, 0) is None
    assert mind.hypotheses == ()


def test_a_clue_against_the_expectation_is_thought_over_with_what_was_taken() -> None:
    mind, model = think(lambda question: thought("plays rock"))
    meet(mind, 0)
    model.asked.clear()
    assert find_gone(mind, 5, "paper", (0, 2, 0)) is not None
    (question,) = model.of(ReadMinds)
    assert question.opponents[0].present == Life(5, (0, 2, 0))


def test_a_clue_that_fits_or_says_nothing_is_not_asked_about() -> None:
    mind, model = think(lambda question: thought("plays rock"))
    meet(mind, 0)
    model.asked.clear()
    assert find_gone(mind, 5, "rock") is find_gone(mind, 6, None) is None
    assert not model.asked


def test_a_clue_of_somebody_never_met_is_thought_over_once_until_it_says_something_else() -> None:
    mind, model = think(lambda question: ALL_OPEN)
    find_gone(mind, 5, "paper", (0, 1, 0))
    assert model.kinds() == [ReadMinds]
    find_gone(mind, 6, "paper", (0, 2, 0))
    assert model.kinds() == []
    find_gone(mind, 9, "rock", (3, 2, 0))
    assert model.kinds() == [ReadMinds]


def test_an_interaction_settles_the_clues_before_it() -> None:
    mind, model = think(lambda question: ALL_OPEN)
    find_gone(mind, 5, "paper", (0, 1, 0))
    meet(mind, 9)
    assert model.of(ReadMinds)[-1].opponents[0].present is None
    model.asked.clear()
    find_gone(mind, 12, "paper", (0, 1, 0))
    assert model.kinds() == [ReadMinds]


def test_among_many_it_is_asked_about_everybody_and_told_whom_to_seek() -> None:
    game = arena()
    mind, model = think(lambda question: thought("plays rock", player="player_3", seek=("player_3",)), game.mind)
    strategy = meet(mind, 0, partner="player_3")
    assert strategy is not None
    assert (strategy.seek, strategy.target) == (("player_3",), (1, 7, 1))
    (question,) = model.of(ReadMinds)
    assert [opponent.player for opponent in question.opponents] == list(game.players)
    assert [len(opponent.history) for opponent in question.opponents].count(1) == 1
    assert mind.about == "player_3"


def test_what_is_thought_of_others_stays_while_they_are_not_spoken_of() -> None:
    mind, _ = think(
        each([thought("plays rock", player="player_1"), thought("plays paper", player="player_2")]), arena().mind
    )
    meet(mind, 0, partner="player_1")
    meet(mind, 1, partner="player_2")
    assert [hypothesis.words for hypothesis in mind.hypotheses] == ["plays paper"]
    meet(mind, 2, partner="player_1")
    assert [hypothesis.words for hypothesis in mind.hypotheses] == ["plays rock"]


def test_in_a_kitchen_a_teammate_is_read_and_its_work_complemented() -> None:
    game = kitchen()
    reply = TeammateAnswer(hypothesis="It loads.", teammate=LOADS, role=SERVES, strategy="I serve.")
    model = ScriptedModel({ReadTeammate: lambda question: reply})
    mind = VanillaMind(game.mind, model, InteractionMemory())
    assert asyncio.run(mind.open()).expected_role is None
    strategy = deliver(mind, 40, LOADS, game.players[0])
    assert strategy is not None
    assert (strategy.words, strategy.role, strategy.expected_role) == ("I serve.", SERVES, LOADS)
    assert [(each.words, each.prediction) for each in mind.hypotheses] == [("It loads.", LOADS)]
    assert model.kinds() == [ReadTeammate, ReadTeammate]
