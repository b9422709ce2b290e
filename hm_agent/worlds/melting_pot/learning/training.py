"""A training run: actors play while the learner learns from what they played before; checkpoints, curves, evaluation.

A run of one seed leaves, in its folder: `last.npz` (to resume from, and to play), `best.npz`, `curve.csv`, `curve.png`
and, once it is done, `evaluation.json`. It consists of segments of updates, each of which begins new episodes, seats
the networks anew and ends with a checkpoint. So a run that was killed and resumed ends with the same weights, bit for
bit, as one that was not, though Melting Pot's engine can't save its state.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import jax
import numpy as np

from hm_agent.config import ConfigError
from hm_agent.learning.curves import LearningCurve
from hm_agent.learning.layers import Weights
from hm_agent.learning.progress import RunProgress, resumed
from hm_agent.learning.runs import TrainingFailed
from hm_agent.learning.trees import is_finite
from hm_agent.worlds.melting_pot.learning.actor import ActorPlan, PlayRequest, seated
from hm_agent.worlds.melting_pot.learning.inputs import Sight, input_sizes
from hm_agent.worlds.melting_pot.learning.player_network import PlayerShape
from hm_agent.worlds.melting_pot.learning.population_ppo import PopulationParameters, PopulationPpo, PopulationState
from hm_agent.worlds.melting_pot.learning.populations import PUPPETS, Population, load, puppets_path, save
from hm_agent.worlds.melting_pot.learning.rollouts import Rollout, SharedArrays, weight_shapes
from hm_agent.worlds.melting_pot.learning.starting import begun_from
from hm_agent.worlds.melting_pot.learning.team import Team, at_work
from hm_agent.worlds.melting_pot.scenarios import Scenario, scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import bots_of

PER_STEPS = 1000
"""Rewards of curves are those of a player in so many steps."""


class StepCurve(LearningCurve):
    """A curve by steps of the environment."""

    UNIT = "steps"
    REWARD = "reward_per_1000_steps"
    AXIS = "reward per player and 1,000 steps"


@dataclass(frozen=True)
class PopulationTraining:
    """What to train. scenario: whose bots to play against, or the substrate's self-play.

    every: updates between checkpoints. actors: processes that play, among which the tables are shared out; their number
    can change results in the last bit. evaluation: episodes of each scenario to measure by. puppets: True to train what
    follows a puppeteer's goals. start: a checkpoint of the substrate, or PUPPETS for those that ship, from whose
    networks these begin; None for weights drawn by the seed.
    """

    scenario: str
    sight: Sight
    seed: int
    parameters: PopulationParameters
    hidden: int = 64
    every: int = 20
    actors: int = 2
    evaluation: int = 5
    puppets: bool = False
    start: str | None = None

    @property
    def played(self) -> Scenario:
        return scenario_named(self.scenario)

    @property
    def learns(self) -> str:
        """What it learns to be, which names its folder."""
        return PUPPETS if self.puppets else "ppo"

    @property
    def substrate(self) -> str:
        return self.played.game.substrate

    @property
    def shape(self) -> PlayerShape:
        goals = bots_of(self.played.game).goals if self.puppets else 0
        return PlayerShape(self.sight, input_sizes(self.substrate, self.sight, goals), self.hidden)

    @property
    def title(self) -> str:
        """What its curves show."""
        return self.scenario + ("\nrewards for pursuing goals" if self.puppets else "")

    @property
    def size(self) -> int:
        """The steps of the environment in an update."""
        return self.parameters.tables * self.parameters.steps

    def check(self) -> None:
        """Raises ConfigError if the numbers don't go together, or the networks have nothing to begin from."""
        parameters, seats = self.parameters, len(self.played.seats)
        rows, least = parameters.tables * seats, parameters.population * parameters.minibatches
        if rows % least:
            raise ConfigError(
                f"--tables={parameters.tables}: {rows} seats in all, no multiple of {least} (networks by minibatches)"
            )
        if self.puppets and not bots_of(self.played.game).goals:
            raise ConfigError(f"--puppets: the bots of {self.substrate} are no puppets")
        if parameters.tables < self.actors:
            raise ConfigError(f"--tables={parameters.tables}: fewer than --actors={self.actors}")
        if self.start:
            self.starters(self.start)

    def starters(self, start: str) -> Population:
        """What the networks begin from; ConfigError if the checkpoint holds none of their shape."""
        if self.puppets:
            raise ConfigError(f"--start={start}: puppets begin from random weights alone")
        given, _ = load(puppets_path(self.substrate, None) if start == PUPPETS else Path(start), self.substrate)
        if (given.shape.sight, given.shape.hidden) != (self.sight, self.hidden):
            there = f"--{given.shape.sight} --hidden={given.shape.hidden}"
            raise ConfigError(
                f"--start={start}: its networks learned by {there}; these have --{self.sight} --hidden={self.hidden}"
            )
        return given

    def population(self, weights: Weights, reward: float | None = None) -> Population:
        arrays = {name: np.asarray(value) for name, value in weights.items()}
        against = "" if self.played.is_self_play else self.played.name
        return Population(self.substrate, against, self.shape, arrays, reward)

    def described(self) -> str:
        """All that the trained weights depend on, as JSON."""
        fields = {name: value for name, value in asdict(self).items() if name != "evaluation"}
        return json.dumps({**fields.pop("parameters"), **fields}, sort_keys=True)

    @staticmethod
    def as_flags(described: Mapping[str, Any]) -> dict[str, Any]:
        fields = dict(described)
        named = {
            "seeds": fields.pop("seed"),
            "pixels": fields.pop("sight") == "pixels",
            "rollout": (rollout := fields.pop("steps")),
            "steps": fields.pop("updates") * fields["tables"] * rollout,
            "checkpoint_every": fields.pop("every"),
        }
        return {**fields, **named}


