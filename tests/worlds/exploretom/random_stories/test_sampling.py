"""Random stories: their conditions and their seeds."""

from __future__ import annotations

from random import Random

import pytest

from hm_agent.config import ConfigError
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS, ActionKind
from hm_agent.worlds.exploretom.random_stories.cast import read_cast
from hm_agent.worlds.exploretom.random_stories.sampling import (
    StoryConditions,
    StorySampler,
    conditions_of,
    draw_story,
    story_of,
)
from hm_agent.worlds.exploretom.story.actions import (
    Alter,
    CarryTo,
    Inform,
    PutInto,
    StoryAction,
    TalkAbout,
    is_asymmetric,
)
from hm_agent.worlds.exploretom.story.beliefs import track


def kind_of(action: StoryAction) -> ActionKind:
    match action:
        case PutInto():
            return ActionKind.MOVE
        case CarryTo():
            return ActionKind.CARRY
        case Alter():
            return ActionKind.CHANGE
        case TalkAbout():
            return ActionKind.CHAT if action.listener else ActionKind.DISCUSS
        case Inform():
            return ActionKind.TELL if action.listener else ActionKind.ANNOUNCE
    return ActionKind.ENTER


@pytest.mark.parametrize("name", ACTION_SETS)
def test_story_has_what_its_conditions_ask_for(name: str) -> None:
    chosen = ACTION_SETS[name]
    for seed in range(20):
        asked = conditions_of(Random(f"{name}/{seed}"), chosen)
        script = story_of(seed, chosen, read_cast()).script
        kinds = [kind_of(action) for action in script.actions]
        important = [action for action in script.actions if isinstance(action, PutInto | CarryTo | Alter | TalkAbout)]
        assert len(script.people) == asked.people
        assert len(important) == asked.important
        assert len(script.actions) <= asked.max_actions
        assert set(kinds) & set(asked.must_have)
        assert set(kinds) <= set(chosen.kinds)
        assert any(map(is_asymmetric, script.actions)) == chosen.is_asymmetric


def test_there_are_eighteen_action_sets() -> None:
    assert len(ACTION_SETS) == 18


def test_seed_gives_its_story_and_another_seed_another() -> None:
    chosen = ACTION_SETS["a6_asymmetric"]
    stories = [story_of(seed, chosen, read_cast()).script for seed in (1, 1, 2)]
    assert stories[0] == stories[1] != stories[2]


def test_conditions_that_cannot_be_met_are_refused_in_one_line() -> None:
    lists, move = read_cast(), (ActionKind.ENTER, ActionKind.MOVE)
    with pytest.raises(ConfigError, match="none of 2000 random stories"):
        draw_story(Random(0), lists, move, StoryConditions(people=4, important=2, max_actions=3))
    with pytest.raises(ConfigError, match="3 rooms are asked for"):
        draw_story(Random(0), lists, move, StoryConditions(people=2, important=2, rooms=3))


def test_story_may_end_before_everyone_has_come() -> None:
    conditions = StoryConditions(people=4, important=2, max_actions=10, needs_everyone=False)
    kinds = (ActionKind.ENTER, ActionKind.LEAVE, ActionKind.MOVE)
    scripts = [draw_story(Random(seed), read_cast(), kinds, conditions).script for seed in range(30)]
    assert {len(script.people) for script in scripts} >= {2, 3}
    assert all(isinstance(script.actions[-1], PutInto) for script in scripts)
    assert all(sum(isinstance(action, PutInto) for action in script.actions) == 2 for script in scripts)


@pytest.mark.parametrize("name", ["a4_asymmetric", "a6"])
def test_beliefs_are_whole_whether_or_not_they_are_followed_while_a_story_is_drawn(name: str) -> None:
    chosen, rng = ACTION_SETS[name], Random(name)
    conditions = conditions_of(rng, chosen)
    sampler = StorySampler(read_cast().draw(rng, conditions.people, conditions.rooms), chosen.kinds, conditions)
    draft = sampler.draw_draft(rng)
    assert draft is not None
    assert draft.state.follows_beliefs == (name == "a6")
    found, expected = sampler.tracked(draft), track(sampler.script(draft))
    for person in expected.people:
        for other in expected.people:
            for key in expected.known_keys():
                assert found.nested_belief(person, other, key) == expected.nested_belief(person, other, key)
