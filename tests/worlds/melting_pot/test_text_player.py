from __future__ import annotations

import json
from pathlib import Path

import pytest

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


def test_text_player_expects_what_a_clue_suggests_and_builds_on_what_it_holds() -> None:
    told = golden("predict_after_a_clue").replace("rock at", "scissors at")
    strategy = json.loads(play(told))["strategy"]
    assert (strategy["expects"]["kind"], strategy["hold"]) == ("scissors", {"rock": 9, "paper": 4, "scissors": 1})


def test_text_player_infers_an_inventory_that_explains_the_reward() -> None:
    held = InventoryAnswer.model_validate_json(play(golden("infer_inventory"))).inventory
    assert 6.25 * (held["rock"] - held["scissors"]) / sum(held.values()) == pytest.approx(3.125)


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
