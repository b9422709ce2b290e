"""Characters: what becomes of a puppeteer's goals when a player strays, hoards and keeps its fire."""

from __future__ import annotations

import random
from collections.abc import Sequence

import dm_env
import pytest
from meltingpot.utils.puppeteers import puppeteer as mp_puppeteer

from hm_agent.worlds.melting_pot.facts import CharacterRange, Counts
from hm_agent.worlds.melting_pot.games.matrix.simulator.character import (
    DECOY_STEPS,
    SCRIPTED_RANGE,
    STRAYING_STEPS,
    CharacterPuppeteer,
)
from hm_agent.worlds.melting_pot.games.matrix.simulator.puppeteers import MatrixPuppeteer
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots, cast_of, character_of
from hm_agent.worlds.melting_pot.simulator.determinism import drawing_from
from tests.worlds.melting_pot.simulator.puppet_timesteps import RWS, meaning, timestep

ROCK = MatrixPuppeteer(game=RWS, choose=lambda side, memory: side.actions.index("rock"), margin=2)
"""Wants rock, and plays it once it holds two more of it than of the others."""


def goals(character: CharacterRange, inventories: Sequence[Counts], seed: int = 0) -> list[str]:
    """The goals that a puppet gets, with what it holds in each step."""
    puppeteer = CharacterPuppeteer(RWS, character)
    with drawing_from(random.Random(seed)):
        wanted, state = ROCK.initial_state(), puppeteer.initial_state()
        set_goals = []
        for held in inventories:
            stepped, wanted = ROCK.step(timestep(RWS, held), wanted)
            stepped, state = puppeteer.step(stepped, state)
            set_goals.append(meaning(RWS, stepped))
        return set_goals


def rocks(*counts: int) -> list[Counts]:
    return [(count, 1, 1) for count in counts]


COLLECT, PLAY = "collect rock", "play rock"


def test_no_character_changes_no_goal() -> None:
    assert goals(CharacterRange(), rocks(1, 2, 3, 4)) == [COLLECT, COLLECT, PLAY, PLAY]


def test_surplus_is_collected_beyond_the_margin() -> None:
    assert goals(CharacterRange(surplus=(2, 2)), rocks(1, 3, 3, 4, 5, 5)) == [COLLECT] * 4 + [PLAY] * 2


def test_fire_is_kept_for_some_steps_after_there_is_enough() -> None:
    patient = CharacterRange(surplus=(1, 1), patience=(3, 3))
    assert goals(patient, rocks(3, 4, 4, 4, 4, 4)) == [COLLECT] * 4 + [PLAY] * 2


def test_a_new_life_collects_its_own_surplus_and_keeps_its_fire_again() -> None:
    patient = CharacterRange(surplus=(1, 1), patience=(2, 2))
    assert goals(patient, rocks(3, 4, 4, 4, 1, 3, 4, 4, 4)) == [COLLECT] * 3 + [PLAY] + [COLLECT] * 4 + [PLAY]


def test_a_stray_looks_for_another_kind_after_each_pickup() -> None:
    strays = goals(CharacterRange(stray=(1, 1)), rocks(1, 2, 2, 3, 4))
    assert strays[0] in ("collect paper", "collect scissors")
    assert not {COLLECT, PLAY} & {*strays}


def test_a_stray_that_finds_nothing_goes_back_to_its_kind() -> None:
    strays = goals(CharacterRange(stray=(1, 1)), rocks(2) * (STRAYING_STEPS + 2))
    assert COLLECT not in strays[:STRAYING_STEPS]
    assert {*strays[STRAYING_STEPS:]} == {COLLECT}


def test_decoys_are_taken_first_in_each_life() -> None:
    deceives = CharacterRange(decoys=(2, 2))
    # Whoever sees paper taken answers with scissors, which rock beats.
    held = [(1, 1, 1), (1, 2, 1), (1, 3, 1), (4, 3, 1), (5, 3, 1), (1, 1, 1), (1, 2, 1), (1, 3, 1)]
    shown = "collect paper"
    assert goals(deceives, held) == [shown, shown, COLLECT, COLLECT, PLAY, shown, shown, COLLECT]


