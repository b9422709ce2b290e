"""Builds the background population: trained models where they are installed, else scripted players.

In both cases the puppeteers and the bots that a scenario draws from are Melting Pot's own.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from meltingpot import scenario as mp_scenario
from meltingpot.configs import bots as bot_configs
from meltingpot.configs.scenarios import ScenarioConfig
from meltingpot.utils.policies import fixed_action_policy, puppet_policy, saved_model_policy
from meltingpot.utils.policies import policy as policy_lib
from meltingpot.utils.scenarios import population

from hm_agent.config import ConfigError
from hm_agent.worlds.melting_pot.facts import GameFacts, KitchenFacts, MatrixFacts
from hm_agent.worlds.melting_pot.games.cooking.kitchen import STANDS
from hm_agent.worlds.melting_pot.grid import Move
from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision
from hm_agent.worlds.melting_pot.scenarios import Scenario
from hm_agent.worlds.melting_pot.simulator.bots.chef import APPRENTICE, SKILLED, ChefPolicy
from hm_agent.worlds.melting_pot.simulator.bots.policies import (
    GulliblePolicy,
    IntentLog,
    IntentReporter,
    ScriptedPuppet,
)
from hm_agent.worlds.melting_pot.simulator.determinism import SeededPolicy

STANDING = "noop_bot"
"""The bot of Melting Pot that always stands still; it has no model."""


class Bots(StrEnum):
    """The kind of players in the background population."""

    TRAINED = "trained"
    SCRIPTED = "scripted"


def cast_of(scenario: Scenario) -> tuple[str, ...]:
    """The names of all bots that a scenario draws from, sorted."""
    by_role = mp_scenario.get_config(scenario.name).bots_by_role
    return tuple(sorted({name for names in by_role.values() for name in names}))


def choose_bots(scenario: Scenario, wanted: str, bots_dir: Path | None) -> Bots:
    """Resolves `auto`; raises ConfigError where trained bots are wanted and missing."""
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
    """The path of a bot's SavedModel: in Melting Pot's assets, or in a folder with the same layout."""
    installed = Path(bot_configs.BOT_CONFIGS[bot].model_path)
    return bots_dir / installed.parent.name / installed.name if bots_dir else installed


def build_bots(
    scenario: Scenario,
    vision: SubstrateVision,
    bots: Bots,
    bots_dir: Path | None,
    stream: random.Random,
    intent_log: IntentLog,
) -> Mapping[str, policy_lib.Policy[Any]]:
    """The policies of a scenario's bots by name, each with its own random stream."""
    policies = {}
    for name in cast_of(scenario):
        own_stream = random.Random(stream.getrandbits(64))
        policy = _build_bot(name, scenario.game, vision, bots, bots_dir, own_stream, intent_log)
        policies[name] = SeededPolicy(policy, own_stream)
    return policies


@cache
def _load(path: Path) -> policy_lib.Policy[Any]:
    """A trained model; loaded once per process, since it has no state and most bots share one."""
    return saved_model_policy.SavedModelPolicy(str(path))


def _build_bot(
    name: str,
    game: GameFacts,
    vision: SubstrateVision,
    bots: Bots,
    bots_dir: Path | None,
    stream: random.Random,
    intent_log: IntentLog,
) -> policy_lib.Policy[Any]:
    if name == STANDING:
        return IntentReporter(fixed_action_policy.FixedActionPolicy(Move.NOOP), intent_log, intent=STANDS)
    puppeteer_builder = bot_configs.BOT_CONFIGS[name].puppeteer_builder
    trained = bots is Bots.TRAINED
    player = _load(model_path(name, bots_dir)) if trained else scripted_player(name, game, vision, stream)
    reporter = IntentReporter(player, intent_log)
    return puppet_policy.PuppetPolicy(puppeteer_builder(), reporter) if puppeteer_builder else reporter


def scripted_player(
    name: str, game: GameFacts, vision: SubstrateVision, stream: random.Random
) -> policy_lib.Policy[Any]:
    """The scripted policy that stands in for a bot's trained model."""
    match game:
        case MatrixFacts():
            is_puppet = bot_configs.BOT_CONFIGS[name].puppeteer_builder is not None
            return (ScriptedPuppet if is_puppet else GulliblePolicy)(game, vision, stream)
        case KitchenFacts():
            return ChefPolicy(game, vision, APPRENTICE if "__apprentice_" in name else SKILLED, stream)
    raise TypeError(f"no scripted player plays {type(game).__name__}")


class SynchronousExecutor(Executor):
    """Runs each call when it is submitted, in the caller's thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def build_population(
    config: ScenarioConfig, policies: Mapping[str, policy_lib.Policy[Any]], *, threads: bool
) -> population.Population:
    """A scenario's background population of these policies.

    threads: whether each bot acts in a thread of its own. That is faster for trained models and slower for scripted
    players, which decide in less time than starting a thread takes.
    """
    roles = [role for role, focal in zip(config.roles, config.is_focal, strict=True) if not focal]
    names_by_role = {role: sorted(names) for role, names in config.bots_by_role.items()}
    background = population.Population(policies=policies, names_by_role=names_by_role, roles=roles)
    if not threads:
        background._executor.shutdown()
        background._executor = SynchronousExecutor()
    return background
