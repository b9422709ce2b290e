"""Chooses who plays the background: trained models where they are installed, scripted players otherwise.

The puppeteers and the scenarios' casts are Melting Pot's own in either case.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from meltingpot import scenario as mp_scenario
from meltingpot.configs import bots as bot_configs
from meltingpot.utils.policies import fixed_action_policy, puppet_policy, saved_model_policy
from meltingpot.utils.policies import policy as policy_lib

from hm_agent.config import ConfigError
from hm_agent.worlds.melting_pot.facts import GameFacts, KitchenFacts, MatrixFacts
from hm_agent.worlds.melting_pot.games.cooking.kitchen import STANDS
from hm_agent.worlds.melting_pot.grid import Move
from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision
from hm_agent.worlds.melting_pot.scenarios import Scenario
from hm_agent.worlds.melting_pot.simulator.bots.chef import APPRENTICE, SKILLED, ChefPolicy
from hm_agent.worlds.melting_pot.simulator.bots.policies import GulliblePolicy, ScriptedPuppet
from hm_agent.worlds.melting_pot.simulator.bots.telling import Overheard, Prompter
from hm_agent.worlds.melting_pot.simulator.randomness import SeededPolicy

STANDING = "noop_bot"
"""The bot of Melting Pot that never does anything: it has no model and needs none."""


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
    models = [model_path(name, bots_dir) for name in cast_of(scenario) if name != STANDING]
    missing = [path for path in models if not path.is_dir()]
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


def build_bots(
    scenario: Scenario,
    eyes: SubstrateVision,
    bots: Bots,
    bots_dir: Path | None,
    stream: random.Random,
    prompter: Prompter,
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
    eyes: SubstrateVision,
    bots: Bots,
    bots_dir: Path | None,
    stream: random.Random,
    prompter: Prompter,
) -> policy_lib.Policy[Any]:
    if name == STANDING:
        return Overheard(fixed_action_policy.FixedActionPolicy(Move.NOOP), prompter, aim=STANDS)
    puppeteer_builder = bot_configs.BOT_CONFIGS[name].puppeteer_builder
    trained = bots is Bots.TRAINED
    player = _load(model_path(name, bots_dir)) if trained else scripted_player(name, game, eyes, stream)
    overheard = Overheard(player, prompter)
    return puppet_policy.PuppetPolicy(puppeteer_builder(), overheard) if puppeteer_builder else overheard


def scripted_player(name: str, game: GameFacts, eyes: SubstrateVision, stream: random.Random) -> policy_lib.Policy[Any]:
    """Stands in for the trained model of a bot."""
    match game:
        case MatrixFacts():
            is_puppet = bot_configs.BOT_CONFIGS[name].puppeteer_builder is not None
            return (ScriptedPuppet if is_puppet else GulliblePolicy)(game, eyes, stream)
        case KitchenFacts():
            return ChefPolicy(game, eyes, APPRENTICE if "__apprentice_" in name else SKILLED, stream)
    raise TypeError(f"nobody is known who plays {type(game).__name__} by a script")
