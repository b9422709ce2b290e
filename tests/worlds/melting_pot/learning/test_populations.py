"""Populations that learn: what they see, play, learn and leave."""

from __future__ import annotations

import json
import os
import runpy
import signal
import time
from dataclasses import replace
from multiprocessing import Pipe, active_children, current_process
from pathlib import Path

import jax
import numpy as np
import pytest

from hm_agent.catalogue.registry import scenarios
from hm_agent.command_line.cli import main
from hm_agent.config import ConfigError
from hm_agent.learning.archives import named, save_archive
from hm_agent.learning.runs import TrainingFailed
from hm_agent.testing.episodes import play_steps
from hm_agent.worlds.melting_pot.learning import populations
from hm_agent.worlds.melting_pot.learning.actor import Actor, ActorPlan, PlayRequest, seated
from hm_agent.worlds.melting_pot.learning.inputs import eye_for, input_sizes
from hm_agent.worlds.melting_pot.learning.player_network import SeatedNetworks, draw
from hm_agent.worlds.melting_pot.learning.population_ppo import PopulationPpo
from hm_agent.worlds.melting_pot.learning.populations import LEARNED, Population, load, save
from hm_agent.worlds.melting_pot.learning.ppo_agent import BEST_RESPONSE
from hm_agent.worlds.melting_pot.learning.rollouts import Rollout, SharedArrays, weight_shapes
from hm_agent.worlds.melting_pot.learning.team import Team
from hm_agent.worlds.melting_pot.learning.training import PopulationProgress, PopulationTraining, learner_of, run
from hm_agent.worlds.melting_pot.perception.perceiver import Perceiver
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of
from hm_agent.worlds.melting_pot.simulator.world import SelfPlayWorld
from tests.support.commands import orphans, start
from tests.worlds.melting_pot.learning.training_settings import SUBSTRATE, TRAINING, no_report

LEARNER = learner_of(TRAINING.shape, TRAINING.parameters)
SEATS = 2 * TRAINING.parameters.tables
STEPS = TRAINING.parameters.steps


def untrained(seed: int = 3) -> Population:
    return TRAINING.population(PopulationPpo(TRAINING.shape, TRAINING.parameters).begin(seed).weights)


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    run(TRAINING, folder, no_report)
    return folder


# What networks see


def test_planes_show_what_perception_finds() -> None:
    world = SelfPlayWorld(scenario_named(TRAINING.scenario))
    turn, rng = world.reset(5), np.random.default_rng(0)
    vision, eye = vision_of("pd_repeated", 0), eye_for(SUBSTRATE, "planes")
    perceiver, walls, sizes = Perceiver(vision), set(), input_sizes(SUBSTRATE, "planes")
    names = sorted(map(str, vision.atlas.sprites))
    wall_planes = [1 + number for number, name in enumerate(names) if "'Wall'" in name]
    for _ in range(30):
        rgb = turn.observations["player_0"].view["RGB"]
        cells = eye(rgb)
        assert cells.shape == (sizes.cells, sizes.features)
        assert not cells[:, 0].any(), "all cells are explained"
        view = perceiver.see(rgb, 0)
        seen = {vision.window.offsets[cell] for cell in np.flatnonzero(cells[:, wall_planes].any(1))}
        walls |= seen
        if view.walls:
            assert seen == view.walls
        turn = world.step(dict.fromkeys(world.seats, int(rng.integers(1, 7))))
    world.close()
    assert walls


@pytest.mark.parametrize("name", ["coins", "collaborative_cooking__ring", "running_with_scissors_in_the_matrix__arena"])
def test_every_substrate_has_planes_and_pixels_of_the_sizes_it_says(name: str) -> None:
    scenario = scenario_named(f"{name}_selfplay")
    world = SelfPlayWorld(scenario)
    rgb = world.reset(1).observations["player_1"].view["RGB"]
    world.close()
    for sight in ("planes", "pixels"):
        sizes = input_sizes(name, sight)
        assert eye_for(name, sight)(rgb).shape == (sizes.cells, sizes.features)


# What actors play


def actors(arrays: list[SharedArrays], weights: SharedArrays) -> list[Actor]:
    tables = (range(2), range(2, 4))
    return [Actor(ActorPlan(TRAINING.scenario, TRAINING.shape, 0, 2, own, 4, 2, arrays, weights)) for own in tables]


