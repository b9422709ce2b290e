"""Draws two stories that differ in where one sentence stands, and a question whose right answer differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import combinations, permutations, product
from random import Random

from hm_agent.worlds.exploretom.pairs.kinds import KINDS
from hm_agent.worlds.exploretom.questions.asked import Asked, AskedProperty, parse_asked
from hm_agent.worlds.exploretom.questions.functional import MAX_CHOICES
from hm_agent.worlds.exploretom.questions.plans import AskedJoining, AskedMeeting, AskedMessage, AskedPlan, PlanQuestion
from hm_agent.worlds.exploretom.questions.posing import PosableQuestion, PosedStory
from hm_agent.worlds.exploretom.questions.story_questions import AnsweredStory, StoryQuestion
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS
from hm_agent.worlds.exploretom.random_stories.cast import CastLists
from hm_agent.worlds.exploretom.random_stories.sampling import conditions_of, draw_story
from hm_agent.worlds.exploretom.readers.readers import LADDER, no_distraction, seen_together
from hm_agent.worlds.exploretom.readers.reading import read_story
from hm_agent.worlds.exploretom.readers.shortcuts import (
    SHORTCUTS,
    Rule,
    first_choice,
    last_mention,
    people_named,
    where_named,
)
from hm_agent.worlds.exploretom.story.actions import StoryScript
from hm_agent.worlds.exploretom.story.beliefs import StoryError, steps_of, track
from hm_agent.worlds.exploretom.story.evidence import ObjectLocation, location_key
from hm_agent.worlds.exploretom.story.language import text_of
from hm_agent.worlds.exploretom.world import StoryView

MINDLESS: Sequence[Rule] = (first_choice, last_mention, *SHORTCUTS.values())


def pose_in_pair(kind: str, half: str, place: int, lists: CastLists, sees_contents: bool, seed: int) -> PosedStory:
    """The story at a place, 0 or 1, of the pair of a seed."""
    return draw_pair(kind, f"{half}/{seed}", lists, sees_contents)[place]


@lru_cache(maxsize=1024)
def draw_pair(kind: str, seed: str, lists: CastLists, sees_contents: bool = False) -> tuple[PosedStory, PosedStory]:
    """The pair of a seed; the same seed always gives exactly the same pair."""
    rng, facts = Random(f"{kind}/{seed}"), KINDS[kind]
    while True:
        action_set = ACTION_SETS[f"{rng.choice(facts.action_sets)}_asymmetric"]
        drawn = conditions_of(rng, action_set, sees_contents=sees_contents)
        conditions = replace(drawn, people=rng.randint(*facts.people), important=facts.important or drawn.important)
        script = draw_story(rng, lists, action_set.kinds, conditions).script
        if found := next(_pairs(kind, script, rng), None):
            return found if rng.random() < 0.5 else found[::-1]


def _pairs(kind: str, script: StoryScript, rng: Random) -> Iterator[tuple[PosedStory, PosedStory]]:
    """Yields the pairs of a story and the same with one sentence elsewhere, in random order."""
    story, order, is_plan = AnsweredStory(script), KINDS[kind].order, KINDS[kind].is_plan
    before = {} if is_plan else {asked.text: asked for asked in _of_order(order, story)}
    moves, beginnings = list(permutations(range(len(script.actions)), 2)), [each.copy() for _, each in steps_of(script)]
    for taken, put in rng.sample(moves, len(moves)):
        actions = list(script.actions)
        actions.insert(put, actions.pop(taken))
        moved = StoryScript(tuple(actions), script.sees_contents)
        try:
            other = AnsweredStory(moved, track(moved, beginnings[min(taken, put)]))
        except StoryError:
            continue
        found = _plans(kind, story, other, rng) if is_plan else _changed(before, _of_order(order, other))
        changed = list(found)
        for first, second in rng.sample(changed, len(changed)):
            pair = _posed(story, first), _posed(other, second)
            if needs_its_order(kind, pair):
                yield pair


def _posed(story: AnsweredStory, question: PosableQuestion) -> PosedStory:
    return PosedStory(text_of(story.script), story.script.sees_contents, [question])


Changed = Iterator[tuple[PosableQuestion, PosableQuestion]]
"""The same question about two stories, with another answer."""


def _changed(before: Mapping[str, StoryQuestion], after: Sequence[StoryQuestion]) -> Changed:
    """Yields the questions, by text, that have other answers after a change, and the same choices."""
    for question in after:
        asked = before.get(question.text)
        if asked and asked.choices == question.choices and asked.answer != question.answer:
            yield asked, question


def _of_order(order: int, story: AnsweredStory) -> Sequence[StoryQuestion]:
    return list(_third_order(story)) if order == 3 else story.questions((order,))


def _plans(kind: str, story: AnsweredStory, other: AnsweredStory, rng: Random) -> Changed:
    """Yields questions about plans: an option that succeeds in each story alone, and others that do in neither."""
    for plan in _possible_plans(kind, story, other):
        first = _kept_solutions(story, plan)
        second = _solutions(other, plan) if first else first
        if first - second and second - first:
            rights = [rng.choice(sorted(found)) for found in (first - second, second - first)]
            options = plan.all_options(sorted(story.tracker.people))
            failing = [option for option in options if option not in first | second]
            shown = rights + rng.sample(failing, min(len(failing), MAX_CHOICES - 2))
            asked = replace(plan, options=tuple(sorted(shown)))
            yield PlanQuestion(asked, rights[0]), PlanQuestion(asked, rights[1])


def _solutions(story: AnsweredStory, plan: AskedPlan) -> frozenset[str]:
    """The options that succeed in a story."""
    options = plan.all_options(sorted(story.tracker.people))
    return frozenset(option for option in options if plan.succeeds(story, option))


# One story is compared with some hundred others.
_kept_solutions = lru_cache(maxsize=64)(_solutions)


def _possible_plans(kind: str, *stories: AnsweredStory) -> Iterator[AskedPlan]:
    """Yields the plans that may be asked about; messages only if all believe that the object is in a container.

    An object that stands openly is seen anyway by who is there.
    """
    people = sorted(stories[0].tracker.people)
    for thing in stories[0].tracker.locations:
        values = [value for story in stories for value in story.tracker.beliefs(location_key(thing))]
        if kind == "meet":
            yield from (AskedMeeting(thing, met) for met in people)
        elif all(value.container for value in values if isinstance(value, ObjectLocation)):
            plan = AskedMessage if kind == "message" else AskedJoining
            yield from (plan(thing, *pair) for pair in permutations(people, 2))


def _third_order(story: AnsweredStory) -> Iterator[StoryQuestion]:
    """Yields the questions on where one thinks that another thinks that a third will search."""
    for thing, location in story.tracker.locations.items():
        asked_of_all = [Asked(about, thing) for about in (AskedProperty.ROOM, AskedProperty.CONTAINER)]
        forms = [(each, story.answer_from(location, each), story.choices(each)) for each in asked_of_all]
        for first, second, third in permutations(story.tracker.people, 3):
            value = story.believed((first, second, third), location_key(thing))
            for form, truth, choices in forms:
                if answer := story.answer_from(value, form):
                    asked = Asked(form.about, thing, first, second, third=third)
                    yield StoryQuestion(asked, answer, choices, True, answer != truth)


def view_of(story: PosedStory) -> StoryView:
    """What a reader of a story with one question sees."""
    (question,) = story.questions
    return StoryView(story.text, question.text, tuple(question.choices), story.sees_contents, 1, 1)


def needs_its_order(kind: str, pair: tuple[PosedStory, PosedStory]) -> bool:
    """True if the ladder's reader of the kind's order, and none below, is right in both stories, and no weak reader.

    No rule without a mind may be right in both, nor, so that its opposite is not either, give both answers swapped.
    From the first order on, that nobody peeks or is distracted may not be right in both, nor a reader of a lower order
    that stops reading early, nor beliefs of fewer people than are asked about; from the second on, nor what all of them
    saw together.
    """
    order, views = KINDS[kind].order, [view_of(story) for story in pair]
    rights = [story.questions[0].answer for story in pair]

    def answers(rule: Rule) -> Sequence[str]:
        return [rule(view) for view in views]

    minds = [answers(rule) == rights for rule in list(LADDER.values())[: order + 1]]
    if minds != [False] * order + [True]:
        return False
    # What one person saw is what a reader of order 1 goes by.
    if any(answers(rule) == rights for least, rule in ((1, no_distraction), (2, seen_together)) if order >= least):
        return False
    if any(answers(rule) in (rights, rights[::-1]) for rule in MINDLESS):
        return False
    if any(answers(rule) == rights for rule in _stopping_early(order)):
        return False
    return KINDS[kind].is_plan or not any(given == rights for given in _other_minds(pair))


def _stopping_early(order: int) -> Iterator[Rule]:
    """Yields the readers of the ladder below an order, each as if the story ended earlier.

    It ends one to three sentences earlier, or before or after the last mention of the question's first or last person.
    """
    for rule, end in product(list(LADDER.values())[:order], range(7)):
        yield partial(_stopped, rule, end)


def _stopped(rule: Rule, end: int, view: StoryView) -> str:
    return rule(replace(view, story=_beginnings(view)[end]))


def _beginnings(view: StoryView) -> Sequence[str]:
    sentences, people = view.story.splitlines(), people_named(view)
    lasts = [where_named(sentences, person)[-1] for person in (people[0], people[-1])]
    ends = [*(len(sentences) - less for less in (1, 2, 3)), *lasts, *(last + 1 for last in lasts)]
    return ["\n".join(sentences[: max(end, 1)]) for end in ends]


def _other_minds(pair: tuple[PosedStory, PosedStory]) -> Iterator[Sequence[str | None]]:
    """Yields the answers in both stories if some of the people asked about are left out, or their order is reversed."""
    asked = parse_asked(pair[0].questions[0].text)
    stories = [read_story(story.text, story.sees_contents) for story in pair]
    fewer = [chain for number in range(asked.order) for chain in combinations(asked.people, number)]
    for chain in (*fewer, *([asked.people[::-1]] if asked.order > 1 else [])):
        yield [story.answer_from(story.believed(chain, asked.key), asked) for story in stories]
