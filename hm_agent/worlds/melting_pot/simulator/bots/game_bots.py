"""What the bots of one game are, for the casting that all games share: the simulator's part of a kind of games."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Protocol

import numpy as np
import numpy.typing as npt
from meltingpot.utils.policies import policy as policy_lib
from meltingpot.utils.puppeteers import puppeteer

from hm_agent.config import ConfigError
from hm_agent.worlds.melting_pot.facts import CharacterRange, UnseenFacts
from hm_agent.worlds.melting_pot.games.kind import FactsT
from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of


class Practice(Protocol):
    """What one player is told to do, and paid for it, through an episode in which it learns to be a puppet."""

    def goal(self, observation: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.int32]:
        """The one-hot GOAL that a puppeteer gives it now. observation: all that the engine tells of it."""
        ...

    def reward(
        self, observation: Mapping[str, npt.NDArray[Any]], others: Sequence[Mapping[str, npt.NDArray[Any]]]
    ) -> float:
        """What the step that led to an observation is worth for the goal before it. others: what others are told."""
        ...


class GameBots(Generic[FactsT]):
    """The bots of one game: each kind of games has a subclass, which says what differs from a game without puppets.

    intent_standing: what a bot that always stands still aims for, as `oracle` and recordings are told.
    scripted_character: the range of scripted puppets' characters, unless a scenario says otherwise.
    """

    intent_standing: str | None = None
    scripted_character: CharacterRange | None = None

    def __init__(self, game: FactsT) -> None:
        self._game = game

    @property
    def goals(self) -> int:
        """The length of a puppet's one-hot GOAL."""
        return 0

    def practice(self, rng: random.Random) -> Practice:
        """An episode of practice, in a game whose bots are puppets. rng: what its goals are drawn from."""
        raise NotImplementedError

    @property
    def visions(self) -> Sequence[SubstrateVision]:
        """What scripted players see with, one for each side of an asymmetric game."""
        sides = (False, True) if self._game.is_asymmetric else (False,)
        return [vision_of(self._game.short_name, 0, is_column=is_column) for is_column in sides]

    def scripted(
        self, bot: str, visions: Sequence[SubstrateVision], stream: random.Random, *, is_puppet: bool
    ) -> policy_lib.Policy[Any]:
        """The scripted policy that stands in for a bot's trained model.

        visions: of scripted players, one for each side of an asymmetric game. is_puppet: True if a puppeteer directs
        it.
        """
        raise ConfigError(f"{bot}: no scripted player stands in for it: use trained bots")

    def puppeteer(self, unseen: UnseenFacts) -> Callable[[], puppeteer.Puppeteer[Any]] | None:
        """What builds the puppeteer of an unseen scenario, None if its bot has none and decides by itself.

        Raises ConfigError if the kind of games has none of our own.
        """
        raise ConfigError(f"{unseen.short_name}: {self._game.title} has no unseen scenarios")

    def with_character(self, player: policy_lib.Policy[Any], character: CharacterRange) -> policy_lib.Policy[Any]:
        """A puppet with a character between it and its puppeteer."""
        return player

    def aimed_for(self, goal: npt.NDArray[np.int32]) -> str | None:
        """The behaviour that a puppet's one-hot GOAL tells it to aim for."""
        return None

    def rule_of(self, bot: str) -> str | None:
        """A bot's rule of reciprocity in words; None for a bot that neither rewards nor punishes."""
        return None

    def has_no_model(self, bot: str) -> bool:
        """True if a bot is always scripted, since no model was trained for what it does."""
        return False

    def watches_others(self, bot: str) -> bool:
        """True if a bot answers what it sees others collect."""
        return False
