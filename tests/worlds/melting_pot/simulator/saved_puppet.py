"""Makes a SavedModel with the interface of Melting Pot's trained bots; it plays the move numbered as its goal.

TensorFlow is imported when one is made, since it takes seconds, and most runs collect these tests and make none.
"""

from __future__ import annotations

import shutil
import tempfile
from functools import cache
from pathlib import Path

import dm_env

POSITIONAL_OR_KEYWORD = 1


def save_puppet(folder: Path, goals: int, view: int = 40, action: int = 1) -> None:
    """Saves the model below `folder`.

    goals: the length of GOAL; 0 for a bot without a puppeteer, whose move is `action`. view: its RGB's width in pixels.
    """
    shutil.copytree(_saved(goals, view, action).name, folder)


@cache
def _saved(goals: int, view: int, action: int) -> tempfile.TemporaryDirectory[str]:
    """A folder of this process with the model, which takes TensorFlow a second to save."""
    import tensorflow as tf

    of_key, of_state = tf.TensorSpec([2], tf.uint32), tf.TensorSpec([], tf.int32)
    observation = {"RGB": tf.TensorSpec([view, view, 3], tf.uint8)}
    if goals:
        observation["GOAL"] = tf.TensorSpec([goals], tf.int32)
    timestep = dm_env.TimeStep(
        step_type=tf.TensorSpec([], tf.int32),
        reward=tf.TensorSpec([], tf.float32),
        discount=tf.TensorSpec([], tf.float32),
        observation=observation,
    )
    model = tf.Module()

    @tf.function(input_signature=[of_key])
    def initial_state(random_key):  # type: ignore[no-untyped-def]
        return random_key, tf.constant(0, tf.int32)

    @tf.function(input_signature=[of_key, timestep, of_state])
    def step(key, timestep, prev_state):  # type: ignore[no-untyped-def]
        chosen = tf.argmax(timestep.observation["GOAL"], output_type=tf.int32) if goals else tf.constant(action)
        return key, ((chosen, tf.constant(0.0)), prev_state + 1)

    @tf.function(input_signature=[])
    def function_tables():  # type: ignore[no-untyped-def]
        return {}

    @tf.function(input_signature=[])
    def function_signatures():  # type: ignore[no-untyped-def]
        return {
            "initial_state": [(tf.constant("random_key"), tf.constant(POSITIONAL_OR_KEYWORD))],
            "step": [
                (tf.constant(name), tf.constant(POSITIONAL_OR_KEYWORD)) for name in ("key", "timestep", "prev_state")
            ],
        }

    model.initial_state, model.step = initial_state, step
    model.function_tables, model.function_signatures = function_tables, function_signatures
    folder = tempfile.TemporaryDirectory(prefix="saved_puppet_", ignore_cleanup_errors=True)
    tf.saved_model.save(model, folder.name)
    return folder


def save_other(folder: Path) -> None:
    """Saves a model below `folder` that is no bot: it doubles a number."""
    import tensorflow as tf

    model = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def double(number):  # type: ignore[no-untyped-def]
        return 2 * number

    model.double = double
    tf.saved_model.save(model, str(folder))
