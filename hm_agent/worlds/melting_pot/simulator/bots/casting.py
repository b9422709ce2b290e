"""Builds the background population: trained models where they are installed, else scripted players.

In both cases the puppeteers and the bots that a scenario draws from are Melting Pot's own, except in unseen scenarios.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import replace
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dm_env
from meltingpot import scenario as mp_scenario
from meltingpot import substrate as mp_substrate
from meltingpot.configs import bots as bot_configs
from meltingpot.configs.scenarios import ScenarioConfig
from meltingpot.utils.policies import fixed_action_policy, puppet_policy
from meltingpot.utils.policies import policy as policy_lib
from meltingpot.utils.scenarios import population

from hm_agent.config import ConfigError
from hm_agent.worlds.melting_pot.facts import CharacterRange, GameFacts
from hm_agent.worlds.melting_pot.games import kind_of
from hm_agent.worlds.melting_pot.grid import Move
from hm_agent.worlds.melting_pot.learning.populations import puppets_path
from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision
from hm_agent.worlds.melting_pot.scenarios import Scenario, has_trained_bots, refuse_stand_ins, scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.frame_policy import GOAL
from hm_agent.worlds.melting_pot.simulator.bots.game_bots import GameBots
from hm_agent.worlds.melting_pot.simulator.bots.intents import IntentLog, IntentReporter
from hm_agent.worlds.melting_pot.simulator.determinism import SeededPolicy
from hm_agent.worlds.melting_pot.simulator.game_files import STANDING
from hm_agent.worlds.melting_pot.simulator.substrate import blank_observations, usual_roles

PUPPET = "puppet_1"
"""The trained model under all of Melting Pot's puppeteers."""


class Bots(StrEnum):
    """The kind of bots in the background population."""

    TRAINED = "trained"
    SCRIPTED = "scripted"
    LEARNED = "learned"


def config_of(scenario: Scenario) -> ScenarioConfig:
    """Melting Pot's configuration of a scenario, with the players in the slots that the game's file says.

    For an unseen scenario, it is a configuration of the same form with its own bot.
    """
    assert scenario.facts, "self-play has no bots"
    focal = scenario.facts.focal_slots
    if scenario.is_unseen:
        substrate = scenario.game.substrate
        usual = mp_substrate.get_config(substrate).default_player_roles[: scenario.players]
        roles = scenario.facts.roles or usual
        bots = {role: {scenario.name} for slot, role in enumerate(roles) if slot not in focal}
        config = ScenarioConfig(scenario.about, frozenset(), substrate, roles, [False] * len(roles), bots)
    else:
        config = mp_scenario.get_config(scenario.name)
        if not kind_of(scenario.game).knows_bots:
            config = replace(config, roles=scenario.facts.roles or usual_roles(config.substrate))
    return replace(config, is_focal=[slot in focal for slot in range(len(config.roles))])


def cast_of(scenario: Scenario) -> tuple[str, ...]:
    """The names of all bots that a scenario draws from, sorted."""
    by_role = config_of(scenario).bots_by_role
    return tuple(sorted({name for names in by_role.values() for name in names}))


def bot_config(name: str) -> bot_configs.BotConfig:
    """Melting Pot's configuration of a bot; for that of an unseen scenario, our puppeteer over Melting Pot's puppet."""
    if name in bot_configs.BOT_CONFIGS:
        return bot_configs.BOT_CONFIGS[name]
    scenario = scenario_named(name)
    if scenario.unseen is None:
        raise ConfigError(f"{name} is no bot: of our scenarios only unseen ones have one, with the scenario's name")
    builder = bots_of(scenario.game).puppeteer(scenario.unseen)
    return bot_configs.puppet(substrate=scenario.game.substrate, model=PUPPET, puppeteer_builder=builder)


def bots_of(game: GameFacts) -> GameBots[Any]:
    return kind_of(game).bots(game)


def is_puppet(bot: str) -> bool:
    """True if a puppeteer directs a bot."""
    return bot != STANDING and bot_config(bot).puppeteer_builder is not None


def choose_bots(scenario: Scenario, wanted: str, bots_dir: Path | None) -> Bots:
    """Decides between trained and scripted bots; raises ConfigError if trained ones are due and missing or unfit.

    wanted: `trained`, `scripted`, `learned` or `auto`; the latter is scripted if no `bots_dir` is given and a model is
    missing, or all models of the game are, else trained. So a scenario whose bots need no model goes with the game's
    others.
    """
    needing = [name for name in cast_of(scenario) if name != STANDING and not bots_of(scenario.game).has_no_model(name)]
    if wanted == Bots.LEARNED:
        _check_learned(scenario, needing, bots_dir)
        return Bots.LEARNED
    models = {model_path(name, bots_dir): goals_of(name, scenario.game) for name in needing}
    missing = [path for path in models if not path.is_dir()]
    lacks_models = bool(missing) or not has_trained_bots(scenario.game)
    if wanted == Bots.SCRIPTED or (wanted == "auto" and bots_dir is None and lacks_models):
        refuse_stand_ins(scenario)
        return Bots.SCRIPTED
    last, instead = ("or ", "") if scenario.needs_trained_bots else ("", ", or use --bots=scripted")
    if missing and bots_dir and puppets_path(scenario.game.substrate, bots_dir).exists():
        raise ConfigError(f"--bots_dir={bots_dir} holds learned puppets, which play by --bots=learned")
    if missing:
        raise ConfigError(
            f"no trained bot in {missing[0]}: point --bots_dir at a folder laid out <substrate>/<model>/, "
            f"{last}get them where they can be downloaded (`make bots` in a checkout){instead}"
        )
    if find_spec("tensorflow") is None:
        raise ConfigError(
            "trained bots need TensorFlow, which is not installed: pip install 'hm_agent[bots]' (`make bots` in a "
            f"checkout){instead}"
        )
    for path, goals in models.items():
        # TensorFlow takes long to import, so it is imported only where there is a model to look at.
        from hm_agent.worlds.melting_pot.simulator.bots.saved_models import check_model

        check_model(path, scenario.game.substrate, goals)
    return Bots.TRAINED


