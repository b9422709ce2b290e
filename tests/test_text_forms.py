"""Text environments in PettingZoo and Gymnasium: their own tests, and rewards of seats that are not always asked."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.spaces import Box
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv

from hm_agent.config import ConfigError
from hm_agent.envs import aec_text_env, gym_env, gym_text_env, parallel_env, parallel_text_env
from hm_agent.text_env import text_env

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # raised by what its tests import
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
    from pettingzoo.utils.wrappers import BaseWrapper

SELF_PLAY = "mg_pd_selfplay"


class InNumbers(BaseWrapper):
    """Shows texts as the bytes with which they begin: PettingZoo's test of turns reads the type of an array."""

    space = Box(0, 255, (1_000,), np.uint8)

    def observation_space(self, agent: str) -> Box:
        return self.space

    def observe(self, agent: str) -> npt.NDArray[np.uint8]:
        return np.frombuffer(super().observe(agent).encode().ljust(1_000)[:1_000], np.uint8)


def test_text_environments_pass_the_libraries_own_tests() -> None:
    parallel_api_test(parallel_text_env(SELF_PLAY), num_cycles=20)
    parallel_seed_test(lambda: parallel_text_env(SELF_PLAY), num_cycles=20)
    check_env(gym_text_env("exploretom_a1"), skip_render_check=True)
    seed_test(lambda: aec_text_env(SELF_PLAY), num_cycles=20)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Action space")  # it would rather have numbers
        api_test(InNumbers(aec_text_env(SELF_PLAY, max_steps=3)), num_cycles=50)


def test_no_form_is_copied_or_pickled() -> None:
    forms = (gym_text_env("mg_rps_pure"), parallel_text_env(SELF_PLAY), aec_text_env(SELF_PLAY))
    for env in (*forms, gym_env("rws_repeated_1", bots="scripted")):
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="can't be copied or pickled: open another one"):
                copied(env)
        env.close()


def test_several_are_played_in_processes_without_shared_memory() -> None:
    opened = [lambda: gym_text_env("mg_rps_pure")] * 2
    with pytest.raises(ValueError, match="shared_memory=False"):
        AsyncVectorEnv(opened)
    env = AsyncVectorEnv(opened, shared_memory=False, context="spawn")
    observations, _ = env.reset(seed=0)
    assert [text.startswith("# The game") for text in observations] == [True, True]
    env.close()


def test_all_forms_earn_the_same() -> None:
    name, said = "symmtom_w6_n3_c3", '{"calls": ["recharge()"]}'
    earned = {}
    with text_env(name) as env:
        earned["texts"] = dict.fromkeys(env.possible_seats, 0.0)
        observations = env.reset(seed=4)
        while observations:
            observations, rewards, _, _ = env.step(dict.fromkeys(observations, said))
            for seat, reward in rewards.items():
                earned["texts"][seat] += reward
    parallel = parallel_text_env(name)
    parallel.reset(seed=4)
    earned["parallel"] = dict.fromkeys(parallel.agents, 0.0)
    seen, terminated, truncated = {}, {}, {}
    while parallel.agents:
        seen, rewards, terminated, truncated, _ = parallel.step(dict.fromkeys(parallel.agents, said))
        for seat, reward in rewards.items():
            earned["parallel"][seat] += reward
    assert (set(terminated.values()), set(truncated.values()), set(seen.values())) == ({True}, {False}, {""})
    in_turn = aec_text_env(name)
    in_turn.reset(seed=4)
    earned["in turn"] = dict.fromkeys(in_turn.agents, 0.0)
    for seat in in_turn.agent_iter():
        _, reward, is_over, _, _ = in_turn.last()
        earned["in turn"][seat] += reward
        in_turn.step(None if is_over else said)
    assert any(earned["texts"].values())
    assert earned["parallel"] == earned["in turn"] == earned["texts"]


def test_a_reply_that_is_no_text_is_refused_and_costs_no_reward() -> None:
    env = aec_text_env(SELF_PLAY, invalid_cost=0.5)
    env.reset(seed=0)
    env.step("no call")
    before = env.last()
    assert before[1] == -0.5
    replies: tuple[object, ...] = (0, [], False, 7)
    for reply in replies:
        with pytest.raises(ValueError, match=r"the reply of player_0 is .*: it has to be a text"):
            env.step(reply)
        assert env.last() == before
    env.close()


def test_several_seats_are_no_gymnasium_environment() -> None:
    with pytest.raises(ConfigError, match="has 2 seats: use parallel_text_env, aec_text_env, or seats="):
        gym_text_env(SELF_PLAY)
    assert gym_text_env(SELF_PLAY, seats=["player_1"]).reset(seed=0)[0].startswith("# The game")


def test_worlds_of_texts_alone_name_the_environments_that_open_them() -> None:
    for opens in (gym_env, parallel_env):
        for name in ("mg_pd_grim", "exploretom_a1", "symmtom_pairs_order_0_even"):
            with pytest.raises(ConfigError) as refused:
                opens(name)
            told = f"gym_env and parallel_env don't open {name}: gym_text_env and parallel_text_env do"
            assert str(refused.value) == told
