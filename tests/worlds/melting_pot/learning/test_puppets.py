"""Puppets that learn to follow a puppeteer's goals, and play as bots."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from shutil import copyfile, copytree, rmtree

import numpy as np
import pytest

from hm_agent.catalogue.registry import scenarios
from hm_agent.command_line.cli import main
from hm_agent.config import ConfigError
from hm_agent.learning.progress import difference
from hm_agent.testing.episodes import play_steps
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.simulator.character import goal_of
from hm_agent.worlds.melting_pot.games.matrix.simulator.practice import COLLECTED, NEARER, OTHER, PLAYED, MatrixPractice
from hm_agent.worlds.melting_pot.learning import starting
from hm_agent.worlds.melting_pot.learning.actor import Actor, ActorPlan, PlayRequest
from hm_agent.worlds.melting_pot.learning.measuring import episode_reward
from hm_agent.worlds.melting_pot.learning.player_network import SeatedNetworks
from hm_agent.worlds.melting_pot.learning.populations import LEARNED, Population, load, puppets_path, save
from hm_agent.worlds.melting_pot.learning.ppo_agent import SELF_PLAY
from hm_agent.worlds.melting_pot.learning.practising import open_world
from hm_agent.worlds.melting_pot.learning.rollouts import Rollout, SharedArrays, weight_shapes
from hm_agent.worlds.melting_pot.learning.starting import pursuing, pursuits
from hm_agent.worlds.melting_pot.learning.training import run
from hm_agent.worlds.melting_pot.scenarios import game_named
from hm_agent.worlds.melting_pot.simulator.bots.learned_puppet import puppets_of
from tests.worlds.melting_pot.learning.training_settings import SUBSTRATE, TRAINING, no_report

TRAINED_IN = f"{SUBSTRATE}_0"
PUPPETS = replace(TRAINING, scenario=TRAINED_IN, parameters=replace(TRAINING.parameters, population=1), puppets=True)
PLAYER = replace(PUPPETS, scenario=f"{SUBSTRATE}_1", puppets=False)
GAME = game_named("pd_repeated", MatrixFacts)
NO_INTERACTION = np.full((2, 2), -1.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of puppets that learned nothing yet, as --bots_dir names it."""
    folder = tmp_path_factory.mktemp("puppets")
    weights = PUPPETS.shape.initial_weights(0)
    save(puppets_path(SUBSTRATE, folder), PUPPETS.population({name: value[None] for name, value in weights.items()}))
    return folder


def seen(*inventory: float, interaction: np.ndarray = NO_INTERACTION) -> dict[str, np.ndarray]:
    return {"INVENTORY": np.array(inventory), "INTERACTION_INVENTORIES": interaction, "POSITION": np.array([5, 5])}


def other_at(row: int) -> list[dict[str, np.ndarray]]:
    return [{"POSITION": np.array([5, row])}]


def test_a_practice_pays_for_the_goal_alone() -> None:
    practice, there = MatrixPractice(GAME, random.Random(2)), other_at(9)
    kind, plays = goal_of(GAME, practice.goal(seen(1, 1)))
    assert not plays, "nothing is collected yet"
    held = [1.0, 1.0]
    for taken, worth in ((kind, COLLECTED), (1 - kind, OTHER), (kind, COLLECTED)):
        held[taken] += 1
        assert practice.reward(seen(*held), there) == worth
        practice.goal(seen(*held))
    held[kind] = 9
    assert goal_of(GAME, practice.goal(seen(*held))) == (kind, True)
    held[1 - kind] += 1
    assert practice.reward(seen(*held), there) == OTHER
    practice.goal(seen(*held))
    assert practice.reward(seen(*held), other_at(8)) == NEARER
    assert practice.reward(seen(*held), other_at(10)) == -2 * NEARER
    assert practice.reward(seen(*held), other_at(14)) == 0, "it was moved, and did not walk"
    assert practice.reward(seen(1, 1, interaction=np.array([held, [1.0, 1.0]])), there) == PLAYED


def test_goals_change_with_interactions_and_nothing_else_pays() -> None:
    world, rng = open_world(TRAINED_IN, is_practice=True), np.random.default_rng(1)
    turn, goals, paid = world.reset(4), set(), set()
    for _ in range(1300):
        (observation,) = turn.observations.values()
        goals.add(goal_of(GAME, observation.view["GOAL"]))
        assert observation.reward == 0
        assert "POSITION" not in observation.view
        turn = world.step({"player_0": int(rng.integers(8))})
        paid.add(turn.rewards["player_0"])
    world.close()
    assert len(goals) > 1
    assert {OTHER, 0.0} <= paid
    assert all(abs(reward) <= max(COLLECTED, PLAYED) for reward in paid)


