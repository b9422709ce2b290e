"""Melting Pot in PettingZoo and Gymnasium: their own tests, and the world that agents play here."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.config import ConfigError
from hm_agent.core import Observation
from hm_agent.envs import gym_env, parallel_env
from hm_agent.worlds.melting_pot.games import kind_of
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.simulator.substrate import actions_of

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # raised by what its tests import
    from pettingzoo.test import parallel_api_test, parallel_seed_test


@pytest.mark.parametrize("name", ["rws_repeated_selfplay", "cooking_asymmetric_selfplay"])
def test_a_substrate_passes_pettingzoos_own_tests_without_a_warning(name: str) -> None:
    parallel_api_test(parallel_env(name), num_cycles=20)
    parallel_seed_test(lambda: parallel_env(name), num_cycles=20)


def test_a_scenario_passes_gymnasiums_own_test_without_a_warning() -> None:
    check_env(gym_env("rws_repeated_1", bots="scripted", render_mode="rgb_array"), skip_render_check=True)


@pytest.mark.parametrize("name", ["rws_repeated_selfplay", "gift_refinements_selfplay"])
def test_words_stand_in_place_of_pixels(name: str) -> None:
    words, pixels = parallel_env(name, observation="text"), parallel_env(name)
    in_words, in_pixels = (env.reset(seed=4)[0] for env in (words, pixels))
    game, seats = scenario_named(name).game, words.possible_agents
    readers = {seat: kind_of(game).reader(game, slot) for slot, seat in enumerate(seats)}
    for step, (action, following) in enumerate(((0, 1), (1, 5), (5, 1), (1, 0))):
        for seat in seats:
            assert in_words[seat]["text"] == readers[seat](Observation(step, in_pixels[seat]), action)
            assert in_words[seat].keys() == in_pixels[seat].keys() - {"RGB"} | {"text"}
        actions = dict.fromkeys(seats, following)
        in_words, in_pixels = words.step(actions)[0], pixels.step(actions)[0]


def test_an_environment_in_words_passes_pettingzoos_own_test_and_no_other_observation_is_opened() -> None:
    parallel_api_test(parallel_env("rws_repeated_selfplay", observation="text"), num_cycles=5)
    with pytest.raises(ConfigError, match="symmtom has no environment whose observations are pixels"):
        parallel_env("symmtom_w6_n3_c3", observation="text")
    with pytest.raises(ConfigError, match="observation is 'own' or 'text', not 'txt'"):
        parallel_env("rws_repeated_selfplay", observation="txt")


def test_eight_seats_see_the_official_observations_and_the_whole_map_is_drawn() -> None:
    env = parallel_env("rws_arena_selfplay", render_mode="rgb_array")
    observations, _ = env.reset(seed=3)
    assert list(observations) == env.agents == [f"player_{slot}" for slot in range(8)]
    assert {name: seen.shape for name, seen in observations["player_5"].items()} == {
        "RGB": (88, 88, 3),
        "INVENTORY": (3,),
        "READY_TO_SHOOT": (),
    }
    assert env.render().shape == (192, 200, 3)
    assert env.state_space.contains(env.state())
    env.close()


def test_a_beam_that_cools_down_for_long_stays_in_its_space() -> None:
    env, actions = parallel_env("paintball_capture_the_flag_selfplay"), actions_of("paintball__capture_the_flag")
    env.reset(seed=1)
    env.step(dict.fromkeys(env.agents, actions["NOOP"]))
    observations = env.step(dict.fromkeys(env.agents, actions["FIRE_ZAP_2"]))[0]
    assert min(float(seen["READY_TO_SHOOT"]) for seen in observations.values()) < 0
    assert all(env.observation_space(seat).contains(seen) for seat, seen in observations.items())
    env.close()


def test_a_gymnasium_episode_is_the_episode_that_agents_play_here() -> None:
    (scenario,) = find_scenarios(["rws_repeated_1"])
    suite = suites()["melting_pot"]
    options = {option.name: option.default for option in suite.options} | {"bots": "scripted"}
    world = suite.open(scenario, suite.settle(scenario, options))
    env: Any = gym_env("rws_repeated_1", bots="scripted")
    seen, turn = env.reset(seed=11)[0], world.reset(11)
    moves = np.random.default_rng(0)
    for _ in range(60):
        view = turn.observations["player_0"].view
        assert all((seen[name] == view[name]).all() for name in ("RGB", "INVENTORY", "READY_TO_SHOOT"))
        action = int(moves.integers(8))
        seen, reward, terminated, truncated, _ = env.step(action)
        turn = world.step({"player_0": action})
        assert (reward, terminated, truncated) == (turn.rewards["player_0"], False, turn.is_over)
    world.close()
    env.close()


def test_the_one_interaction_of_a_game_terminates_its_episode() -> None:
    env: Any = gym_env("rws_one_shot_0", bots="scripted")
    env.reset(seed=0)
    moves, terminated, truncated, paid = np.random.default_rng(0), False, False, 0.0
    while not (terminated or truncated):
        _, reward, terminated, truncated, _ = env.step(int(moves.integers(8)))
        paid += reward
    env.close()
    assert paid != 0
    assert (terminated, truncated) == (True, False)


@pytest.mark.parametrize(
    ("open_env", "message"),
    [
        (lambda: gym_env("rws_arena_selfplay"), "8 seats: use parallel_env"),
        (lambda: gym_env("rws_repeated_1", render_mode="human"), "rgb_array"),
        (lambda: parallel_env("rws_repeated_1", bots="clever"), "auto or trained or scripted"),
        (lambda: parallel_env("rws_repeated_1", bots_dir="/nowhere"), "no such folder"),
    ],
)
def test_what_cannot_be_opened_is_said_in_one_line(open_env: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        open_env()


@pytest.mark.parametrize("action", [-1, 8, 99, 1.5, "left", None])
def test_an_action_that_the_game_lacks_is_refused_and_takes_no_step(action: Any) -> None:
    env: Any = gym_env("rws_repeated_1", bots="scripted")
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"^player_0's action is .*: must be an int from 0 to 7$"):
        env.step(action)
    env.step(np.int64(7))
    env.close()


def test_an_environment_names_the_seats_without_an_action_and_asks_for_a_reset() -> None:
    env = parallel_env("rws_repeated_selfplay")
    with pytest.raises(ValueError, match=r"^no episode is being played: call reset first$"):
        env.step({"player_0": 0, "player_1": 0})
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"^no action of player_1: say one for each of player_0, player_1$"):
        env.step({"player_0": 0})
    for copied in (copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="can't be copied or pickled: open another one"):
            copied(env)
    env.close()
