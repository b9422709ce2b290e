"""Every row of the semantics, by hand-made stories; and the tracker against beliefs by their definition."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from hm_agent.worlds.exploretom.random_stories.sampling import DrawnStory
from hm_agent.worlds.exploretom.story.actions import Inform, ObjectPlace, PutInto
from hm_agent.worlds.exploretom.story.belief_definition import DefinedBeliefs
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker, StoryError, track
from hm_agent.worlds.exploretom.story.evidence import (
    AwayFrom,
    Missing,
    ObjectLocation,
    location_key,
    room_key,
    state_key,
    topic_key,
)
from hm_agent.worlds.exploretom.story.language import parse_story, text_of
from tests.worlds.exploretom.story_examples import DRAWN

SALTED, PAINTED = state_key("apple", "salted"), state_key("apple", "painted in red")
APPLE = location_key("apple")
BOX, BIN = ObjectLocation("hall", "box"), ObjectLocation("hall", "bin")
MOVED_TO_BOX = "Anne moved the apple to the box, which is also located in the hall."
MOVED_TO_BIN = "Anne moved the apple to the bin, which is also located in the hall."
ANNE_IN = "Anne entered the hall."
ALL_IN = "Anne entered the hall.\nBeth entered the hall.\nCarl entered the hall."
PEEKED = "While this action was happening, Dora witnessed it in secret (and only it)."
MISSED = "While this action was happening, Beth got distracted and missed it (and only it) unnoticed."


def told(*lines: str, sees_contents: bool = False) -> BeliefTracker:
    return track(parse_story("\n".join(lines), sees_contents=sees_contents))


def test_leaver_misses_what_follows_and_those_there_know_that() -> None:
    story = told(ALL_IN, MOVED_TO_BOX, "Beth left the hall.", MOVED_TO_BIN)
    assert (story.belief("Beth", APPLE), story.belief("Carl", APPLE)) == (BOX, BIN)
    assert story.nested_belief("Carl", "Beth", APPLE) == BOX
    assert story.nested_belief("Beth", "Carl", APPLE) == BOX
    assert story.belief("Carl", room_key("Beth")) == AwayFrom("hall")


def test_who_was_never_there_believes_nothing() -> None:
    story = told("Anne entered the hall.", MOVED_TO_BOX, "Beth entered the attic.")
    assert story.belief("Beth", APPLE) is None
    assert story.nested_belief("Anne", "Beth", APPLE) is None


def test_peeker_sees_and_nobody_thinks_so() -> None:
    story = told(ALL_IN, f"{MOVED_TO_BOX} {PEEKED}")
    assert story.belief("Dora", APPLE) == BOX
    assert story.nested_belief("Dora", "Beth", APPLE) == BOX
    assert story.nested_belief("Beth", "Dora", APPLE) is None


def test_distracted_person_misses_and_everyone_thinks_otherwise() -> None:
    story = told(ALL_IN, MOVED_TO_BOX, f"{MOVED_TO_BIN} {MISSED}")
    assert story.belief("Beth", APPLE) == BOX
    assert story.nested_belief("Anne", "Beth", APPLE) == BIN


@pytest.mark.parametrize(
    ("people", "believed"),
    [
        (("Carl", "Beth", "Anne"), BIN),
        (("Carl", "Anne", "Beth", "Carl"), BIN),
        (("Beth", "Anne", "Carl"), BOX),
        (("Dora", "Anne", "Beth"), BIN),
        (("Dora", "Dora", "Beth"), BIN),
        (("Dora", "Anne", "Dora"), None),
        (("Anne", "Carl", "Dora"), None),
    ],
)
def test_higher_orders_follow_from_who_is_taken_to_have_seen_it(
    people: tuple[str, ...], believed: ObjectLocation | None
) -> None:
    aside = f"{PEEKED} {MISSED}"
    script = parse_story("\n".join((ALL_IN, MOVED_TO_BOX, f"{MOVED_TO_BIN} {aside}")))
    assert DefinedBeliefs(script).chained_belief(people, APPLE) == believed


def test_listener_is_thought_to_think_that_the_teller_believes_it() -> None:
    script = parse_story(
        f"{ALL_IN}\n{MOVED_TO_BOX}\nBeth left the hall.\n{MOVED_TO_BIN}\n"
        "Anne told privately to Beth that the apple is in the bin in the hall."
    )
    beliefs = DefinedBeliefs(script)
    assert beliefs.chained_belief(("Anne", "Beth", "Anne"), APPLE) == BIN
    assert beliefs.chained_belief(("Anne", "Beth", "Carl"), APPLE) == BOX
    assert beliefs.chained_belief(("Carl", "Anne", "Beth"), APPLE) == BOX


def test_second_order_belief_of_the_distracted_does_not_leak() -> None:
    story = told(ALL_IN, MOVED_TO_BOX, f"{MOVED_TO_BIN} {MISSED}")
    assert [story.nested_belief("Beth", other, APPLE) for other in ("Anne", "Carl")] == [BOX, BOX]
    assert story.nested_belief("Beth", "Beth", APPLE) == BOX


def test_later_second_order_belief_leaves_beliefs_of_states_alone() -> None:
    salted = "Anne salted the apple, which leaves no visible trace."
    story = told(ALL_IN, MOVED_TO_BOX, salted, "Beth left the hall.", MOVED_TO_BIN)
    assert [story.belief(name, SALTED) for name in story.people] == [True, True, True]
    assert [story.nested_belief("Carl", name, SALTED) for name in story.people] == [True, True, True]


def test_rejected_broadcast_changes_nothing() -> None:
    lines = (ALL_IN, MOVED_TO_BOX)
    story = told(*lines)
    before = {key: story.beliefs(key) for key in story.known_keys()}
    action = Inform("Anne", ObjectPlace("apple", "hall", "box"), None, "hall")
    with pytest.raises(StoryError, match="believes that everyone in the hall knows that already"):
        story.apply(action)
    assert {key: story.beliefs(key) for key in story.known_keys()} == before
    assert story.time == told(*lines).time


def test_stale_news_is_not_believed_against_own_eyes() -> None:
    story = told(
        ALL_IN, MOVED_TO_BOX, "Beth left the hall.", MOVED_TO_BIN, "Carl left the hall.", "Dora entered the attic.",
        "Beth told privately to Dora that the apple is in the box in the hall.",
        "Carl told privately to Dora that the apple is in the bin in the hall.",
    )  # fmt: skip
    assert story.belief("Dora", APPLE) == BIN
    late = told(
        ALL_IN, MOVED_TO_BOX, "Beth left the hall.", "Dora entered the hall.", MOVED_TO_BIN,
        "Beth told privately to Dora that the apple is in the box in the hall.",
    )  # fmt: skip
    assert late.belief("Dora", APPLE) == BIN, "it saw the move later than Beth"
    assert late.nested_belief("Dora", "Beth", APPLE) == BOX
    assert late.nested_belief("Beth", "Dora", APPLE) == BOX
    heard = told(
        ALL_IN, MOVED_TO_BOX, "Beth left the hall.", MOVED_TO_BIN,
        "Beth told privately to Dora that the apple is in the box in the hall.",
        "Dora entered the hall.", "Beth entered the hall.",
        "Carl told everyone in the hall that the apple is in the bin in the hall.",
    )  # fmt: skip
    assert heard.nested_belief("Dora", "Beth", APPLE) == BIN, "the teller's own news was older"


def test_object_taken_out_of_its_container_is_not_hidden() -> None:
    story = told(
        "Anne entered the hall.", MOVED_TO_BOX,
        "Anne went to the attic with the apple, leaving any container behind.", "Beth entered the attic.",
    )  # fmt: skip
    assert story.belief("Beth", APPLE) == ObjectLocation("attic")
    assert story.containers == {"box": "hall"}


def test_containers_stay_in_their_room() -> None:
    with pytest.raises(StoryError, match="line 4: the box is in the hall, not in the attic"):
        told(
            "Anne entered the hall.", MOVED_TO_BOX,
            "Anne went to the attic with the apple, leaving any container behind.",
            "Anne moved the apple to the box, which is also located in the attic.",
        )  # fmt: skip


def test_going_away_with_an_object_is_seen_from_both_rooms() -> None:
    story = told(ALL_IN, MOVED_TO_BOX, "Dora entered the attic.", "Anne went to the attic with the apple, leaving any container behind.")  # fmt: skip  # noqa: E501
    attic = ObjectLocation("attic")
    assert (story.belief("Anne", APPLE), story.belief("Dora", APPLE)) == (attic, attic)
    assert story.belief("Beth", APPLE) == AwayFrom("hall")
    assert story.nested_belief("Anne", "Beth", APPLE) == AwayFrom("hall")
    assert story.nested_belief("Dora", "Anne", APPLE) == attic
    assert story.belief("Beth", room_key("Anne")) == AwayFrom("hall")


ENTERS_LATE = ("Anne entered the hall.", MOVED_TO_BOX, "Beth entered the hall.")


def test_entering_shows_what_stands_openly_and_no_contents() -> None:
    story = told(*ENTERS_LATE)
    assert story.belief("Beth", APPLE) is None
    assert story.belief("Beth", room_key("box")) == "hall"
    assert story.belief("Beth", room_key("Anne")) == "hall"
    assert story.nested_belief("Anne", "Beth", room_key("box")) == "hall"


def test_entering_shows_contents_if_the_story_says_so() -> None:
    story = told(*ENTERS_LATE, sees_contents=True)
    assert story.belief("Beth", APPLE) == BOX
    assert story.nested_belief("Anne", "Beth", APPLE) == BOX


@pytest.mark.parametrize(
    ("act", "seen"),
    [("painted the apple in red", True), ("salted the apple, which leaves no visible trace", None)],
)
def test_only_visible_changes_are_seen_later(act: str, seen: bool | None) -> None:
    story = told("Anne entered the hall.", f"Anne {act}.", "Beth entered the hall.")
    assert story.belief("Beth", PAINTED if seen else SALTED) is seen
    assert story.belief("Anne", PAINTED if seen else SALTED) is True
    assert story.belief("Beth", APPLE) == ObjectLocation("hall")


def test_visible_change_of_a_hidden_object_is_not_seen() -> None:
    story = told("Anne entered the hall.", MOVED_TO_BOX, "Anne painted the apple in red.", "Beth entered the hall.")
    assert story.belief("Beth", PAINTED) is None


def test_who_does_not_find_what_stood_there_no_longer_knows_where_it_is() -> None:
    story = told(
        "Anne entered the hall.", "Beth entered the hall.", "Anne salted the apple, which leaves no visible trace.",
        "Beth left the hall.", MOVED_TO_BOX, "Beth entered the hall.",
    )  # fmt: skip
    assert isinstance(story.belief("Beth", APPLE), Missing)
    assert isinstance(story.nested_belief("Anne", "Beth", APPLE), Missing)


def test_private_talk_needs_no_room_and_reaches_no_other() -> None:
    story = told("Anne told privately to Beth about the fair.", "Carl entered the hall.")
    fair = topic_key("fair")
    assert [story.belief(name, fair) for name in story.people] == [True, True, None]
    assert story.nested_belief("Beth", "Anne", fair) is True
    assert story.nested_belief("Carl", "Anne", fair) is None


def test_public_talk_reaches_the_room() -> None:
    story = told(ALL_IN, "Dora entered the attic.", "Anne told everyone in the hall about the fair.")
    fair = topic_key("fair")
    assert [story.belief(name, fair) for name in story.people] == [True, True, True, None]
    assert story.nested_belief("Beth", "Carl", fair) is True


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("Anne entered the hall.\nAnne entered the hall.", "line 2: Anne is in the hall already"),
        ("Anne left the hall.", "line 1: Anne is not in the hall"),
        (MOVED_TO_BOX, "line 1: Anne is not in the hall"),
        (f"Anne entered the hall.\n{MOVED_TO_BOX}\n{MOVED_TO_BOX}", "line 3: the apple is in the box already"),
        ("Anne salted the apple.", "line 1: Anne is in no room"),
        (f"{ANNE_IN}\nAnne salted the apple.\nAnne salted the apple.", "line 3: the apple is salted already"),
        ("Anne told privately to Anne about the fair.", "line 1: Anne can't tell Anne"),
        ("Anne told privately to Beth that the apple is salted.", "line 1: Anne does not believe that the"),
        (f"{ANNE_IN}\nAnne told everyone in the hall about the fair.", "line 2: nobody but Anne is in the hall"),
        (f"{ALL_IN}\n{MOVED_TO_BOX} {PEEKED.replace('Dora', 'Beth')}", "line 4: Beth sees it anyway, and can't peek"),
        (f"Anne entered the hall.\n{MOVED_TO_BOX} {MISSED}", "line 2: Beth would not see it anyway"),
        (f"{ALL_IN}\n{MOVED_TO_BOX} {MISSED.replace('Beth', 'Anne')}", "line 4: Anne acts, and can neither peek"),
    ],
)  # fmt: skip
def test_impossible_action_is_one_clear_line(lines: str, problem: str) -> None:
    with pytest.raises(StoryError) as raised:
        parse_story(lines)
    assert str(raised.value).startswith(problem)
    assert "\n" not in str(raised.value)


def test_copy_goes_on_apart() -> None:
    story = told(ALL_IN, MOVED_TO_BOX)
    other = story.copy()
    other.apply(PutInto("Anne", "apple", "bin", "hall"))
    assert (story.belief("Beth", APPLE), other.belief("Beth", APPLE)) == (BOX, BIN)


@settings(max_examples=150, deadline=None)
@given(DRAWN)
def test_tracker_equals_beliefs_by_definition(drawn: DrawnStory) -> None:
    script, tracker = drawn.script, drawn.tracker
    reference = DefinedBeliefs(script)
    for key in tracker.known_keys():
        for person in script.people:
            for other in script.people:
                expected = reference.chained_belief((person, other), key)
                assert tracker.nested_belief(person, other, key) == expected, (person, other, key, text_of(script))


def test_a_listener_may_be_told_what_it_can_see_but_not_what_stands_openly_before_it() -> None:
    put = "Anne moved the apple to the box, which is also located in the attic."
    carried = "Anne went to the attic with the apple, leaving any container behind."
    for first, place, is_refused in ((put, "in the box in the attic", False), (carried, "in the attic", True)):
        room = "attic" if first == put else "hall"
        lines = [f"Anne entered the {room}.", "Beth entered the attic.", first, "Beth left the attic."]
        lines += ["Carl entered the attic.", f"Beth told privately to Carl that the apple is {place}."]
        if is_refused:
            with pytest.raises(StoryError, match="who is in the attic sees whether the apple stands there"):
                parse_story("\n".join(lines), sees_contents=True)
        else:
            parse_story("\n".join(lines), sees_contents=True)