def test_actors_play_for_goals() -> None:
    parameters, shape = PUPPETS.parameters, PUPPETS.shape
    weights, rollout = SharedArrays.of(weight_shapes(shape, 1)), SharedArrays.of(Rollout.shapes(shape, 20, 2))
    actor = Actor(ActorPlan(PUPPETS.scenario, shape, 0, 1, range(2), parameters.tables, 1, [rollout], weights))
    actor.play(PlayRequest(0, 0))
    actor.close()
    told = Rollout(**rollout.arrays()).numbers
    reward, goal = told[..., 0], told[..., 1 : 1 + GAME.goals]
    assert not reward.any(), "none is told"
    assert (goal.sum(-1) == 1).all()


def test_a_player_that_begins_from_puppets_moves_as_they_do_whatever_the_goal_of_some() -> None:
    shape, rng = PUPPETS.shape, np.random.default_rng(0)
    goals, sizes, first = shape.sizes.goals, shape.sizes, shape.sizes.cells * shape.filters + 1
    weights = {name: value[None] for name, value in shape.initial_weights(1).items()}
    puppets = PUPPETS.population(weights)
    assert sorted(goal for some in pursuits(puppets, PLAYER.scenario) for goal in some) == list(range(goals))
    cells = rng.integers(0, 2, (2, sizes.cells, sizes.features)).astype(np.uint8)
    others, memory = rng.integers(0, 5, (2, sizes.numbers - goals)), np.zeros((2, shape.hidden), np.float32)
    for some in pursuits(puppets, PLAYER.scenario):
        weights["window"][:, [first + goal for goal in some]] = weights["window"][:, [first + some[0]]]
        goal = np.eye(goals)[[some[0], some[-1]]]
        told = np.concatenate([others[:, :1], goal, others[:, 1:]], 1, dtype=np.float32)
        player = pursuing(puppets, some)
        assert player.shape == PLAYER.shape
        moved = SeatedNetworks(shape, weights, np.zeros(2, np.intp)).play(cells, told, memory)
        alone = SeatedNetworks(player.shape, player.weights, np.zeros(2, np.intp))
        for one, other in zip(moved, alone.play(cells, others.astype(np.float32), memory), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-5)


def test_a_run_begins_from_the_puppets_that_earn_most_and_says_where_it_cannot(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "EPISODES", 1)
    earned: list[float] = []

    def measured(player: Population, *episode: object) -> float:
        assert episode == (PLAYER.scenario, starting.FIRST_SEED)
        earned.append(episode_reward(player, PLAYER.scenario, starting.FIRST_SEED))
        return earned[-1]

    monkeypatch.setattr(starting, "episode_reward", measured)
    path = puppets_path(SUBSTRATE, folder)
    training = replace(PLAYER, start=str(path))
    run(replace(training, parameters=replace(PLAYER.parameters, updates=0)), tmp_path, no_report)
    begun, puppets = load(tmp_path / "last.npz", SUBSTRATE)[0], load(path, SUBSTRATE)[0]
    one, other = (pursuing(puppets, some) for some in pursuits(puppets, PLAYER.scenario))
    assert len(earned) == 2
    for name, value in (one if earned[0] >= earned[1] else other).weights.items():
        np.testing.assert_array_equal(begun.weights[name], value)
    twice = starting.begun_from(begun, PLAYER.scenario, 2)
    for name, value in begun.weights.items():
        np.testing.assert_array_equal(twice[name], np.repeat(value, 2, 0))
    assert "--start=None, not --start=" in difference(training, PLAYER.described())
    for wrong, told in (
        (replace(training, hidden=8), "its networks learned by --planes --hidden=16; these have --planes --hidden=8"),
        (replace(PUPPETS, start=str(path)), "puppets begin from random weights alone"),
        (replace(PLAYER, start="puppets"), "its networks learned by --planes --hidden=64"),
        (replace(PLAYER, start=str(tmp_path / "none.npz")), "No such file"),
    ):
        with pytest.raises(ConfigError, match=told):
            wrong.check()


@pytest.mark.heavy
def test_puppets_are_trained_and_play_by_the_commands_of_the_docs(tmp_path: Path) -> None:
    how = ["--tables=4", "--rollout=20", "--steps=160", "--hidden=16", "--actors=1", "--evaluation=1"]
    train = ["hm-agent", "train", "melting_pot", "--puppets", f"--against={TRAINED_IN}", *how, f"--out={tmp_path}"]
    assert main(train) == 0
    (tmp_path / TRAINED_IN / "puppets" / "seed-0" / "last.npz").rename(puppets_path(SUBSTRATE, tmp_path))
    play = ["hm-agent", "play", "--scenario=pd_repeated_0", "--agent=react", "--max_steps=30", "--bots=learned"]
    assert main([*play, f"--bots_dir={tmp_path}", f"--out={tmp_path / 'runs'}"]) == 0


