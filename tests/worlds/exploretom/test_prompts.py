"""What models read. Each example is kept as a golden file, so that a change of words is seen in review.

After an intended change: `REWRITE_GOLDEN=1 pytest tests/worlds/exploretom/test_prompts.py`, then read the diff.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hm_agent.models.answer_parsing import BadAnswer, read_answer
from hm_agent.models.prompts import render
from hm_agent.questions import answer_schema
from hm_agent.worlds.exploretom.infilling import INFILLING_ANSWERS
from hm_agent.worlds.exploretom.random_stories.suggested_cast import CAST_ANSWERS
from hm_agent.worlds.exploretom.readers.reading import ANSWERS
from tests.prompt_checks import is_golden
from tests.worlds.exploretom.story_examples import CHOICES, STORY_EXAMPLES

GOLDEN = Path(__file__).parent / "golden"


def test_every_question_has_an_example_and_an_answer_of_the_reasoner() -> None:
    assert {type(example) for example in STORY_EXAMPLES.values()} == {*ANSWERS, *INFILLING_ANSWERS, *CAST_ANSWERS}


@pytest.mark.parametrize("name", STORY_EXAMPLES)
def test_prompt_is_the_golden_one(name: str) -> None:
    assert is_golden(render(STORY_EXAMPLES[name]), GOLDEN / f"{name}.txt")


def test_every_golden_file_belongs_to_an_example() -> None:
    assert {path.stem for path in GOLDEN.glob("*")} == set(STORY_EXAMPLES)


def test_answer_is_held_to_the_choices() -> None:
    assert answer_schema(STORY_EXAMPLES["answer"])["properties"]["answer"]["enum"] == list(CHOICES)
    assert read_answer('{"answer": "box"}', STORY_EXAMPLES["answer"]).answer == "box"
    with pytest.raises(BadAnswer, match="is none of 'bin', 'box'"):
        read_answer('{"answer": "the shelf"}', STORY_EXAMPLES["answer"])
    assert read_answer('{"answer": "the shelf"}', STORY_EXAMPLES["answer_free"]).answer == "the shelf"
