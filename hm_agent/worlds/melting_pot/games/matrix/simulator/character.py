"""A bot's character: how it pursues the goals that its puppeteer sets, whatever these are.

A character stands between puppeteer and puppet and works on goals alone, so that trained puppets can have one as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import dm_env
import numpy as np
import numpy.typing as npt
from meltingpot.utils.puppeteers import in_the_matrix, puppeteer

from hm_agent.worlds.melting_pot.facts import CharacterRange
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.simulator.bots.frame_policy import GOAL
from hm_agent.worlds.melting_pot.simulator.determinism import EPISODE_RANDOM

STRAYING_STEPS = 30
"""For this many steps at most a player looks for a thing that is not of its kind."""
DECOY_STEPS = 80
"""For this many steps of a life at most a player goes on taking decoys."""


Goal = tuple[int, bool]
"""A resource, by its index, and True to play it, False to collect it."""
SCRIPTED_RANGE = CharacterRange(stray=(0.0, 0.2), surplus=(0, 1), patience=(0, 20))
"""The characters of scripted players, unless a scenario says otherwise.

They bring scripted players closer to trained ones, which hold 7 to 13 of their kind and up to 3 others at an
interaction, and interact 11 to 19 times in 1,000 steps among eight. Over ten seeds (`python -m benchmarks bots`), two
pure players hold 9 and 1 (10% to 90%: 4 to 13 and 0 to 3) and interact 11 times; eight hold 7 and 1, and interact 21
times. Without a character, others would be 0.2 and 0.1, and interactions 12 and 24.
"""


@dataclass(frozen=True, slots=True)
class Character:
    """One player's character in one episode; the fields are explained in `CharacterRange`."""

    stray: float
    surplus: int
    patience: int
    decoys: int


@dataclass(slots=True)
class Life:
    """A player's state from one respawn to the next, in one episode.

    held: how many things it held at the latest step. began: the step in which its life began. stray_kind: the kind
    other than its own that it collects until the step `stray_until`; None while it doesn't stray. enough: how many
    things of its kind it has to hold before it plays; None until its puppeteer asks it to play. fire_at: the step
    from which on it may play; None until it holds enough.
    """

    character: Character
    step: int = 0
    held: float = 0
    began: int = 0
    stray_kind: int | None = None
    stray_until: int = 0
    enough: float | None = None
    fire_at: int | None = None


class CharacterPuppeteer(puppeteer.Puppeteer[Life]):
    """Passes a puppeteer's GOAL on, but lets the puppet take decoys, stray, collect a surplus and keep its fire.

    A goal to play a kind becomes the goal to collect it until the surplus is collected and the patience is over. While
    the puppet strays or takes decoys, the goal is to collect another kind.
    """

    def __init__(self, game: MatrixFacts, ranges: CharacterRange) -> None:
        self._game, self._ranges = game, ranges

    def initial_state(self) -> Life:
        ranges = self._ranges
        stray = EPISODE_RANDOM.uniform(*ranges.stray)
        surplus, patience = EPISODE_RANDOM.randint(*ranges.surplus), EPISODE_RANDOM.randint(*ranges.patience)
        decoys = EPISODE_RANDOM.randint(*ranges.decoys) if any(ranges.decoys) else 0
        return Life(Character(stray, surplus, patience, decoys))

    def step(self, timestep: dm_env.TimeStep, prev_state: Life) -> tuple[dm_env.TimeStep, Life]:
        goal = timestep.observation[GOAL]
        wanted = goal_of(self._game, goal)
        pursued = self.pursue(wanted, timestep.observation["INVENTORY"].tolist(), prev_state)
        if pursued != wanted:
            timestep = puppeteer.puppet_timestep(timestep, self._goal_to_collect(pursued[0], goal))
        return timestep, prev_state

    def pursue(self, wanted: Goal, inventory: Sequence[float], life: Life) -> Goal:
        """The goal that a player pursues while its puppeteer's is `wanted`; updates `life` by one step."""
        kind, plays = wanted
        life.step += 1
        self._take_in_pickups(life, sum(inventory), kind)
        decoy = self.decoy_of(kind) if life.character.decoys else kind
        wanted_decoys = self._game.initial_inventory + life.character.decoys
        if decoy != kind and inventory[decoy] < wanted_decoys and life.step < life.began + DECOY_STEPS:
            return decoy, False
        if plays and life.stray_kind is None:
            _choose_when_to_fire(life, inventory[kind])
            if life.fire_at is not None and life.step >= life.fire_at:
                return wanted
        return (kind if life.stray_kind is None else life.stray_kind), False

    def decoy_of(self, kind: int) -> int:
        """The kind to be seen taking by who means to play `kind`, which earns most against the best response to it."""
        side = self._game.side
        earned = [side.payoff[kind][side.opposite.best_response(shown)] for shown in range(len(side.actions))]
        return earned.index(max(earned))

    def _take_in_pickups(self, life: Life, held: float, kind: int) -> None:
        """Begins a new life if things were lost; after a pickup, draws whether to stray until the next one.

        kind: the one that the puppeteer's goal is about, from which the player strays.
        """
        if held < life.held:
            life.stray_kind = life.enough = life.fire_at = None
            life.began = life.step
        elif held > life.held:
            strays = EPISODE_RANDOM.random() < life.character.stray
            others = [other for other in range(len(self._game.resources)) if other != kind]
            life.stray_kind = EPISODE_RANDOM.choice(others) if strays else None
            life.stray_until = life.step + STRAYING_STEPS
        elif life.step >= life.stray_until:
            life.stray_kind = None
        life.held = held

    def _goal_to_collect(self, kind: int, like: npt.NDArray[np.int32]) -> puppeteer.PuppetGoal:
        goal = np.zeros_like(like)
        goal[self._game.resources[kind].collect_goals[0]] = 1
        return puppeteer.PuppetGoal(goal)


def _choose_when_to_fire(life: Life, held: float) -> None:
    """Sets how many of its kind are enough to play and, once the player holds these, the step at which it fires.

    Enough are `surplus` more than it holds at first; it fires `patience` steps after it holds them. held: how many of
    the kind to play it holds now.
    """
    if life.enough is None:
        life.enough = held + life.character.surplus
    if life.fire_at is None and held >= life.enough:
        life.fire_at = life.step + life.character.patience


def resources_of(game: MatrixFacts) -> Mapping[str, in_the_matrix.Resource]:
    """Melting Pot's resources by behaviour, with the goals of the game's puppets."""
    goals = np.eye(game.goals, dtype=np.int32)
    return {
        facts.behaviour: in_the_matrix.Resource(index, goals[facts.collect_goals[0]], goals[facts.interact_goals[0]])
        for index, facts in enumerate(game.resources)
    }


def goal_of(game: MatrixFacts, goal: npt.NDArray[np.int32]) -> Goal:
    """The meaning of a puppet's one-hot GOAL; ValueError if no resource of the game has it."""
    position = goal.tolist().index(1)
    for index, resource in enumerate(game.resources):
        if position in resource.collect_goals or position in resource.interact_goals:
            return index, position in resource.interact_goals
    raise ValueError(f"no resource of {game.substrate} has goal {position}: see its scenarios/*.toml")