def _check_learned(scenario: Scenario, needing: Sequence[str], folder: Path | None) -> None:
    """Raises ConfigError unless learned puppets can play a scenario's bots that have a model: those of `needing`."""
    if others := [name for name in needing if not is_puppet(name)]:
        raise ConfigError(f"--bots=learned: {scenario.short_name}'s bot {others[0]} is no puppet: use --bots=scripted")
    if not bots_of(scenario.game).goals:
        raise ConfigError(f"--bots=learned: puppets of {scenario.game.short_name} can't be trained here")
    from hm_agent.worlds.melting_pot.simulator.bots.learned_puppet import puppets_of

    puppets_of(scenario.game.substrate, folder)


def goals_of(bot: str, game: GameFacts) -> int:
    """The length of a bot's one-hot GOAL; 0 for a bot without a puppeteer."""
    if not is_puppet(bot):
        return 0
    if goals := bots_of(game).goals:
        return goals
    config = bot_config(bot)
    puppeteer = config.puppeteer_builder()  # tells by its first GOAL, when it has seen nothing yet
    blank = dm_env.restart(blank_observations(config.substrate))
    told, _ = puppeteer.step(blank, puppeteer.initial_state())
    return len(told.observation[GOAL])


def model_path(bot: str, bots_dir: Path | None) -> Path:
    """The path of a bot's SavedModel: in Melting Pot's assets, or in a folder with the same layout."""
    installed = Path(bot_config(bot).model_path)
    return bots_dir / installed.parent.name / installed.name if bots_dir else installed


def build_bots(
    scenario: Scenario,
    visions: Sequence[SubstrateVision],
    bots: Bots,
    bots_dir: Path | None,
    stream: random.Random,
    intent_log: IntentLog,
) -> Mapping[str, policy_lib.Policy[Any]]:
    """The policies of a scenario's bots by name, each with its own random stream.

    visions: of scripted players, one for each side of an asymmetric game.
    """
    policies, game_bots = {}, bots_of(scenario.game)
    for name in cast_of(scenario):
        own_stream = random.Random(stream.getrandbits(64))
        if name == STANDING:
            player: policy_lib.Policy[Any] = fixed_action_policy.FixedActionPolicy(Move.NOOP)
        elif bots is Bots.TRAINED and not game_bots.has_no_model(name):
            from hm_agent.worlds.melting_pot.simulator.bots.saved_models import load_model

            player = load_model(model_path(name, bots_dir))
        elif bots is Bots.LEARNED and is_puppet(name):
            from hm_agent.worlds.melting_pot.simulator.bots.learned_puppet import learned_puppet, puppets_of

            player = learned_puppet(puppets_of(scenario.game.substrate, bots_dir), own_stream)
        else:
            player = game_bots.scripted(name, visions, own_stream, is_puppet=is_puppet(name))
        character = character_of(name, scenario, bots)
        policies[name] = SeededPolicy(_directed(name, game_bots, player, character, intent_log), own_stream)
    return policies


def character_of(bot: str, scenario: Scenario, bots: Bots) -> CharacterRange | None:
    """The range that a puppet's character is drawn from; None for a bot without a puppeteer.

    None also for a trained puppet, except in an unseen scenario that gives it a character.
    """
    if not is_puppet(bot):
        return None
    if scenario.unseen and scenario.unseen.character:
        return scenario.unseen.character
    return bots_of(scenario.game).scripted_character if bots is Bots.SCRIPTED else None


def _directed(
    name: str,
    bots: GameBots[Any],
    player: policy_lib.Policy[Any],
    character: CharacterRange | None,
    intent_log: IntentLog,
) -> policy_lib.Policy[Any]:
    """Wraps a player with its character, a logger of its intent and its puppeteer, as far as it has these.

    The logger stands between puppeteer and character: it logs the puppeteer's goal, also while the character strays
    from that.
    """
    if name == STANDING:
        return IntentReporter(player, intent_log, intent=bots.intent_standing)
    if character:
        player = bots.with_character(player, character)
    reporter = IntentReporter(player, intent_log)
    builder = bot_config(name).puppeteer_builder
    return puppet_policy.PuppetPolicy(builder(), reporter) if builder else reporter


class SynchronousExecutor(Executor):
    """Runs each call when it is submitted, in the caller's thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


def build_population(
    config: ScenarioConfig, policies: Mapping[str, policy_lib.Policy[Any]], *, threads: bool
) -> population.Population:
    """A scenario's background population of these policies.

    threads: True if each bot acts in a thread of its own. That is faster for trained models and slower for scripted
    players, which decide in less time than starting a thread takes.
    """
    roles = [role for role, focal in zip(config.roles, config.is_focal, strict=True) if not focal]
    names_by_role = {role: sorted(names) for role, names in config.bots_by_role.items()}
    background = population.Population(policies=policies, names_by_role=names_by_role, roles=roles)
    if not threads:
        background._executor.shutdown()
        background._executor = SynchronousExecutor()
    return background