def test_the_decoy_is_the_kind_whose_answer_the_own_kind_beats() -> None:
    character = CharacterPuppeteer(RWS, CharacterRange())
    for own in range(3):
        assert RWS.payoff[own][RWS.side.best_response(character.decoy_of(own))] == 10


def test_decoys_that_are_not_found_are_given_up_until_the_next_life() -> None:
    held = [*[(1, 2, 1)] * (DECOY_STEPS + 3), (1, 1, 1), (1, 1, 1)]
    told = goals(CharacterRange(decoys=(2, 2)), held)
    assert {*told[: DECOY_STEPS - 1]} == {"collect paper"} == {*told[-2:]}
    assert {*told[DECOY_STEPS - 1 : -2]} == {COLLECT}


def test_a_fifth_of_the_pickups_strays() -> None:
    climbing = rocks(*range(1, 2000))
    never_plays = CharacterRange(stray=(0.2, 0.2), surplus=(9999, 9999))
    astray = sum(goal != COLLECT for goal in goals(never_plays, climbing))
    assert astray / len(climbing) == pytest.approx(0.2, abs=0.03)


def test_character_is_drawn_for_each_episode_from_its_stream() -> None:
    drawn = CharacterPuppeteer(RWS, CharacterRange(stray=(0.1, 0.2), surplus=(5, 18), patience=(10, 40)))
    before = random.getstate()
    characters = []
    for seed in (*range(200), *range(200)):
        with drawing_from(random.Random(seed)):
            characters.append(drawn.initial_state().character)
    assert characters[:200] == characters[200:]
    assert random.getstate() == before
    assert {one.surplus for one in characters} == {*range(5, 19)}
    assert {one.patience for one in characters} == {*range(10, 41)}
    assert all(0.1 <= one.stray <= 0.2 for one in characters)


@pytest.mark.parametrize(
    ("name", "bots", "expected"),
    [
        ("rws_repeated_0", Bots.SCRIPTED, SCRIPTED_RANGE),
        ("rws_repeated_0", Bots.TRAINED, None),
        ("rws_repeated_5", Bots.SCRIPTED, None),
        ("rws_unseen_0", Bots.SCRIPTED, SCRIPTED_RANGE),
        ("rws_unseen_0", Bots.TRAINED, None),
        ("rws_unseen_5", Bots.SCRIPTED, CharacterRange((0.15, 0.25), (4, 12), (10, 30))),
        ("rws_unseen_5", Bots.TRAINED, CharacterRange((0.15, 0.25), (4, 12), (10, 30))),
        ("cooking_asymmetric_0", Bots.SCRIPTED, None),
        ("cooking_asymmetric_2", Bots.TRAINED, None),
    ],
)
def test_trained_puppets_have_a_character_only_where_the_scenario_gives_it(
    name: str, bots: Bots, expected: CharacterRange | None
) -> None:
    scenario = scenario_named(name)
    assert {character_of(bot, scenario, bots) for bot in cast_of(scenario)} == {expected}


def test_goal_of_the_puppeteer_is_not_overwritten_in_place() -> None:
    """Puppeteers share their goals, which must stay as they are."""
    puppeteer = CharacterPuppeteer(RWS, CharacterRange(surplus=(1, 1)))
    given, _ = ROCK.step(timestep(RWS, (3, 1, 1)), ROCK.initial_state())
    stepped, _ = puppeteer.step(given, puppeteer.initial_state())
    assert isinstance(stepped, dm_env.TimeStep)
    assert (meaning(RWS, given), meaning(RWS, stepped)) == (PLAY, COLLECT)
    assert (
        mp_puppeteer.puppet_timestep(given, given.observation["GOAL"]).observation.keys() == stepped.observation.keys()
    )