def test_the_order_of_actors_changes_nothing() -> None:
    weights = SharedArrays.of(weight_shapes(TRAINING.shape, 2))
    for name, value in untrained().weights.items():
        weights.arrays()[name][:] = value
    played = []
    for order in ((0, 1), (1, 0)):
        shared = [SharedArrays.of(Rollout.shapes(TRAINING.shape, STEPS, SEATS)) for _ in range(2)]
        team = actors(shared, weights)
        for request in (PlayRequest(0, 0), PlayRequest(1, None)):
            for number in order:
                team[number].play(request)
        for actor in team:
            actor.close()
        played.append([Rollout(**each.arrays()) for each in shared])
    for one, other in zip(*played, strict=True):
        for name, values in one._asdict().items():
            np.testing.assert_array_equal(values, getattr(other, name), err_msg=name)
    assert len(np.unique(played[0][0].actions)) == TRAINING.shape.sizes.actions


def test_learner_and_player_compute_the_same() -> None:
    weights = SharedArrays.of(weight_shapes(TRAINING.shape, 2))
    for name, value in untrained().weights.items():
        weights.arrays()[name][:] = value
    shared = [SharedArrays.of(Rollout.shapes(TRAINING.shape, STEPS, SEATS))]
    for actor in actors(shared, weights):
        actor.play(PlayRequest(0, 7))
        actor.close()
    rollout, seats = Rollout(**shared[0].arrays()), seated(0, 7, 2, 4, 2).ravel()
    for network in range(2):
        own = rollout.of_seats(np.flatnonzero(seats == network))
        output = jax.jit(LEARNER.outputs)({name: value[network] for name, value in weights.arrays().items()}, own)
        logs = jax.nn.log_softmax(output.logits)
        np.testing.assert_allclose(np.take_along_axis(logs, own.actions[..., None], -1)[..., 0], own.chance, atol=1e-4)
        np.testing.assert_allclose(output.value, own.values, atol=1e-4)


def test_all_networks_play_equally_often_and_meet_others() -> None:
    for segment in range(3):
        found = seated(0, segment, 4, 6, 2)
        assert np.bincount(found.ravel()).tolist() == [3] * 4
        assert (found[:, 0] != found[:, 1]).all()


# What they learn


