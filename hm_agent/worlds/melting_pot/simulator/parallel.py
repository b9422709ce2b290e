"""Scenarios and substrates of Melting Pot as a ParallelEnv of PettingZoo; needs the extra `envs`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Dict, Discrete, Text
from meltingpot import scenario as mp_scenario
from meltingpot import substrate as mp_substrate

from hm_agent.core import Seat
from hm_agent.envs.parallel_episodes import EnvStep, Infos, ParallelEpisodes
from hm_agent.worlds.melting_pot.games.kind import Reader
from hm_agent.worlds.melting_pot.scenarios import Scenario
from hm_agent.worlds.melting_pot.simulator.substrate import settings_of
from hm_agent.worlds.melting_pot.simulator.world import SubstrateWorld
from hm_agent.worlds.melting_pot.text_view import reader_of

Observations = dict[str, dict[str, Any]]
MOST_LETTERS = 20_000
LETTERS = frozenset(map(chr, (10, *range(32, 127), *range(0x3B1, 0x3CA))))
"""What texts consist of."""
PICTURE = "WORLD.RGB"


class MeltingPotParallelEnv(ParallelEpisodes):
    """A world of Melting Pot as a parallel environment.

    Episodes end by truncation, since their length is drawn and no state ends them. Only in games of one interaction
    does that interaction end the episode, which is termination.

    Observations and actions are Melting Pot's official ones: `RGB` (H, W, 3) uint8 and, where the substrate has them,
    `INVENTORY` and `READY_TO_SHOOT`; actions are indices into the substrate's action set. Rewards are those of the
    step. `state` and `render` give the whole map. in_words: True for `text` in place of `RGB`, as `TextView` gives it.
    """

    def __init__(
        self, world: SubstrateWorld, scenario: Scenario, render_mode: str | None = None, *, in_words: bool = False
    ) -> None:
        self._world, self._one_interaction = world, scenario.game.length.one_interaction
        self._scenario, self._in_words = scenario, in_words
        self._readers: Mapping[Seat, Reader] = {}
        self.metadata: dict[str, Any] = {"name": scenario.name, "render_modes": ["rgb_array"], "render_fps": 8}
        substrate = scenario.game.substrate
        config = mp_substrate.get_config(substrate)
        specs = config.timestep_spec.observation
        # A player takes one thing per step at most, so it holds no more than it began with plus the episode's steps.
        most = 2 * settings_of(substrate, config.default_player_roles)["maxEpisodeLengthFrames"]
        spaces = {
            name: _space(name, specs[name], most)
            for name in sorted(specs)
            if name in mp_scenario.PERMITTED_OBSERVATIONS
        }
        self._kinds = {name: space.dtype for name, space in spaces.items()}
        if in_words:
            del self._kinds["RGB"], spaces["RGB"]
            spaces["text"] = Text(MOST_LETTERS, charset=LETTERS)
        super().__init__(world.seats, Dict(spaces), Discrete(len(config.action_set)), render_mode)
        self.state_space = _space(PICTURE, specs[PICTURE], most)

    def begin(self, seed: int) -> tuple[Observations, Infos]:
        turn, seats = self._world.reset(seed), self._world.seats
        if self._in_words:
            self._readers = {seat: reader_of(self._scenario, seat) for seat in seats}
        return self._seen(turn.observations, dict.fromkeys(seats, 0)), {seat: {} for seat in self.agents}

    def advance(self, actions: Mapping[str, int]) -> EnvStep:
        turn = self._world.step(actions)
        infos: Infos = {seat: {} for seat in self.agents}
        is_terminated = turn.is_over and self._one_interaction and self._world.metrics()["interactions"] > 0
        is_truncated = turn.is_over and not is_terminated
        return EnvStep(self._seen(turn.observations, actions), dict(turn.rewards), is_terminated, is_truncated, infos)

    def state(self) -> npt.NDArray[np.uint8]:
        """(H, W, 3) the whole map now."""
        return np.array(self._world.truth(0)[PICTURE], np.uint8)

    def rendered(self) -> npt.NDArray[np.uint8] | None:
        return self.state() if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        self._world.close()

    def __reduce__(self) -> NoReturn:
        """Refuses copies and pickles, since Melting Pot's engine can't give its state."""
        raise TypeError(
            "an environment of Melting Pot can't be copied or pickled: open another one, reset it with the same seed, "
            "and take the same actions"
        )

    def _seen(self, observations: Mapping[str, Any], actions: Mapping[str, int]) -> Observations:
        """What the seats see after these actions of theirs."""
        seen: Observations = {
            seat: {name: np.array(observation.view[name], dtype) for name, dtype in self._kinds.items()}
            for seat, observation in observations.items()
        }
        for seat, reader in self._readers.items():
            seen[seat]["text"] = reader(observations[seat], int(actions[seat]))
        return seen


def _space(name: str, spec: Any, most: int) -> Box:
    """The space of an observation. most: an upper bound of how many things of a kind a player holds."""
    if spec.dtype == np.uint8:
        return Box(0, 255, spec.shape, np.uint8)
    # In Paintball, the long beam takes twice as long to cool down as the beam by which that is measured.
    low, high = {"INVENTORY": (0.0, float(most)), "READY_TO_SHOOT": (-1.0, 1.0)}.get(name, (-np.inf, np.inf))
    return Box(low, high, spec.shape, np.float64)
