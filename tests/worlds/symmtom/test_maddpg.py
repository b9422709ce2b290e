"""MADDPG: its actors, what its replay holds, and what it learns."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hm_agent.config import ConfigError
from hm_agent.learning.layers import Weights
from hm_agent.learning.trees import is_finite
from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.fast.observations import EgoView
from hm_agent.worlds.symmtom.knowledge.k_matrix import KINDS
from hm_agent.worlds.symmtom.learning import replay as replays
from hm_agent.worlds.symmtom.learning.actors import ActorShape, estimated_k, features
from hm_agent.worlds.symmtom.learning.algorithms import ALGORITHMS
from hm_agent.worlds.symmtom.learning.checkpoints import TrainedPlayer, player_of, save
from hm_agent.worlds.symmtom.learning.maddpg import Maddpg, MaddpgParameters
from hm_agent.worlds.symmtom.learning.replay import MEMORY_LEVELS, Replay, Segments, arrays_of, replay_of
from hm_agent.worlds.symmtom.learning.trained_policy import ego_view_of
from hm_agent.worlds.symmtom.own_agents import TRAINED
from hm_agent.worlds.symmtom.policies.policy import HeuristicPolicy
from hm_agent.worlds.symmtom.rules import Bools
from hm_agent.worlds.symmtom.selfplay import play
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.sights import sights_of

SMALL = GameSettings(4, 2, 2)
PARAMETERS = MaddpgParameters(updates=1, games=4, batch=32, capacity=8)
GAMES = np.arange(4)
add = jax.jit(replays.add)  # as in an update; step by step, JAX compiles each operation by itself
sample = jax.jit(replays.sample, static_argnums=(2, 3))


def test_every_agent_that_was_trained_has_an_algorithm() -> None:
    assert TRAINED.keys() <= ALGORITHMS.keys()


# Actors


def silent(settings: GameSettings) -> dict[str, np.ndarray]:
    """An actor that holds it certain that whom it can't hear is silent."""
    actor = {name: value[0] for name, value in ActorShape(8, memory="estimate").initial_weights(settings, 0).items()}
    actor["f_said"] = np.zeros_like(actor["f_said"])
    actor["f_said_bias"] = np.array([0.0] * settings.pieces + [1000.0], np.float32)
    return actor


def own_first(known: Bools, me: np.ndarray) -> Bools:
    order = (me[:, None] + np.arange(known.shape[1])) % known.shape[1]
    turned: Bools = known[np.arange(len(me))[:, None], order]
    return turned


def test_an_estimate_that_takes_all_unheard_for_silent_is_the_conservative_one() -> None:
    settings, knowledge = GameSettings(6, 4, 5), KINDS["ce"]()
    before = np.zeros((40, 4, 5), np.float32)
    differs = 0
    for moment in play(settings, HeuristicPolicy(), np.arange(10, dtype=np.uint32)):
        known = knowledge.update(moment.sights)
        view = ego_view_of(moment.sights, known, np.zeros_like(moment.sights.positions))
        before = estimated_k(np, settings, silent(settings), view, before)
        expected = own_first(known, moment.sights.me)
        np.testing.assert_array_equal(before, expected)
        differs += int((expected != own_first(moment.sights.first_hand, moment.sights.me)).any())
    assert differs > 20


def test_an_estimate_lies_between_silence_and_every_piece_said() -> None:
    settings = GameSettings(6, 3, 4)
    loud = silent(settings) | {"f_said_bias": np.zeros(5, np.float32)}
    quiet_k = loud_k = np.zeros((60, 3, 4), np.float32)
    was_home = np.zeros((60, 1), bool)  # who is there is believed to lose what it may not have had
    for moment in play(settings, HeuristicPolicy(), np.arange(20, dtype=np.uint32)):
        view = ego_view_of(moment.sights, moment.sights.first_hand, np.zeros_like(moment.sights.positions))
        quiet_k = estimated_k(np, settings, silent(settings), view, quiet_k)
        loud_k = estimated_k(np, settings, loud, view, loud_k)
        assert (loud_k >= 0).all()
        assert (loud_k <= 1).all()
        was_home = was_home | (moment.sights.positions == moment.sights.bases).all(-1).any(-1, keepdims=True)
        assert (loud_k >= quiet_k - 1e-6)[~was_home[:, 0]].all()
    assert (loud_k > quiet_k).any()


