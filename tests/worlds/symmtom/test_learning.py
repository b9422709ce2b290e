"""Networks, checkpoints, and the command line of training."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import time
import zipfile
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hm_agent.command_line.cli import main
from hm_agent.config import ConfigError
from hm_agent.learning.runs import TrainingFailed
from hm_agent.storage.folder_lock import locked
from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.fast.observations import action_masks, observe
from hm_agent.worlds.symmtom.fast.play import advance, begin, look
from hm_agent.worlds.symmtom.knowledge.k_matrix import KINDS
from hm_agent.worlds.symmtom.learning.checkpoints import SHIPPED, TrainedPlayer, load, save, shipped
from hm_agent.worlds.symmtom.learning.command import games_named, train_one
from hm_agent.worlds.symmtom.learning.networks import Shape, forward
from hm_agent.worlds.symmtom.learning.ppo import Ppo, PpoParameters, Steps
from hm_agent.worlds.symmtom.learning.trained_policy import TrainedPolicy, ego_view_of
from hm_agent.worlds.symmtom.learning.training import Training, mean_reward, run
from hm_agent.worlds.symmtom.metrics import REWARD
from hm_agent.worlds.symmtom.policies.policy import HeuristicPolicy
from hm_agent.worlds.symmtom.selfplay import measure, play
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.sights import sights_of
from tests.support.commands import orphans, start
from tests.worlds.symmtom.training_runs import no_report

SMALL = GameSettings(6, 3, 3)


@pytest.mark.heavy
def test_a_learner_with_a_gru_learns_from_whole_games(tmp_path: Path) -> None:
    training = Training(
        "ippo_gru", SMALL, 0, PpoParameters(updates=2, games=8), hidden=8, every=1, validation=4, evaluation=4
    )
    run(training, tmp_path, no_report)
    player, _ = load(tmp_path / "last.npz", SMALL)
    start = training.shape.initial_weights(SMALL, 0)
    assert all((player.weights[name] != start[name]).any() for name in ("gru_memory", "gru_input", "judgement"))


# What PPO learns from a game that ends early


@pytest.fixture(scope="module")
def competitive() -> Ppo:
    return Ppo(GameSettings(4, 2, 2, is_competitive=True), "ce", Shape(8, 8), PpoParameters(updates=1, games=64))


@pytest.fixture(scope="module")
def played(competitive: Ppo) -> Steps:
    steps: Steps = jax.jit(competitive._play)(competitive.begin(0).weights, jax.random.key(0))
    return steps


def test_ppo_expects_nothing_once_a_competitive_game_is_won(competitive: Ppo) -> None:
    """Three steps, in the last of which the first agent wins, and two after the end."""
    values, zeros = jnp.full((5, 1, 2), 10.0), jnp.zeros((5, 1, 2))
    rewards, alive = zeros.at[2].set(jnp.array([4.0, -2.0])), jnp.array([True, True, True, False, False])[:, None, None]
    steps = Steps(zeros, zeros, zeros, zeros, zeros, zeros, values, rewards, alive)
    found, discount, trace = np.asarray(competitive._advantages(steps)), 0.98, 0.95
    for agent, reward in enumerate((4 / 2, -2 / 2)):
        last = reward - 10
        before = discount * 10 - 10 + discount * trace * last
        np.testing.assert_allclose(found[2, 0, agent], last, rtol=1e-5)
        np.testing.assert_allclose(found[1, 0, agent], before, rtol=1e-5)
        np.testing.assert_allclose(found[0, 0, agent], discount * 10 - 10 + discount * trace * before, rtol=1e-5)


def test_ppo_learns_nothing_from_what_comes_after_a_win(competitive: Ppo, played: Steps) -> None:
    assert played.alive is not None
    after = np.broadcast_to(~np.asarray(played.alive), played.rewards.shape)
    assert after.any()
    assert not after[0].any()
    assert (after[1:] >= after[:-1]).all()
    assert not np.asarray(played.rewards)[after].any()
    ends = after[1:] & ~after[:-1]
    assert np.asarray(played.rewards)[:-1][ends].any()
    advantages, weights = competitive._advantages(played), competitive.begin(1).weights
    loss = jax.jit(jax.value_and_grad(competitive._loss))
    one = loss(weights, played, advantages, advantages)
    other = loss(weights, played, *[jnp.where(after, 100.0, advantages)] * 2)
    jax.tree.map(np.testing.assert_array_equal, one, other)
    assert float(one[0]) != float(loss(weights, played, *[jnp.where(after, advantages, 100.0)] * 2)[0])


def test_games_that_go_on_to_their_last_step_are_learned_from_whole() -> None:
    learner = Ppo(GameSettings(4, 2, 2), "ce", Shape(8, 8), PpoParameters(updates=1, games=4))
    assert jax.eval_shape(learner._play, learner.begin(0).weights, jax.random.key(0)).alive is None


# Networks and what they are given


def random_player(settings: GameSettings, kind: str, shape: Shape) -> TrainedPlayer:
    weights = shape.initial_weights(settings, 3)
    rng = np.random.default_rng(0)
    noisy = {name: value + rng.normal(0, 0.1, value.shape).astype(np.float32) for name, value in weights.items()}
    return TrainedPlayer("ippo", settings, kind, shape, noisy)


def test_learner_and_player_see_and_compute_the_same() -> None:
    settings = GameSettings(6, 4, 5, has_public_first_hand=False)
    player = random_player(settings, "ge", Shape(16, 8, is_recurrent=True))
    start = jax.jit(lambda seed: begin(settings, "ge", seed))
    go = jax.jit(lambda state, directions, pieces: advance(settings, "ge", state, directions, pieces))
    glance = jax.jit(lambda state: look(settings, state))
    state, fast, knowledge, effects = rules.reset(settings, [5]), start(np.uint32(5)), KINDS["ge"](), None
    memory, fast_memory = np.zeros((4, 16), np.float32), jnp.zeros((4, 16))
    rng = np.random.default_rng(0)
    while not rules.is_over(settings, state).all():
        sights = sights_of(settings, state, effects, np.zeros((1, 4), np.uint32))
        view = ego_view_of(sights, knowledge.update(sights, state), np.zeros_like(sights.positions))
        seen, masks = observe(np, settings, view), action_masks(np, settings, view)
        fast_seen, *fast_masks = glance(fast)
        np.testing.assert_allclose(np.asarray(fast_seen), seen, atol=1e-6)
        for one, other in zip(fast_masks, masks, strict=True):
            np.testing.assert_array_equal(np.asarray(one), other)
        output = forward(np, settings, player.weights, seen, masks, memory)
        weights = {name: jnp.asarray(value) for name, value in player.weights.items()}
        fast_output = forward(jnp, settings, weights, fast_seen, tuple(fast_masks), fast_memory)
        for name in ("directions", "pieces", "value", "memory"):
            np.testing.assert_allclose(np.asarray(getattr(fast_output, name)), getattr(output, name), atol=1e-4)
        memory, fast_memory = output.memory, fast_output.memory
        middle = np.sign(3 - state.positions[0])
        directions = np.where(middle[:, 0] != 0, (middle[:, 0] + 1) // 2, rng.integers(0, 5, 4))
        pieces = rng.integers(0, 5, 4)
        state, effects = rules.step(settings, state, directions[None], pieces[None])
        fast, _ = go(fast, directions, pieces)


def test_renamed_pieces_change_no_move_and_rename_what_is_said() -> None:
    settings = GameSettings(6, 3, 4)
    player = random_player(settings, "ce", Shape(16, 8))
    state = rules.reset(settings, np.arange(20))
    sights = sights_of(settings, state, None, np.zeros((20, 3), np.uint32))
    view = ego_view_of(sights, KINDS["ce"]().update(sights), np.zeros_like(sights.positions))
    order = [2, 0, 3, 1]
    renamed = view._replace(
        **{name: getattr(view, name)[..., order] for name in ("first_hand", "knows", "heard", "known")}
    )
    one, other = (
        forward(
            np,
            settings,
            player.weights,
            observe(np, settings, each),
            action_masks(np, settings, each),
            np.zeros((60, 16), np.float32),
        )
        for each in (view, renamed)
    )
    np.testing.assert_allclose(one.directions, other.directions, atol=1e-5)
    np.testing.assert_allclose(one.pieces[..., order], other.pieces, atol=1e-5)


def test_a_trained_policy_says_what_it_knows_and_walks_into_no_wall() -> None:
    player = random_player(GameSettings(6, 3, 6), "ce", Shape(16, 8))
    for moment in play(player.settings, TrainedPolicy(player), np.arange(20, dtype=np.uint32)):
        assert (moment.effects.said == moment.pieces).all()
        there = moment.before.positions + rules.OFFSETS[moment.directions]
        assert ((there >= 0) & (there < 6)).all()


# Checkpoints


def test_a_checkpoint_for_another_game_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.npz"
    save(path, random_player(GameSettings(6, 3, 6), "ce", Shape(8, 8)))
    status = main(
        ["hm-agent", "play", "--scenario=symmtom_w6_n3_c3", "--agent=ippo", f"--checkpoint={path}", f"--out={tmp_path}"]
    )
    assert status == 2
    error = capsys.readouterr().err
    assert "trained for symmtom_w6_n3_c6; this is symmtom_w6_n3_c3" in error
    assert error.count("\n") == 1


def test_a_run_plays_again_without_its_checkpoint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, runs = tmp_path / "one.npz", tmp_path / "runs"
    path.write_bytes((SHIPPED / "symmtom_w6_n3_c3_ippo.npz").read_bytes())
    flags = [f"--checkpoint={path}", f"--out={runs}", "--max_steps=3", "--noreplay"]
    assert main(["hm-agent", "play", "--scenario=symmtom_w6_n3_c3", "--agent=ippo,random", *flags]) == 0
    path.unlink()
    assert main(["hm-agent", "reproduce", str(runs)]) == 0
    assert "2 episodes" in capsys.readouterr().out


def test_what_is_no_checkpoint_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("no zip")
    np.savez(tmp_path / "other.npz", weights=np.zeros(3))
    with (tmp_path / "one_array.npz").open("wb") as file:
        np.save(file, np.zeros(3))
    for name, reason in (
        ("text", "not a checkpoint"),
        ("other", "not a checkpoint"),
        ("one_array", "not a checkpoint"),
        ("none", "No such file"),
    ):
        with pytest.raises(ConfigError, match=reason):
            load(tmp_path / f"{name}.npz")


def test_a_damaged_checkpoint_is_said_in_one_line(tmp_path: Path) -> None:
    whole = (SHIPPED / "symmtom_w6_n3_c3_ippo.npz").read_bytes()
    damaged, rng = tmp_path / "damaged.npz", Random(0)
    refused = 0
    for _ in range(150):
        content = bytearray(whole)
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        damaged.write_bytes(content)
        try:
            load(damaged)  # a few bits don't matter
        except ConfigError:
            refused += 1
    assert refused > 125


def test_an_odd_checkpoint_is_said_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hm_agent.learning.archives.MOST_BYTES", 2_000_000)
    with np.load(SHIPPED / "symmtom_w6_n3_c3_ippo.npz") as file:
        whole = {name: file[name] for name in file.files}
    facts, path = json.loads(str(whole["facts"])), tmp_path / "odd.npz"
    odd_values: list[Any] = [[], {"no": 0}, "x", "1", True]
    odd_settings: list[dict[str, Any]] = [{"width": "6"}, {"width": 6.5}, {"more": 1}]
    odd_facts: list[Any] = [
        *([], "text", 3, None),
        *({name: value for name, value in facts.items() if name != left_out} for left_out in facts),
        *(facts | {name: odd} for name in facts for odd in odd_values),
        *(facts | {"settings": facts["settings"] | odd} for odd in odd_settings),
        *(facts | {"shape": facts["shape"] | odd} for odd in ({"hidden": 10**7}, {"piece": 0}, {"more": 1})),
        facts | {"shape": {"hidden": 64, "sees_k": True, "memory": "none"}},
        facts | {"algorithm": "maddpg"},
    ]
    odd_arrays: list[dict[str, Any]] = [
        *({"facts": np.array(json.dumps(odd))} for odd in odd_facts),
        {"weights/first": whole["weights/first"].astype(str)},
        {"weights/first": whole["weights/first"] > 0},
        {"extra/bomb": np.zeros(2_000_001, np.bool_)},
    ]
    for odd in odd_arrays:
        (np.savez if "extra/bomb" not in odd else np.savez_compressed)(path, **{**whole, **odd})
        with pytest.raises(ConfigError, match=re.escape(f"{path}: ")):
            load(path)
    np.savez(path, **whole)
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f4", "fortran_order": False, "shape": (10**12,)})
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("weights/vast.npy", header.getvalue())
    os.mkfifo(tmp_path / "pipe")
    for name, said in (("odd.npz", "not a checkpoint"), ("pipe", "it is no file")):
        with pytest.raises(ConfigError, match=said):
            load(tmp_path / name)


def test_weights_of_other_sizes_and_versions_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = random_player(SMALL, "ce", Shape(8, 8))
    save(tmp_path / "one.npz", replace(player, shape=Shape(16, 8)))
    with pytest.raises(ConfigError, match="not of the sizes"):
        load(tmp_path / "one.npz")
    monkeypatch.setattr("hm_agent.worlds.symmtom.learning.checkpoints.VERSION", 99)
    with pytest.raises(ConfigError, match="format 1; only 99 can be read"):
        load(tmp_path / "one.npz")


def test_a_run_that_fails_in_its_first_update_names_it_and_leaves_what_it_began_with(tmp_path: Path) -> None:
    parameters = PpoParameters(updates=2, games=4, learning_rate=1e38)
    training = Training("ippo", GameSettings(4, 2, 2), 0, parameters, hidden=8)
    for _ in range(2):  # the same again, when it goes on
        with pytest.raises(TrainingFailed, match="seed 0: a loss or a weight is not finite after update 1"):
            run(training, tmp_path, no_report)
    began, _ = load(tmp_path / "last.npz", training.settings)
    np.testing.assert_array_equal(began.weights["first"], training.shape.initial_weights(training.settings, 0)["first"])


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["enacttom"], "enacttom has no command train: say hm-agent train melting_pot or symmtom"),
        (["symmtom"], "no scenario"),
        (["symmtom", "--scenario=symmtom_w6_n3_c3", "--algorithm=magic"], "unknown algorithm 'magic'"),
        (["symmtom", "--scenario=symmtom_w3_n3_c3"], "hearing range"),
        (["symmtom", "--scenario=symmtom_w7_*"], "unknown scenario 'symmtom_w7_*'"),
        (["symmtom", "--scenario=symmtom_w6_n3_c3", "--games=6"], "no multiple of 4"),
        (["symmtom", "--scenario=symmtom_w6_n3_c3", "--seeds=a"], "whole numbers"),
        (["symmtom", "--scenario=symmtom_w6_n3_c3", "--seeds="], "--seeds=: seeds are whole numbers"),
        (["symmtom", "--scenario=symmtom_w6_n3_c3", "--algorithm=,"], "--algorithm names nothing"),
        (["symmtom", "--scenario=,"], "--scenario names nothing"),
        (["symmtom", "--scenario=symmtom_w6_n3_c3", "--out="], "--out names no folder"),
        (
            ["symmtom", "--scenario=symmtom_w6_n3_c3", "--algorithm=ippo,ippo_ge", "--batch=64"],
            "--batch has no effect: ippo, ippo_ge learns by PPO",
        ),
        (
            ["symmtom", "--scenario=symmtom_w6_n3_c3", "--algorithm=maddpg", "--team_share=0.5"],
            "--team_share has no effect: maddpg learns by MADDPG",
        ),
        (["symmtom", "--results=there", "--episodes=100"], "--episodes has no effect: without --scenario"),
        (["symmtom", "--scenario=symmtom_w6_n3_c3", f"--seeds={2**32}"], "whole numbers below 4294967296"),
    ],
)
def test_a_wrong_command_line_is_said_in_one_line(
    flags: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["hm-agent", "train", *flags]) == 2
    assert message in capsys.readouterr().err


def test_a_pattern_names_the_papers_boards_and_none_twice() -> None:
    assert [game.name for game in games_named(["symmtom_w12_n3_*", "symmtom_w12_n3_c6", "symmtom_w9_n2_c2"])] == [
        "symmtom_w12_n3_c3",
        "symmtom_w12_n3_c6",
        "symmtom_w12_n3_c9",
        "symmtom_w9_n2_c2",
    ]


def test_the_checkpoints_that_ship_are_small_play_by_their_names_and_those_of_ppo_beat_the_heuristic() -> None:
    paths, seeds = sorted(SHIPPED.glob("*.npz")), np.arange(25, dtype=np.uint32)
    assert sum(path.stat().st_size for path in paths) < 3_000_000
    assert SHIPPED / "symmtom_w6_n3_c3_ippo.npz" in paths
    for path in paths:
        named = load(path)[0]
        settings, player = named.settings, shipped(named.algorithm, named.settings)
        assert path.stem == f"{settings.name}_{player.algorithm}"
        reward = mean_reward(player, seeds)
        assert reward > 10, path.name
        if player.algorithm == "ippo":
            assert reward > measure(settings, HeuristicPolicy, seeds)[REWARD].mean(), path.name


def test_a_game_without_a_checkpoint_that_ships_names_those_with_one() -> None:
    with pytest.raises(ConfigError, match=r"no checkpoint for symmtom_w9_n2_c2.*symmtom_w6_n3_c3"):
        shipped("ippo", GameSettings(9, 2, 2))


TINY = ("--scenario=symmtom_w4_n2_c2,", "--episodes=4", "--games=4", "--hidden=8")


def test_a_run_whose_checkpoint_is_gone_is_evaluated_anew(tmp_path: Path) -> None:
    parameters = PpoParameters(updates=1, games=4)
    training = Training("ippo", GameSettings(4, 2, 2), 0, parameters, hidden=8, validation=4, evaluation=2)
    run(training, tmp_path, no_report)
    (tmp_path / "last.npz").unlink()
    assert run(replace(training, evaluation=3), tmp_path, no_report)["evaluated_episodes"] == 3


@pytest.mark.heavy
def test_an_interruption_while_jax_compiles_ends_the_command_and_its_process(tmp_path: Path) -> None:
    program, flags = ("-m", "hm_agent", "train", "symmtom"), ("--scenario=symmtom_w6_n3_c3", f"--out={tmp_path}")
    process = start(str(tmp_path), *flags, program=program)
    while not list(tmp_path.glob("*/ippo/seed-0")):  # made just before the first update is compiled
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    time.sleep(1)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "hm-agent train: interrupted\n")
    assert not orphans(str(tmp_path))


@pytest.mark.heavy
def test_a_training_process_that_is_killed_is_told(tmp_path: Path) -> None:
    program = ("-m", "hm_agent", "train", "symmtom")
    process = start(str(tmp_path), *TINY, f"--out={tmp_path}", program=program)
    while not list(tmp_path.glob("*/ippo/seed-0")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    (worker,) = [child for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]
    os.kill(int(worker), signal.SIGKILL)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors.count("\n")) == (1, 2)
    assert "hm-agent train: the process that trains was killed" in errors


def test_two_commands_do_not_train_one_run(tmp_path: Path) -> None:
    with (
        locked(tmp_path / SMALL.name / "ippo" / "seed-0"),
        pytest.raises(ConfigError, match="another run is at work there"),
    ):
        train_one(Training("ippo", SMALL, 0, PpoParameters(updates=1)), tmp_path)


def test_a_place_for_results_that_is_a_file_is_told_before_any_training(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert main(["hm-agent", "train", "symmtom", *TINY, f"--out={tmp_path}", f"--results={tmp_path / 'file'}"]) == 1
    assert not list(tmp_path.glob("*/*/seed-0"))