@cache
def learner_of(shape: PlayerShape, parameters: PopulationParameters) -> PopulationPpo:
    """Builds a learner; it is kept for all seeds, since compiling it takes long."""
    return PopulationPpo(shape, parameters)


PopulationProgress = RunProgress[PopulationState]
Report = Callable[[PopulationTraining, PopulationProgress], None]
"""Is called after every update."""


class Playground:
    """The memory that learner and actors share."""

    def __init__(self, training: PopulationTraining) -> None:
        parameters, seats = training.parameters, len(training.played.seats)
        shapes = Rollout.shapes(training.shape, parameters.steps, parameters.tables * seats)
        shared = [SharedArrays.of(shapes) for _ in range(2)]
        weights = SharedArrays.of(weight_shapes(training.shape, parameters.population))
        self.rollouts, self._weights = [Rollout(**each.arrays()) for each in shared], weights.arrays()
        shares = np.linspace(0, parameters.tables, training.actors + 1).astype(int).tolist()
        self.plans = [
            ActorPlan(
                scenario=training.scenario,
                shape=training.shape,
                seed=training.seed,
                population=parameters.population,
                tables=range(begin, end),
                of=parameters.tables,
                seats=seats,
                rollouts=shared,
                weights=weights,
            )
            for begin, end in pairwise(shares)
        ]

    def publish(self, weights: Weights) -> None:
        """Gives actors the weights for the next rollout."""
        for name, value in weights.items():
            self._weights[name][:] = np.asarray(value)


def run(training: PopulationTraining, folder: Path, report: Report) -> PopulationProgress:
    """Trains one seed to its end, resuming a run that was cut short.

    Raises TrainingFailed if a loss or a weight is not finite or an actor has died; the latest checkpoint stays.
    """
    folder.mkdir(parents=True, exist_ok=True)
    learner = learner_of(training.shape, training.parameters)
    progress = resumed(training, folder, learner, partial(load, substrate=training.substrate), StepCurve)
    if progress is None:
        progress = PopulationProgress(_begun(training, learner), curve=StepCurve())
        _save_progress(training, folder, learner, progress)
    if progress.updates == training.parameters.updates:
        return progress
    ground = Playground(training)
    with at_work(ground.plans) as team:
        while progress.updates < training.parameters.updates:
            reward = _train_segment(training, learner, progress, ground, team, report)
            progress.curve.judge(progress.updates * training.size, reward)
            if reward > progress.best:
                progress.best = reward
                save(folder / "best.npz", training.population(progress.state.weights, reward))
            _save_progress(training, folder, learner, progress)
    return progress


def _begun(training: PopulationTraining, learner: PopulationPpo) -> PopulationState:
    """The state before the first update."""
    if not training.start:
        return learner.begin(training.seed)
    given = training.starters(training.start)
    return learner.begin_from(begun_from(given, training.scenario, training.parameters.population))


def _train_segment(
    training: PopulationTraining,
    learner: PopulationPpo,
    progress: PopulationProgress,
    ground: Playground,
    team: Team,
    report: Report,
) -> float:
    """Trains up to the next checkpoint; returns the mean reward per player and 1,000 steps meanwhile.

    While the learner learns from a rollout, actors play the next one by the weights from before it.
    """
    parameters, first = training.parameters, progress.updates
    last = min(first + training.every, parameters.updates)
    segment, key = first // training.every, jax.random.key(training.seed)
    seats = seated(training.seed, segment, parameters.population, parameters.tables, len(training.played.seats)).ravel()
    ground.publish(progress.state.weights)
    team.ask(PlayRequest(0, segment))
    began = time.monotonic()
    for number in range(first, last):
        team.await_all()
        rollout = ground.rollouts[(number - first) % 2]
        if number + 1 < last:
            ground.publish(progress.state.weights)
            team.ask(PlayRequest((number + 1 - first) % 2, None))
        after, losses = learner.update(progress.state, rollout, seats, jax.random.fold_in(key, number))
        if not is_finite((after, losses)):
            raise TrainingFailed(
                f"{training.scenario}, seed {training.seed}: a loss or a weight is not finite after update "
                f"{number + 1}; last.npz is from after update {first}"
            )
        progress.state, progress.updates = after, number + 1
        progress.rate = (progress.updates - first) * training.size / (time.monotonic() - began)
        reward = float(rollout.rewards.mean()) * PER_STEPS
        progress.curve.add(progress.updates * training.size, reward, float(losses.mean()))
        report(training, progress)
    return float(np.mean(progress.curve.rewards[first:last]))


def _save_progress(
    training: PopulationTraining, folder: Path, learner: PopulationPpo, progress: PopulationProgress
) -> None:
    """Writes the curves, and last.npz with all that is needed to resume."""
    progress.write_curve(training, folder)
    save(folder / "last.npz", training.population(progress.state.weights), progress.arrays(training, learner))
