"""Loads trained bots, which are SavedModels, and checks before anything is played that they can play a substrate."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import dm_env
import numpy as np
import numpy.typing as npt
from meltingpot.utils.policies import saved_model_policy

from hm_agent.config import ConfigError
from hm_agent.worlds.melting_pot.simulator import errors_held_back
from hm_agent.worlds.melting_pot.simulator.bots.frame_policy import GOAL
from hm_agent.worlds.melting_pot.simulator.determinism import drawing_from
from hm_agent.worlds.melting_pot.simulator.substrate import actions_of, blank_observations

with errors_held_back():  # its native code prints a page about the machine in every process
    import tensorflow as tf

FUNCTIONS = ("initial_state", "step")
"""The functions of a model that Melting Pot calls, beside two that describe these."""
LONGEST = 160
"""How many characters of an error a message shows at most."""
UNFIT = (OSError, AttributeError, KeyError, TypeError, ValueError, tf.errors.OpError)
"""The errors of loading or stepping a model that is not what Melting Pot expects."""


@cache
def load_model(path: Path) -> saved_model_policy.SavedModelPolicy:
    """A trained model; loaded once per process, since it has no state and most bots share one."""
    return saved_model_policy.SavedModelPolicy(str(path))


@cache
def check_model(path: Path, substrate: str, goals: int = 0) -> None:
    """Raises ConfigError if the model in a folder can't play a substrate.

    The model is loaded and takes one step on blank observations. The message says in one line what is wrong and what is
    expected. goals: the length of its GOAL; 0 for a bot without a puppeteer.
    """
    blank, actions = blank_observations(substrate), len(actions_of(substrate))
    if goals:
        blank[GOAL] = np.eye(goals, dtype=np.int32)[0]
    with errors_held_back():  # where there is no graphics card, TensorFlow says so when it first runs a model
        problem = _problem(path, blank, actions)
    if problem:
        raise ConfigError(
            f"{path}: no bot for {substrate}: {problem}; expected a SavedModel with initial_state(key) and step(key, "
            f"timestep, prev_state), which observes any of {_described(blank)}"
        )


def _problem(path: Path, blank: Mapping[str, npt.NDArray[Any]], actions: int) -> str:
    """What is wrong with a model for a substrate of so many actions, in words; empty if nothing is.

    If a step fails, it names the observations of the model that the substrate lacks or gives in another shape.
    """
    try:
        policy = load_model(path)
    except UNFIT as error:
        return _first_line(error)
    if missing := [name for name in FUNCTIONS if name not in policy._model.signatures]:
        return f"it has no function {missing[0]}"
    observed = _observed(policy)
    if GOAL in blank and GOAL not in observed:
        return "it observes no GOAL"
    try:
        return _action_problem(policy, blank, actions)
    except UNFIT as error:
        unfit = [
            f"{name} {spec.dtype.name} {tuple(spec.shape)}"
            for name, spec in sorted(observed.items())
            if name not in blank or not spec.shape.is_compatible_with(blank[name].shape)
        ]
        return f"it observes {', '.join(unfit)}" if unfit else _first_line(error)


def _observed(policy: Any) -> Mapping[str, tf.TensorSpec]:
    """The observations that a model's step takes, by name; none if it takes no time step."""
    arguments = policy._model.step.canonical_arguments.arguments.values()
    observed: object = next((argument.observation for argument in arguments if hasattr(argument, "observation")), None)
    return observed if isinstance(observed, Mapping) else {}


def _action_problem(
    policy: saved_model_policy.SavedModelPolicy, blank: Mapping[str, npt.NDArray[Any]], actions: int
) -> str:
    """Steps a model once on blank observations; returns what is wrong with its action, in words, empty if nothing."""
    timestep = dm_env.TimeStep(dm_env.StepType.FIRST, np.zeros(()), 1.0, blank)
    with drawing_from(random.Random(0)):
        action, _ = policy.step(timestep, policy.initial_state())
    return "" if action in range(actions) else f"it took action {action} of {actions}"


def _described(blank: Mapping[str, npt.NDArray[Any]]) -> str:
    """The observations with their types and shapes, as a model gets them: with 32 bits."""
    return ", ".join(f"{name} {seen.dtype.name.replace('64', '32')} {seen.shape}" for name, seen in blank.items())


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines() or ["no more is known"]
    return f"{type(error).__name__}: {lines[0][:LONGEST]}"
