from __future__ import annotations

import hashlib
import random

from hm_agent.core import Turn
from hm_agent.worlds.melting_pot.facts import FOCAL
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.grid import Move
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld
from tests.support.commands import output_by_another_hash_seed

COUNTER_PREVIOUS, MIXED, GULLIBLE = "rws_repeated_1", "rws_repeated_4", "rws_repeated_5"
CHEF = "cooking_asymmetric_0"
FIRST_POSSIBLE_END = 1000
PART = 200
"""The steps of an episode that is not played to its end."""


class Playthrough:
    """An episode with a focal player that moves at random; its digest is over all that could differ."""

    def __init__(self, scenario: str, seed: int) -> None:
        self._world = MeltingPotWorld(scenario_named(scenario), Bots.SCRIPTED)
        self._moves = random.Random(seed)
        self._digest = hashlib.sha256()
        self._take_in(self._world.reset(seed))

    def _take_in(self, turn: Turn[View]) -> None:
        self.steps, self.is_over = turn.step, turn.is_over
        observation = turn.observations[FOCAL]
        self._digest.update(self._world.scene().frame.tobytes())
        for name in sorted(observation.view):
            self._digest.update(observation.view[name].tobytes())
        self._digest.update(repr((observation.reward, turn.is_over, self._world.intents())).encode())

    def play(self, steps: int) -> None:
        for _ in range(steps):
            self._take_in(self._world.step({FOCAL: self._moves.randrange(len(Move))}))

    def play_to_the_end(self) -> None:
        while not self.is_over:
            self.play(1)

    def digest(self) -> str:
        self._digest.update(repr(self._world.background()).encode())
        return f"{self.steps} steps: {self._digest.hexdigest()}"

    def close(self) -> None:
        self._world.close()


def digest_of(scenario: str, seed: int, steps: int) -> str:
    playthrough = Playthrough(scenario, seed)
    playthrough.play(steps)
    playthrough.close()
    return playthrough.digest()


def digests() -> list[str]:
    playthrough = Playthrough(COUNTER_PREVIOUS, seed=3)
    playthrough.play_to_the_end()
    assert playthrough.steps >= FIRST_POSSIBLE_END
    return [playthrough.digest(), *(digest_of(scenario, seed=3, steps=PART) for scenario in (GULLIBLE, CHEF))]


def test_seed_decides_episodes_in_any_process() -> None:
    assert output_by_another_hash_seed(__file__).splitlines() == digests()


def test_seed_decides_the_episode_among_interleaved_worlds() -> None:
    alone = [digest_of(MIXED, seed, steps=200) for seed in (1, 2)]
    worlds = [Playthrough(MIXED, seed) for seed in (1, 2)]
    for _ in range(200):
        for world in worlds:
            world.play(1)
    assert [world.digest() for world in worlds] == alone
    for world in worlds:
        world.close()


def test_draws_from_the_global_generator_change_no_episode() -> None:
    undisturbed = digest_of(COUNTER_PREVIOUS, seed=1, steps=200)
    playthrough = Playthrough(COUNTER_PREVIOUS, seed=1)
    for _ in range(200):
        random.random()
        playthrough.play(1)
    playthrough.close()
    assert playthrough.digest() == undisturbed


def test_episode_draws_nothing_from_the_global_generator() -> None:
    before = random.getstate()
    digest_of(MIXED, seed=1, steps=100)
    assert random.getstate() == before


def test_world_that_is_reset_repeats_the_episode() -> None:
    world = MeltingPotWorld(scenario_named(MIXED), Bots.SCRIPTED)
    frames = []
    for _ in range(2):
        world.reset(7)
        for _ in range(50):
            world.step({FOCAL: Move.FORWARD})
        frames.append(world.scene().frame.tobytes())
    world.close()
    assert frames[0] == frames[1]


def test_other_seed_gives_another_episode() -> None:
    assert digest_of(MIXED, seed=1, steps=50) != digest_of(MIXED, seed=2, steps=50)


if __name__ == "__main__":
    print(*digests(), sep="\n")