@pytest.mark.parametrize("name", ["maddpg_ee", "rmaddpg"])
def test_learner_and_player_give_actors_the_same(name: str) -> None:
    """The learner's views of its own games, against those of a player in NumPy who sees the same games."""
    settings, algorithm = GameSettings(4, 3, 4), ALGORITHMS[name]
    shape = replace(algorithm.network, hidden=8)  # type: ignore[type-var]
    assert isinstance(shape, ActorShape)
    learner = Maddpg(settings, algorithm.kind, shape, PARAMETERS)
    actors = learner.begin(3).networks.actors
    games, views, fast_seen = jax.jit(lambda key: seen_in_play(learner, actors, key))(jax.random.key(0))
    turn = jax.jit(partial(learner._act, actors))
    state, effects = rules.reset(settings, np.asarray(games.states.game.seed)[:, 0]), None
    knowledge, before, memory = KINDS[algorithm.kind](), state.positions, shape.no_memory(settings, 12)
    for step in range(settings.steps):
        sights = sights_of(settings, state, effects, np.zeros((4, 3), np.uint32))
        view = ego_view_of(sights, knowledge.update(sights, state), sights.positions - np.repeat(before, 3, 0))
        seen = features(np, settings, shape, view)
        np.testing.assert_allclose(by_row(np.asarray(fast_seen[:, :, step])), seen, atol=1e-6)
        if learner._keeps_memory:
            kept = np.asarray(games.memories)[:, step].reshape(12, -1)
            np.testing.assert_allclose(kept / MEMORY_LEVELS, memory, atol=0.51 / MEMORY_LEVELS)
        weights = {key: np.asarray(value) for key, value in actors.items()}
        logits = shape.play(settings, weights, view, sights.me, memory)
        fast = EgoView(*(field[:, :, step] for field in views))
        for one, other in zip(turn(fast_seen[:, :, step], fast, by_agent(memory)), logits, strict=True):
            np.testing.assert_allclose(by_row(np.asarray(one)), other, atol=1e-5)
        memory, before = logits.memory, state.positions
        state, effects = rules.step(
            settings, state, *(np.asarray(each)[:, step] for each in (games.directions, games.pieces))
        )
        np.testing.assert_array_equal(effects.rewards, np.asarray(games.rewards)[:, step])


def seen_in_play(learner: Maddpg, actors: Weights, key: jax.Array) -> tuple[Replay, EgoView, jax.Array]:
    """New games, what agents saw in them, and its features."""
    games = learner._play(actors, key)
    views = learner._views(games.states)
    return games, views, features(jnp, learner.settings, learner.shape, views)


def by_agent(values: np.ndarray) -> np.ndarray:
    """(B n, ...) as (n, B, ...), for three agents."""
    return np.swapaxes(values.reshape(-1, 3, *values.shape[1:]), 0, 1)


def by_row(values: np.ndarray) -> np.ndarray:
    """(n, B, ...) as (B n, ...), those of a game next to each other."""
    return np.swapaxes(values, 0, 1).reshape(-1, *values.shape[2:])


# The replay


@pytest.fixture(scope="module")
def learner() -> Maddpg:
    return Maddpg(SMALL, "ge", ActorShape(8, sees_k=True), PARAMETERS)


@pytest.fixture(scope="module")
def played(learner: Maddpg) -> list[Replay]:
    """Three times four games."""
    go = jax.jit(learner._play)
    return [go(learner.begin(at).networks.actors, jax.random.key(at)) for at in range(3)]


def test_new_games_take_the_place_of_the_oldest(learner: Maddpg, played: list[Replay]) -> None:
    replay = learner.begin(0).replay
    assert int(replay.filled) == 0
    for at, games in enumerate(played):
        replay = add(replay, games)
        assert int(replay.filled) == min(8, 4 * (at + 1))
    for name in ("directions", "rewards"):
        held = np.asarray(getattr(replay, name))
        np.testing.assert_array_equal(held[:4], getattr(played[2], name))
        np.testing.assert_array_equal(held[4:], getattr(played[1], name))


