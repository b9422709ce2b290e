"""The terms of PPO against values that were calculated by hand."""

from __future__ import annotations

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
import pytest

from hm_agent.learning.ppo_terms import entropy_of, generalised_advantages, log_chance_of, ppo_loss


@dataclass(frozen=True)
class Parameters:
    learning_rate: float = 0.1
    discount: float = 0.5
    trace: float = 0.5
    clip: float = 0.2
    entropy: float = 0.1
    value_weight: float = 0.5
    largest_gradient: float = 1.0


def test_advantages_follow_rewards_back_and_stop_where_an_episode_ended() -> None:
    rewards, values = jnp.array([1.0, 0.0, 2.0]), jnp.array([0.5, 1.0, 1.0])
    errors = (1 + 0.5 * 1.0 - 0.5, 0 + 0.5 * 1.0 - 1.0, 2 + 0.5 * 4.0 - 1.0)  # of each step alone
    last = errors[2]
    middle = errors[1] + 0.25 * last
    whole = generalised_advantages(Parameters(), rewards, values, jnp.array(4.0))
    np.testing.assert_allclose(whole, [errors[0] + 0.25 * middle, middle, last])
    ended = jnp.array([True, False, True])
    cut = generalised_advantages(Parameters(), rewards, values, jnp.array(4.0), goes_on=ended)
    np.testing.assert_allclose(cut, [errors[0] + 0.25 * -1.0, -1.0, last])


def test_the_loss_is_clipped_where_a_step_would_go_too_far() -> None:
    advantages, ratio = jnp.array([1.0, -1.0]), jnp.array([2.0, 2.0])
    value, before, returns = jnp.array([1.0, 1.0]), jnp.array([0.0, 1.0]), jnp.array([1.0, 3.0])
    entropy = jnp.array([0.5, 0.7])
    gain = (1.2 * 1.0 + 2.0 * -1.0) / 2  # what helps is clipped, what harms is not
    plain = 0.5 * (0 + 4) / 2
    clipped = 0.5 * (0.8**2 + 4) / 2  # the first value may be at 0.2 by now
    for given, error in ((None, plain), (before, clipped)):
        found = ppo_loss(Parameters(), jnp.log(ratio), advantages, value, returns, entropy, value_before=given)
        assert float(found) == pytest.approx(-gain + 0.5 * error - 0.1 * 0.6, rel=1e-5)


def test_steps_that_do_not_count_change_no_loss() -> None:
    where = jnp.array([True, True, False])
    few, many = (
        ppo_loss(
            Parameters(), jnp.zeros(count), jnp.arange(count) + 1.0, jnp.ones(count), jnp.arange(count) * 3.0,
            jnp.arange(count) * 1.0, where=counted,
        )
        for count, counted in ((2, None), (3, where))
    )  # fmt: skip
    assert float(few) == pytest.approx(float(many), rel=1e-6)


def test_chances_and_entropy_are_those_of_the_softmax() -> None:
    logits = jnp.log(jnp.array([[0.5, 0.25, 0.25]]))
    assert float(log_chance_of(logits, jnp.array([1]))[0]) == pytest.approx(np.log(0.25))
    assert float(entropy_of(logits)[0]) == pytest.approx(1.5 * np.log(2))
