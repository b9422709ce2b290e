"""SymmToM in PettingZoo: its own tests, and the rules of the reference."""

from __future__ import annotations

import tracemalloc
import warnings
from typing import Any

import numpy as np
import pytest
from pettingzoo.env_registry import registration

from hm_agent.config import ConfigError
from hm_agent.envs import parallel_env
from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.one_game import OneGame
from hm_agent.worlds.symmtom.settings import GameSettings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # raised by what its tests import
    from pettingzoo.test import parallel_api_test, parallel_seed_test

NAME = "symmtom_w6_n3_c3"


@pytest.mark.parametrize("name", [NAME, "symmtom_w7_n2_c5_h2"])
def test_passes_pettingzoos_own_tests_without_a_warning(name: str) -> None:
    parallel_api_test(parallel_env(name), num_cycles=100)
    parallel_seed_test(lambda: parallel_env(name), num_cycles=100)
    variant = parallel_env(name, rewards="competitive", first_hand="private", rules="published")
    assert variant.settings.has_published_rules
    parallel_api_test(variant, num_cycles=100)


@pytest.mark.parametrize(
    "settings",
    [
        GameSettings(6, 3, 3),
        GameSettings(4, 9, 4, is_competitive=True),
        GameSettings(4, 5, 3, has_published_rules=True),
        GameSettings(4, 16, 2),
        GameSettings(6, 2, 40, hearing=2),
    ],
    ids=lambda settings: settings.name,
)
def test_one_game_equals_the_reference(settings: GameSettings) -> None:
    rng, ends = np.random.default_rng(1), set()
    for seed in range(20):
        game, state = OneGame.begin(settings, seed), rules.reset(settings, [seed])
        while not game.is_over:
            complete = state.knows.all(-1, keepdims=True)
            way = np.sign(np.where(complete, state.bases, settings.width // 2) - state.positions)[0]
            toward = np.where(
                way[:, 0] != 0, (way[:, 0] + 1) // 2, np.where(way[:, 1] != 0, 2 + (way[:, 1] + 1) // 2, 4)
            )
            directions = np.where(rng.random(settings.agents) < 0.8, toward, rng.integers(0, 5, settings.agents))
            pieces = rng.integers(0, settings.pieces, settings.agents)
            rewards = game.step(directions.tolist(), pieces.tolist())
            state, effects = rules.step(settings, state, directions[None], pieces[None])
            assert rewards == effects.rewards[0].tolist()
            assert game.said == effects.said[0].tolist()
            places = [[cell % settings.width, cell // settings.width] for cell in game.cells]
            assert places == state.positions[0].tolist()
            known = [[bool(known >> piece & 1) for piece in range(settings.pieces)] for known in game.knows]
            assert known == state.knows[0].tolist()
            near = rules.within_hearing(settings, state.positions)[0]
            assert game.near == [np.flatnonzero(row).tolist() for row in near]
        assert rules.is_over(settings, state)[0]
        ends.add(game.has_winner)
    assert ends == {False, True} if settings.is_competitive else ends == {False}


def play(env: Any, seed: int) -> tuple[list[Any], dict[str, float]]:
    """All observations of a game of allowed actions, and what it paid."""
    rng, seen = np.random.default_rng(seed), []
    observations, _ = env.reset(seed=seed)
    totals = dict.fromkeys(env.agents, 0.0)
    while env.agents:
        seen.append(observations)
        masks = {agent: one["action_mask"] for agent, one in observations.items()}
        actions = {agent: int(rng.choice(np.flatnonzero(mask))) for agent, mask in masks.items()}
        observations, rewards, _, _, infos = env.step(actions)
        assert all((infos[agent]["action_mask"] == one["action_mask"]).all() for agent, one in observations.items())
        totals = {agent: total + rewards[agent] for agent, total in totals.items()}
    return seen, totals


def test_observations_begin_with_the_agent_itself() -> None:
    env = parallel_env(NAME)
    seen, _ = play(env, 5)
    start = rules.reset(env.settings, [5])
    for me, agent in enumerate(env.possible_agents):
        order = [(me + step) % 3 for step in range(3)]
        expected = [
            [0.0],
            (start.positions[0][order] / 5).ravel(),
            (start.bases[0][order] / 5).ravel(),
            start.knows[0, me],
            start.first_hand[0][order].ravel(),
            np.zeros(9),
        ]
        assert seen[0][agent]["observation"] == pytest.approx(np.concatenate(expected))


def test_an_agent_is_told_what_it_heard_and_nothing_else() -> None:
    env = parallel_env("symmtom_w6_n2_c2")
    for seed in range(30):
        env.reset(seed=seed)
        near = env._game.near[0]
        own = [int(np.flatnonzero(row)[0]) for row in rules.reset(env.settings, [seed]).first_hand[0]]
        stay = {agent: 4 * 2 + own[at] for at, agent in enumerate(env.agents)}
        observations, rewards, *_ = env.step(stay)
        heard = observations["player_0"]["observation"][-4:].reshape(2, 2)
        assert heard[0].tolist() == [own[0] == 0, own[0] == 1]
        assert heard[1].any() == bool(near)
        assert (rewards["player_0"] > 0) == bool(near)


def test_private_first_hand_knowledge_is_not_told() -> None:
    observations, _ = parallel_env(NAME, first_hand="private").reset(seed=0)
    told = observations["player_1"]["observation"][-18:-9].reshape(3, 3)
    assert told[0].any()
    assert not told[1:].any()


@pytest.mark.slow
def test_the_memory_does_not_fill_with_the_sets_of_pieces_that_were_known() -> None:
    env, rng = parallel_env("symmtom_w8_n16_c64"), np.random.default_rng(0)

    def play(episodes: int) -> int:
        """How much memory is held in the end."""
        for _ in range(episodes):
            observations, _ = env.reset()
            while env.agents:
                masks = {agent: np.flatnonzero(seen["action_mask"]) for agent, seen in observations.items()}
                observations, *_ = env.step({agent: int(rng.choice(mask)) for agent, mask in masks.items()})
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = play(7)
        assert play(4) - before < 500_000
    finally:
        tracemalloc.stop()


def test_a_seed_is_a_game_and_none_is_the_next_one() -> None:
    one, other = parallel_env(NAME), parallel_env(NAME)
    assert play(one, 3)[1] == play(other, 3)[1]
    assert (one.reset(seed=9)[0]["player_0"]["observation"] == other.reset(seed=9)[0]["player_0"]["observation"]).all()
    again = [env.reset()[0]["player_0"]["observation"] for env in (one, other)]
    assert (again[0] == again[1]).all()
    assert (again[0] != one.reset()[0]["player_0"]["observation"]).any()


def test_renders_a_frame_and_gives_the_state() -> None:
    env = parallel_env(NAME, render_mode="rgb_array")
    env.reset(seed=0)
    frame = env.render()
    assert frame.shape == (384, 384, 3)
    assert frame.dtype == np.uint8
    assert len(np.unique(frame.reshape(-1, 3), axis=0)) > 5
    assert env.state_space.contains(env.state())
    assert parallel_env(NAME).render() is None
    with pytest.raises(ValueError, match="nothing to render yet: call reset first"):
        parallel_env(NAME, render_mode="rgb_array").render()


@pytest.mark.parametrize("integer", [np.int64, np.uint32, np.int32])
def test_numpys_integers_are_seeds_as_pythons_are(integer: type[np.integer[Any]]) -> None:
    one, other = parallel_env(NAME), parallel_env(NAME)
    first, second = one.reset(seed=integer(7))[0], other.reset(seed=7)[0]
    assert (first["player_0"]["observation"] == second["player_0"]["observation"]).all()


def test_the_registry_has_it_under_its_id() -> None:
    env = registration.make("parallel", "hm_agent/SymmToM-v0", scenario="symmtom_w12_n4_c12")
    observations, _ = env.reset(seed=0)
    assert len(observations) == 4
    assert env.action_space("player_0").n == 60


@pytest.mark.parametrize(
    ("scenario", "options", "message"),
    [
        ("symmtom_w3_n3_c3", {}, "hearing range"),
        ("exploretom_a1", {}, "gym_text_env"),
        ("symmtom_test_order_0_w6", {}, "gym_text_env"),
        ("symmtom_*", {}, "12 scenarios"),
        (NAME, {"first_hand": "hidden"}, "public or private"),
        (NAME, {"colour": "red"}, "no option 'colour'"),
    ],
)
def test_what_cannot_be_opened_is_said_in_one_line(scenario: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parallel_env(scenario, **options)


@pytest.mark.parametrize("action", [15, 999, -7, 3.5, "left", None])
def test_an_impossible_action_is_refused_by_agent_value_and_range(action: object) -> None:
    env = parallel_env(NAME)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=f"action {action!r} of player_1: say a whole number from 0 to 14"):
        env.step({"player_0": 0, "player_1": action, "player_2": np.array(14)})
