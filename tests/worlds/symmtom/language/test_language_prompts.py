"""What models read of SymmToM, to the field."""

from __future__ import annotations

import re
from dataclasses import replace

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
