"""What models read of SymmToM, to the field."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from hm_agent.models.prompts import render
from hm_agent.theory_of_mind.situation import BarredCall
from hm_agent.worlds.symmtom.language.board import YOU, Talk
from hm_agent.worlds.symmtom.language.calls import Meet
from tests.worlds.symmtom.language.language_examples import BOARD, GREEN, LANGUAGE_EXAMPLES, PLAN


@pytest.mark.parametrize("name", LANGUAGE_EXAMPLES)
def test_prompt_begins_with_the_rules_and_names_no_scenario(name: str) -> None:
    prompt = render(LANGUAGE_EXAMPLES[name])
    assert prompt.startswith("# The game\nYou are player_0, one of 3 players on 6 x 6 cells")
    assert not re.search(r"symmtom|scenario|heuristic|\bbots?\b", prompt, re.IGNORECASE)


def test_the_example_of_an_answer_does_not_begin_with_what_has_just_failed() -> None:
    barred = BarredCall(Meet("player_1"), "player_1 was not reached in 12 steps")
    of_two = replace(PLAN, situation=replace(BOARD, others=(replace(GREEN, cell=(5, 5)),)), barred=barred)
    assert '"calls": ["go_to((5, 5))", ' in render(of_two)
    assert '"calls": ["meet(player_2)", ' in render(replace(PLAN, barred=barred))


def test_prompts_tell_the_published_rules_where_they_hold() -> None:
    told = "What you can say is what you knew a step earlier"
    assert told not in render(PLAN)
    board = replace(BOARD, rules=replace(BOARD.rules, has_published_rules=True))
    assert told in render(replace(PLAN, situation=board))


@pytest.mark.parametrize(
    ("change", "before", "after"),
    [
        ({"cell": (1, 4)}, "You: (2, 3);", "You: (1, 4);"),
        ({"base": (4, 4)}, "; base (5, 0); first-hand 0; you", "; base (4, 4); first-hand 0; you"),
        ({"knows": (0, 1, 2)}, "you know 0 1, lack 2.", "you know 0 1 2: all."),
        ({"step": 13}, "Step 12 of 30.", "Step 13 of 30."),
        ({"said": None}, "you said 0 to player_1;", "you said nothing;"),
        ({"heard": ()}, "; player_1 said 1;", "you said 0 to player_1; you got 1.\n"),
        ({"got": 3.5}, "; you got 1.\n", "; you got 3.5.\n"),
    ],
)
def test_each_field_of_the_board_is_told(change: dict[str, Any], before: str, after: str) -> None:
    changed = render(replace(PLAN, situation=replace(BOARD, **change)))
    assert before in render(PLAN)
    assert before not in changed
    assert after in changed


def test_talks_tell_who_met_whom_and_what_the_reader_heard_of_it() -> None:
    pairs = ((YOU, "player_1"), ("player_1", "player_2"))
    heard = ((YOU, (0, 1)), ("player_1", (2, None)))
    talks = (Talk(3, 4, pairs, heard), Talk(7, 7, pairs[1:], (), ("player_2",)), Talk(9, 9, recharged=(YOU,)))
    told = render(replace(PLAN, situation=replace(BOARD, talks=talks)))
    lines = ("3-4: you 0 1, player_1 2 -; player_1 + player_2", "7: player_1 + player_2; player_2 recharged")
    assert "\n".join(["(- is nothing)", *lines, "9: you recharged", ""]) in told
    assert "Who was in range" not in render(replace(PLAN, situation=replace(BOARD, talks=())))


def test_a_test_of_mind_says_how_those_out_of_hearing_speak() -> None:
    told = render(replace(PLAN, situation=replace(BOARD, rules=replace(BOARD.rules, has_greedy_speakers=True))))
    assert "begins at 0 for player_0, 1 for player_1, 2 for player_2, and after 2 goes on at 0." in told
    assert "in its own order" not in render(PLAN)


@pytest.mark.parametrize(
    ("change", "after"),
    [
        ({"cell": (3, 3)}, "- player_1 (3, 3), moved left; base"),
        ({"base": (1, 1)}, "; base (1, 1); first-hand 1;"),
        ({"first_hand": None}, "; first-hand unknown;"),
        ({"shown": ()}, "said or heard near you: none; in range: you"),
        ({"near": ("player_2",)}, "; in range: player_2\n"),
        ({"moved": "stay"}, "- player_1 (3, 2); base"),
        ({"is_held": True}, "moved left, can't move now;"),
    ],
)
def test_each_field_of_another_player_is_told(change: dict[str, Any], after: str) -> None:
    changed = render(replace(PLAN, situation=replace(BOARD, others=(replace(GREEN, **change), BOARD.others[1]))))
    assert after in changed
    assert after not in render(PLAN)
