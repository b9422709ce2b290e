"""A training run: it learns, saves checkpoints and curves, resumes where it was cut short, and evaluates the result.

A run of one seed leaves, in its folder: `last.npz` (to resume from, and to play), `best.npz` (the best checkpoint by
reward over the validation games), `curve.csv` and `curve.png`, and, once it is done, `evaluation.json`. A run that was
killed and resumed ends with the same weights, bit for bit, as one that was not.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import jax
import numpy as np

from hm_agent.learning.progress import RunProgress, resumed
from hm_agent.learning.runs import TrainingFailed, kept_json
from hm_agent.learning.trees import is_finite
from hm_agent.worlds.symmtom.learning.actors import ActorShape
from hm_agent.worlds.symmtom.learning.algorithms import ALGORITHMS
from hm_agent.worlds.symmtom.learning.checkpoints import TrainedPlayer, load, save, variant_of
from hm_agent.worlds.symmtom.learning.learner import Learner
from hm_agent.worlds.symmtom.learning.maddpg import Maddpg, MaddpgParameters
from hm_agent.worlds.symmtom.learning.networks import Network, Shape
from hm_agent.worlds.symmtom.learning.ppo import Ppo, PpoParameters
from hm_agent.worlds.symmtom.learning.trained_policy import TrainedPolicy
from hm_agent.worlds.symmtom.metrics import REWARD
from hm_agent.worlds.symmtom.policies.policy import HeuristicPolicy, Policy
from hm_agent.worlds.symmtom.rules import Ints, Keys
from hm_agent.worlds.symmtom.selfplay import measure
from hm_agent.worlds.symmtom.settings import GameSettings

VALIDATION_SEEDS, EVALUATION_SEEDS = 1_000_000, 2_000_000
"""The first seed of the games that choose the best checkpoint, and of those that evaluate a run."""
BATCH = 100
"""The number of games that are evaluated at once; results do not depend on it."""


Parameters = PpoParameters | MaddpgParameters


@dataclass(frozen=True)
class Training:
    """What to train. every: updates between checkpoints. validation, evaluation: the numbers of games to measure by."""

    algorithm: str
    settings: GameSettings
    seed: int
    parameters: Parameters
    hidden: int = 64
    every: int = 20
    validation: int = 200
    evaluation: int = 1000

    @property
    def title(self) -> str:
        return self.settings.name

    @property
    def kind(self) -> str:
        return ALGORITHMS[self.algorithm].kind

    @property
    def shape(self) -> Network:
        network: Network = replace(ALGORITHMS[self.algorithm].network, hidden=self.hidden)  # type: ignore[type-var]
        return network

    def learner(self) -> Learner[Any]:
        return _learner(self.settings, self.kind, self.shape, self.parameters)  # type: ignore[arg-type]

    def player(self, weights: Any, reward: float | None = None) -> TrainedPlayer:
        arrays = {name: np.asarray(value) for name, value in weights.items()}
        return TrainedPlayer(self.algorithm, self.settings, self.kind, self.shape, arrays, reward)

    def described(self) -> str:
        """All that the trained weights depend on, as JSON."""
        return json.dumps(asdict(self), sort_keys=True)

    @staticmethod
    def as_flags(described: Mapping[str, Any]) -> dict[str, Any]:
        fields = dict(described)
        parameters, game = dict(fields.pop("parameters")), asdict(settings := GameSettings(**fields.pop("settings")))
        for told in ("has_public_first_hand", "is_competitive", "has_published_rules", "has_greedy_speakers"):
            del game[told]
        named = {
            "episodes": parameters.pop("updates") * parameters["games"],
            **settings.variant,
            "checkpoint_every": fields.pop("every"),
            "replay": parameters.pop("capacity", None),
        }
        return {**named, **parameters, **fields, **game}


@cache
def _learner(settings: GameSettings, kind: str, shape: Network, parameters: Parameters) -> Learner[Any]:
    """Builds a learner; it is cached for all seeds, since compiling it takes long."""
    if isinstance(shape, ActorShape) and isinstance(parameters, MaddpgParameters):
        return Maddpg(settings, kind, shape, parameters)
    if isinstance(shape, Shape) and isinstance(parameters, PpoParameters):
        return Ppo(settings, kind, shape, parameters)
    raise TypeError(f"{type(shape).__name__} does not learn by {type(parameters).__name__}")


TrainingProgress = RunProgress[Any]
Report = Callable[[Training, TrainingProgress], None]
"""Is called after every update."""


def run(training: Training, folder: Path, report: Report) -> dict[str, Any]:
    """Trains one seed to its end, resuming a run that was cut short; returns its evaluation.

    Raises TrainingFailed if a loss or a weight is not finite, after saving the state before that update.
    """
    folder.mkdir(parents=True, exist_ok=True)
    learner = training.learner()
    earlier = resumed(training, folder, learner, partial(load, settings=training.settings))
    progress = earlier or RunProgress(learner.begin(training.seed))
    key = jax.random.key(training.seed)
    while progress.updates < training.parameters.updates:
        after, reward, loss = learner.update(progress.state, jax.random.fold_in(key, progress.updates))
        if not is_finite((after, loss)):
            _save_progress(training, folder, progress)
            raise TrainingFailed(
                f"{training.settings.name}, seed {training.seed}: a loss or a weight is not finite after update "
                f"{progress.updates + 1}; {folder / 'last.npz'} is from before it"
            )
        progress.state, progress.updates = after, progress.updates + 1
        progress.curve.add(progress.updates * training.parameters.games, float(reward), float(loss))
        if progress.updates % training.every == 0 or progress.updates == training.parameters.updates:
            _validate(training, folder, progress)
            _save_progress(training, folder, progress)
        report(training, progress)
    asked = {"evaluated_episodes": training.evaluation}
    return kept_json(folder / "evaluation.json", lambda: _evaluation(training, folder), asked)


def _validate(training: Training, folder: Path, progress: TrainingProgress) -> None:
    """Plays the validation games, and saves the weights as best.npz if their reward is the largest so far."""
    weights = training.learner().weights(progress.state)
    player = training.player(weights)
    seeds = np.arange(VALIDATION_SEEDS, VALIDATION_SEEDS + training.validation, dtype=np.uint32)
    reward = mean_reward(player, seeds)
    progress.curve.judge(progress.updates * training.parameters.games, reward)
    if reward > progress.best:
        progress.best = reward
        save(folder / "best.npz", training.player(weights, reward))


def mean_reward(player: TrainedPlayer, seeds: Keys) -> float:
    """The mean reward per agent and episode in self-play over games of these seeds."""
    return float(episode_rewards(player.settings, lambda: TrainedPolicy(player), seeds).mean())


def episode_rewards(settings: GameSettings, build: Callable[[], Policy], seeds: Keys) -> Ints:
    """(B, n): each agent's reward in self-play of a policy, for the games of these seeds (B,)."""
    batches = np.array_split(seeds, max(1, len(seeds) // BATCH))
    rewards: Ints = np.concatenate([measure(settings, build, batch)[REWARD] for batch in batches])
    return rewards


def _save_progress(training: Training, folder: Path, progress: TrainingProgress) -> None:
    """Writes the curves, and last.npz with all that is needed to resume."""
    learner = training.learner()
    progress.write_curve(training, folder)
    player = training.player(learner.weights(progress.state))
    save(folder / "last.npz", player, progress.arrays(training, learner))


def standard_error(rewards: Ints) -> float | None:
    """The standard error over games of the mean of rewards (B, n); None for a single game."""
    by_game = rewards.mean(1)
    return float(by_game.std(ddof=1) / len(by_game) ** 0.5) if len(by_game) > 1 else None


def _evaluation(training: Training, folder: Path) -> dict[str, Any]:
    """What the last and the best checkpoint and the heuristic earn over the same games.

    Its errors are standard errors over these games. They don't include the variation between training runs.
    """
    seeds = np.arange(EVALUATION_SEEDS, EVALUATION_SEEDS + training.evaluation, dtype=np.uint32)
    best, last = (load(folder / name, training.settings)[0] for name in ("best.npz", "last.npz"))
    policies: Mapping[str, Callable[[], Policy]] = {
        "final": lambda: TrainedPolicy(last),
        "best": lambda: TrainedPolicy(best),
        "heuristic": HeuristicPolicy,
    }
    rewards = {name: episode_rewards(training.settings, build, seeds) for name, build in policies.items()}
    return {
        "scenario": training.settings.name,
        "algorithm": training.algorithm,
        "seed": training.seed,
        **variant_of(training.settings, training.shape),
        "trained_episodes": training.parameters.updates * training.parameters.games,
        "parameters": asdict(training.parameters),
        "evaluated_episodes": training.evaluation,
        **{name: float(values.mean()) for name, values in rewards.items()},
        "errors": {name: standard_error(values) for name, values in rewards.items()},
        "device": jax.default_backend(),
    }
