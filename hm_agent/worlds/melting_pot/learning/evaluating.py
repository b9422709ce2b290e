"""What a trained population earns: its final and its best checkpoint, beside random play, in the same episodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import jax
import numpy as np

from hm_agent.learning.runs import kept_json
from hm_agent.process.workers import calls_in_workers
from hm_agent.worlds.melting_pot.learning.measuring import episode_reward
from hm_agent.worlds.melting_pot.learning.populations import load
from hm_agent.worlds.melting_pot.learning.training import PopulationTraining
from hm_agent.worlds.melting_pot.scenarios import Scenario, all_scenarios, scenario_named

FIRST_SEED = 2_000_000
"""The seed of the first episode that evaluates a run."""
CHECKPOINTS: Mapping[str, str | None] = {"final": "last.npz", "best": "best.npz", "random": None}
"""The file of each player that is measured; None for one that draws every action uniformly."""


def scenarios_to_measure(training: PopulationTraining) -> Sequence[Scenario]:
    """What a best response or puppets were trained in; after self-play, all that Melting Pot has for the substrate."""
    if training.puppets or not training.played.is_self_play:
        return [training.played]
    own = [each for each in all_scenarios() if each.game.substrate == training.substrate]
    return [each for each in own if not (each.is_unseen or each.pairs or each.needs_trained_bots)]


def evaluate(training: PopulationTraining, folder: Path) -> dict[str, Any]:
    """Plays episodes of each scenario; returns and writes evaluation.json, which is kept if it has as many already."""
    asked = {"evaluation": training.evaluation}
    return kept_json(folder / "evaluation.json", lambda: _evaluation(training, folder), asked)


def _evaluation(training: PopulationTraining, folder: Path) -> dict[str, Any]:
    """What the players earn in episodes of each scenario.

    Its errors are standard errors over these episodes. They don't include the variation between training runs.
    """
    names = [scenario.name for scenario in scenarios_to_measure(training)]
    calls = [
        (str(folder / file) if file else None, name, FIRST_SEED + number, training.puppets)
        for name in names
        for file in CHECKPOINTS.values()
        for number in range(training.evaluation)
    ]
    with calls_in_workers(training.actors, _reward_of, calls) as played:
        rewards = np.reshape([each.result() for each in played], (len(names), len(CHECKPOINTS), -1))
    return {
        **{name: value for name, value in asdict(training).items() if name != "actors"},
        "algorithm": "ppo",
        "steps": training.parameters.updates * training.size,
        "device": jax.default_backend(),
        "rewards": {
            name: {who: _measured(own) for who, own in zip(CHECKPOINTS, rows, strict=True)}
            for name, rows in zip(names, rewards, strict=True)
        },
    }


def _measured(rewards: Any) -> dict[str, float | None]:
    """The mean and its standard error; no error for a single episode."""
    error = float(rewards.std(ddof=1) / len(rewards) ** 0.5) if len(rewards) > 1 else None
    return {"mean": float(rewards.mean()), "error": error}


def _reward_of(checkpoint: str | None, scenario_name: str, seed: int, puppets: bool) -> float:
    """The same by a checkpoint, None for random play, which is read where it is played."""
    population = load(Path(checkpoint), scenario_named(scenario_name).game.substrate)[0] if checkpoint else None
    return episode_reward(population, scenario_name, seed, puppets=puppets)
