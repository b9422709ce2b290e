from __future__ import annotations

import json
from pathlib import Path

import pytest

from hm_agent.theory_of_mind.language_questions import CallsAnswer
from hm_agent.theory_of_mind.mind import HindsightAnswer, Outcome
from hm_agent.worlds.melting_pot.games.matrix.questions import InventoryAnswer
from tests.support.melting_pot.text_player import play
from tests.worlds.melting_pot.games.test_prompts import EXAMPLES

GOLDEN = sorted((Path(__file__).parent / "games/golden").glob("*.txt"))


def golden(name: str) -> str:
    return next(path.read_text("utf-8") for path in GOLDEN if path.stem == name)


def test_text_player_gives_valid_answers() -> None:
    for path in GOLDEN:
        question = EXAMPLES[path.stem]
        reply = play(path.read_text("utf-8"))
        question.check(question.schema.model_validate_json(reply))
        assert set(json.loads(reply)) <= set(question.schema.model_fields), path.stem


def test_text_player_collects_what_is_missing_then_fires() -> None:
    calls = CallsAnswer.model_validate_json(play(golden("plan"))).calls
    assert calls[:2] == ["move_to((9, 4))", "move_to((13, 5))"]
    assert [call.partition("(")[0] for call in calls] == [*4 * ["move_to"], "fire_at"]


def test_text_player_explores_where_nothing_is_known() -> None:
    assert CallsAnswer.model_validate_json(play(golden("plan_knowing_nothing"))).calls == ["move_to((1, 9))"]


def test_text_player_predicts_by_the_hypothesis_and_counters() -> None:
    reply = json.loads(play(golden("predict_and_counter")))
    assert [lead["kind"] for lead in reply["next"]][-1] == reply["strategy"]["expects"]["kind"] == "scissors"
    assert reply["strategy"]["hold"]["rock"] == 6


def test_text_player_expects_what_a_clue_suggests_and_builds_on_what_it_holds() -> None:
    told = golden("predict_after_a_clue").replace("rock at", "scissors at")
    strategy = json.loads(play(told))["strategy"]
    assert (strategy["expects"]["kind"], strategy["hold"]) == ("scissors", {"rock": 9, "paper": 4, "scissors": 1})


def test_text_player_seeks_the_players_that_one_inventory_beats() -> None:
    strategy = json.loads(play(golden("choose_opponents")))["strategy"]
    assert "player_4" in strategy["seek"]
    assert len(strategy["seek"]) < 4
    assert max(strategy["hold"].values()) > 5


def test_text_player_infers_an_inventory_that_explains_the_reward() -> None:
    held = InventoryAnswer.model_validate_json(play(golden("infer_inventory"))).inventory
    assert 6.25 * (held["rock"] - held["scissors"]) / sum(held.values()) == pytest.approx(3.125)


def test_text_player_plans_without_a_strategy() -> None:
    # The interactions suggest that the opponent copies or repeats scissors; rock beats both.
    calls = CallsAnswer.model_validate_json(play(golden("plan_undecided"))).calls
    assert calls == ["move_to((8, 4))", "move_to((8, 3))", "move_to((15, 11))"]


def test_text_player_predicts_every_player_that_it_has_met() -> None:
    reply = json.loads(play(golden("read_many_minds")))
    assert {mind["player"]: mind["next"]["kind"] for mind in reply["minds"]} == {
        "player_1": "scissors",
        "player_2": "scissors",
    }
    assert reply["strategy"]["seek"] == ["player_1", "player_2", "player_4"]
    assert reply["strategy"]["hold"] == {"rock": 7, "paper": 2, "scissors": 1}


@pytest.mark.parametrize("made", ["make_strategy", "make_strategy_among_many"])
def test_text_player_follows_the_strategy_that_it_made(made: str) -> None:
    strategy = json.loads(play(golden(made)))["strategy"]
    followed = golden(made.replace("make", "follow"))
    own_words = next(line for line in followed.splitlines() if line.startswith("I "))
    same = json.loads(play(followed.replace(own_words, strategy["words"])))["strategy"]
    assert same["hold"] == strategy["hold"]


@pytest.mark.parametrize(
    ("instead", "outcome"),
    [
        ("rock 1, paper 1, scissors 6", Outcome.POSITIVE),
        ("rock 1, paper 6, scissors 1", Outcome.NEUTRAL),
        ("rock 9, paper 1, scissors 1", Outcome.NEGATIVE),
    ],
)
def test_text_player_judges_what_another_inventory_would_have_paid(instead: str, outcome: Outcome) -> None:
    prompt = golden("judge_strategy").replace("you had held rock 1, paper 1, scissors 6", f"you had held {instead}")
    assert HindsightAnswer.model_validate_json(play(prompt)).outcome is outcome


def test_text_cook_follows_its_strategy_and_judges_strategies_by_the_work_done() -> None:
    named = golden("follow_cooking_strategy").replace("Keep all pots full.", "I am the one who loads pots.")
    assert json.loads(play(named))["strategy"]["role"] == "loads pots"
    judged = golden("judge_cooking_strategy")
    assert json.loads(play(judged))["outcome"] == "positive"
    assert json.loads(play(judged.replace("the one who serves soup", "the one who loads pots")))["outcome"] == "neutral"


def test_text_player_refuses_a_prompt_that_it_does_not_know() -> None:
    with pytest.raises(ValueError, match="unknown prompt"):
        play("Tell me a story.")
