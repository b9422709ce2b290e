"""MADDPG: its actors, what its replay holds, and what it learns."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hm_agent.cli import main
from hm_agent.config import ConfigError
from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.fast.observations import EgoView
from hm_agent.worlds.symmtom.knowledge.k_matrix import KINDS
from hm_agent.worlds.symmtom.learning.actors import ActorShape, act, estimated_k, features
from hm_agent.worlds.symmtom.learning.algorithms import ALGORITHMS
from hm_agent.worlds.symmtom.learning.checkpoints import TrainedPlayer, load, player_of, save
from hm_agent.worlds.symmtom.learning.maddpg import Maddpg, MaddpgParameters
from hm_agent.worlds.symmtom.learning.networks import Weights
from hm_agent.worlds.symmtom.learning.replay import MEMORY_LEVELS, Replay, Segments, add, arrays_of, replay_of, sample
from hm_agent.worlds.symmtom.learning.trained_policy import ego_view_of
from hm_agent.worlds.symmtom.learning.training import Training, TrainingFailed, mean_reward, run
from hm_agent.worlds.symmtom.policies.simple import HeuristicPolicy
from hm_agent.worlds.symmtom.rules import Bools
from hm_agent.worlds.symmtom.selfplay import play
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.sights import sights_of
from hm_agent.worlds.symmtom.suite import TRAINED
from tests.worlds.symmtom.training_runs import check_same, go_on, no_report, run_until_killed

SMALL = GameSettings(4, 2, 2)
PARAMETERS = MaddpgParameters(updates=1, games=4, batch=32, capacity=8)
GAMES = np.arange(4)


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
    settings, algorithm = GameSettings(5, 3, 4), ALGORITHMS[name]
    shape = replace(algorithm.network, hidden=8)  # type: ignore[type-var]
    assert isinstance(shape, ActorShape)
    learner = Maddpg(settings, algorithm.kind, shape, PARAMETERS)
    actors = learner.begin(3).networks.actors
    games = jax.jit(learner._play)(actors, jax.random.key(0))
    views = jax.jit(learner._views)(games.states)
    state, effects = rules.reset(settings, np.asarray(games.states.game.seed)[:, 0]), None
    knowledge, before, memory = KINDS[algorithm.kind](), state.positions, shape.no_memory(settings, 12)
    for step in range(settings.steps):
        sights = sights_of(settings, state, effects, np.zeros((4, 3), np.uint32))
        view = ego_view_of(sights, knowledge.update(sights, state), sights.positions - np.repeat(before, 3, 0))
        seen = features(np, settings, shape, view)
        fast = EgoView(*(field[:, :, step] for field in views))
        fast_seen = np.asarray(features(jnp, settings, shape, fast))
        np.testing.assert_allclose(by_row(fast_seen), seen, atol=1e-6)
        if learner._keeps_memory:
            kept = np.asarray(games.memories)[:, step].reshape(12, -1)
            np.testing.assert_allclose(kept / MEMORY_LEVELS, memory, atol=0.51 / MEMORY_LEVELS)
        weights = {key: np.asarray(value) for key, value in actors.items()}
        logits = shape.play(settings, weights, view, sights.me, memory)
        heads = [
            act(
                jnp,
                settings,
                shape,
                {key: value[at] for key, value in actors.items()},
                seen[at::3],
                part(view, at),
                memory[at::3],
            )
            for at in range(3)
        ]
        for at, one in enumerate(heads):
            for mine, theirs in zip(one, logits, strict=True):
                np.testing.assert_allclose(np.asarray(mine), theirs[at::3], atol=1e-5)
        memory, before = logits.memory, state.positions
        state, effects = rules.step(
            settings, state, *(np.asarray(each)[:, step] for each in (games.directions, games.pieces))
        )
        np.testing.assert_array_equal(effects.rewards, np.asarray(games.rewards)[:, step])


def by_row(values: np.ndarray) -> np.ndarray:
    """(n, B, ...) as (B n, ...), those of a game next to each other."""
    return np.swapaxes(values, 0, 1).reshape(-1, *values.shape[2:])


def part(view: EgoView, agent: int) -> EgoView:
    return EgoView(*(field[agent::3] for field in view))


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
    wanted = jax.jit(learner._wanted)(targets._replace(critics=constant), *seen, jax.random.key(0))
    rewards = np.moveaxis(np.asarray(seen[0].rewards), -1, 0) / SMALL.recharge_reward
    np.testing.assert_allclose(np.asarray(wanted), rewards + 0.95 * 2, atol=1e-6)


def test_a_gumbel_sample_is_one_action_with_a_gradient(
    learner: Maddpg, seen: tuple[Segments, EgoView, jax.Array]
) -> None:
    segments, views, given = seen

    def chosen(actors: Weights) -> jax.Array:
        logits = learner._unrolled(actors, views, given, segments.memories, slice(None, -1))
        return learner._gumbel(logits, jax.random.key(2))

    actors = dict(learner.begin(0).networks.actors)
    actions = np.asarray(jax.jit(chosen)(actors))
    for part in (actions[..., :5], actions[..., 5:]):
        np.testing.assert_allclose(part.sum(-1), 1, atol=1e-6)
        np.testing.assert_allclose(part.max(-1), 1, atol=1e-6)
    gradient = jax.jit(jax.grad(lambda actors: chosen(actors)[..., 0].sum()))(actors)
    assert np.abs(np.asarray(gradient["directions"])).max() > 0


# Runs

TRAINING = Training(
    "maddpg_ee",
    SMALL,
    0,
    MaddpgParameters(updates=30, games=16, every=8, batch=256, capacity=160),
    hidden=32,
    every=10,
    validation=20,
    evaluation=40,
)


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    run(TRAINING, folder, no_report)
    return folder


@pytest.mark.slow
def test_maddpg_improves(whole_run: Path) -> None:
    found = json.loads((whole_run / "evaluation.json").read_text())
    untrained = TRAINING.player(TRAINING.shape.initial_weights(SMALL, 0))
    before = mean_reward(untrained, np.arange(100, dtype=np.uint32))
    assert found["best"] > before + 3
    assert found["trained_episodes"] == 30 * 16


@pytest.mark.slow
@pytest.mark.heavy
def test_a_run_that_was_killed_ends_with_the_same_weights_to_the_bit(whole_run: Path, tmp_path: Path) -> None:
    run_until_killed(TRAINING, tmp_path, 13)
    assert go_on(TRAINING, tmp_path) == 11
    check_same(whole_run, tmp_path)


@pytest.mark.slow
def test_maddpg_stops_where_a_number_is_none_and_keeps_the_checkpoint_before(whole_run: Path, tmp_path: Path) -> None:
    player, extra = load(whole_run / "last.npz")
    poisoned = {
        name: np.full_like(value, np.nan) if name.startswith("critics/") and value.ndim == 3 else value
        for name, value in extra.items()
    }
    save(tmp_path / "last.npz", player, poisoned | {"updates": np.array(10)})
    with pytest.raises(TrainingFailed, match=r"symmtom_w4_n2_c2, seed 0.*update 11"):
        run(TRAINING, tmp_path, no_report)
    kept, _ = load(tmp_path / "last.npz", SMALL)
    np.testing.assert_array_equal(kept.weights["first"], player.weights["first"])


@pytest.mark.slow
def test_a_trained_agent_plays_from_the_command_line(whole_run: Path, tmp_path: Path) -> None:
    flags = [f"--checkpoint={whole_run / 'best.npz'}", "--noreplay", f"--out={tmp_path}"]
    assert main(["hm-agent", "play", "--scenario=symmtom_w4_n2_c2", "--agent=maddpg_ee", *flags]) == 0
    (path,) = tmp_path.glob("symmtom_w4_n2_c2/maddpg_ee/*/episode-0/result.json")
    metrics = json.loads(path.read_text())["metrics"]
    assert metrics["reward_per_agent"] > 3
    assert 0.5 < metrics["believed_rightly"] <= 1


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
