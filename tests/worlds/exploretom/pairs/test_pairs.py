"""Matched pairs of stories: what both share, what is right in each, and who answers which."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.core import Recorder, Step
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.worlds.exploretom.pairs.drawing import draw_pair, needs_its_order, view_of
from hm_agent.worlds.exploretom.pairs.kinds import BOTH, KINDS, SEATS
from hm_agent.worlds.exploretom.questions.asked import Asked, AskedProperty, parse_asked
from hm_agent.worlds.exploretom.questions.grading import meaning
from hm_agent.worlds.exploretom.questions.plans import (
    SILENCE,
    TELLS,
    AskedJoining,
    AskedMeeting,
    AskedMessage,
    AskedPlan,
    parse_plan,
)
from hm_agent.worlds.exploretom.questions.posing import PosedStory
from hm_agent.worlds.exploretom.questions.story_questions import AnsweredStory
from hm_agent.worlds.exploretom.random_stories.cast import read_cast
from hm_agent.worlds.exploretom.readers.readers import LADDER, RULES
from hm_agent.worlds.exploretom.readers.shortcut_words import SHORTCUT_WORDS, WINDOW_WORDS
from hm_agent.worlds.exploretom.readers.shortcuts import SHORTCUTS, WINDOWS
from hm_agent.worlds.exploretom.story.actions import Inform, ObjectPlace, StoryAction, StoryScript
from hm_agent.worlds.exploretom.story.belief_definition import DefinedBeliefs
from hm_agent.worlds.exploretom.story.evidence import ObjectLocation, location_key
from hm_agent.worlds.exploretom.story.language import parse_story
from hm_agent.worlds.exploretom.viewer.story_viewer import StoryViewer
from tests.worlds.exploretom.story_examples import FALSE_BELIEF

SUITE = suites()["exploretom"]


def pair_of(kind: str) -> tuple[PosedStory, PosedStory]:
    return draw_pair(kind, "even/0", read_cast(), False)


def answers(rule: str, pair: tuple[PosedStory, PosedStory]) -> list[str]:
    return [RULES[rule](view_of(story)) for story in pair]


def rights(pair: tuple[PosedStory, PosedStory]) -> list[str]:
    return [story.questions[0].answer for story in pair]


def moved(sentences: Sequence[str], taken: int, put: int) -> list[str]:
    rest = list(sentences)
    rest.insert(put, rest.pop(taken))
    return rest


@pytest.mark.parametrize("kind", KINDS)
def test_one_sentence_stands_elsewhere_and_the_same_question_has_another_answer(kind: str) -> None:
    pair = pair_of(kind)
    (first, asked), (second, again) = ((story.text.splitlines(), story.questions[0]) for story in pair)
    assert (asked.text, asked.choices) == (again.text, again.choices)
    assert asked.answer != again.answer
    places = [(taken, put) for taken in range(len(first)) for put in range(len(first))]
    assert any(moved(first, taken, put) == second for taken, put in places)


@pytest.mark.parametrize("kind", KINDS)
def test_the_ladder_answers_pairs_of_its_order_and_none_above(kind: str) -> None:
    pair = pair_of(kind)
    passed = [answers(rule, pair) == rights(pair) for rule in LADDER]
    assert passed == [order >= KINDS[kind].order for order in range(len(LADDER))]


@pytest.mark.parametrize("kind", KINDS)
def test_no_shortcut_of_the_suite_is_right_in_both_stories(kind: str) -> None:
    minds = () if KINDS[kind].order else ("reality", "no_distraction")
    pair = pair_of(kind)
    assert not [name for name in SUITE.shortcuts if name not in minds and answers(name, pair) == rights(pair)]
    assert needs_its_order(kind, pair)


def test_from_order_2_on_what_all_saw_together_is_not_enough() -> None:
    for kind, facts in KINDS.items():
        if facts.order > 1:
            assert answers("seen_together", pair_of(kind)) != rights(pair_of(kind)), kind


def test_a_pair_that_a_shortcut_answers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = pair_of("order_1")
    for right in (rights(pair), rights(pair)[::-1]):
        by_text = dict(zip((story.text for story in pair), right, strict=True))
        cheat = [lambda view, by_text=by_text: by_text[view.story]]
        with monkeypatch.context() as patched:
            patched.setattr("hm_agent.worlds.exploretom.pairs.drawing.MINDLESS", cheat)
            assert not needs_its_order("order_1", pair)


def test_every_shortcut_is_declared_with_its_rule_and_is_a_reference() -> None:
    assert set(SHORTCUT_WORDS) == {f"shortcut_{name}" for name in SHORTCUTS}
    assert set(WINDOW_WORDS) == set(WINDOWS)
    assert {*SHORTCUT_WORDS, "reality", "no_distraction", "last_mention", "first_choice"} == {*SUITE.shortcuts}
    assert all(SUITE.own_agents[name].is_reference for name in (*SUITE.shortcuts, *LADDER))


def defined_success(plan: AskedPlan, option: str, script: StoryScript) -> bool:
    """Whether an option succeeds, by the definition of beliefs after the story and, as one more action, the message."""
    key, before = location_key(plan.thing), DefinedBeliefs(script)
    actions: list[StoryAction] = list(script.actions)
    if TELLS in option and option != SILENCE:
        teller, listener = option.split(TELLS)
        place = before.chained_belief((teller,), key)
        if isinstance(place, ObjectLocation) and before.chained_belief((teller, listener), key) != place:
            actions.append(Inform(teller, ObjectPlace(plan.thing, place.room, place.container), listener))
    after = DefinedBeliefs(StoryScript(tuple(actions), script.sees_contents))
    if isinstance(plan, AskedMessage):
        so = after.locations[plan.thing]
        return after.chained_belief((plan.finds,), key) == so != after.chained_belief((plan.misses,), key)
    goes = option if isinstance(plan, AskedMeeting) else plan.goes
    there = after.chained_belief((plan.met,), key)
    return isinstance(there, ObjectLocation) and after.chained_belief((goes, plan.met), key) == there


@pytest.mark.parametrize("kind", KINDS)
def test_right_answers_follow_from_the_definition_of_beliefs(kind: str) -> None:
    pair = pair_of(kind)
    for story in pair:
        (question,), script = story.questions, parse_story(story.text)
        if plan := parse_plan(question.text):
            right = [option for option in question.choices if defined_success(plan, option, script)]
            assert right == [question.answer]
        elif (asked := parse_asked(question.text)).person:
            value = DefinedBeliefs(script).chained_belief(asked.people, asked.key)
            assert AnsweredStory(script).answer_from(value, asked) == question.answer


def test_questions_about_plans_and_of_the_third_order_are_read_back() -> None:
    options = ("Anne tells Beth", "Beth tells Carl", SILENCE)
    for plan in (
        AskedMeeting("apple", "Beth", ("Anne", "Carl")),
        AskedMessage("apple", "Beth", "Carl", options),
        AskedJoining("apple", "Beth", "Carl", options),
    ):
        assert parse_plan(plan.text) == plan
    asked = Asked(AskedProperty.ROOM, "apple", "Anne", "Beth", third="Carl")
    assert parse_asked(asked.text) == asked
    assert asked.order == 3


def test_depth_leaves_out_who_thinks_first() -> None:
    story = AnsweredStory(parse_story(FALSE_BELIEF))
    box, bin_ = ObjectLocation("hall", "box"), ObjectLocation("hall", "bin")
    key = location_key("apple")
    assert [story.believed(("Anne", "Beth"), key, depth) for depth in range(3)] == [bin_, box, box]
    assert [story.believed(("Beth", "Anne"), key, depth) for depth in range(3)] == [bin_, bin_, box]
    assert story.believed(("Anne", "Beth", "Anne"), key) == box
    assert story.believed(("Anne", "Anne"), key) == bin_
    assert story.believed(("Dora",), key) is None


def test_a_message_has_an_effect_only_if_it_is_told_and_believed() -> None:
    story = AnsweredStory(parse_story(f"{FALSE_BELIEF}\nCarl entered the hall."))
    plan = AskedMessage("apple", "Beth", "Carl", ("Anne tells Beth", "Anne tells Carl", "Beth tells Carl", SILENCE))
    assert [plan.succeeds(story, option) for option in plan.options] == [True, False, False, False]
    assert [plan.succeeds(story, option, 0) for option in plan.options] == [False] * 4
    join = AskedJoining("apple", "Carl", "Beth", ("Anne tells Beth", "Beth tells Carl", SILENCE))
    assert [join.succeeds(story, option) for option in join.options] == [False, True, False]


GOLDEN = {
    "order_0": "e9e8778d3b7dee7e",
    "order_1": "895d738a65d7485d",
    "order_2": "a2d01d025278b0ed",
    "order_3": "2efd5eb7e2f7996e",
    "message": "e45ed538d8cc9db1",
    "meet": "71f9d7298e8d9be9",
    "join": "8e5fa280f4d8bafa",
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_pair_is_the_same_on_every_machine(kind: str) -> None:
    told = [(story.text, story.questions[0].text, story.questions[0].answer) for story in pair_of(kind)]
    assert sha256(repr(told).encode()).hexdigest()[:16] == GOLDEN[kind]


def test_pairs_state_the_order_that_is_their_ceiling_and_halves_differ() -> None:
    scenarios = find_scenarios(["exploretom_pairs_*"])
    assert {scenario.needs_order for scenario in scenarios} == {0, 1, 2, 3}
    for scenario in scenarios:
        assert scenario.metric.ceiling == f"order_{scenario.needs_order}"
        assert scenario.held_out == scenario.name.endswith("_odd")
        assert scenario.metric.guessing == 0.25
    assert pair_of("order_0") != draw_pair("order_0", "odd/0", read_cast(), False)
    assert not any(name in SHORTCUT_WORDS for name in ("reality", "first_order"))


@pytest.mark.parametrize("agent", ["reader", "reader_cot", "perspective", "hypothetical_minds"])
@pytest.mark.parametrize("choices", ["shown", "free"])
def test_agents_with_the_reasoner_answer_both_stories(agent: str, choices: str) -> None:
    for kind in ("order_1", "join", "meet"):
        world, agents = set_up(find_scenarios([f"exploretom_pairs_{kind}_even"])[0], agent, choices=choices)
        assert tuple(agents) == SEATS
        assert play_out(world, agents, seed=0).status == "completed"
        assert world.metrics() == {BOTH: 1, f"{BOTH}_{kind}": 1}


def test_one_right_answer_is_not_enough() -> None:
    world, agents = set_up(find_scenarios(["exploretom_pairs_order_2_even"])[0], "first_choice")
    play_out(world, agents, seed=0)
    assert sorted(world.seat_metrics(seat)["accuracy"] for seat in SEATS) in ([0, 0], [0, 1])
    assert world.metrics()[BOTH] == 0


def test_free_answers_mean_the_messages_that_they_name() -> None:
    choices = ("Anne tells Beth", "Beth tells Carl", SILENCE)
    for choice in choices:
        assert meaning(f"{choice}.", choices) == choice
    assert meaning("Carl tells Beth", choices) is None


def test_replays_show_each_seat_its_own_story() -> None:
    world, agents = set_up(find_scenarios(["exploretom_pairs_order_0_even"])[0], "order_0")
    shown: dict[str, str] = {}

    class Shown(Recorder):
        def record(self, step: Step) -> None:
            shown.update({seat: StoryViewer().shown(step, seat)["question"][0]["given"] for seat in step.decisions})

    play_out(world, agents, seed=0, recorders=[Shown()])
    assert [shown[seat] for seat in SEATS] == rights(pair_of("order_0"))