def test_ppo_solves_a_game_of_two_states() -> None:
    """The right action is 1 where the first plane is marked, else 2; no bandit without a state is right in both."""
    state, rng = LEARNER.begin(0), np.random.default_rng(0)
    seats, right = np.tile([0, 1], SEATS // 2), []
    for update in range(TRAINING.parameters.updates):
        shown = rng.random((STEPS, SEATS)) < 0.5
        rollout = Rollout(**SharedArrays.of(Rollout.shapes(TRAINING.shape, STEPS, SEATS)).arrays())
        rollout.cells[..., 0, 0] = shown
        rollout.begins[:] = True
        networks = SeatedNetworks(
            TRAINING.shape, {name: np.asarray(value) for name, value in state.weights.items()}, seats
        )
        for step in range(STEPS):
            now = rollout.at(step)
            logits, now.values[:], _ = networks.play(now.cells, now.numbers, rollout.memory)
            now.actions[:] = draw(logits, rng.random(logits.shape))
            logs = np.asarray(jax.nn.log_softmax(logits))
            now.chance[:] = np.take_along_axis(logs, now.actions[:, None], -1)[:, 0]
        rollout.rewards[:] = rollout.actions == np.where(shown, 1, 2)
        right.append(rollout.rewards.mean())
        state, _ = LEARNER.update(state, rollout, seats, jax.random.key(update))
    assert np.mean(right[:3]) < 0.3
    assert np.mean(right[-3:]) > 0.9


# What runs leave


def test_a_run_leaves_its_curve_and_checkpoints(whole_run: Path) -> None:
    rows = (whole_run / "curve.csv").read_text().splitlines()
    assert rows[0] == "steps,reward_per_1000_steps,loss,validation_reward_per_1000_steps"
    assert len(rows) == 1 + TRAINING.parameters.updates
    assert [row.split(",")[0] for row in rows[1:] if not row.endswith(",")] == ["1600", "3200"]
    assert (whole_run / "curve.png").read_bytes()[:4] == b"\x89PNG"
    last, best = (load(whole_run / name, SUBSTRATE)[0] for name in ("last.npz", "best.npz"))
    assert last.size == best.size == 2
    assert best.reward is not None
    assert not np.array_equal(last.weights["cell"], np.asarray(LEARNER.begin(0).weights["cell"]))


def test_an_actor_that_dies_before_it_reads_a_request_ends_the_run_as_any_other() -> None:
    own, its = Pipe()
    team = Team([(current_process(), own)])
    own.send("play")
    its.close()
    with pytest.raises(TrainingFailed, match="an actor was killed"):
        team.await_all()


def test_a_run_whose_actor_was_killed_goes_on_and_ends_with_the_same_weights_to_the_bit(
    whole_run: Path, tmp_path: Path
) -> None:
    def kill_actor(training: PopulationTraining, progress: PopulationProgress) -> None:
        if progress.updates == 27:
            (actor,) = active_children()
            assert actor.pid
            os.kill(actor.pid, signal.SIGKILL)

    with pytest.raises(TrainingFailed, match="an actor was killed"):
        run(TRAINING, tmp_path, kill_actor)
    began: list[int] = []
    run(TRAINING, tmp_path, lambda training, progress: began.append(progress.updates))
    assert began[0] == 21
    check_same(whole_run, tmp_path)


@pytest.mark.heavy
def test_a_command_that_was_killed_leaves_no_actor_and_goes_on_to_the_bit(whole_run: Path, tmp_path: Path) -> None:
    settings = TRAINING.parameters
    flags = f"--substrate={SUBSTRATE} --steps={settings.updates * TRAINING.size} --tables={settings.tables} --actors=1"
    flags += f" --rollout={settings.steps} --learning_rate={settings.learning_rate} --hidden={TRAINING.hidden}"
    train = ("-m", "hm_agent", "train", "melting_pot")
    folder = tmp_path / SUBSTRATE / "ppo" / "seed-0"
    with start(str(tmp_path), *flags.split(), f"--out={tmp_path}", program=train) as process:
        while not (folder / "best.npz").exists() and process.poll() is None:
            time.sleep(0.01)
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert not orphans(str(tmp_path))
    run(TRAINING, folder, no_report)
    check_same(whole_run, folder)


def check_same(one_run: Path, other_run: Path) -> None:
    """Two runs left the same numbers."""
    for name in ("last.npz", "best.npz"):
        with np.load(one_run / name) as one, np.load(other_run / name) as other:
            assert one.files == other.files
            for array in one.files:
                np.testing.assert_array_equal(one[array], other[array], err_msg=array)
    assert (one_run / "curve.csv").read_bytes() == (other_run / "curve.csv").read_bytes()


def test_training_stops_where_a_number_is_none_and_keeps_the_checkpoint_before(whole_run: Path, tmp_path: Path) -> None:
    population, extra = load(whole_run / "last.npz", SUBSTRATE)
    poisoned = {name: np.full_like(value, np.nan) if value.ndim >= 2 else value for name, value in extra.items()}
    save(tmp_path / "last.npz", population, poisoned | {"updates": np.array(20)})
    with pytest.raises(TrainingFailed, match=r"not finite after update 21; last.npz is from after update 20"):
        run(TRAINING, tmp_path, no_report)
    np.testing.assert_array_equal(load(tmp_path / "last.npz", SUBSTRATE)[0].weights["cell"], population.weights["cell"])


def test_a_folder_with_another_run_is_refused(whole_run: Path) -> None:
    longer = replace(TRAINING.parameters, updates=41)
    for other, told in (
        (replace(TRAINING, seed=1), "--seeds=0, not --seeds=1"),
        (replace(TRAINING, parameters=longer), "--steps=3200, not --steps=3280"),
        (replace(TRAINING, every=7), "--checkpoint_every=20, not --checkpoint_every=7"),
    ):
        with pytest.raises(ConfigError, match=f"holds a run with {told}: choose another --out"):
            run(other, whole_run, no_report)


def test_a_network_without_its_run_does_not_go_on(tmp_path: Path) -> None:
    save(tmp_path / "last.npz", untrained())
    with pytest.raises(ConfigError, match="a network without its run, which can't go on: choose another --out"):
        run(TRAINING, tmp_path, no_report)


@pytest.mark.heavy
def test_the_example_in_one_file_learns_from_worlds_in_processes(capfd: pytest.CaptureFixture[str]) -> None:
    example = runpy.run_path(str(Path(__file__).parents[4] / "docs" / "examples" / "ppo.py"))
    train = example["train"]
    train.__globals__.update(WORLDS=2, STEPS=8)
    weights, curve = train("pd_repeated_1", 32)
    assert len(curve) == 2
    assert all(np.isfinite(array).all() for layer in weights for array in layer)
    assert "32 steps, reward in 1,000" in capfd.readouterr().out


# The agent


def test_the_agent_plays_bit_exactly(tmp_path: Path) -> None:
    save(tmp_path / "one.npz", untrained())
    info, path = scenarios()[f"{SUBSTRATE}_2"], str(tmp_path / "one.npz")
    one, other = (play_steps(info, "ppo", 60, bots="scripted", checkpoint=path) for _ in range(2))
    actions = [step.decision.action for step in one]
    assert actions == [step.decision.action for step in other]
    assert len(set(actions)) > 4


RESPONSES = sorted(path.stem for path in LEARNED.glob(f"{BEST_RESPONSE}/*.npz"))
ALIKE = [name for name, before in zip(RESPONSES[1:], RESPONSES, strict=False) if name[:-1] == before[:-1]]
"""Those that ship for a game for which another does."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.heavy if name in ALIKE else ()) for name in RESPONSES]
)
def test_a_best_response_that_ships_earns_more_than_random_play(name: str) -> None:
    trained, at_random = (
        play_steps(scenarios()[name], "ppo", 400, bots="scripted", checkpoint=BEST_RESPONSE),
        play_steps(scenarios()[name], "random", 400, bots="scripted"),
    )
    one, other = (sum(step.observation.reward for step in steps) for steps in (trained, at_random))
    assert one > other


def test_the_agent_is_recorded_like_any_other_in_every_seat(tmp_path: Path) -> None:
    save(tmp_path / "one.npz", untrained())
    flags = ["--scenario=pd_repeated_selfplay", "--agent=ppo", "--max_steps=8", f"--checkpoint={tmp_path / 'one.npz'}"]
    assert main(["hm-agent", "play", *flags, f"--out={tmp_path / 'runs'}"]) == 0
    (trace,) = (tmp_path / "runs").rglob("trace.jsonl")
    steps = [json.loads(line) for line in trace.read_text().splitlines()]
    assert any("player_1" in json.dumps(step) for step in steps)


def test_what_is_no_checkpoint_for_the_game_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "one.npz"
    play = ["hm-agent", "play", "--agent=ppo", "--max_steps=2", f"--out={tmp_path / 'runs'}", "--bots=scripted"]

    def said(*flags: str) -> str:
        assert main([*play, *flags]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        return error

    assert "ppo plays by a checkpoint: name one by --checkpoint" in said("--scenario=pd_repeated_2")
    shipped = said("--scenario=pd_repeated_3", "--checkpoint=best_response")
    assert f"none ships for {SUBSTRATE}_3, but for " in shipped
    assert f"{SUBSTRATE}_1" in shipped
    assert "No such file" in said("--scenario=pd_repeated_2", f"--checkpoint={path}")
    path.write_text("no archive")
    assert "not a checkpoint of Melting Pot" in said("--scenario=pd_repeated_2", f"--checkpoint={path}")
    save(path, untrained())
    assert f"trained for {SUBSTRATE}; this is" in said("--scenario=rws_repeated_1", f"--checkpoint={path}")
    save(path, replace(untrained(), shape=replace(TRAINING.shape, hidden=8)))
    assert "not of the sizes" in said("--scenario=pd_repeated_2", f"--checkpoint={path}")
    save_archive(path, {"version": 1}, named("weights", untrained().weights))
    assert "not a checkpoint of Melting Pot: substrate" in said("--scenario=pd_repeated_2", f"--checkpoint={path}")
    monkeypatch.setattr(populations, "VERSION", 99)
    assert "format 1; only 99 can be read" in said("--scenario=pd_repeated_2", f"--checkpoint={path}")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], "say --substrate=NAME for self-play, or --against=SCENARIO"),
        (["--substrate=pd_repeated", "--against=pd_repeated_2"], "say --substrate=NAME for self-play, or --against"),
        (["--substrate=pd_repeted"], "unknown substrate 'pd_repeted': did you mean"),
        (["--against=pd_repeated_99"], "--against: unknown scenario 'pd_repeated_99'"),
        (["--substrate=pd_repeated", "--seeds=a"], "seeds are whole numbers"),
        (["--substrate=pd_repeated", "--planes", "--pixels"], "a network learns from one of them"),
        (["--substrate=pd_repeated", "--tables=3"], "6 seats in all, no multiple of 8"),
        (["--substrate=pd_repeated", "--tables=4", "--actors=5"], "fewer than --actors=5"),
        (["--substrate=pd_repeated", "--steps=0"], "steps"),
        (["--substrate=pd_repeated", "--out="], "--out names no folder"),
    ],
)
def test_a_wrong_command_line_is_said_in_one_line(
    flags: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["hm-agent", "train", "melting_pot", *flags]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.usefixtures("boats_without_stand_ins")
def test_bots_for_which_nobody_stands_in_are_no_opponents(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hm-agent", "train", "melting_pot", "--against=boat_race_eight_races_0"]) == 2
    assert "needs trained bots" in capsys.readouterr().err
