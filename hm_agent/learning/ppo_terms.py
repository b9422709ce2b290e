"""The terms of proximal policy optimisation (Schulman et al., 2017), whatever the game and the network."""

from __future__ import annotations

from typing import Protocol

import jax
import jax.numpy as jnp
import optax

from hm_agent.learning.layers import Array


class PpoWeights(Protocol):
    """What the loss and its optimiser need of a learner's parameters.

    trace: lambda of the advantage estimates. clip: how far the ratio of probabilities, in the loss, may be from 1.
    """

    @property
    def learning_rate(self) -> float: ...

    @property
    def discount(self) -> float: ...

    @property
    def trace(self) -> float: ...

    @property
    def clip(self) -> float: ...

    @property
    def entropy(self) -> float: ...

    @property
    def value_weight(self) -> float: ...

    @property
    def largest_gradient(self) -> float: ...


def ppo_optimiser(parameters: PpoWeights, steps: int) -> optax.GradientTransformation:
    """Adam with clipped gradients, whose learning rate falls linearly to a twentieth over so many steps."""
    rate = parameters.learning_rate
    return optax.chain(
        optax.clip_by_global_norm(parameters.largest_gradient),
        optax.adam(optax.linear_schedule(rate, 0.05 * rate, steps), eps=1e-5),
    )


def generalised_advantages(
    parameters: PpoWeights,
    rewards: Array,
    values: Array,
    after: Array,
    *,
    alive: Array | None = None,
    goes_on: Array | None = None,
) -> Array:
    """(T, ...): generalised advantage estimates (Schulman et al., 2016).

    rewards, values: (T, ...), of each step and of the state before it. after: (...), the value after the last step.
    alive: (T, ...) bool, False for steps that count for nothing, whose value and advantage are zero. goes_on: (T, ...)
    bool, False where the step ended an episode, so that it gains nothing by what follows. None: True everywhere.
    """

    def back(carry: tuple[Array, Array], step: tuple[Array, ...]) -> tuple[tuple[Array, Array], Array]:
        following, advantage = carry
        reward, value, is_alive, goes = step
        if goes is not None:
            following, advantage = following * goes, advantage * goes
        error = reward + parameters.discount * following - value
        advantage = error + parameters.discount * parameters.trace * advantage
        if is_alive is not None:
            value, advantage = value * is_alive, advantage * is_alive
        return (value, advantage), advantage

    begin = (after, jnp.zeros_like(after))
    return jax.lax.scan(back, begin, (rewards, values, alive, goes_on), reverse=True)[1]


def ppo_loss(
    parameters: PpoWeights,
    log_ratio: Array,
    advantages: Array,
    value: Array,
    returns: Array,
    entropy: Array,
    *,
    value_before: Array | None = None,
    where: Array | None = None,
) -> Array:
    """PPO's clipped loss, plus that of the values, minus the entropy bonus; advantages are normalised.

    log_ratio: of the actions' probabilities, now to when they were drawn. value_before: the estimates of then, which
    clip the loss of the values as that of the actions; None to clip only the latter. where: the steps that count.
    """
    advantages = (advantages - advantages.mean(where=where)) / (advantages.std(where=where) + 1e-8)
    ratio = jnp.exp(log_ratio)
    clipped = jnp.clip(ratio, 1 - parameters.clip, 1 + parameters.clip)
    gain = jnp.minimum(ratio * advantages, clipped * advantages).mean(where=where)
    squares = jnp.square(value - returns)
    if value_before is not None:
        near = value_before + jnp.clip(value - value_before, -parameters.clip, parameters.clip)
        squares = jnp.maximum(squares, jnp.square(near - returns))
    error = 0.5 * squares.mean(where=where)
    return -gain + parameters.value_weight * error - parameters.entropy * entropy.mean(where=where)


def log_chance_of(logits: Array, chosen: Array) -> Array:
    """The log-probability of chosen actions. logits: (..., A). chosen: (...)."""
    return jnp.take_along_axis(jax.nn.log_softmax(logits), chosen[..., None], -1)[..., 0]


def entropy_of(logits: Array) -> Array:
    logs = jax.nn.log_softmax(logits)
    return -(jnp.exp(logs) * logs).sum(-1)
