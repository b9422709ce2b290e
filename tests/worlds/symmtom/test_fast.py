"""JAX's rules, K matrices and observations against the NumPy reference, to the bit."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.fast import beliefs, core
from hm_agent.worlds.symmtom.fast.beliefs import first_k, next_k
from hm_agent.worlds.symmtom.fast.multi_agent import SymmtomMultiAgentEnv
from hm_agent.worlds.symmtom.fast.observations import general_size, observation_size, piece_size, turn_size
from hm_agent.worlds.symmtom.knowledge.k_matrix import KINDS
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.sights import sights_of

GAMES = 32
ALIKE = [GameSettings(6, 3, 3), GameSettings(12, 3, 9)]
"""Sizes that differ from the others in numbers alone."""
SIZES = [
    *(pytest.param(settings, marks=pytest.mark.heavy) for settings in ALIKE),
    GameSettings(6, 4, 8, has_published_rules=True),
    GameSettings(12, 4, 12),
    GameSettings(4, 7, 33, has_public_first_hand=False),
    GameSettings(6, 2, 64, hearing=2),
    GameSettings(7, 5, 3, hearing=2, is_competitive=True),
    GameSettings(6, 3, 4, has_public_first_hand=False, is_competitive=True),
]


def starts(settings: GameSettings) -> Any:
    """Of a seed: a game and its K of every kind."""

    def start(seed: Any) -> Any:
        game = core.reset(settings, seed)
        return game, {kind: first_k(settings, kind, game) for kind in beliefs.KINDS}

    return jax.jit(jax.vmap(start))


def steps(settings: GameSettings) -> Any:
    def step(state: Any, directions: Any, pieces: Any) -> Any:
        game, known = state
        game, effects = core.step(settings, game, directions, pieces)
        return (game, {kind: next_k(settings, kind, known[kind], game, effects) for kind in beliefs.KINDS}), effects

    return jax.jit(jax.vmap(step))


def lively_actions(settings: GameSettings, state: rules.GameState, rng: np.random.Generator) -> tuple[Any, Any]:
    """Mostly, agents that know all go to their bases, the others to the middle, and all say what they know."""
    shape = state.positions.shape[:-1]
    complete = state.knows.all(-1, keepdims=True)
    way = np.sign(np.where(complete, state.bases, settings.width // 2) - state.positions)
    along_x, along_y = np.where(way[..., 0] < 0, 0, 1), np.where(way[..., 1] < 0, 2, 3)
    toward = np.where(way[..., 0] != 0, along_x, np.where(way[..., 1] != 0, along_y, 4))
    directions = np.where(rng.random(shape) < 0.7, toward, rng.integers(0, 5, shape))
    known = (rng.random((*shape, settings.pieces)) * state.knows).argmax(-1)
    return directions, np.where(rng.random(shape) < 0.8, known, rng.integers(0, settings.pieces, shape))


def assert_same(settings: GameSettings, fast: Any, reference: Any, names: tuple[str, ...]) -> None:
    for name in names:
        value, sets = getattr(fast, name), ("first_hand", "second_hand", "news")
        value = core.unpacked(value, settings.pieces) if name in sets else value
        np.testing.assert_array_equal(np.asarray(value), getattr(reference, name), name)


STATE = ("step", "positions", "bases", "first_hand", "second_hand", "recharges")
EFFECTS = ("rewards", "said", "heard_from", "news", "taught", "recharged")


@pytest.mark.parametrize("settings", SIZES, ids=lambda settings: settings.name)
def test_games_and_beliefs_equal_the_references_to_the_bit(settings: GameSettings) -> None:
    rng = np.random.default_rng(settings.pieces)
    seeds = rules.random_keys(np.arange(GAMES, dtype=np.uint32), settings.width, 1)[:, 0]
    state, fast, step = rules.reset(settings, seeds), starts(settings)(seeds), steps(settings)
    estimates, own_seeds = (
        {kind: KINDS[kind]() for kind in beliefs.KINDS},
        np.zeros((GAMES, settings.agents), np.uint32),
    )
    effects, recharges = None, 0
    for _ in range(settings.steps + 1):
        for kind, estimate in estimates.items() if not rules.is_over(settings, state).any() else ():
            known = estimate.update(sights_of(settings, state, effects, own_seeds), state)
            sets = np.asarray(core.unpacked(fast[1][kind], settings.pieces))
            np.testing.assert_array_equal(sets.reshape(known.shape), known, kind)
        actions = lively_actions(settings, state, rng)
        state, effects = rules.step(settings, state, *actions)
        fast, fast_effects = step(fast, *actions)
        assert_same(settings, fast[0], state, STATE)
        assert_same(settings, fast_effects, effects, EFFECTS)
        recharges += int(effects.recharged.sum())
    assert rules.is_over(settings, state).all()
    assert recharges > 0 or settings.pieces > 12


SMALL = GameSettings(6, 3, 3)


def test_multi_agent_env_plays_one_game_after_the_other_as_the_rules_say() -> None:
    env = SymmtomMultiAgentEnv(SMALL, beliefs.CE)
    step, keys = jax.jit(env.step), jax.random.split(jax.random.key(3), 40)
    observations, state = jax.jit(env.reset)(keys[0])
    game = rules.reset(SMALL, [int(state.game.seed)])
    rng = np.random.default_rng(0)
    for at in range(35):
        assert {agent: value.shape for agent, value in observations.items()} == dict.fromkeys(
            SMALL.seats, (observation_size(SMALL),)
        )
        actions = rng.integers(0, env.num_actions, SMALL.agents)
        before = game
        game, effects = rules.step(SMALL, before, actions[None] // 3, actions[None] % 3)
        observations, state, rewards, dones, _ = step(keys[at + 1], state, dict(zip(env.agents, actions, strict=True)))
        assert [float(rewards[agent]) for agent in env.agents] == effects.rewards[0].tolist()
        assert bool(dones["__all__"]) == (at == 29)
        if dones["__all__"]:
            game = rules.reset(SMALL, [int(state.game.seed)])
            assert int(state.game.seed) != int(before.seeds[0])
        np.testing.assert_array_equal(np.asarray(state.game.positions), game.positions[0])


def test_many_environments_map_over_keys() -> None:
    env = SymmtomMultiAgentEnv(SMALL)
    observations, state = jax.jit(jax.vmap(env.reset))(jax.random.split(jax.random.key(0), 5))
    assert observations["player_0"].shape == (5, observation_size(SMALL))
    masks = jax.jit(jax.vmap(env.get_avail_actions))(state)
    allowed = np.asarray(masks["player_1"]).reshape(5, 5, 3)
    knows = np.asarray(core.unpacked(state.game.knows, 3))[:, 1]
    np.testing.assert_array_equal(allowed[:, 4], knows)


def test_a_game_keeps_no_floating_point_number() -> None:
    state = core.reset(SMALL, jnp.uint32(1))
    assert not [leaf for leaf in jax.tree.leaves(state) if jnp.issubdtype(leaf.dtype, jnp.floating)]


def test_the_size_of_an_observation_is_the_sum_of_its_documented_parts() -> None:
    env = SymmtomMultiAgentEnv(GameSettings(6, 4, 5))
    observations, _ = jax.eval_shape(env.reset, jax.random.key(0))
    n, c = 4, 5
    general = 1 + 4 + 2 + 7 + 2 + (7 + 6 + 3) * (n - 1)
    rows = 3 * c + 3 * (n - 1) * c + 2 * c
    assert (general, rows) == (general_size(env.settings), c * piece_size(env.settings))
    assert observations["player_0"].shape == (general + rows,)
    assert turn_size(env.settings) == 4 + 2 + 7 + (7 + 6) * (n - 1) + 2 * n + 2 * n * c
