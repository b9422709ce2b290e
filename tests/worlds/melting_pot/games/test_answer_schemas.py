"""What an endpoint gives that keeps to the schema of an answer: it is valid, apart from what a schema can't say."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hm_agent.models.answer_parsing import BadAnswer, read_answer
from hm_agent.questions import Question, answer_schema
from tests.fitting_answers import nodes, open_parts, values
from tests.worlds.melting_pot.games.kitchen_examples import KITCHEN_EXAMPLES
from tests.worlds.melting_pot.games.matrix_examples import MATRIX_EXAMPLES, PLAN, planned

EXAMPLES: Mapping[str, Question[Any]] = {**MATRIX_EXAMPLES, **KITCHEN_EXAMPLES}
BEYOND_A_SCHEMA = (
    r"\bcall ([2-9]|10), ",  # in a kitchen, the calls before decide on whether a call may work
    "is named more than once",  # a hypothesis is kept once
    "a new one needs words",  # and a new one is told
    "percentages that add up to 100",  # not all chances are 0
    "then: 2 given",  # a list for each choice, or one
)
"""What is wrong with the only answers that fit their schema and are refused all the same, as regular expressions."""


@pytest.mark.parametrize("name", EXAMPLES)
@given(data=st.data())
@settings(max_examples=10)
def test_whatever_fits_the_schema_is_a_valid_answer(name: str, data: st.DataObject) -> None:
    question, schema = EXAMPLES[name], answer_schema(EXAMPLES[name])
    given_answer = data.draw(values(schema))
    try:
        read_answer(json.dumps(given_answer), question)
    except BadAnswer as bad:
        if not any(re.search(reason, str(bad)) for reason in BEYOND_A_SCHEMA) or "call 1, " in str(bad):
            raise


def test_nothing_in_a_schema_is_open() -> None:
    for name, question in EXAMPLES.items():
        assert open_parts(answer_schema(question)) == [], name


def test_names_that_are_known_are_enumerated() -> None:
    free = {"reasoning", "hypothesis", "strategy", "critique", "words", "rule"}
    for name, question in EXAMPLES.items():
        schema = answer_schema(question)
        for node in nodes(schema):
            for field, part in node.get("properties", {}).items():
                texts = [text for text in nodes(part, schema.get("$defs", {})) if text["type"] == "string"]
                is_known = "properties" in part or "items" in part or all("enum" in text for text in texts)
                assert is_known or field in free, (name, field)


def test_the_calls_of_a_plan_name_the_cells_of_the_prompt_alone() -> None:
    pattern = answer_schema(PLAN)["properties"]["calls"]["items"]["pattern"]
    fits = st.from_regex(pattern)
    assert pattern.startswith(r"^(move_to\(")
    assert len(pattern) < 2_000
    assert fits is not None


def test_where_no_cell_is_named_any_open_one_may_be() -> None:
    lost = planned(PLAN, things=(), sites=(), sightings=(), likely=(), unseen=())
    pattern = answer_schema(lost)["properties"]["calls"]["items"]["pattern"]
    assert "22, (0|1|2" in pattern
