"""Answers to SymmToM's questions: what is wrong is told with what would be right."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from hm_agent.models.answer_parsing import BadAnswer, read_answer
from hm_agent.models.prompts import render
from hm_agent.questions import answer_schema
from hm_agent.theory_of_mind.decision_questions import CallsAnswer
from hm_agent.theory_of_mind.situation import BarredCall
from hm_agent.worlds.symmtom.language.calls import Call, GoTo, Meet, Recharge
from hm_agent.worlds.symmtom.views import Pieces
from tests.fitting_answers import is_refused
from tests.worlds.symmtom.language.language_examples import BOARD, LANGUAGE_EXAMPLES, PLAN, PREDICT, REVISE


@pytest.mark.parametrize(
    ("calls", "problem"),
    [
        (
            ["fly(3)"],
            r"unknown function 'fly'; write go_to\(\(x, y\)\) or meet\(player\) or recharge\(\) or say\(piece\)",
        ),
        (["go north"], "not a function call: 'go north'"),
        (["go_to((6, 0))"], r"\(6, 0\) is off the board; x and y go from 0 to 5"),
        (["go_to(centre)"], r"'centre' is no cell; write go_to\(\(x, y\)\)"),
        (["meet(player_0)"], "'player_0' is no other player; there are player_1, player_2"),
        (["say(2)"], "you don't know 2; you know 0, 1"),
        (["say(all)"], r"'all' is no piece; write say\(piece\) with one of 0, 1"),
        (["recharge(5)"], r"it takes no argument, and '5' is one; write recharge\(\)"),
        (["say(0)", "recharge()"], r"recharge\(\) first: you still lack 2; first meet\(\) who may know it"),
        (["meet(player_1)"] * 5, "5 walks are too many; at most 4"),
        (["say(0)"] * 8, "8 calls are too many; at most 7"),
        ([], "the plan is empty"),
    ],
)
def test_a_wrong_plan_is_told_what_would_be_right(calls: list[str], problem: str) -> None:
    with pytest.raises(BadAnswer, match=problem):
        read_answer(json.dumps({"calls": calls}), PLAN)


def test_all_wrong_calls_of_a_plan_are_told_at_once() -> None:
    with pytest.raises(BadAnswer, match=r"no other player.*you don't know 2"):
        read_answer('{"calls": ["meet(red)", "say(2)"]}', PLAN)


def test_what_has_just_failed_must_not_come_first() -> None:
    question = LANGUAGE_EXAMPLES["plan_undecided"]
    with pytest.raises(BadAnswer, match=r"go_to\(\(3, 2\)\) has just failed; begin with something else"):
        read_answer('{"calls": ["say(0)", "go_to((3, 2))"]}', question)
    read_answer('{"calls": ["meet(player_1)", "go_to((3, 2))"]}', question)


@pytest.mark.parametrize("knows", [(), (0, 1), (0, 1, 2)])
@pytest.mark.parametrize("failed", [None, Recharge(), Meet("player_1"), GoTo((0, 4))])
def test_the_form_of_the_first_call_allows_the_walks_that_the_check_accepts_and_nothing_else(
    knows: Pieces, failed: Call | None
) -> None:
    barred = BarredCall(failed, "it came no nearer") if failed else None
    question = replace(PLAN, situation=replace(BOARD, knows=knows), barred=barred)
    walks = ["recharge()", *(f"meet(player_{number})" for number in range(4))]
    walks += [f"go_to(({x}, {y}))" for x in range(7) for y in range(7)]
    (first,) = answer_schema(question)["properties"]["calls"]["prefixItems"]
    allowed = [walk for walk in walks if re.search(first["pattern"], walk)]
    assert allowed == [walk for walk in walks if not is_refused(question, CallsAnswer(calls=[walk]))]
    read_answer(render(question).splitlines()[-1], question)  # the example of its prompt can be carried out, too


NEXT: dict[str, Any] = {"does": "visits its base", "says": 1}
PREDICTION = {"player": "player_1", "strategy": "Wait.", "next": [NEXT, NEXT]}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"next": [NEXT | {"says": 3}, NEXT]}, "says: '3' is none of -1, 0, 1, 2"),
        ({"next": [NEXT, NEXT | {"does": "sleeps"}]}, "'sleeps' is none of visits its base, meets player_2"),
    ],
)
def test_a_wrong_prediction_is_told_what_would_be_right(change: dict[str, Any], problem: str) -> None:
    read_answer(json.dumps(PREDICTION), PREDICT)
    with pytest.raises(BadAnswer, match=problem):
        read_answer(json.dumps(PREDICTION | change), PREDICT)


def test_what_a_revised_hypothesis_foresees_is_held_to_the_board() -> None:
    revised = {"of": 1, "hypothesis": "", "next": NEXT | {"says": -2}}
    with pytest.raises(BadAnswer, match="says: '-2' is none of -1, 0, 1, 2"):
        read_answer(json.dumps({"hypotheses": [revised], "strategy": "Wait."}), REVISE)
