"""A bot's character: how it pursues the goals that its puppeteer sets, whatever these are.

It stands between puppeteer and puppet, and works on goals alone, so that trained puppets can have one as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import dm_env
import numpy as np
import numpy.typing as npt
from meltingpot.utils.puppeteers import puppeteer

from hm_agent.worlds.melting_pot.facts import CharacterRange, MatrixFacts
from hm_agent.worlds.melting_pot.simulator.determinism import EPISODE_RANDOM

STRAYING_STEPS = 30
"""For this many steps at most a player looks for a thing that is not of its kind."""


@dataclass(frozen=True, slots=True)
class Character:
    """One player's in one episode; the fields are those of `CharacterRange`."""

    stray: float
    surplus: int
    patience: int


@dataclass(frozen=True, slots=True)
class Life:
    """A player's state from one respawn to the next.

    held: how many things, at the latest step. stray_kind: the kind of thing that it looks for off its own, until the
    step `stray_until`. enough: how many of its kind it is to hold before it plays, and fire_at: the step from which on
    it may; None until its puppeteer asks it to play and, for fire_at, until it holds enough.
    """

    character: Character
    step: int = 0
    held: float = 0
    stray_kind: int | None = None
    stray_until: int = 0
    enough: float | None = None
    fire_at: int | None = None


class CharacterPuppeteer(puppeteer.Puppeteer[Life]):
    """Passes a puppeteer's GOAL on, but lets the puppet stray, collect a surplus and keep its fire.

    A goal to play a kind becomes the goal to collect it as long as the character wants; while it strays, the goal is to
    collect another kind.
    """

    def __init__(self, game: MatrixFacts, ranges: CharacterRange) -> None:
        self._game, self._ranges = game, ranges

    def initial_state(self) -> Life:
        ranges = self._ranges
        stray = EPISODE_RANDOM.uniform(*ranges.stray)
        return Life(Character(stray, EPISODE_RANDOM.randint(*ranges.surplus), EPISODE_RANDOM.randint(*ranges.patience)))

    def step(self, timestep: dm_env.TimeStep, prev_state: Life) -> tuple[dm_env.TimeStep, Life]:
        inventory, goal = timestep.observation["INVENTORY"], timestep.observation["GOAL"]
        kind, plays = goal_of(self._game, int(np.argmax(goal)))
        life = self._after_pickups(replace(prev_state, step=prev_state.step + 1), float(inventory.sum()), kind)
        if plays and life.stray_kind is None:
            life = _prepared(life, float(inventory[kind]))
            if life.fire_at is not None and life.step >= life.fire_at:
                return timestep, life
        sought = kind if life.stray_kind is None else life.stray_kind
        return puppeteer.puppet_timestep(timestep, self._goal_to_collect(sought, goal)), life

    def _after_pickups(self, life: Life, held: float, kind: int) -> Life:
        """The life after a step: a new one if things were lost; a pickup decides whether the next one is to stray."""
        if held < life.held:
            return Life(life.character, life.step, held)
        if held > life.held:
            strays = EPISODE_RANDOM.random() < life.character.stray
            others = [index for index in range(len(self._game.resources)) if index != kind]
            stray_kind = EPISODE_RANDOM.choice(others) if strays else None
            return replace(life, held=held, stray_kind=stray_kind, stray_until=life.step + STRAYING_STEPS)
        return replace(life, stray_kind=None) if life.step >= life.stray_until else life

    def _goal_to_collect(self, kind: int, like: npt.NDArray[np.int32]) -> puppeteer.PuppetGoal:
        goal = np.zeros_like(like)
        goal[self._game.resources[kind].collect_goals[0]] = 1
        return puppeteer.PuppetGoal(goal)


def _prepared(life: Life, held: float) -> Life:
    """A life in which the puppeteer asks to play. held: of the kind to play."""
    if life.enough is None:
        life = replace(life, enough=held + life.character.surplus)
    if life.fire_at is None and life.enough is not None and held >= life.enough:
        life = replace(life, fire_at=life.step + life.character.patience)
    return life


def goal_of(game: MatrixFacts, position: int) -> tuple[int, bool]:
    """The meaning of a position in a puppet's one-hot GOAL: a resource, and whether it is to be played."""
    for index, resource in enumerate(game.resources):
        if position in resource.collect_goals or position in resource.interact_goals:
            return index, position in resource.interact_goals
    raise ValueError(f"no resource of {game.substrate} has goal {position}: see its scenarios/*.toml")
