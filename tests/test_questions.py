"""The form of answers as strict endpoints accept it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

import pytest
from pydantic import BaseModel, Field

from hm_agent.bounds import MAX_TEXT
from hm_agent.questions import Question, answer_schema, ask, asking, item_schemas
from hm_agent.testing.scripted_model import ScriptedModel, each
from hm_agent.worlds.melting_pot.games.matrix.questions import InferInventory
from tests.models.test_answer_parsing import COUNTER, INFER, NAMES, QUESTIONS, RULES


def nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The schema and all schemas in it."""
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values(), *schema.get("anyOf", ())]
    for part in [*inner, *schema.get("prefixItems", ()), *([schema["items"]] if "items" in schema else [])]:
        yield from nodes(part)


class Place(BaseModel):
    title: str = "nowhere"
    kind: Literal["box", "wall"]


class Tour(BaseModel):
    """An answer with all that an answer may hold."""

    reasoning: str = ""
    default: int | None = Field(default=None, description="A property called like a keyword.")
    places: list[Place] = []
    gains: list[dict[str, Place]] = []


class AskTour(Question[Tour]):
    template = "none.j2"
    schema = Tour
    keys: ClassVar[tuple[str, ...]] = ("north", "south")
    forms: ClassVar[Mapping[str, Any]] = {"places": {"prefixItems": [Place.model_json_schema()]}}


ALL = (*QUESTIONS, AskTour())


@pytest.mark.parametrize("question", ALL, ids=lambda question: type(question).__name__)
def test_every_object_is_closed_and_requires_all_its_properties(question: Question[Any]) -> None:
    objects = [node for node in nodes(answer_schema(question)) if node.get("type") == "object"]
    assert objects
    for node in objects:
        assert node["additionalProperties"] is False
        assert node["required"] == list(node["properties"])


@pytest.mark.parametrize("question", ALL, ids=lambda question: type(question).__name__)
def test_no_titles_no_defaults_and_no_docstrings_are_left(question: Question[Any]) -> None:
    assert not [node for node in nodes(answer_schema(question)) if {"title", "default", "description"} & node.keys()]


@pytest.mark.parametrize("question", ALL, ids=lambda question: type(question).__name__)
def test_every_text_and_every_list_has_a_bound(question: Question[Any]) -> None:
    bounds = {"string": {"enum", "const", "pattern", "maxLength"}, "array": {"maxItems"}}
    for node in nodes(answer_schema(question)):
        assert bounds.get(node.get("type", ""), set(node)) & node.keys()


@pytest.mark.parametrize("question", ALL, ids=lambda question: type(question).__name__)
def test_properties_keep_the_order_of_the_answer_so_that_reasoning_comes_first(question: Question[Any]) -> None:
    assert list(answer_schema(question)["properties"]) == list(question.schema.model_fields)
    assert next(iter(answer_schema(question)["properties"])) == "reasoning"


def test_a_mapping_names_every_key_of_the_question() -> None:
    counts = {name: {"type": "integer", "minimum": 1, "maximum": 40} for name in NAMES}
    closed = {"type": "object", "properties": counts, "required": list(NAMES), "additionalProperties": False}
    assert answer_schema(INFER)["properties"]["inventory"] == closed
    assert answer_schema(COUNTER)["$defs"]["AgainstOne"]["properties"]["hold"] == closed


def test_properties_called_like_keywords_stay() -> None:
    schema = answer_schema(AskTour())
    assert "default" in schema["properties"]
    assert list(schema["$defs"]["Place"]["properties"]) == ["title", "kind"]


def test_mappings_inside_lists_are_closed_too() -> None:
    gains = answer_schema(AskTour())["properties"]["gains"]["items"]
    assert gains["properties"] == {"north": {"$ref": "#/$defs/Place"}, "south": {"$ref": "#/$defs/Place"}}


def test_the_first_items_of_a_list_are_closed_and_bounded_too() -> None:
    places = answer_schema(AskTour())["properties"]["places"]
    (first,) = places["prefixItems"]
    assert (first["required"], first["additionalProperties"]) == (["title", "kind"], False)
    assert first["properties"]["title"] == {"type": "string", "maxLength": MAX_TEXT}
    assert item_schemas(places, 3) == [first, places["items"], places["items"]]
    assert item_schemas(places, 0) == []


def test_a_mapping_without_keys_is_refused() -> None:
    class Keyless(InferInventory):
        keys = ()

    with pytest.raises(ValueError, match="needs the keys"):
        answer_schema(Keyless(RULES, (1, 1, 1), 0.0))


def test_what_is_asked_is_what_the_answer_means_and_none_without_one() -> None:
    asked = asking(AskTour(), lambda tour: len(tour.places))
    model = ScriptedModel({AskTour: each([Tour(places=[Place(kind="box")]), Tour()])})
    assert [asyncio.run(ask(model, asked)) for _ in range(3)] == [1, 0, None]


def test_the_form_of_the_answer_itself_is_left_as_it_is() -> None:
    before = INFER.schema.model_json_schema()
    answer_schema(INFER)
    assert INFER.schema.model_json_schema() == before
