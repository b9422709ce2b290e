"""What models read. Each example is kept as a golden file, so that a change of words is seen in review.

After an intended change: `REWRITE_GOLDEN=1 pytest tests/worlds/exploretom/test_prompts.py`, then read the diff.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hm_agent.core import Hypothesis
from hm_agent.models.answer_parsing import BadAnswer, read_answer
from hm_agent.models.prompts import render
from hm_agent.questions import Question, answer_schema
from hm_agent.worlds.exploretom.infilling import INFILLING_ANSWERS, JudgeTelling, TellAction
from hm_agent.worlds.exploretom.reading import (
    ANSWERS,
    AnswerFromPerspective,
    AnswerQuestion,
    AnswerWithReasons,
    RevisePerspective,
    TakePerspective,
)
from tests.prompt_checks import is_golden

GOLDEN = Path(__file__).parent / "golden"
STORY = (
    "Anne entered the hall.\nBeth entered the hall.\n"
    "Anne moved the apple to the box, which is also located in the hall.\nBeth left the hall.\n"
    "Anne moved the apple to the bin, which is also located in the hall."
)
ASKED, CHOICES = "In which container will Beth search for the apple?", ("bin", "box")
EXAMPLES: dict[str, Question[Any]] = {
    "answer": AnswerQuestion(STORY, ASKED, CHOICES),
    "answer_free": AnswerQuestion(STORY, ASKED, (), sees_contents=True),
    "answer_with_reasons": AnswerWithReasons(STORY, ASKED, CHOICES),
    "take_perspective": TakePerspective(STORY, "Beth"),
    "revise_perspective": RevisePerspective(
        STORY,
        "Beth",
        (Hypothesis("Anne moved the apple to the bin.", value=-0.3, right=0, tested=1),),
        ASKED,
        "bin",
    ),
    "answer_from_perspective": AnswerFromPerspective(
        STORY, ASKED, CHOICES, "Beth", "Anne moved the apple to the box, and Beth was there."
    ),
    "tell_action": TellAction(
        "",
        "Anne entered the hall.",
        "in one sentence",
        "without direct speech",
        ("Anne", "hall"),
        may_not_name=("Beth",),
    ),
    "tell_action_again": TellAction(
        "Anne came into the hall, humming.",
        "Anne told privately to Beth that the apple is in the box in the hall.",
        "in one or two sentences",
        "with direct speech where someone speaks",
        ("Anne", "Beth", "apple", "box", "hall"),
        "Anne told Beth, who stood in the hall, that the apple was in the box.",
        "it tells more than what happens. Beth may be elsewhere.",
    ),
    "judge_telling": JudgeTelling(
        "Anne came into the hall, humming.",
        "Anne moved the apple to the box, which is also located in the hall.",
        "Anne laid the apple into the box in the hall.",
    ),
}


def test_every_question_has_an_example_and_an_answer_of_the_reasoner() -> None:
    assert {type(example) for example in EXAMPLES.values()} == {*ANSWERS, *INFILLING_ANSWERS}


@pytest.mark.parametrize("name", EXAMPLES)
def test_prompt_is_the_golden_one(name: str) -> None:
    assert is_golden(render(EXAMPLES[name]), GOLDEN / f"{name}.txt")


def test_every_golden_file_belongs_to_an_example() -> None:
    assert {path.stem for path in GOLDEN.glob("*")} == set(EXAMPLES)


def test_answer_is_held_to_the_choices() -> None:
    assert answer_schema(EXAMPLES["answer"])["properties"]["answer"]["enum"] == list(CHOICES)
    assert read_answer('{"answer": "box"}', EXAMPLES["answer"]).answer == "box"
    with pytest.raises(BadAnswer, match="is none of 'bin', 'box'"):
        read_answer('{"answer": "the shelf"}', EXAMPLES["answer"])
    assert read_answer('{"answer": "the shelf"}', EXAMPLES["answer_free"]).answer == "the shelf"
