"""The search: what it finds, what it spends, and which beginnings of stories it looks at."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from random import Random

import pytest

from hm_agent.worlds.exploretom.questions.story_questions import AnsweredStory
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS, ActionKind
from hm_agent.worlds.exploretom.random_stories.cast import ListedObject, StoryCast, StoryPlace, read_cast
from hm_agent.worlds.exploretom.random_stories.sampling import StoryConditions, StorySampler, conditions_of
from hm_agent.worlds.exploretom.readers.readers import WEAK_RULES, WeakReader
from hm_agent.worlds.exploretom.search.difficulty import Difficulty, DifficultyMeter
from hm_agent.worlds.exploretom.search.methods import METHODS, Measure, SearchSettings, StorySearch, search_stories
from hm_agent.worlds.exploretom.story.actions import Enter, Leave, PutInto, StoryAction, StoryScript
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker
from hm_agent.worlds.exploretom.story.preconditions import problem_of

PEOPLE, ROOM, THING, CONTAINERS = ("Anne", "Beth"), "hall", "apple", ("box", "bin")
TINY = StoryCast(PEOPLE, StoryPlace((ROOM,), (ListedObject(THING, CONTAINERS),), ()))
KINDS = (ActionKind.ENTER, ActionKind.LEAVE, ActionKind.MOVE)
CONDITIONS = StoryConditions(people=2, important=2, max_actions=6)
EXHAUSTIVE = SearchSettings(evaluations=100_000, grouping=1, completions=1, neighbours=((1.0, 80),), drawn=1)


def meter(rule: str, orders: tuple[int, ...] = (1,)) -> DifficultyMeter:
    return DifficultyMeter(WeakReader(WEAK_RULES[rule]), orders)


def tiny_search(
    measure: Measure, settings: SearchSettings, seed: int = 0, conditions: StoryConditions = CONDITIONS
) -> StorySearch:
    return StorySearch(StorySampler(TINY, KINDS, conditions), measure, Random(seed), settings)


def continuations(actions: tuple[StoryAction, ...]) -> Iterator[tuple[tuple[StoryAction, ...], BeliefTracker]]:
    """Every story of the tiny space that begins with these actions and ends as soon as it meets the conditions."""
    tracker = BeliefTracker(PEOPLE)
    for action in actions:
        tracker.apply(action)
    moves = sum(isinstance(action, PutInto) for action in actions)
    if moves == CONDITIONS.important and set(StoryScript(actions).people) == set(PEOPLE):
        yield actions, tracker
    elif len(actions) < CONDITIONS.max_actions:
        possible: list[StoryAction] = [kind(name, ROOM) for kind in (Enter, Leave) for name in PEOPLE]
        if moves < CONDITIONS.important:
            possible += [PutInto(name, THING, container, ROOM) for name in PEOPLE for container in CONTAINERS]
        for action in possible:
            if problem_of(tracker, action) is None:
                yield from continuations((*actions, action))


@cache
def tiny_space() -> tuple[tuple[tuple[StoryAction, ...], BeliefTracker], ...]:
    return tuple(continuations(()))


@pytest.mark.parametrize(("rule", "order"), [("reality", 1), ("last_mention", 1), ("first_order", 2)])
def test_a_star_finds_the_hardest_story_of_a_tiny_space(rule: str, order: int) -> None:
    measure = meter(rule, (order,)).measure

    async def hardest() -> float:
        found = [await measure(StoryScript(actions), tracker) for actions, tracker in tiny_space()]
        assert len(found) > 200
        return min(one.accuracy for one in found)

    search = tiny_search(measure, EXHAUSTIVE)
    found = asyncio.run(search.a_star())
    assert found is not None
    assert found.difficulty.accuracy == asyncio.run(hardest()) < 1


@pytest.mark.parametrize("seed", range(5))
def test_a_star_spends_its_evaluations_while_there_are_stories_left(seed: int) -> None:
    async def measure(script: StoryScript, tracker: BeliefTracker) -> Difficulty:
        return Difficulty(8, 10)

    search = tiny_search(measure, SearchSettings(), seed)
    asyncio.run(search.a_star())
    assert search.evaluations == 50


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["a1", "a4_asymmetric", "a7", "a9_asymmetric"])
def test_what_is_found_meets_the_conditions_at_its_cost(name: str, method: str) -> None:
    chosen, rng = ACTION_SETS[name], Random(name)
    conditions = replace(conditions_of(rng, chosen), needs_rooms=True)
    sampler = StorySampler(read_cast().draw(rng, conditions.people, conditions.rooms), chosen.kinds, conditions)
    search = StorySearch(sampler, meter("reality").measure, rng, SearchSettings(evaluations=12))
    stories = asyncio.run(search_stories(method, search, 2))
    assert search.evaluations <= (24 if method == "over_generation" else 12)
    assert len(stories) == (2 if method == "over_generation" else 1)
    for found in stories:
        assert len(found.script.people) == conditions.people
        assert len({getattr(action, "room", None) for action in found.script.actions} - {None}) >= conditions.rooms
        assert asyncio.run(meter("reality").measure(found.script, found.tracker)) == found.difficulty


def test_over_generation_finds_no_story_twice() -> None:
    search = tiny_search(meter("reality").measure, SearchSettings(evaluations=40))
    found = asyncio.run(search.over_generate(20))
    assert len(found) == len({one.script for one in found}) == 20
    assert search.evaluations == 20 * 40


def test_accuracy_limits_how_many_neighbours_are_evaluated() -> None:
    limits = {0.2: 5, 0.6: 3, 0.9: 1}
    conditions = StoryConditions(people=2, important=4)
    for accuracy, most in limits.items():
        evaluated: list[tuple[StoryAction, ...]] = []

        async def measure(
            script: StoryScript,
            tracker: BeliefTracker,
            right: int = int(10 * accuracy),
            seen: list[tuple[StoryAction, ...]] = evaluated,
        ) -> Difficulty:
            seen.append(script.actions)
            return Difficulty(right, 10)

        asyncio.run(tiny_search(measure, SearchSettings(), 1, conditions).a_star())
        assert len(set(evaluated)) == len(evaluated)
        parents = Counter(actions[:3] for actions in evaluated if len(actions) == 6)
        assert max(parents.values()) == most


def test_lookahead_is_certain_where_the_conditions_are_met_or_out_of_reach() -> None:
    sampler = StorySampler(TINY, KINDS, CONDITIONS)
    search = tiny_search(meter("reality").measure, SearchSettings())
    assert 0 < search.share_met(sampler.begin()) < 1
    met = sampler.draw_draft(Random(0))
    assert met is not None
    assert search.share_met(met) == 1
    walking = tiny_search(meter("reality").measure, SearchSettings(), 0, replace(CONDITIONS, max_actions=1))
    assert walking.share_met(sampler.begin()) == 0


@pytest.mark.parametrize("name", ACTION_SETS)
def test_what_is_said_to_be_out_of_reach_is(name: str) -> None:
    chosen, given_up = ACTION_SETS[name], 0
    for seed in range(30):
        rng = Random(f"{name}/{seed}")
        conditions = replace(conditions_of(rng, chosen), needs_rooms=True)
        sampler = StorySampler(read_cast().draw(rng, conditions.people, conditions.rooms), chosen.kinds, conditions)
        draft = sampler.begin()
        while sampler.can_be_met(draft) and not sampler.is_met(draft) and sampler.add(draft, rng):
            pass
        if not sampler.is_met(draft):
            given_up += 1
            assert not any(sampler.complete(draft.copy(), rng) for _ in range(20))
    assert given_up < 30


def test_stories_can_be_asked_to_hold_false_beliefs() -> None:
    wanted = replace(CONDITIONS, max_actions=10, false_beliefs=1)
    for seed in range(20):
        drawn = StorySampler(TINY, KINDS, wanted).draw(Random(seed))
        assert drawn is not None
        questions = AnsweredStory(drawn.script, drawn.tracker).questions((1,))
        assert sum(question.is_false_belief for question in questions) >= 1


def test_a_reader_is_asked_about_nobody_whom_the_story_has_not_mentioned() -> None:
    tracker = BeliefTracker(("Anne", "Beth", "Carl"))
    actions = (Enter("Anne", ROOM), PutInto("Anne", THING, "box", ROOM))
    for action in actions:
        tracker.apply(action)
    assert asyncio.run(meter("reality").measure(StoryScript(actions), tracker)) == Difficulty(2, 2)
    assert Difficulty(0, 0).accuracy == 1
