"""What pages draw of a story is what its actions say and what the tracker knows."""

from __future__ import annotations

import pytest

from hm_agent.worlds.exploretom.questions.asked import DOES_NOT_KNOW, KNOWS, NO, YES, parse_asked
from hm_agent.worlds.exploretom.questions.functional import functional_questions
from hm_agent.worlds.exploretom.questions.story_questions import AnsweredStory
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS
from hm_agent.worlds.exploretom.story.actions import (
    Alter,
    CarryTo,
    Change,
    Enter,
    Inform,
    ObjectPlace,
    PutInto,
    StoryScript,
)
from hm_agent.worlds.exploretom.story.beliefs import StoryError
from hm_agent.worlds.exploretom.viewer.story_picture import StoryPicture
from tests.worlds.exploretom.story_examples import drawn

FALSE_BELIEF = StoryScript(
    (
        Enter("Anne", "hall"),
        Enter("Beth", "hall"),
        PutInto("Anne", "ball", "box", "hall"),
        Enter("Beth", "attic"),
        PutInto("Anne", "ball", "bag", "hall", peekers=("Carl",)),
        Enter("Carl", "hall"),
        PutInto("Carl", "ball", "box", "hall", distracted=("Anne",)),
    )
)


def row(picture: StoryPicture, who: str | None, about: str | None = None) -> tuple[list[str | None], list[int]]:
    """What a row about the ball says in few letters, and where it is wrong."""
    (subject,) = (one for one in picture.data["subjects"] if one["title"] == "where the ball is")
    (found,) = (one for one in subject["rows"] if (one["who"], one["about"]) == (who, about))
    return [None if value is None else subject["values"][value][0] for value in found["values"]], found["wrong"]


@pytest.mark.parametrize("name", ACTION_SETS)
def test_every_answer_stands_where_the_picture_says(name: str) -> None:
    for seed in range(4):
        script = drawn(name, seed).script
        picture = StoryPicture(script)
        for question in AnsweredStory(script).questions():
            spot = picture.spot(question.asked)
            assert spot is not None
            subject = picture.data["subjects"][spot[0]]
            value = subject["rows"][spot[1]]["values"][spot[2]]
            if question.answer in (NO, DOES_NOT_KNOW):
                assert value is None
            else:
                words = subject["values"][value][1]
                assert question.answer in (YES, KNOWS) or question.answer in words


def test_who_has_what_to_do_with_an_action() -> None:
    roles = [roles for _, roles in StoryPicture(FALSE_BELIEF).data["actions"]]
    assert StoryPicture(FALSE_BELIEF).data["people"] == ["Anne", "Beth", "Carl"]
    assert roles[2] == ["acts", "sees", None]
    assert roles[4] == ["acts", None, "peeks"]
    assert roles[6] == ["misses", None, "acts"]


def test_beliefs_change_with_what_is_seen_and_are_wrong_where_something_else_is_so() -> None:
    picture = StoryPicture(FALSE_BELIEF)
    assert row(picture, None) == ([None, None, None, "box", "box", "bag", "bag", "box"], [0] * 8)
    assert row(picture, "Beth") == ([None, None, None, "box", "box", "box", "box", "box"], [0, 0, 0, 0, 0, 1, 1, 0])
    assert row(picture, "Anne") == ([None, None, None, "box", "box", "bag", "bag", "bag"], [0] * 7 + [1])
    assert row(picture, "Carl", "Anne") == ([None] * 5 + ["bag", "bag", "box"], [0] * 7 + [1])


def test_where_people_and_objects_are() -> None:
    data = StoryPicture(FALSE_BELIEF).data
    assert data["where"][1] == [None, None, "hall", "hall", "attic", "attic", "attic", "attic"]
    assert data["things"] == {"ball": [None] * 3 + [["hall", "box"]] * 2 + [["hall", "bag"]] * 2 + [["hall", "box"]]}
    assert data["containers"] == [["box", "hall"], ["bag", "hall"]]


def test_an_object_that_is_carried_off_was_there_before() -> None:
    script = StoryScript((Enter("Anne", "hall"), CarryTo("Anne", "ball", "attic")))
    picture = StoryPicture(script)
    assert picture.data["things"]["ball"] == [None, ["hall", None], ["attic", None]]
    asked = parse_asked("In which room was the ball at the beginning?")
    assert (picture.spot(asked) or ())[1:] == (0, 1)


def test_what_was_told_and_changed_is_a_subject_of_its_own() -> None:
    script = StoryScript(
        (
            Enter("Anne", "hall"),
            Alter("Anne", Change("ball", "painted")),
            Inform("Anne", ObjectPlace("ball", "hall"), listener="Beth"),
        )
    )
    picture = StoryPicture(script)
    titles = [one["title"] for one in picture.data["subjects"]]
    assert titles == ["where the ball is", "whether the ball is painted", "where Anne is"]
    assert picture.data["actions"][2][1] == ["acts", "told"]


def test_an_action_to_choose_is_marked_at_the_belief_it_follows_from() -> None:
    picture = StoryPicture(FALSE_BELIEF)
    for question in functional_questions(AnsweredStory(FALSE_BELIEF)):
        spot = picture.spot_of(question.text)
        assert spot is not None
        row = picture.data["subjects"][spot[0]]["rows"][spot[1]]
        assert question.text.startswith(row["who"])
        assert row["about"] is None
    assert picture.spot_of("Who is there?") is None


def test_a_question_whose_answer_is_not_shown_has_no_spot() -> None:
    picture = StoryPicture(FALSE_BELIEF)
    for text in (
        "In which room will Anne search for the hat?",
        "In which room will Dora search for the ball?",
        "In which container does Anne think that Beth thinks that Carl will search for the ball?",
    ):
        assert picture.spot(parse_asked(text)) is None


def test_a_story_that_cannot_happen_is_refused_with_the_action() -> None:
    with pytest.raises(StoryError, match="action 1: Anne is not in the hall"):
        StoryPicture(StoryScript((PutInto("Anne", "ball", "box", "hall"),)))
