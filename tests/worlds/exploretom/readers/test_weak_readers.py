"""Weak readers answer as their descriptions say."""

from __future__ import annotations

from hm_agent.worlds.exploretom.questions.asked import Asked, AskedProperty
from hm_agent.worlds.exploretom.questions.plans import AskedMeeting
from hm_agent.worlds.exploretom.readers.readers import seen_together
from hm_agent.worlds.exploretom.world import StoryView

STORY = """Anne entered the hall.
Beth entered the hall.
Anne moved the apple to the box, which is also located in the hall.
Carl entered the hall.
Anne moved the apple to the bag, which is also located in the hall.
Beth left the hall.
Anne moved the apple to the sack, which is also located in the hall."""


def answer(question: str, *choices: str) -> str:
    return seen_together(StoryView(STORY, question, choices, False, 1, 1))


def test_what_all_who_are_asked_about_saw_last_is_where_the_thing_is_searched() -> None:
    for people, place in ((("Anne", "Beth"), "bag"), (("Anne", "Carl"), "sack"), (("Beth",), "bag")):
        asked = Asked(AskedProperty.CONTAINER, "apple", *people)
        assert answer(asked.text, "bag", "box", "sack") == place, people


def test_who_last_saw_the_thing_with_the_person_to_meet_is_sent() -> None:
    for met, sent in (("Anne", "Carl"), ("Carl", "Anne")):
        assert answer(AskedMeeting("apple", met, ("Beth", sent)).text, "Beth", sent) == sent
