"""PPO in one file, as CleanRL's are: from pixels, against the bots of a scenario, in worlds that run in processes.

    python ppo.py pd_repeated_1 1000000

`hm-agent train melting_pot` learns faster, with a memory, resumes, and leaves a checkpoint that plays. This is
for those who want to change all of it. It needs hm_agent[train,envs].
"""

import sys
import time

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import optax

from hm_agent.envs import gym_env

WORLDS, STEPS, EPOCHS, MINIBATCHES = 8, 128, 4, 4
LEARNING_RATE, DISCOUNT, TRACE, CLIP, ENTROPY, VALUE_WEIGHT = 5e-4, 0.99, 0.95, 0.2, 0.01, 0.5


def initial_weights(key, sizes):
    """Orthogonal matrices for cells, window, hidden layer, and both heads."""
    scales, keys = [*[2**0.5] * (len(sizes) - 1), 0.01], jax.random.split(key, len(sizes))
    layers = zip(keys, sizes, scales, strict=True)
    drawn = [jax.nn.initializers.orthogonal(scale)(own, size) for own, size, scale in layers]
    return [(matrix, jnp.zeros(matrix.shape[1])) for matrix in drawn]


def outputs(weights, seen):
    """Logits (..., A) and values (...) of what was seen: each 8 x 8 cell by the same layer, then the whole window."""
    cell, window, hidden, heads = weights
    rgb, numbers = seen
    height, width = rgb.shape[-3] // 8, rgb.shape[-2] // 8
    cells = rgb.reshape(*rgb.shape[:-3], height, 8, width, 8, 3).swapaxes(-4, -3)
    cells = cells.reshape(*rgb.shape[:-3], height * width, 192) / 255
    found = jax.nn.relu(cells @ cell[0] + cell[1])
    h = jnp.concatenate([found.reshape(*found.shape[:-2], -1), jnp.log1p(numbers)], -1)
    for matrix, bias in (window, hidden):
        h = jax.nn.relu(h @ matrix + bias)
    out = h @ heads[0] + heads[1]
    return out[..., :-1], out[..., -1]


@jax.jit
def act(weights, seen, key):
    logits, values = outputs(weights, seen)
    actions = jax.random.categorical(key, logits)
    chances = jnp.take_along_axis(jax.nn.log_softmax(logits), actions[..., None], -1)[..., 0]
    return actions, chances, values


def loss(weights, batch):
    seen, actions, chances, advantages, returns = batch
    logits, values = outputs(weights, seen)
    logs = jax.nn.log_softmax(logits)
    ratio = jnp.exp(jnp.take_along_axis(logs, actions[..., None], -1)[..., 0] - chances)
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    gain = jnp.minimum(ratio * advantages, jnp.clip(ratio, 1 - CLIP, 1 + CLIP) * advantages).mean()
    entropy = -(jnp.exp(logs) * logs).sum(-1).mean()
    return -gain + VALUE_WEIGHT * jnp.square(values - returns).mean() / 2 - ENTROPY * entropy


def learner_of(optimiser):
    """An update: advantages (Schulman et al., 2016), then some epochs of minibatches."""

    @jax.jit
    def learn(weights, state, rollout, after, key):
        seen, actions, chances, values, rewards, goes_on = rollout

        def back(carry, step):
            following, advantage = carry
            reward, value, goes = step
            advantage = reward + DISCOUNT * following * goes - value + DISCOUNT * TRACE * advantage * goes
            return (value, advantage), advantage

        start = (after, jnp.zeros_like(after))
        advantages = jax.lax.scan(back, start, (rewards, values, goes_on), reverse=True)[1]
        batch = jax.tree.map(
            lambda x: x.reshape(-1, *x.shape[2:]), (seen, actions, chances, advantages, advantages + values)
        )

        def step(carry, rows):
            weights, state = carry
            found, gradient = jax.value_and_grad(loss)(weights, jax.tree.map(lambda x: x[rows], batch))
            change, state = optimiser.update(gradient, state)
            return (optax.apply_updates(weights, change), state), found

        orders = [jax.random.permutation(k, WORLDS * STEPS) for k in jax.random.split(key, EPOCHS)]
        rows = jnp.stack(orders).reshape(EPOCHS * MINIBATCHES, -1)
        (weights, state), losses = jax.lax.scan(step, (weights, state), rows)
        return weights, state, losses.mean()

    return learn


def look(observations):
    """What the network is given of observations, (WORLDS, ...): pixels, and the numbers that the player is told."""
    told = [observations[name].reshape(WORLDS, -1) for name in sorted(observations) if name != "RGB"]
    return observations["RGB"].copy(), np.concatenate(told, -1, dtype=np.float32)


def train(scenario, steps, seed=0):
    """Returns the weights, and the mean reward in 1,000 steps of each update."""
    worlds = gymnasium.vector.AsyncVectorEnv(
        [lambda: gym_env(scenario, bots="scripted")] * WORLDS,
        context="spawn",
        autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP,
    )
    acting, learning = jax.random.split(jax.random.key(seed))
    seen = look(worlds.reset(seed=seed)[0])
    cells, numbers = seen[0].shape[1] * seen[0].shape[2] // 64, seen[1].shape[1]
    sizes = [(192, 16), (16 * cells + numbers, 64), (64, 64), (64, int(worlds.single_action_space.n) + 1)]
    weights = initial_weights(learning, sizes)
    updates = -(-steps // (WORLDS * STEPS))
    schedule = optax.linear_schedule(LEARNING_RATE, 0.0, updates * EPOCHS * MINIBATCHES)
    optimiser = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(schedule, eps=1e-5))
    state, learn, curve, began = optimiser.init(weights), learner_of(optimiser), [], time.monotonic()
    for update in range(updates):
        played = []
        for number in range(STEPS):
            actions, chances, values = map(
                np.asarray, act(weights, seen, jax.random.fold_in(acting, update * STEPS + number))
            )
            following, rewards, ended, cut, _ = worlds.step(actions)
            played.append((seen, actions, chances, values, rewards.astype(np.float32), ~(ended | cut)))
            seen = look(following)
        after = outputs(weights, seen)[1]
        rollout = jax.tree.map(lambda *parts: np.stack(parts), *played)
        weights, state, mean_loss = learn(weights, state, rollout, after, jax.random.fold_in(learning, update))
        curve.append(1000 * float(rollout[4].mean()))
        done = (update + 1) * WORLDS * STEPS
        print(f"{done:,} steps, reward in 1,000 {np.mean(curve[-20:]):.1f}, loss {mean_loss:.3f}", end=" ")
        print(f"({done / (time.monotonic() - began):,.0f} steps/s)", flush=True)
    worlds.close()
    return weights, curve


if __name__ == "__main__":
    train(sys.argv[1], int(sys.argv[2]))