def test_a_replay_comes_back_from_seeds_and_actions(learner: Maddpg, played: list[Replay]) -> None:
    replay = add(add(learner.begin(0).replay, played[0]), played[1])
    arrays = arrays_of(replay)
    assert not any(name.startswith("states") for name in arrays)
    again = replay_of(SMALL, "ge", arrays)
    for one, other in zip(jax.tree.leaves(replay), jax.tree.leaves(again), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def test_a_sample_is_a_step_of_a_game_and_what_it_led_to(learner: Maddpg, played: list[Replay]) -> None:
    replay = add(learner.begin(0).replay, played[0])
    segments = sample(replay, jax.random.key(1), 1, 200)
    steps = np.asarray(segments.states.game.step)
    assert set(steps[0]) == set(range(SMALL.steps))
    np.testing.assert_array_equal(steps[1], steps[0] + 1)
    for at in range(200):
        (game,) = np.flatnonzero(
            np.asarray(played[0].states.game.seed)[:, 0] == np.asarray(segments.states.game.seed)[0, at]
        )
        for name in ("directions", "pieces", "rewards"):
            expected = np.asarray(getattr(played[0], name))[game, steps[0, at]]
            np.testing.assert_array_equal(np.asarray(getattr(segments, name))[0, at], expected)


# Learning


@pytest.fixture(scope="module")
def seen(learner: Maddpg, played: list[Replay]) -> tuple[Segments, EgoView, jax.Array]:
    """Steps of games, what agents saw in them, and its features."""
    segments = sample(add(learner.begin(0).replay, played[0]), jax.random.key(1), 1, 32)
    views = jax.jit(learner._views)(segments.states)
    return segments, views, jax.jit(lambda views: features(jnp, SMALL, learner.shape, views))(views)


def test_targets_are_the_reward_and_what_the_target_critics_make_of_the_next_step(
    learner: Maddpg, seen: tuple[Segments, EgoView, jax.Array]
) -> None:
    targets = learner.begin(0).targets
    nothing = jax.tree.map(jnp.zeros_like, targets.critics)
    constant = nothing | {"value_bias": jnp.full_like(nothing["value_bias"], 2.0)}
    wanted = jax.jit(learner._critic_targets)(targets._replace(critics=constant), *seen, jax.random.key(0))
    rewards = np.moveaxis(np.asarray(seen[0].rewards), -1, 0) / SMALL.recharge_reward
    np.testing.assert_allclose(np.asarray(wanted), rewards + 0.95 * 2, atol=1e-6)


def test_a_gumbel_sample_is_one_action_with_a_gradient(
    learner: Maddpg, seen: tuple[Segments, EgoView, jax.Array]
) -> None:
    segments, views, given = seen

    def chosen(actors: Weights) -> tuple[jax.Array, jax.Array]:
        logits = learner._unrolled(actors, views, given, segments.memories, slice(None, -1))
        actions = learner._draw_actions(logits, jax.random.key(2))
        return actions[..., 0].sum(), actions

    gradient, found = jax.jit(jax.grad(chosen, has_aux=True))(dict(learner.begin(0).networks.actors))
    actions = np.asarray(found)
    for part in (actions[..., :5], actions[..., 5:]):
        np.testing.assert_allclose(part.sum(-1), 1, atol=1e-6)
        np.testing.assert_allclose(part.max(-1), 1, atol=1e-6)
    assert np.abs(np.asarray(gradient["directions"])).max() > 0


def test_a_critic_without_numbers_is_noticed_though_the_actors_have_them(learner: Maddpg) -> None:
    state, loss = learner.begin(0), jnp.float32(0)
    assert is_finite((state, loss))
    critics = {name: value * jnp.nan for name, value in state.networks.critics.items()}
    assert not is_finite((state._replace(networks=state.networks._replace(critics=critics)), loss))
    assert not is_finite((state, loss * jnp.nan))


def test_nothing_is_learned_from_what_comes_after_a_competitive_game_was_won() -> None:
    settings = replace(SMALL, is_competitive=True)
    learner = Maddpg(settings, "ce", ActorShape(8, sees_k=True), PARAMETERS)
    state = learner.begin(0)
    games = jax.jit(learner._play)(state.networks.actors, jax.random.key(0))
    won = games.states._replace(game=games.states.game._replace(recharges=games.states.game.recharges * 0 + 2))
    learn = jax.jit(learner._learn)
    before = state.networks, state.targets, state.optimisers
    for states, is_same in ((won, True), (games.states, False)):
        after, loss = learn(add(state.replay, games._replace(states=states)), before, jax.random.key(1))
        same = jax.tree.map(lambda one, other: bool((one == other).all()), after[0], before[0])
        assert all(jax.tree.leaves(same)) == is_same
        assert (float(loss) == 0) == is_same


# Checkpoints


def test_a_checkpoint_of_another_algorithm_is_refused(tmp_path: Path) -> None:
    for name in ("maddpg_ee", "ippo_gru"):
        network = ALGORITHMS[name].network
        player = TrainedPlayer(name, SMALL, "first_hand", network, network.initial_weights(SMALL, 0))
        save(tmp_path / f"{name}.npz", player)
    assert player_of("maddpg_ee", tmp_path / "maddpg_ee.npz", SMALL).algorithm == "maddpg_ee"
    assert player_of("ippo", tmp_path / "ippo_gru.npz", SMALL).algorithm == "ippo_gru"
    for agent, name in (("maddpg", "maddpg_ee"), ("ippo", "maddpg_ee"), ("maddpg", "ippo_gru")):
        with pytest.raises(ConfigError, match=f"trained by {name}, which is not {agent}"):
            player_of(agent, tmp_path / f"{name}.npz", SMALL)
