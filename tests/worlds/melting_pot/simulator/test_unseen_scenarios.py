"""The unseen scenarios, played for a short time by a focal player that collects and plays one kind."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import mean

import dm_env
import numpy as np
import pytest
from meltingpot.utils.policies import puppet_policy
from meltingpot.utils.puppeteers import in_the_matrix

from hm_agent.config import ConfigError
from hm_agent.worlds.melting_pot.facts import FOCAL, Counts
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.simulator.puppets import ScriptedPuppet
from hm_agent.worlds.melting_pot.scenarios import all_scenarios, scenario_named
from hm_agent.worlds.melting_pot.scene import PlayerIntent
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots, choose_bots, model_path
from hm_agent.worlds.melting_pot.simulator.bots.frame_policy import FramePolicy
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld

STEPS = 400
AGAIN = 40
"""The steps for which an episode is played a second time."""
NAMES = [
    *{
        (scenario.game.short_name, scenario.unseen.puppeteer, scenario.unseen.character is None): scenario.short_name
        for scenario in reversed([*all_scenarios()])
        if scenario.unseen and isinstance(scenario.game, MatrixFacts)
    }.values()
]
"""The first of those that differ in their puppeteers' numbers alone."""
GOALS = {"rws": 9, "pd": 4, "chicken": 4}

FIRST = [next(name for name in NAMES if name.startswith(game)) for game in GOALS]
"""The first of each game."""


def but_heavy(light: Collection[str]) -> pytest.MarkDecorator:
    """Of all scenarios, those that are not light only in `make test-heavy`."""
    params = [pytest.param(name, marks=() if name in light else pytest.mark.heavy) for name in NAMES]
    return pytest.mark.parametrize("name", params)


DRAWING = ("pd_unseen_2", "rws_models_me_0", "rws_order_0", "rws_unseen_3", "rws_unseen_4")
"""Those whose rules draw by chance, in different ways."""
each_scenario = but_heavy({*FIRST, *DRAWING})
first_of_each_game = but_heavy(FIRST)


class Specialist:
    """A focal player that plays the game's first kind, from what a focal player may see.

    shy: it collects one thing, and then stands and waits until it is shot at.
    """

    def __init__(self, game: MatrixFacts, seed: int, *, shy: bool = False) -> None:
        self._most = sum([game.initial_inventory] * len(game.resources)) if shy else math.inf
        resource = game.resources[0]
        goals = np.eye(9, dtype=np.int32)[[resource.collect_goals[0], resource.interact_goals[0]]]
        target = in_the_matrix.Resource(0, *goals)
        puppeteer = in_the_matrix.Specialist(target=target, margin=2)
        own_seed = random.Random(seed).getrandbits(64)
        puppet = FramePolicy(lambda: ScriptedPuppet(game, vision_of(game.short_name, 0), random.Random(own_seed)))
        self._policy = puppet_policy.PuppetPolicy(puppeteer, puppet)
        self._state = self._policy.initial_state()

    def act(self, view: View) -> int:
        action, self._state = self._policy.step(dm_env.transition(0.0, view), self._state)
        return 0 if view["INVENTORY"].sum() > self._most else int(action)


@dataclass
class Playthrough:
    """What happened, step by step. held: by the bot in each interaction, with its intent before."""

    views: list[bytes] = field(default_factory=list)
    intents: list[PlayerIntent] = field(default_factory=list)
    held: list[tuple[str | None, Counts]] = field(default_factory=list)


def game_of(name: str) -> MatrixFacts:
    game = scenario_named(name).game
    assert isinstance(game, MatrixFacts)
    return game


@contextmanager
def opened(name: str, bots: Bots = Bots.SCRIPTED, bots_dir: Path | None = None) -> Iterator[MeltingPotWorld]:
    world = MeltingPotWorld(scenario_named(name), bots, bots_dir)
    try:
        yield world
    finally:
        world.close()


def play(name: str, seed: int = 0, steps: int = STEPS, *, shy: bool = False) -> Playthrough:
    playthrough, focal = Playthrough(), Specialist(game_of(name), seed, shy=shy)
    with opened(name) as world:
        turn = world.reset(seed)
        for _ in range(steps):
            before = world.intents()
            turn = world.step({FOCAL: focal.act(turn.observations[FOCAL].view)})
            view, bot = turn.observations[FOCAL].view, world.truth(1)
            own, _ = bot["INTERACTION_INVENTORIES"]
            playthrough.views.append(b"".join(np.asarray(view[key]).tobytes() for key in sorted(view)))
            playthrough.intents.extend(world.intents())
            if min(own) > 0:
                playthrough.held.append((before[0].behaviour, tuple(map(int, own))))
    return playthrough


@cache
def first_play(name: str) -> Playthrough:
    return play(name)


@each_scenario
def test_one_seed_is_one_episode(name: str) -> None:
    before, first = random.getstate(), first_play(name)
    again = play(name, steps=AGAIN)
    assert (again.views, again.intents) == (first.views[:AGAIN], first.intents[:AGAIN])
    assert again.held == first.held[: len(again.held)]
    assert random.getstate() == before


@first_of_each_game
def test_another_seed_is_another_episode(name: str) -> None:
    assert play(name, seed=1, steps=50).views != first_play(name).views[:50]


@each_scenario
def test_oracle_is_told_what_the_bot_plays(name: str) -> None:
    """A bot that is hit before it is ready may hold anything; but mostly it holds what it intends."""
    behaviours, playthrough = game_of(name).behaviours, first_play(name)
    assert {intent.behaviour for intent in playthrough.intents} <= {*behaviours}
    unseen = scenario_named(name).unseen
    assert unseen is not None
    assert {intent.rule for intent in playthrough.intents} == {unseen.rule}
    right = [behaviours[int(np.argmax(held))] == intent for intent, held in playthrough.held]
    assert len(right) >= 3
    assert sum(right) >= 0.6 * len(right)


def test_puppets_model_is_missed_by_its_path(tmp_path: Path) -> None:
    scenario = scenario_named("pd_unseen_1")
    assert model_path(scenario.name, tmp_path) == tmp_path / scenario.game.substrate / "puppet_1"
    with pytest.raises(ConfigError, match=r"no trained bot in .*puppet_1"):
        choose_bots(scenario, "trained", tmp_path)


@pytest.mark.parametrize("name", ["rws_unseen_5", pytest.param("rws_unseen_6", marks=pytest.mark.heavy), "pd_unseen_5"])
def test_hoarders_hold_more_than_others_and_things_off_their_kind(name: str) -> None:
    held = [held for seed in range(2) for _, held in play(name, seed, steps=800, shy=True).held]
    assert len(held) >= 4
    assert all(max(counts) >= 11 for counts in held)
    assert mean(sum(counts) - max(counts) - (len(counts) - 1) for counts in held) > 1
