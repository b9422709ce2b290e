from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import dm_env
import pytest
from meltingpot.utils.policies import policy as policy_lib
from meltingpot.utils.puppeteers import in_the_matrix
from meltingpot.utils.scenarios import population
from meltingpot.utils.substrates import builder

from hm_agent.worlds.melting_pot.simulator.determinism import SeededPolicy, drawing_from


def numbers(seed: int, count: int) -> list[float]:
    stream = random.Random(seed)
    return [stream.random() for _ in range(count)]


class Gambler(policy_lib.Policy[float]):
    """Draws its initial state and its actions as Melting Pot's own code does."""

    def initial_state(self) -> float:
        return float(in_the_matrix.random.random())

    def step(self, timestep: dm_env.TimeStep, prev_state: float) -> tuple[int, float]:
        return 0, float(in_the_matrix.random.random())

    def close(self) -> None:
        """Holds nothing."""


@pytest.mark.parametrize("module", [builder, in_the_matrix, population], ids=lambda module: module.__name__)
def test_melting_pot_draws_from_the_episodes_stream(module: object) -> None:
    with drawing_from(random.Random(3)):
        drawn = [module.random.random() for _ in range(2)]  # type: ignore[attr-defined]
    assert drawn == numbers(3, 2)


def test_global_generator_is_not_touched() -> None:
    before = random.getstate()
    with drawing_from(random.Random(3)):
        builder.random.random()
    assert random.getstate() == before


def test_outer_stream_goes_on_after_an_inner_one() -> None:
    with drawing_from(random.Random(3)):
        first = builder.random.random()
        with drawing_from(random.Random(4)):
            builder.random.random()
        second = builder.random.random()
    assert [first, second] == numbers(3, 2)


def test_stream_is_left_when_an_episode_fails() -> None:
    stream = random.Random(3)
    with pytest.raises(ZeroDivisionError), drawing_from(stream):
        _ = 1 / 0
    builder.random.random()
    assert [stream.random()] == numbers(3, 1)


def test_streams_of_two_threads_do_not_mix() -> None:
    def draw(seed: int) -> list[float]:
        with drawing_from(random.Random(seed)):
            return [builder.random.random() for _ in range(1000)]

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(draw, (1, 2))) == [numbers(1, 1000), numbers(2, 1000)]


def test_bot_draws_from_its_own_stream_in_a_worker_thread() -> None:
    bot = SeededPolicy(Gambler(), random.Random(5))
    with ThreadPoolExecutor(1) as pool, drawing_from(random.Random(3)):
        state = pool.submit(bot.initial_state).result()
        _, after = pool.submit(bot.step, dm_env.restart({}), state).result()
    assert [state, after] == numbers(5, 2)