def test_learned_bots_play_bit_exactly_and_not_as_scripted_ones(folder: Path) -> None:
    info = scenarios()["prisoners_dilemma_in_the_matrix__repeated_3"]
    one, other = (play_steps(info, "random", 60, bots="learned", bots_dir=str(folder)) for _ in range(2))
    for step, same in zip(one, other, strict=True):
        assert np.array_equal(step.observation.view["RGB"], same.observation.view["RGB"])
    scripted = play_steps(info, "random", 60, bots="scripted")
    assert any(
        not np.array_equal(step.observation.view["RGB"], same.observation.view["RGB"])
        for step, same in zip(one, scripted, strict=True)
    )


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--scenario=rws_repeated_5"], "is no puppet: use --bots=scripted"),
        (["--scenario=cooking_ring_0"], "is no puppet"),
        (["--scenario=coins_0"], "puppets of coins can't be trained here"),
        (["--scenario=pd_repeated_0", "--bots_dir=EMPTY"], "--puppets, and copy their last.npz there"),
    ],
)
def test_what_no_learned_puppet_plays_is_said_in_one_line(
    flags: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [flag.replace("EMPTY", str(tmp_path)) for flag in flags]
    play = ["hm-agent", "play", "--agent=random", "--bots=learned", "--max_steps=2", f"--out={tmp_path / 'runs'}"]
    assert main([*play, *given]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert told in error


def test_puppets_and_players_are_not_taken_for_each_other(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = puppets_path(SUBSTRATE, folder)
    play = ["hm-agent", "play", "--scenario=pd_repeated_0", "--max_steps=2", f"--out={tmp_path / 'runs'}"]
    assert main([*play, "--agent=ppo", "--bots=scripted", f"--checkpoint={path}"]) == 2
    assert "holds puppets" in capsys.readouterr().err
    assert main([*play, "--agent=random", f"--bots_dir={folder}"]) == 2
    assert "holds learned puppets, which play by --bots=learned" in capsys.readouterr().err
    with pytest.raises(ConfigError, match="holds no puppets"):
        puppets_of(SUBSTRATE, LEARNED / SELF_PLAY)
    assert main(["hm-agent", "train", "melting_pot", "--puppets", "--substrate=clean_up", f"--out={tmp_path}"]) == 2
    assert "are no puppets" in capsys.readouterr().err


def test_other_networks_are_another_condition(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = tmp_path / puppets_path(SUBSTRATE, folder).name
    own.write_bytes(puppets_path(SUBSTRATE, folder).read_bytes())
    play = ["hm-agent", "play", "--scenario=pd_repeated_0", "--agent=random", "--max_steps=2", "--bots=learned"]
    assert main([*play, f"--bots_dir={tmp_path}", f"--out={tmp_path / 'runs'}"]) == 0
    population, _ = load(own, SUBSTRATE)
    save(own, replace(population, reward=1.0))
    capsys.readouterr()
    assert main([*play, f"--bots_dir={tmp_path}", f"--out={tmp_path / 'runs'}"]) == 2
    assert "was played with --learned_bots=" in capsys.readouterr().err


def test_a_run_plays_again_without_the_files_of_its_networks(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own, checkpoint, runs = tmp_path / "bots", tmp_path / "my net (1)", tmp_path / "runs"
    copytree(folder, own)
    copyfile(LEARNED / SELF_PLAY / f"{SUBSTRATE}.npz", checkpoint)
    bots = [f"--bots_dir={own}", "--bots=learned", f"--checkpoint={checkpoint}"]
    play = ["hm-agent", "play", "--scenario=pd_repeated_0", "--agent=ppo", "--max_steps=3", "--noreplay", *bots]
    assert main([*play, f"--out={runs}"]) == 0
    rmtree(own)
    checkpoint.unlink()
    assert main(["hm-agent", "pack", str(runs), f"--out={tmp_path / 'packed'}"]) == 0
    for path in (runs, tmp_path / "packed"):
        capsys.readouterr()
        assert main(["hm-agent", "reproduce", str(path)]) == 0
        assert "the same again" in capsys.readouterr().out
    rmtree(runs / "networks")
    assert main(["hm-agent", "reproduce", str(runs)]) == 1
    assert "can't be played again" in capsys.readouterr().out
