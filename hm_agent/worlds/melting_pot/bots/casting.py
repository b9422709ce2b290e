"""Chooses who plays the background: trained models where they are installed, scripted players otherwise.

The puppeteers and the scenarios' casts are Melting Pot's own in either case.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

import dm_env
import numpy as np
from meltingpot import scenario as mp_scenario
from meltingpot.configs import bots as bot_configs
from meltingpot.utils.policies import policy as policy_lib
from meltingpot.utils.policies import puppet_policy, saved_model_policy
from meltingpot.utils.puppeteers import in_the_matrix

from hm_agent.config import ConfigError, GameFacts, Scenario
from hm_agent.games.matrix.strategies import Corrigible, Grudge, copying
from hm_agent.perception.perceiver import Eyes
from hm_agent.worlds.melting_pot.bots.policies import GulliblePolicy, GullibleState, ScriptedPuppet, errand_of
from hm_agent.worlds.melting_pot.randomness import SeededPolicy


class Bots(StrEnum):
    """Who plays the background."""

    TRAINED = "trained"
    SCRIPTED = "scripted"


def cast_of(scenario: Scenario) -> tuple[str, ...]:
    """The names of all bots that a scenario may draw from, sorted."""
    config = mp_scenario.get_config(scenario.name)
    return tuple(sorted({name for names in config.bots_by_role.values() for name in names}))


def choose_bots(scenario: Scenario, wanted: str, bots_dir: Path | None) -> Bots:
    """Settles `auto`; raises `ConfigError` where trained bots are asked for and missing."""
    missing = [path for name in cast_of(scenario) if not (path := model_path(name, bots_dir)).is_dir()]
    if wanted == Bots.SCRIPTED or (wanted == "auto" and missing and bots_dir is None):
        return Bots.SCRIPTED
    if missing:
        raise ConfigError(
            f"no trained bot in {missing[0]}: point --bots_dir at a folder laid out <substrate>/<model>/, "
            "reinstall dm-meltingpot where its archive can be downloaded, or use --bots=scripted"
        )
    return Bots.TRAINED


def model_path(bot: str, bots_dir: Path | None) -> Path:
    """Where a bot's SavedModel lies: in Melting Pot's assets, or in a folder laid out alike."""
    installed = Path(bot_configs.BOT_CONFIGS[bot].model_path)
    return bots_dir / installed.parent.name / installed.name if bots_dir else installed


@dataclass
class Prompter:
    """Overhears what each background player aims for; `heard` is complete up to the last finished step."""

    game: GameFacts
    heard: list[str | None]

    def enter(self) -> int:
        """Gives the next player its slot; slots are entered in order at every reset."""
        self.heard.append(None)
        return len(self.heard) - 1


class _Overheard(policy_lib.Policy[tuple[int, Any]]):
    """Tells the prompter what a puppet is told, or what a free scripted player has chosen for itself."""

    def __init__(self, policy: policy_lib.Policy[Any], prompter: Prompter) -> None:
        self._policy, self._prompter = policy, prompter

    def initial_state(self) -> tuple[int, Any]:
        return self._prompter.enter(), self._policy.initial_state()

    def step(self, timestep: dm_env.TimeStep, prev_state: tuple[int, Any]) -> tuple[int, tuple[int, Any]]:
        slot, state = prev_state
        action, state = self._policy.step(timestep, state)
        self._prompter.heard[slot] = self._aim(timestep, state)
        return action, (slot, state)

    def _aim(self, timestep: dm_env.TimeStep, state: Any) -> str | None:
        game = self._prompter.game
        if "GOAL" in timestep.observation:
            kind = errand_of(game, int(np.argmax(timestep.observation["GOAL"]))).kind
            return game.behaviours[game.things.index(kind)]
        return game.behaviours[state.target] if isinstance(state, GullibleState) else None

    def close(self) -> None:
        self._policy.close()


def rule_of(bot: str, game: GameFacts) -> str | None:
    """How a bot answers what is done to it, in words; None for one that neither rewards nor punishes."""
    builder = bot_configs.BOT_CONFIGS[bot].puppeteer_builder
    said = getattr(builder, "keywords", {})
    if "cooperate_resource" not in said:
        return None
    kind, harsh = (game.behaviours[said[f"{name}_resource"].index] for name in ("cooperate", "defect"))
    puppeteer = builder()
    if isinstance(puppeteer, in_the_matrix.GrimTrigger):
        return Grudge(game.behaviours, kind, harsh, said["threshold"]).words
    if isinstance(puppeteer, in_the_matrix.Corrigible):
        return Corrigible(game.behaviours, harsh, kind, said["threshold"]).words
    return copying(game.behaviours, kind).words if isinstance(puppeteer, in_the_matrix.TitForTat) else None


def build_bots(
    scenario: Scenario, eyes: Eyes, bots: Bots, bots_dir: Path | None, stream: random.Random, prompter: Prompter
) -> Mapping[str, policy_lib.Policy[Any]]:
    """The policies of a scenario's cast, each with a random stream of its own."""
    policies = {}
    for name in cast_of(scenario):
        own_stream = random.Random(stream.getrandbits(64))
        policy = _build_bot(name, scenario.game, eyes, bots, bots_dir, own_stream, prompter)
        policies[name] = SeededPolicy(policy, own_stream)
    return policies


@cache
def _load(path: Path) -> policy_lib.Policy[Any]:
    """A trained model, loaded once a process: it keeps no state, and most of a cast share one puppet."""
    return saved_model_policy.SavedModelPolicy(str(path))


def _build_bot(
    name: str,
    game: GameFacts,
    eyes: Eyes,
    bots: Bots,
    bots_dir: Path | None,
    stream: random.Random,
    prompter: Prompter,
) -> policy_lib.Policy[Any]:
    puppeteer_builder = bot_configs.BOT_CONFIGS[name].puppeteer_builder
    player: policy_lib.Policy[Any]
    if bots is Bots.TRAINED:
        player = _load(model_path(name, bots_dir))
    else:
        player = (ScriptedPuppet if puppeteer_builder else GulliblePolicy)(game, eyes, stream)
    overheard = _Overheard(player, prompter)
    return puppet_policy.PuppetPolicy(puppeteer_builder(), overheard) if puppeteer_builder else overheard
