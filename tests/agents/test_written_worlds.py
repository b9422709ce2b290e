"""What holds of every prompt and every answer of the worlds that are played in words.

Each example is kept as a golden file. After an intended change: `REWRITE_GOLDEN=1 pytest
tests/agents/test_written_worlds.py`, then read the diff.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hm_agent.models.prompts import render
from hm_agent.questions import Question, answer_schema
from hm_agent.registry import suites
from tests.fitting_answers import check_fitting, check_reasoners, check_schema, values
from tests.prompt_checks import STRAY_WHITESPACE, fields_asked_for, is_golden
from tests.worlds.enacttom.language.household_examples import HOUSE_EXAMPLES
from tests.worlds.matrix_games.round_examples import ROUND_EXAMPLES
from tests.worlds.symmtom.language.language_examples import LANGUAGE_EXAMPLES

WORLDS = Path(__file__).parents[1] / "worlds"
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class Written:
    """The examples of a world. beyond: what is wrong with the only answers that fit their schema and are refused."""

    examples: Mapping[str, Question[Any]]
    golden: Path
    most_tokens: int
    beyond: Sequence[str]


REVISIONS = ("is named more than once", "a new one needs words")
"""A hypothesis is kept once, and a new one is told."""
WRITTEN = {
    "symmtom": Written(
        LANGUAGE_EXAMPLES,
        WORLDS / "symmtom/language/golden",
        600,
        # Nobody meets itself, which players are named decides.
        (*REVISIONS, "walks are too many", "is none of visits its base"),
    ),
    "enacttom": Written(
        HOUSE_EXAMPLES, WORLDS / "enacttom/language/golden", 900, (*REVISIONS, "messages, and you have")
    ),
    "matrix_games": Written(
        ROUND_EXAMPLES,
        WORLDS / "matrix_games/golden",
        600,
        (*REVISIONS, "percentages that add up to 100", "there may be"),
    ),
}
EXAMPLES = [(world, name) for world, written in WRITTEN.items() for name in written.examples]


@pytest.mark.parametrize(("world", "name"), EXAMPLES)
def test_prompt_is_the_golden_one_and_asks_for_every_field_in_few_words(world: str, name: str) -> None:
    written = WRITTEN[world]
    question = written.examples[name]
    prompt = render(question)
    assert is_golden(prompt, written.golden / f"{name}.txt")
    assert fields_asked_for(prompt) == list(question.schema.model_fields)
    assert not STRAY_WHITESPACE.search(prompt)
    assert len(prompt) / CHARACTERS_PER_TOKEN <= written.most_tokens


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_every_golden_file_belongs_to_an_example(written: Written) -> None:
    assert {path.stem for path in written.golden.glob("*")} == set(written.examples)


@pytest.mark.parametrize(("world", "name"), EXAMPLES)
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_whatever_fits_the_schema_is_a_valid_answer(world: str, name: str, data: st.DataObject) -> None:
    question = WRITTEN[world].examples[name]
    check_fitting(data.draw(values(answer_schema(question))), question, WRITTEN[world].beyond)


def test_nothing_in_a_schema_is_open_and_the_reasoners_answer_fits_it() -> None:
    for world, name in EXAMPLES:
        question = WRITTEN[world].examples[name]
        check_schema(question)
        check_reasoners(question, suites()[world].answers())
