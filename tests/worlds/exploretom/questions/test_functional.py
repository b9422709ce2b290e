"""Functional items: which action follows from beliefs, which literal questions it needs, and how both are counted."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import settings as examples

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.models.prompts import render
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.wording import listed
from hm_agent.worlds.exploretom.questions.accepted_forms import overlapping
from hm_agent.worlds.exploretom.questions.asked import IN_CONTAINER, NO_PLACE, OPENLY, AskedProperty
from hm_agent.worlds.exploretom.questions.functional import (
    ASKS,
    MAX_CHOICES,
    NOBODY,
    ActionType,
    AskedAction,
    FunctionalQuestion,
    functional_questions,
    literal_questions,
    parse_asked_action,
    pose_functional,
    relied_on,
)
from hm_agent.worlds.exploretom.questions.grading import meaning
from hm_agent.worlds.exploretom.questions.story_questions import AnsweredStory, StoryQuestion
from hm_agent.worlds.exploretom.random_stories.sampling import DrawnStory
from hm_agent.worlds.exploretom.readers.reading import AnswerQuestion, answer_from_text
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker
from hm_agent.worlds.exploretom.story.language import names_in, parse_story, sentence_of, text_of
from hm_agent.worlds.exploretom.world import READER, GradedAnswer, StoryWorld, pairing
from tests.worlds.exploretom.story_examples import DRAWN, FALSE_BELIEF

WITH_CARL = f"{FALSE_BELIEF}\nCarl entered the hall."


def answers(text: str, type_: ActionType) -> dict[tuple[str, str], str]:
    """By person and by what it is about."""
    found = functional_questions(AnsweredStory(parse_story(text)))
    return {(one.asked.person, one.asked.key[-1]): one.answer for one in found if one.asked.type is type_}


def test_people_look_where_they_believe_it_and_else_ask() -> None:
    assert answers(WITH_CARL, ActionType.LOOK) == {
        ("Anne", "apple"): "bin in the hall",
        ("Beth", "apple"): "box in the hall",
        ("Carl", "apple"): ASKS,
    }


def test_only_who_knows_the_place_fetches_without_asking() -> None:
    found = answers(WITH_CARL, ActionType.FETCH)
    assert found == {("Anne", "apple"): "yes", ("Beth", "apple"): "no", ("Carl", "apple"): "no"}


def test_those_are_told_who_as_far_as_one_can_tell_do_not_know() -> None:
    assert answers(WITH_CARL, ActionType.TELL) == {
        ("Anne", "apple"): "Beth and Carl",
        # Beth takes it that Anne, who was there, believes what she does
        ("Beth", "apple"): "Carl",
    }


def test_a_distracted_listener_is_not_told_again_and_a_peeker_is() -> None:
    told = (
        "Anne told privately to Beth about the fair. "
        "While this action was happening, Carl witnessed it in secret (and only it)."
    )
    assert answers(told, ActionType.TELL)["Anne", "fair"] == "Carl"
    missed = (
        "Anne told privately to Beth about the fair. "
        "While this action was happening, Beth got distracted and missed it (and only it) unnoticed."
    )
    assert answers(missed, ActionType.TELL) == {("Anne", "fair"): NOBODY}


def test_items_about_changes_name_the_change() -> None:
    story = AnsweredStory(parse_story("Anne entered the hall.\nBeth entered the hall.\nAnne salted the apple."))
    [one, _] = [item for item in functional_questions(story) if item.asked.key[0] == "state"]
    assert "wants everyone to know that the apple is salted" in one.text
    assert one.answer == NOBODY


@given(DRAWN)
@examples(max_examples=60)
def test_items_are_read_back_and_answered_from_the_text(story: DrawnStory) -> None:
    answered = AnsweredStory(story.script, story.tracker)
    literal = literal_questions(answered)
    text = text_of(story.script)
    for item in functional_questions(answered):
        assert parse_asked_action(item.text) == item.asked
        assert item.answer in item.choices
        assert 2 <= len(item.choices) <= MAX_CHOICES
        assert overlapping(item.choices) is None
        assert answer_from_text(text, item.text, story.script.sees_contents) == item.answer
        needed = [literal[index].asked for index in relied_on(item, literal)]
        assert needed
        assert all(asked.key == item.asked.key for asked in needed)
        if item.asked.type is ActionType.FETCH:
            believed = story.tracker.belief(item.asked.person, item.asked.key)
            assert (item.answer == "yes") == (believed == story.tracker.locations[item.asked.key[1]])


def asked_with(text: str, item: AskedAction) -> dict[str, str]:
    """The literal questions that an item is asked with, and their answers."""
    posed = pose_functional(AnsweredStory(parse_story(text)), text)
    [index] = [at for at, one in enumerate(posed.questions) if one.text == item.text]
    return {posed.questions[at].text: posed.questions[at].answer for at in posed.relies_on[index]}


def test_who_knows_no_place_is_asked_for_it_in_words_too() -> None:
    options = f"Answer {IN_CONTAINER}, {OPENLY}, or {NO_PLACE}."
    apple = ("location", "apple")
    assert asked_with(WITH_CARL, AskedAction(ActionType.LOOK, "Carl", apple)) == {
        f"Where will Carl search for the apple? {options}": NO_PLACE
    }
    assert asked_with(WITH_CARL, AskedAction(ActionType.LOOK, "Beth", apple)) == {
        "In which room will Beth search for the apple?": "hall",
        "In which container will Beth search for the apple?": "box",
        f"Where will Beth search for the apple? {options}": IN_CONTAINER,
    }
    assert asked_with(WITH_CARL, AskedAction(ActionType.FETCH, "Carl", apple)) == {
        "In which room is the apple now?": "hall",
        "In which container is the apple now?": "bin",
        f"Where is the apple now? Answer {IN_CONTAINER} or {OPENLY}.": IN_CONTAINER,
        f"Where will Carl search for the apple? {options}": NO_PLACE,
    }
    told = asked_with(WITH_CARL, AskedAction(ActionType.TELL, "Anne", apple))
    assert told[f"Where does Anne think that Carl will search for the apple? {options}"] == NO_PLACE
    opened = "Anne entered the hall.\nAnne salted the apple."
    assert asked_with(opened, AskedAction(ActionType.LOOK, "Anne", apple)) == {
        "In which room will Anne search for the apple?": "hall",
        f"Where will Anne search for the apple? {options}": OPENLY,
    }


@pytest.mark.parametrize(
    "first_named",
    [
        "Anne salted the apple.",
        "Anne went to the attic with the apple, leaving any container behind.",
        "Anne moved the apple to the box, which is also located in the hall.",
    ],
)
def test_who_left_before_a_thing_is_named_has_not_seen_it_and_the_prompt_says_so(first_named: str) -> None:
    text = f"Beth entered the hall.\nBeth left the hall.\nAnne entered the hall.\n{first_named}"
    assert answers(text, ActionType.LOOK)["Beth", "apple"] == ASKS
    assert answers(text, ActionType.FETCH)["Beth", "apple"] == "no"
    for sees_contents in (False, True):
        prompt = render(AnswerQuestion(text, "Where does Beth go?", (), sees_contents))
        assert "Nobody knows of a thing before the story first names it" in prompt


@given(DRAWN)
@examples(max_examples=60)
def test_nobody_believes_anything_of_a_thing_that_is_not_named_yet(story: DrawnStory) -> None:
    tracker = BeliefTracker(story.script.people, sees_contents=story.script.sees_contents)
    text = ""
    for action in story.script.actions:
        tracker.apply(action)
        text += sentence_of(action)
        assert all(key[0] == "room" or f" {key[1]}" in text for key in tracker.known_keys())


@given(DRAWN)
@examples(max_examples=60)
def test_the_literal_questions_of_an_item_leave_its_answer_no_choice(story: DrawnStory) -> None:
    """Whoever answers them rightly can tell where someone looks, whether it is there, and whom someone must tell."""
    answered = AnsweredStory(story.script, story.tracker)
    posed = pose_functional(answered, "")
    for item, needed in zip(posed.questions, posed.relies_on, strict=True):
        if not isinstance(item, FunctionalQuestion):
            continue
        told: dict[tuple[str | None, str | None], dict[AskedProperty, str]] = {}
        for question in (posed.questions[index] for index in needed):
            assert isinstance(question, StoryQuestion)
            one = question.asked
            told.setdefault((one.person, one.other), {})[one.about] = question.answer
        asked = item.asked
        own = told[asked.person, None]
        if asked.type is ActionType.LOOK:
            container = own.get(AskedProperty.CONTAINER, OPENLY)
            place = f"{container} in the {own.get(AskedProperty.ROOM)}"
            assert item.answer == (ASKS if own[AskedProperty.WHEREABOUTS] == NO_PLACE else place)
        if asked.type is ActionType.FETCH:
            assert item.answer == ("yes" if own == told[None, None] else "no")
        if asked.type is ActionType.TELL and asked.key[0] == "location":
            others = sorted(name for name in story.tracker.people if name != asked.person)
            untold = [name for name in others if told[asked.person, name] != own]
            assert item.answer == (listed(untold) if untold else NOBODY)


@pytest.mark.parametrize(
    ("given_answer", "meant"),
    [
        ("Beth and Carl", "Beth and Carl"),
        ("Carl, Beth", "Beth and Carl"),
        ("- Carl\n- Beth", "Beth and Carl"),
        ("both Carl and Beth", "Beth and Carl"),
        ("everyone else", "Beth and Carl"),
        ("everyone except Carl", None),
        ("Beth and Carl must be told", "Beth and Carl"),
        ("Carl and Beth", "Beth and Carl"),
        ("Anne must tell Carl and Beth.", "Beth and Carl"),
        ("Beth", "Beth"),
        ("Only Beth", "Beth"),
        ("Beth, since Carl knows", "Beth"),
        ("Beth, not Carl", "Beth"),
        ("Beth. Carl knows already.", "Beth"),
        ("Beth (Carl saw it)", "Beth"),
        ("Beth. Carl does not know it either.", None),
        ("Carl knows already.", None),
        ("Beth. Tell Carl, too.", None),
        ("Beth and Dora", None),
        ("not Beth", None),
        ("Beth or Carl", None),
        ("no one", NOBODY),
        ("none", NOBODY),
        ("Nobody, because Beth and Carl saw it.", NOBODY),
        ("Anne does not need to tell anyone.", NOBODY),
        ("nobody but Carl", None),
    ],
)
def test_answers_that_name_people_are_graded_by_meaning(given_answer: str, meant: str | None) -> None:
    assert meaning(given_answer, (NOBODY, "Beth", "Carl", "Beth and Carl")) == meant


@pytest.mark.parametrize(
    ("given_answer", "meant"),
    [
        ("in the box in the hall", "box in the hall"),
        ("box", "box in the hall"),
        ("Beth goes to the box.", "box in the hall"),
        ("Beth goes to the hall and looks in the box.", "box in the hall"),
        ("to the hall, in the box", "box in the hall"),
        ("the hall", None),
        ("the attic", "bin in the attic"),
        ("box in the attic", None),
        ("box in the garage", None),
        ("openly in the hall", "out in the open in the hall"),
        ("in the hall, out in the open", "out in the open in the hall"),
        ("the box in the hall, because she does not know of the bin in the attic", "box in the hall"),
        ("ask someone", ASKS),
        ("Beth asks Anne where it is.", ASKS),
        ("Beth does not know where it is, so she has to ask", ASKS),
        ("Beth goes to the box and asks nobody", "box in the hall"),
        ("Beth goes to the box or asks somebody", None),
        ("Beth goes to the box and asks somebody", None),
    ],
)
def test_answers_that_name_places_are_graded_by_meaning(given_answer: str, meant: str | None) -> None:
    choices = ("bin in the attic", "box in the hall", "out in the open in the hall", ASKS)
    assert meaning(given_answer, choices) == meant


def natural(item: FunctionalQuestion) -> list[str]:
    """Other words for the right answer of an item."""
    answer, person = item.answer, item.asked.person
    if item.asked.type is ActionType.FETCH:
        does = "does" if answer == "yes" else "does not"
        return [f"{answer.title()}, {person} {does}.", f"{answer.title()}, because {person} saw it move."]
    if answer == NOBODY:
        return ["none", "No one.", f"{person} must tell nobody.", f"Nobody, since all others know it as {person} does."]
    if item.asked.type is ActionType.TELL:
        names = list(reversed(names_in(answer)))
        return [", ".join(names), " and ".join(names), f"{person} must tell {listed(names)}.", "\n".join(names)]
    if answer == ASKS:
        return ["asks someone", f"{person} asks somebody else.", f"{person} does not know, so {person} asks somebody."]
    container, _, room = answer.rpartition(" in the ")
    if container == OPENLY:
        return [f"{person} goes to the {room}, it stands there openly", f"openly in the {room}"]
    return [container, f"the {container}", f"{person} goes to the {room} and looks in the {container}."]


@given(DRAWN)
@examples(max_examples=60)
def test_right_answers_in_natural_words_are_right(story: DrawnStory) -> None:
    for item in functional_questions(AnsweredStory(story.script, story.tracker)):
        for words in natural(item):
            assert meaning(words, item.choices, item.text) == item.answer, words


def test_free_answers_to_functional_items_are_right_in_natural_words_and_wrong_ones_are_wrong() -> None:
    world, _ = set_up(find_scenarios(["exploretom_functional_a4_asymmetric"])[0], "reader", choices="free")
    assert isinstance(world, StoryWorld)
    turn = world.reset(3)
    while not turn.is_over:
        question = world.questions[turn.step]
        words = natural(question)[0] if isinstance(question, FunctionalQuestion) else question.answer
        turn = world.step({READER: words})
    metrics = world.metrics()
    assert (metrics["functional"], metrics["accuracy"], metrics["unclear"]) == (1, 1, 0)
    turn = world.reset(3)
    while not turn.is_over:
        question = world.questions[turn.step]
        wrong = next(choice for choice in question.choices if choice != question.answer)
        turn = world.step({READER: wrong if turn.step % 2 else "a word that means nothing"})
    metrics = world.metrics()
    assert metrics["accuracy"] == 0
    assert metrics["unclear"] == pytest.approx((metrics["questions"] + 1) // 2 / metrics["questions"])


NAMES = ("Anne", "Beth", "Carl", "Dora", "Emil", "Fay")


def put_before(witnesses: int) -> list[FunctionalQuestion]:
    """The items on whom to tell, where Anne puts an apple away before so many others, and then all the rest come."""
    lines = [f"{name} entered the hall." for name in NAMES]
    lines.insert(witnesses + 1, "Anne moved the apple to the box, which is also located in the hall.")
    items = functional_questions(AnsweredStory(parse_story("\n".join(lines))))
    return [item for item in items if item.asked.type is ActionType.TELL]


def test_many_people_keep_the_answer_among_few_choices() -> None:
    [item] = [one for one in put_before(0) if one.asked.person == "Anne"]
    assert item.answer == "Beth, Carl, Dora, Emil and Fay"
    assert item.answer in item.choices
    assert len(item.choices) == MAX_CHOICES


def test_choices_among_many_people_do_not_betray_the_answer() -> None:
    right = wrong = 0
    for item in (item for witnesses in range(len(NAMES)) for item in put_before(witnesses)):
        large = [choice for choice in item.choices if choice.count(",") >= 1]
        right += item.answer in large
        wrong += len(large) - (item.answer in large)
        assert item.answer in item.choices
        assert len(item.choices) == MAX_CHOICES
    assert right >= 3
    assert wrong >= 3 * right


def play(
    agent: str, seed: int, scenario: str = "exploretom_functional_a4_asymmetric", **options: str
) -> dict[str, float]:
    world, agents = set_up(find_scenarios([scenario])[0], agent, model=None, seed=0, **options)
    play_out(world, agents, seed=seed)
    return dict(world.metrics())


@pytest.mark.parametrize("choices", ["shown", "free"])
def test_reasoner_is_right_in_both(choices: str) -> None:
    for seed in range(5):
        metrics = play("reader", seed, choices=choices)
        assert (metrics["literal"], metrics["functional"], metrics["functional_if_literal"]) == (1, 1, 1)


def graded(*right: int) -> list[GradedAnswer]:
    """Answers, of which 1 stands for a right one; which question each is of does not matter."""
    question = functional_questions(AnsweredStory(parse_story(FALSE_BELIEF)))[0]
    return [GradedAnswer(question, "", question.answer if one else None) for one in right]


def test_pairing_counts_items_and_the_literal_questions_that_they_need() -> None:
    literal = (1, 0, 1)
    relies_on = ((), (), (), (0,), (0, 2), (0, 1), (1, 2), (2,))
    found = pairing(graded(*literal, 1, 1, 1, 0, 0), relies_on)
    assert found == {
        "functional": pytest.approx(3 / 5),
        "literal": pytest.approx(3 / 5),
        "functional_minus_literal": 0,
        "functional_if_literal": pytest.approx(2 / 3),
    }
    found = pairing(graded(*literal, 0, 0, 0, 1, 0), relies_on)
    assert found["functional"] == pytest.approx(1 / 5)
    assert found["functional_minus_literal"] == pytest.approx(-2 / 5)
    assert found["functional_if_literal"] == 0


def test_pairing_is_of_what_is_answered_so_far_and_leaves_out_what_none_can_show() -> None:
    relies_on = ((), (), (0,), (1,))
    assert pairing(graded(1, 0), relies_on) == {}
    assert pairing(graded(1, 0, 1), relies_on)["literal"] == 1
    none_known = pairing(graded(0, 0, 1, 0), relies_on)
    assert none_known == {"functional": 0.5, "literal": 0, "functional_minus_literal": 0.5}


@pytest.mark.parametrize("agent", ["reality", "first_order", "no_distraction", "last_mention", "first_choice"])
def test_metrics_of_weak_readers_are_what_their_answers_show(agent: str) -> None:
    """Counted anew by the words of the questions, which name the person and the thing."""
    shares = set()
    for seed in range(8):
        world, agents = set_up(find_scenarios(["exploretom_functional_a6_asymmetric"])[0], agent)
        play_out(world, agents, seed=seed)
        assert isinstance(world, StoryWorld)
        items = [(one.question, one.is_right) for one in world.graded if isinstance(one.question, FunctionalQuestion)]
        literal = [(one.question, one.is_right) for one in world.graded if isinstance(one.question, StoryQuestion)]
        known = [_known(item.asked, literal) for item, _ in items]
        metrics = world.metrics()
        assert metrics["literal"] == pytest.approx(sum(known) / len(known))
        assert metrics["functional"] == pytest.approx(sum(right for _, right in items) / len(items))
        both = [right for (_, right), knows in zip(items, known, strict=True) if knows]
        assert metrics.get("functional_if_literal") == (pytest.approx(sum(both) / len(both)) if both else None)
        shares.add(metrics["literal"])
    assert len(shares) > 1


def _known(asked: AskedAction, literal: Sequence[tuple[StoryQuestion, bool]]) -> bool:
    """True if all beliefs that an action depends on were told rightly."""
    needed = []
    for question, is_right in literal:
        one = question.asked
        is_own = one.person == asked.person and one.other is None
        is_nested = asked.type is ActionType.TELL and one.person == asked.person
        is_fact = asked.type is ActionType.FETCH and one.order == 0 and " now?" in question.text
        if one.key == asked.key and (is_own or is_nested or is_fact):
            needed.append(is_right)
    assert needed
    return all(needed)


def test_scored_items_are_those_of_which_functional_is_the_share() -> None:
    world, agents = set_up(find_scenarios(["exploretom_functional_a5"])[0], "reality")
    assert isinstance(world, StoryWorld)
    play_out(world, agents, seed=4)
    items = world.scored_items
    right = [one.is_right for one in world.graded if one.question in items]
    assert len(right) == len(items) > 5
    assert world.metrics()["functional"] == pytest.approx(sum(right) / len(right))


def test_few_questions_keep_what_a_functional_item_needs() -> None:
    for seed in range(20):
        metrics = play("reader", seed, questions="5")
        assert metrics["questions"] <= 5
        assert metrics["literal"] == metrics["functional"] == 1


def test_one_functional_item_is_asked_even_if_no_room_is_left_for_what_it_needs() -> None:
    for seed in range(5):
        metrics = play("reader", seed, scenario="exploretom_functional_a9", questions="1")
        assert metrics["functional"] == metrics["literal"] == 1


def test_functional_scenarios_are_asked_for_by_name() -> None:
    assert not [one for one in find_scenarios(["exploretom_*"]) if "functional" in one.name]
    assert len(find_scenarios(["exploretom_functional_*"])) == 18


def test_interest_means_that_others_choose_otherwise() -> None:
    items = functional_questions(AnsweredStory(parse_story(FALSE_BELIEF)))
    assert {item.asked.type: item.is_interesting for item in items} == {
        ActionType.LOOK: True,
        ActionType.FETCH: True,
        ActionType.TELL: True,
    }
