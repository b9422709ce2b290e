"""Questions of table 4, their answers, their choices, and what answers mean."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hm_agent.worlds.exploretom.questions.accepted_forms import accepted_forms, overlapping
from hm_agent.worlds.exploretom.questions.asked import (
    DOES_NOT_KNOW,
    IN_CONTAINER,
    KNOWS,
    NO,
    NO_PLACE,
    OPENLY,
    YES,
    AskedProperty,
    parse_asked,
)
from hm_agent.worlds.exploretom.questions.grading import meaning
from hm_agent.worlds.exploretom.questions.story_questions import AnsweredStory, StoryQuestion
from hm_agent.worlds.exploretom.random_stories.sampling import DrawnStory
from hm_agent.worlds.exploretom.story.beliefs import StoryError
from hm_agent.worlds.exploretom.story.language import parse_story
from tests.worlds.exploretom.story_examples import DRAWN

KNOWLEDGE = "(knows about it / does not know about it)"
STORY = """\
Anne entered the hall.
Beth entered the hall.
Anne moved the apple to the box, which is also located in the hall.
Beth left the hall.
Anne salted the apple, which leaves no visible trace.
Anne moved the apple to the tool box, which is also located in the hall.
Anne told privately to Carl about the fair. While this action was happening, Beth witnessed it in secret (and only it).
"""


@pytest.fixture(scope="module")
def asked() -> dict[str, StoryQuestion]:
    return {question.asked.text: question for question in AnsweredStory(parse_story(STORY)).questions()}


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("In which room was the apple at the beginning?", "hall"),
        ("In which container was the apple at the beginning?", "box"),
        ("In which container is the apple now?", "tool box"),
        (
            (
                "In which container was the apple before Anne moved the apple to the tool box, "
                "which is also located in the hall?"
            ),
            "box",
        ),
        ("In which container will Beth search for the apple?", "box"),
        ("In which container will Anne search for the apple?", "tool box"),
        ("In which room will Beth search for the apple?", "hall"),
        ("In which container does Anne think that Beth will search for the apple?", "box"),
        ("In which container does Beth think that Anne will search for the apple?", "box"),
        ("Does Beth know about the fair?", YES),
        (f"What does Anne think about Beth's belief on the fair? {KNOWLEDGE}", DOES_NOT_KNOW),
        (f"What does Beth think about Carl's belief on the fair? {KNOWLEDGE}", KNOWS),
        ("Does Beth believe that the apple is salted? Answer yes or no.", NO),
        ("Does Anne believe that the apple is salted? Answer yes or no.", YES),
        ("Does Anne believe that Beth believes that the apple is salted? Answer yes or no.", NO),
    ],
)  # fmt: skip
def test_question_has_its_answer(asked: dict[str, StoryQuestion], text: str, answer: str) -> None:
    assert asked[text].answer == answer


def test_who_knows_of_no_place_is_not_asked_for_one(asked: dict[str, StoryQuestion]) -> None:
    assert not [text for text in asked if text.startswith("In which") and "Carl" in text]


def test_questions_about_states_stay_after_later_moves(asked: dict[str, StoryQuestion]) -> None:
    about_states = [one for one in asked.values() if one.asked.about is AskedProperty.STATE]
    assert len(about_states) == 3 + 3 * 2


def test_first_order_room_questions_are_asked(asked: dict[str, StoryQuestion]) -> None:
    rooms = [one for one in asked.values() if one.asked.about is AskedProperty.ROOM and one.asked.order == 1]
    assert {one.asked.person for one in rooms} == {"Anne", "Beth"}


def test_question_is_interesting_if_the_answer_depends_on_whom_it_asks(asked: dict[str, StoryQuestion]) -> None:
    assert asked["In which container will Beth search for the apple?"].is_interesting
    assert not asked["In which room will Beth search for the apple?"].is_interesting


def test_false_belief_is_an_answer_that_is_not_so(asked: dict[str, StoryQuestion]) -> None:
    assert asked["In which container will Beth search for the apple?"].is_false_belief
    assert not asked["In which container will Anne search for the apple?"].is_false_belief


def test_repeated_action_has_no_before() -> None:
    moves = [f"Anne moved the apple to the {box}, which is also located in the hall." for box in ("box", "bin", "box")]
    story = AnsweredStory(parse_story("\n".join(["Anne entered the hall.", *moves])))
    clauses = [one.asked.clause for one in story.questions() if one.asked.clause]
    assert clauses == [moves[1].removesuffix(".")] * 2  # its room and its container


@settings(max_examples=60, deadline=None)
@given(DRAWN)
def test_every_question_reads_back_and_has_one_right_choice(drawn: DrawnStory) -> None:
    story = AnsweredStory(drawn.script, drawn.tracker)
    for question in (*story.questions(), *story.whereabouts_questions()):
        assert parse_asked(question.asked.text) == question.asked
        assert story.answer(question.asked) == question.answer
        assert len(set(question.choices)) == len(question.choices) > 1
        assert [choice for choice in question.choices if choice == question.answer]
        forms = [form for choice in question.choices for form in accepted_forms(choice)]
        assert len(set(forms)) == len(forms), "accepted answers overlap"
        for choice in question.choices:
            assert {meaning(form, question.choices) for form in accepted_forms(choice)} == {choice}


def test_words_that_ask_nothing_are_refused() -> None:
    with pytest.raises(StoryError, match="no question reads like"):
        parse_asked("Where is the apple?")


YES_NO, BOXES = (NO, YES), ("box", "tool box")
WHEREABOUTS = (IN_CONTAINER, NO_PLACE, OPENLY)


@pytest.mark.parametrize(
    ("text", "choices", "meant"),
    [
        ("no", YES_NO, NO),
        ("Yes.", YES_NO, YES),
        ("I don't know", YES_NO, None),
        ("nobody", YES_NO, None),
        ("eyes", YES_NO, None),
        ("Yes or no", YES_NO, None),
        ("(b)", YES_NO, YES),
        ("(3)", YES_NO, None),
        ("knows", (DOES_NOT_KNOW, KNOWS), KNOWS),
        ("Doesn't know about it.", (DOES_NOT_KNOW, KNOWS), DOES_NOT_KNOW),
        ("does not know about it", (DOES_NOT_KNOW, KNOWS), DOES_NOT_KNOW),
        ("The BOX", BOXES, "box"),
        ("tool box", BOXES, "tool box"),
        ("Anne will look in the tool box.", BOXES, "tool box"),
        ("in the box", BOXES, "box"),
        ("not in the box", BOXES, None),
        ("It is no longer in the box", BOXES, None),
        ("It can't be in the box", BOXES, None),
        ("Anne cannot know that it is in the box", BOXES, None),
        ("in the tool box instead of in the box", BOXES, "tool box"),
        ("in the box or in the tool box", BOXES, None),
        ("in the boxes", BOXES, None),
        ("to the tool box", BOXES, "tool box"),
        ("Anne goes to the box.", BOXES, "box"),
        ("She would go to the tool box in the kitchen", BOXES, "tool box"),
        ("does not go to the box", BOXES, None),
        ("in the tool box before Beth moved it to the box", BOXES, None),
        ("the red box", BOXES, None),
        ("", BOXES, None),
        ("No, Edith does not believe that.", YES_NO, NO),
        ("Yes. She saw it.", YES_NO, YES),
        ("Yes, she does not", YES_NO, None),
        ("No. Yes.", YES_NO, None),
        ("David thinks that Yara does not know about it", (DOES_NOT_KNOW, KNOWS), DOES_NOT_KNOW),
        ("David thinks Priya knows about it.", (DOES_NOT_KNOW, KNOWS), KNOWS),
        ("David does not know whether Priya knows about it", (DOES_NOT_KNOW, KNOWS), None),
        ("does not know about it (Priya missed it)", (DOES_NOT_KNOW, KNOWS), DOES_NOT_KNOW),
        ("In the tool box, where Carmen is.", BOXES, "tool box"),
        ("Tool Box (kitchen)", BOXES, "tool box"),
        ("the tool box in the kitchen", BOXES, "tool box"),
        ("the box in the tool box", BOXES, None),
        ("in the box and in the tool box", BOXES, None),
        ("in the box of nails", BOXES, None),
        ("In the box. Beth did not see the move.", BOXES, "box"),
        ("In the box. Beth was not there.", BOXES, "box"),
        ("In the box. It's no longer there.", BOXES, None),
        ("The box? That is not right.", BOXES, None),
        ("In the box. Anne last saw it in the tool box.", BOXES, None),
        ("Because she saw it in the box, she looks in the tool box.", BOXES, "tool box"),
        ("She saw it go from the box to the tool box, so she looks in the tool box.", BOXES, "tool box"),
        ("I doubt Beth knows about it", (DOES_NOT_KNOW, KNOWS), None),
        ("In the box? No, in the tool box.", BOXES, None),
        ("the box (not the tool box)", BOXES, "box"),
        ("Neither the box nor the tool box", BOXES, None),
        ("Beth does not know that it was moved to the box, so she looks in the tool box.", BOXES, "tool box"),
        ("It was in the box, so she would not look in the tool box", BOXES, "box"),
        ("nobody knows about it", (DOES_NOT_KNOW, KNOWS), None),
        ("Anne thinks that Beth knows about the fair", (DOES_NOT_KNOW, KNOWS), KNOWS),
        ("Yes, because she did not miss it", YES_NO, YES),
        ("no idea", YES_NO, None),
        ("The answer is no.", YES_NO, NO),
        ("probably yes", YES_NO, YES),
        ("Probably the tool box", BOXES, "tool box"),
        ("In a container.", WHEREABOUTS, IN_CONTAINER),
        ("Beth will search in a container", WHEREABOUTS, IN_CONTAINER),
        ("not in a container but in the open", WHEREABOUTS, OPENLY),
        ("it stands out in the open", WHEREABOUTS, OPENLY),
        ("Beth knows no place.", WHEREABOUTS, NO_PLACE),
        ("She does not know where it is", WHEREABOUTS, NO_PLACE),
        ("in a container or out in the open", WHEREABOUTS, None),
        ("the box, then the tool box", BOXES, None),
        ("the box, but it is not there", BOXES, None),
    ],
)
def test_answer_means_a_choice_or_none(text: str, choices: tuple[str, ...], meant: str | None) -> None:
    assert meaning(text, choices) == meant


ASSERTED = (
    "in the {0}, because {2} last saw it in the {1}",
    "{2} will look in the {0}, since it was moved there from the {1}.",
    "As {2} saw it in the {1}, and then in the {0}, {2} goes to the {0}.",
    "not in the {1} but in the {0}",
    "It is not in the {1}, it is in the {0}",
    "the {0}, not the {1}",
    "{0} rather than {1}",
    "in the {0} instead of the {1}",
    "It was in the {1}, but now it is in the {0}",
    "{2} saw it go from the {1} to the {0}, so in the {0}.",
    "I think {0}",
    "I think that {2} searches the {0}.",
    "**{0}**\nbecause {2} did not see it go into the {1}",
)
"""Answers that mean the first of two containers."""
UNCLEAR = (
    "in the {0} or in the {1}",
    "in the {0} and in the {1}",
    "In the {0}. It was moved to the {1}.",
    "in the {0} if {2} saw it, else in the {1}",
    "in the {0}, although it is in the {1}",
    "not in the {0}",
    "maybe in the {0}",
    "in the {0} before it went to the {1}",
)
"""Answers that may mean either, or neither."""
CONTAINERS = st.sampled_from(["box", "tool box", "bin", "blue crate", "crate", "red-and-white tin"])


@settings(max_examples=200, deadline=None)
@given(
    containers=st.lists(CONTAINERS, min_size=2, max_size=5, unique=True),
    asserted=st.sampled_from(ASSERTED),
    unclear=st.sampled_from(UNCLEAR),
    person=st.sampled_from(["Anne", "she", "Beth Ann"]),
)
def test_an_answer_means_what_it_asserts_or_nothing(
    containers: list[str], asserted: str, unclear: str, person: str
) -> None:
    named = (containers[0], containers[1], person)
    assert meaning(asserted.format(*named), sorted(containers)) == containers[0]
    assert meaning(unclear.format(*named), sorted(containers)) is None


def test_what_was_so_counts_where_the_question_asks_for_it() -> None:
    words = "It was in the box, but now it is in the tool box."
    assert meaning(words, BOXES, "In which container is the apple now?") == "tool box"
    assert meaning(words, BOXES, "In which container was the apple at the beginning?") == "box"


NAMES = st.text("aAbB tThHeE'’-/", min_size=1, max_size=8)


@settings(max_examples=150, deadline=None)
@given(containers=st.lists(NAMES, min_size=2, max_size=4, unique=True), part=st.sampled_from(["x{}", "{}x", "not {}"]))
def test_whatever_things_are_called_an_answer_means_one_of_them(containers: list[str], part: str) -> None:
    moves = [f"Anne moved the apple to the {name}, which is also located in the hall." for name in containers]
    try:
        story = AnsweredStory(parse_story("\n".join(["Anne entered the hall.", *moves])))
    except StoryError:
        return  # refused: what can't be told apart can't be asked about
    for question in story.questions():
        assert overlapping(question.choices) is None
        for choice in question.choices:
            assert all(meaning(form, question.choices) == choice for form in accepted_forms(choice))
            assert meaning(part.format(choice), question.choices) in (None, *set(question.choices) - {choice})


@pytest.mark.parametrize("names", [("box", "Box"), ("box", "box'"), ("the box", "bin"), ("-", "bin")])
def test_names_that_answers_can_not_tell_apart_are_refused(names: tuple[str, str]) -> None:
    moves = [f"Anne moved the apple to the {name}, which is also located in the hall." for name in names]
    with pytest.raises(StoryError, match=r"can't be told apart|no article|letters or digits"):
        parse_story("\n".join(["Anne entered the hall.", *moves]))
