"""What people are offered as answers, and which answers need no JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import hm_agent
from hm_agent.extensions import ADDED
from hm_agent.models.canned import CannedChat
from hm_agent.models.chat import Reply, Request
from hm_agent.seats.person import with_json
from hm_agent.seats.suggestions import OPEN, expanded, suggestions, wants_several


def test_a_pattern_becomes_the_texts_that_it_matches() -> None:
    pattern = (
        r"^(Wait\[\]|(Open|Close)\[(box_1)\]|Tell\['[^'\n]{0,399}', (all|agent_1, agent_2)\]|go\(\((1, (2|3))\)\))$"
    )
    told = ["Tell['...', all]", "Tell['...', agent_1, agent_2]"]
    assert list(expanded(pattern)) == ["Wait[]", "Open[box_1]", "Close[box_1]", *told, "go((1, 2))", "go((1, 3))"]


def test_free_text_and_several_fields_have_no_suggestions() -> None:
    free = {"properties": {"reasoning": {"type": "string"}, "hypothesis": {"type": "string", "pattern": "^[a-z]$"}}}
    two = {"properties": {"first": {"enum": ["a"]}, "second": {"enum": ["b"]}}}
    assert suggestions(free) == suggestions(two) == {}


def test_one_answer_for_each_question_makes_several() -> None:
    form = {"type": "array", "items": {"enum": ["yes", "no"]}, "minItems": 1}
    assert not wants_several({"properties": {"answers": form}})
    assert wants_several({"properties": {"answers": form | {"minItems": 2}}})


@pytest.fixture
def schemas() -> Iterator[list[Mapping[str, Any]]]:
    """The schemas of all questions that the model `noting` is asked."""
    asked: list[Mapping[str, Any]] = []

    class NotingChat(CannedChat):
        async def complete(self, request: Request) -> Reply:
            asked.append(request.schema)
            return await super().complete(request)

    hm_agent.register_model("noting", NotingChat)
    yield asked
    del ADDED.models["noting"]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # random answers are seldom valid
def test_suggested_calls_fit_the_schemas_of_real_questions(schemas: list[Mapping[str, Any]], tmp_path: Path) -> None:
    names = ["mg_pd_grim", "symmtom_w6_n3_c3", "enacttom_one_window"]
    hm_agent.play(names, agent="react", model="noting", max_steps=1, out=tmp_path, report=False, progress=False)
    plans = [schema for schema in schemas if "calls" in schema["properties"]]
    assert len(plans) >= 3
    for schema in plans:
        pattern = re.compile(schema["properties"]["calls"]["items"]["pattern"])
        offered = [text for texts in suggestions(schema).values() for text in texts]
        assert offered
        assert all(pattern.match(text.replace(OPEN, "hello")) for text in offered)


FREE = {"properties": {"answer": {"type": "string"}}}
CHOICE = {"properties": {"answer": {"type": "string", "enum": ["yes", "no"]}}}


def test_free_text_gets_its_json_and_other_texts_stay() -> None:
    assert json.loads(with_json(" in the box ", FREE)) == {"answer": "in the box"}
    for text, schema in (("yes", CHOICE), ("perhaps", CHOICE), ('{"answer": "x"}', FREE), ("", FREE)):
        assert with_json(text, schema) == text
