"""Stories as text and as JSON, and what can't be read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

from hm_agent.worlds.exploretom.random_stories.sampling import DrawnStory
from hm_agent.worlds.exploretom.story.actions import CarryTo
from hm_agent.worlds.exploretom.story.beliefs import StoryError
from hm_agent.worlds.exploretom.story.language import name_problem, parse_action, parse_story, text_of
from hm_agent.worlds.exploretom.story.story_data import from_data, to_data
from tests.worlds.exploretom.story_examples import DRAWN


@settings(max_examples=60, deadline=None)
@given(DRAWN)
def test_text_and_json_give_the_same_story_back(drawn: DrawnStory) -> None:
    script = drawn.script
    for text in (text_of(script), text_of(script).replace("\n", " ")):
        assert parse_story(text, sees_contents=script.sees_contents) == script
    assert from_data(json.loads(json.dumps(to_data(script)))) == script


def test_published_sentence_of_going_away_with_an_object_is_read() -> None:
    sentence = "Amelia moved the kit to the storage room, leaving the plastic bin in its original location."
    assert parse_action(sentence) == CarryTo("Amelia", "kit", "storage room")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Anne entered the hall.\n\nAnne danced.", "line 3: no action reads like 'Anne danced.'"),
        ("anne entered the hall.", "line 1: no action reads like"),
        ("While this action was happening, Dora witnessed it in secret (and only it).", "line 1: "),
        ("Anne entered the {{ 7 * 7 }}.", "line 1: no action reads like"),
        ("Anne entered the <b>hall</b>.", "line 1: no action reads like"),
        (f"{'A' * 5000} danced.", "line 1: no action reads like"),
    ],
)
def test_bad_line_is_named(text: str, problem: str) -> None:
    with pytest.raises(StoryError) as raised:
        parse_story(text)
    assert str(raised.value).startswith(problem)
    assert len(str(raised.value)) < 200


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ([], "a story is an object"),
        ({"actions": [], "version": 3}, "a story has actions and sees_contents, and no version"),
        ({"actions": [{"action": "dance"}]}, "action 1: an action is an object whose `action` is one of"),
        ({"actions": [{"action": ["enter"]}]}, "action 1: an action is an object whose `action` is one of"),
        ({"actions": [{"action": "enter", "person": "Anne"}]}, "action 1: enter: room: Field required"),
        ({"actions": [{"action": "enter", "person": "Anne", "room": "a\nb"}]}, "action 1: 'a\\nb': a name has"),
        ({"actions": [{"action": "enter", "person": "{{x}}", "room": "hall"}]}, "action 1: '{{x}}': a name has"),
        (
            {"actions": [{"action": "enter", "person": "Anne", "room": "room in hell"}]},
            "action 1: 'room in hell': 'in'",
        ),
        ({"actions": [{"action": "leave", "person": "Anne", "room": "hall"}]}, "action 1: Anne is not in the hall"),
    ],
)
def test_bad_json_is_one_clear_line(data: object, problem: str) -> None:
    with pytest.raises(StoryError) as raised:
        from_data(data)
    assert str(raised.value).startswith(problem)


def test_names_hold_no_markup() -> None:
    assert all(name_problem(name) for name in ("<b>", "{{ x }}", "a\nb", "", "a  b", "x" * 61))
    assert name_problem("large map of the city") is None
