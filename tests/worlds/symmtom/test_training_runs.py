"""Runs of both families of learners: what they learn, leave, and go on with."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import redirect_stderr
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hm_agent.command_line.cli import main
from hm_agent.config import ConfigError
from hm_agent.learning.progress import difference
from hm_agent.learning.runs import TrainingFailed
from hm_agent.worlds.symmtom.learning.checkpoints import load, save
from hm_agent.worlds.symmtom.learning.command import LiveLine
from hm_agent.worlds.symmtom.learning.maddpg import MaddpgParameters
from hm_agent.worlds.symmtom.learning.ppo import PpoParameters
from hm_agent.worlds.symmtom.learning.training import Training, mean_reward, run
from hm_agent.worlds.symmtom.settings import GameSettings
from tests.worlds.symmtom.training_runs import check_same, go_on, no_report, run_until_killed

pytestmark = pytest.mark.slow

IPPO = Training(
    "ippo",
    GameSettings(4, 2, 2),
    0,
    PpoParameters(updates=30, games=16, minibatches=2, learning_rate=3e-3),
    hidden=32,
    every=10,
    validation=20,
    evaluation=40,
)
MADDPG = Training(
    "maddpg_ee",
    GameSettings(4, 2, 2),
    0,
    MaddpgParameters(updates=30, games=16, every=16, batch=128, capacity=160, learning_rate=2e-3),
    hidden=32,
    every=10,
    validation=20,
    evaluation=40,
)


@pytest.fixture(
    scope="module",
    params=[IPPO, pytest.param(MADDPG, marks=pytest.mark.heavy)],
    ids=lambda training: training.algorithm,
)
def training(request: pytest.FixtureRequest) -> Training:
    asked: Training = request.param
    return asked


@pytest.fixture(scope="module")
def told_run(training: Training, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder of a whole run, and the lines that told of its progress."""
    folder = tmp_path_factory.mktemp("whole")
    with redirect_stderr(io.StringIO()) as told:
        run(training, folder, LiveLine())
    return folder, told.getvalue().splitlines()


@pytest.fixture(scope="module")
def whole_run(told_run: tuple[Path, list[str]]) -> Path:
    return told_run[0]


def test_a_learner_improves(training: Training, whole_run: Path) -> None:
    found = json.loads((whole_run / "evaluation.json").read_text())
    untrained = training.player(training.shape.initial_weights(training.settings, 0))
    before = mean_reward(untrained, np.arange(100, dtype=np.uint32))
    assert found["best"] > before + 3
    assert training is MADDPG or found["final"] > before + 3
    assert found["evaluated_episodes"] == training.evaluation
    assert found["trained_episodes"] == 30 * training.parameters.games


def test_a_run_leaves_its_curve(training: Training, whole_run: Path) -> None:
    rows = (whole_run / "curve.csv").read_text().splitlines()
    assert len(rows) == 31
    judged = [int(row.split(",")[0]) for row in rows[1:] if not row.endswith(",")]
    assert judged == [update * training.parameters.games for update in (10, 20, 30)]
    assert (whole_run / "curve.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.heavy
def test_a_run_that_was_killed_ends_with_the_same_weights_to_the_bit(
    training: Training, whole_run: Path, tmp_path: Path
) -> None:
    run_until_killed(training, tmp_path, 13)
    (tmp_path / ".last.npz.part").write_bytes(b"half a file")
    assert go_on(training, tmp_path) == 11
    check_same(whole_run, tmp_path)


def test_training_stops_where_a_number_is_none_and_keeps_the_checkpoint_before(
    training: Training, whole_run: Path, tmp_path: Path
) -> None:
    player, extra = load(whole_run / "last.npz")
    part = "critics/" if training is MADDPG else "optimiser/"
    poisoned = {
        name: np.full_like(value, np.nan) if name.startswith(part) and value.ndim >= 2 else value
        for name, value in extra.items()
    }
    save(tmp_path / "last.npz", player, poisoned | {"updates": np.array(10)})
    with pytest.raises(TrainingFailed, match=rf"{training.settings.name}, seed 0.*update 11"):
        run(training, tmp_path, no_report)
    kept, _ = load(tmp_path / "last.npz", training.settings)
    np.testing.assert_array_equal(kept.weights["first"], player.weights["first"])


def test_progress_tells_the_best_once_there_is_one(told_run: tuple[Path, list[str]]) -> None:
    _, lines = told_run
    assert "reward" in lines[0]
    assert "best" not in lines[0]
    assert "best" in lines[-1]


def test_a_folder_with_another_run_is_refused(training: Training, whole_run: Path) -> None:
    with pytest.raises(ConfigError, match="holds a run with --seed=0, not --seed=1: choose another --out"):
        run(replace(training, seed=1), whole_run, no_report)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda one: replace(one, every=7), "--checkpoint_every={0.every}, not --checkpoint_every=7"),
        (lambda one: replace(one, hidden=7), "--hidden={0.hidden}, not --hidden=7"),
        (
            lambda one: replace(one, parameters=replace(one.parameters, updates=1000, games=100)),
            "--episodes={1}, not --episodes=100000",
        ),
        (
            lambda one: replace(one, settings=replace(one.settings, is_competitive=True)),
            "--rewards=cooperative, not --rewards=competitive",
        ),
        (
            lambda one: replace(one, settings=replace(one.settings, has_published_rules=True)),
            "--rules=paper, not --rules=published",
        ),
        (lambda one: one, ""),
    ],
)
def test_a_run_with_another_setting_is_told_by_flag_and_values(
    training: Training, change: Callable[[Training], Training], said: str
) -> None:
    episodes = training.parameters.updates * training.parameters.games
    assert difference(change(training), training.described()) == said.format(training, episodes)


def test_a_trained_agent_plays_from_the_command_line(training: Training, whole_run: Path, tmp_path: Path) -> None:
    name, algorithm = training.settings.name, training.algorithm
    flags = [f"--checkpoint={whole_run / 'best.npz'}", "--noreplay", f"--out={tmp_path}"]
    assert main(["hm-agent", "play", f"--scenario={name}", f"--agent={algorithm}", *flags]) == 0
    (path,) = tmp_path.glob(f"{name}/{algorithm}/*/episode-0/result.json")
    metrics = json.loads(path.read_text())["metrics"]
    assert metrics["reward_per_agent"] > (3 if training is MADDPG else 0)
    assert 0.5 < metrics["believed_rightly"] <= 1
