"""What Melting Pot offers to experiments, results, reports and replays. Importing this module imports no simulator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hm_agent.agents.agent import BodyBuilder, ComposedAgent, Recipe
from hm_agent.agents.reflection import FailureReflector
from hm_agent.agents.registry import AGENTS
from hm_agent.config import ConfigError
from hm_agent.core import Agent, World
from hm_agent.extensions import ADDED
from hm_agent.metrics import Metric, PublishedFigure, ShareMetric
from hm_agent.models.builtin import BuiltinReasoner, ReasonerTable
from hm_agent.recording.result import BOTS_FILE, NETWORKS
from hm_agent.scenario import ScenarioInfo
from hm_agent.suite import FULL, SMALL, AgentSetup, BatteryPart, Option, OwnAgent, OwnCommand, Setting, Suite, Viewer
from hm_agent.theory_of_mind.mind import BasicMind, Mind
from hm_agent.theory_of_mind.predictions import BASE_RATE, RIGHT
from hm_agent.wording import listed
from hm_agent.worlds.melting_pot.facts import slot_of
from hm_agent.worlds.melting_pot.games import KINDS, kind_of
from hm_agent.worlds.melting_pot.scenarios import (
    Scenario,
    all_scenarios,
    content_of,
    has_models,
    has_trained_bots,
    own_file,
    refuse_stand_ins,
)

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.learning.populations import Population
    from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld, SubstrateWorld

SCRIPTED, LEARNED = "scripted", "learned"
PPO = "ppo"
SELF_PLAY = "selfplay"
FROM_SHORTCUTS = ("models_me", "hidden")
"""The studies of opponents who model the agent, and of those whose moves no clue tells: 0 is the best shortcut."""
ORDERS: Mapping[int, str] = {
    0: "which look at no move",
    1: "which look at the agent's moves, too",
    2: "which look at their own moves, too; these are all",
}
"""The orders of rules in matrix games (`games/matrix/opponent_rules.py`)."""

SHORTCUTS: Mapping[str, str] = {name: about for kind in KINDS.values() for name, about in kind.shortcuts.items()}
"""The agents that model no mind, with what they do."""


@cache
def _scenarios_in(folders: tuple[str, ...]) -> Mapping[str, Scenario]:
    """The scenarios of the package and of the registered folders, by full name.

    folders: the registered ones, which `all_scenarios` reads itself; they are the key of the cache.
    """
    return {scenario.name: scenario for scenario in all_scenarios()}


@cache
def _infos_in(folders: tuple[str, ...]) -> Sequence[ScenarioInfo]:
    return tuple(map(_scenario_info, _scenarios_in(folders).values()))


class MeltingPotSuite(Suite):
    """The scenarios of DeepMind's Melting Pot, and self-play on their substrates."""

    name = "melting_pot"
    title = "Melting Pot"
    options = (
        Option(
            "bots",
            "Who plays the background: trained models, scripted players, puppets that learned here, or (auto) trained "
            "models where they are installed.",
            "auto",
            ("auto", "trained", SCRIPTED, LEARNED),
            changes_world=True,
        ),
        Option(
            "bots_dir",
            "A folder of trained SavedModels, laid out <substrate>/<model>/, or of learned puppets, <substrate>.npz.",
            is_folder=True,
        ),
        Option(
            "inference",
            "How the opponent's inventory is found: calculated from the reward, or asked of the model as in the paper.",
            "exact",
            ("exact", "model"),
        ),
        Option(
            "clues",
            "Whether agents notice what others take from the map between interactions; off is an ablation.",
            "on",
            ("on", "off"),
        ),
        Option(
            "hints",
            "What prompts say of the rules that others may follow: nothing, that there may be some, or their kinds.",
            "generic",
            ("none", "generic", "families"),
        ),
        Option(
            "checkpoint",
            "The file that the agent ppo plays by, or best_response or self_play, which ship for some scenarios.",
        ),
    )
    network_options: Mapping[str, str] = {NETWORKS: "checkpoint", BOTS_FILE: "bots_dir"}
    packages = ("dm-meltingpot", "dmlab2d")
    offers = (Mind,)
    shortcuts = ("random", *SHORTCUTS)
    needs_are = "measured on seeds"
    literal = ShareMetric(RIGHT, "the share of predicted behaviours of others that came true", BASE_RATE)
    battery: Mapping[str, BatteryPart] = {
        SMALL: BatteryPart(("rws_repeated_1", "rws_unseen_0"), max_steps=400, options={"bots": SCRIPTED}),
        FULL: BatteryPart(
            ("rws_repeated_*", "pd_repeated_*", "rws_unseen_*", "pd_unseen_*"), episodes=2, options={"bots": SCRIPTED}
        ),
    }

    commands: Mapping[str, OwnCommand] = {
        "game-file": OwnCommand(
            "write the file of one of Melting Pot's substrates",
            "hm_agent.worlds.melting_pot.simulator.written_games:main",
        ),
        "train": OwnCommand("train players by PPO", "hm_agent.worlds.melting_pot.learning.command:main"),
    }

    @property
    def _scenarios(self) -> Mapping[str, Scenario]:
        return _scenarios_in(tuple(ADDED.folders))

    def offers_in(self, scenario: ScenarioInfo) -> Sequence[type[BasicMind]] | None:
        return kind_of(self._scenarios[scenario.name].game).offers

    @property
    def scenarios(self) -> Sequence[ScenarioInfo]:
        return _infos_in(tuple(ADDED.folders))

    def chosen(self, options: Mapping[str, Setting]) -> Mapping[str, Setting]:
        own = super().chosen(options)
        if own.get("bots") == SCRIPTED and own.get("bots_dir"):
            raise ConfigError(f"--bots_dir={own['bots_dir']} has no effect: --bots=scripted plays without models")
        return own

    def settle(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> Mapping[str, Setting]:
        own_scenario, bots = self._scenarios[scenario.name], options["bots"]
        if own_scenario.unseen and not own_scenario.unseen.clues:
            options = {**options, "clues": "off"}
        if path := own_file(own_scenario.game):
            from hm_agent.worlds.melting_pot.simulator.game_files import check_game

            check_game(path)
        if own_scenario.is_self_play:
            return {**options, "bots": None, "bots_dir": None}
        if bots == SCRIPTED or (bots == "auto" and not options["bots_dir"] and not has_trained_bots(own_scenario.game)):
            refuse_stand_ins(own_scenario)
            return {**options, "bots": SCRIPTED}
        from hm_agent.worlds.melting_pot.simulator.bots.casting import choose_bots

        return {**options, "bots": str(choose_bots(own_scenario, str(bots), _path(options["bots_dir"])))}

    def unused(
        self, scenario: ScenarioInfo, agents: Sequence[str], options: Mapping[str, Setting]
    ) -> Mapping[str, str]:
        if any(agent == PPO or agent not in {*self.own_agents, *AGENTS} for agent in agents):
            return {}
        return {"checkpoint": f"it is for the agent {PPO}, and not for {listed(agents)}"}

    def lacks(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> str:
        given = self.with_defaults(options)
        has_bots = has_models(self._scenarios[scenario.name], str(given["bots"]), _path(given["bots_dir"]))
        return "" if has_bots else scenario.needs

    def content(self, scenario: ScenarioInfo) -> str | None:
        path = own_file(self._scenarios[scenario.name].game)
        return content_of(path) if path else None

    def networks(
        self, scenario: ScenarioInfo, agents: Sequence[str], options: Mapping[str, Setting]
    ) -> Mapping[str, Path]:
        own, found = self._scenarios[scenario.name], {}
        if PPO in agents:
            from hm_agent.worlds.melting_pot.learning.ppo_agent import checkpoint_path

            found[NETWORKS] = checkpoint_path(options.get("checkpoint"), own)
        if options.get("bots") == LEARNED:
            from hm_agent.worlds.melting_pot.learning.populations import puppets_path

            found[BOTS_FILE] = puppets_path(own.game.substrate, _path(options["bots_dir"]))
        return found

    def preload(self, options: Mapping[str, Setting]) -> Sequence[str]:
        modules = ["hm_agent.worlds.melting_pot.simulator.world", "hm_agent.worlds.melting_pot.body"]
        is_trained = options["bots"] == "trained"
        return [*modules, "hm_agent.worlds.melting_pot.simulator.bots.saved_models"] if is_trained else modules

    def open(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> World[Any, Any]:
        from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots
        from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld, SelfPlayWorld

        own_scenario = self._scenarios[scenario.name]
        if own_scenario.is_self_play:
            return SelfPlayWorld(own_scenario)
        return MeltingPotWorld(own_scenario, Bots(str(options["bots"])), _path(options.get("bots_dir")))

    def parallel_env(
        self, scenario: ScenarioInfo, options: Mapping[str, Setting], render_mode: str | None, *, in_words: bool = False
    ) -> Any:
        from hm_agent.worlds.melting_pot.simulator.parallel import MeltingPotParallelEnv
        from hm_agent.worlds.melting_pot.simulator.world import SubstrateWorld

        world = self.open(scenario, options)
        assert isinstance(world, SubstrateWorld)
        return MeltingPotParallelEnv(world, self._scenarios[scenario.name], render_mode, in_words=in_words)

    def env_in_words(self, scenario: ScenarioInfo, options: Mapping[str, Setting], render_mode: str | None) -> Any:
        return self.parallel_env(scenario, options, render_mode, in_words=True)

    def body(self, setup: AgentSetup, order: int | None = None) -> BodyBuilder:
        """The body of a seat.

        order: the highest order of others' rules that the built-in reasoner considers; None for all.
        """
        from hm_agent.worlds.melting_pot.games.options import AgentOptions, Hints, Inference

        own_scenario, slot = self._scenarios[setup.scenario.name], slot_of(setup.seat)
        facts = own_scenario.game_of(slot)
        facts = replace(facts, length=facts.length.cut(setup.max_steps))
        options = AgentOptions(
            inference=Inference(str(setup.options["inference"])),
            clues=setup.options["clues"] == "on",
            hints=Hints(str(setup.options["hints"])),
            order=order,
        )
        return kind_of(facts).body(facts, options, slot, is_column=own_scenario.is_column(slot))

    def answers(self) -> ReasonerTable:
        from hm_agent.worlds.melting_pot import games

        return games.answers()

    def viewer(self, scenario: ScenarioInfo) -> Viewer:
        from hm_agent.worlds.melting_pot.viewer.viewer import MeltingPotViewer

        return MeltingPotViewer(self._scenarios[scenario.name])

    def notes(self, settings: Mapping[str, Setting]) -> Sequence[str]:
        how = {SCRIPTED: "are scripted", LEARNED: "are puppets that were trained here"}.get(str(settings.get("bots")))
        return (f"The bots {how}: they stand in for Melting Pot's trained ones.",) if how else ()

    @cached_property
    def own_agents(self) -> Mapping[str, OwnAgent]:
        return {
            "oracle": OwnAgent(
                "told what the others aim for, or their rule; same perception and planning; marks the ceiling",
                self._oracle,
                plays=lambda scenario: scenario.metric.ceiling is not None,
                is_reference=True,
            ),
            "random": OwnAgent("draws every move uniformly; marks the floor", _random, is_reference=True),
            "noop": OwnAgent("stands still", _noop, is_reference=True),
            PPO: OwnAgent(
                "was trained by independent PPO; plays by a --checkpoint",
                self._ppo,
                check=self._population,
                is_reference=True,
                asked_by=PPO,
            ),
            **{name: self._shortcut(name, about) for name, about in SHORTCUTS.items()},
            **{f"order_{order}": self._agent_of_order(order) for order in ORDERS},
        }

    def _agent_of_order(self, order: int) -> OwnAgent:
        """`hypothetical_minds` in matrix games; the built-in reasoner considers only rules of others up to an order."""

        def build(setup: AgentSetup) -> ComposedAgent:
            return AGENTS["hypothetical_minds"].build(self.body(setup, order), setup.model, setup.parameters)

        return OwnAgent(
            f"ablation: the built-in reasoner considers rules of others up to order {order}, {ORDERS[order]}",
            build,
            plays=lambda scenario: scenario.has_paid_interactions,
            only_model=BuiltinReasoner.name,
            asked_by="order",
        )

    def _shortcut(self, name: str, about: str) -> OwnAgent:
        def build(setup: AgentSetup) -> ComposedAgent:
            decide = kind_of(self._scenarios[setup.scenario.name].game).shortcut(name)
            recipe = Recipe("", lambda mind, model, _: decide(mind, model), FailureReflector)
            return recipe.build(self.body(setup), setup.model, setup.parameters)

        def plays(scenario: ScenarioInfo) -> bool:
            own = self._scenarios[scenario.name]
            is_played = not own.is_self_play and (own.players == 2 or not scenario.has_paid_interactions)
            return is_played and name in kind_of(own.game).shortcuts_in(own.game)

        return OwnAgent(about, build, plays, is_reference=True)

    def _oracle(self, setup: AgentSetup) -> ComposedAgent:
        from hm_agent.worlds.melting_pot.reference_agents import InformedStrategist

        world: MeltingPotWorld = setup.world  # type: ignore[assignment]
        recipe = Recipe(
            "",
            lambda mind, model, _: InformedStrategist(mind, model, lambda: world.intents(setup.seat)),
            FailureReflector,
        )
        return recipe.build(self.body(setup), setup.model, setup.parameters)

    def _population(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> Population:
        """The networks that `ppo` plays a scenario by; ConfigError if no checkpoint fits."""
        from hm_agent.worlds.melting_pot.learning.ppo_agent import population_named

        return population_named(options.get("checkpoint"), self._scenarios[scenario.name])

    def _ppo(self, setup: AgentSetup) -> Agent[Any, Any]:
        from hm_agent.worlds.melting_pot.learning.ppo_agent import PpoAgent

        world: SubstrateWorld = setup.world  # type: ignore[assignment]
        return PpoAgent(self._population(setup.scenario, setup.options), setup.seed, world.actions)


def _random(setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.worlds.melting_pot.reference_agents import RandomAgent

    world: SubstrateWorld = setup.world  # type: ignore[assignment]
    return RandomAgent(setup.seed, world.actions)


def _noop(setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.worlds.melting_pot.reference_agents import NoopAgent

    return NoopAgent()


def _scenario_info(scenario: Scenario) -> ScenarioInfo:
    game = scenario.game
    return ScenarioInfo(
        world="melting_pot",
        name=scenario.name,
        short_name=scenario.short_name,
        group=scenario.group,
        about=scenario.about,
        seats=scenario.seats,
        metric=_metric(scenario),
        published={agent: _published(agent, *figure) for agent, figure in scenario.published.items()},
        asked_by=SELF_PLAY if scenario.is_self_play else scenario.study,
        needs="trained bots" if scenario.needs_trained_bots else "",
        has_paid_interactions=kind_of(game).has_paid_interactions,
        has_like_seats=kind_of(game).has_paid_interactions and not game.is_asymmetric,
        held_out=scenario.facts is not None and scenario.facts.held_out,
        order=scenario.facts.order if scenario.facts else None,
        needs_order=scenario.facts.needs_order if scenario.facts else None,
        separates_nobody=scenario.facts.separates_nobody if scenario.facts else False,
        family=scenario.group if scenario.study else game.title,
        pair=f"{game.short_name}_{scenario.unseen.pair}" if scenario.unseen and scenario.unseen.pair else "",
    )


def _published(agent: str, mean: float, error: float) -> PublishedFigure:
    model = "" if agent == "ppo" else "GPT-4 "
    return PublishedFigure(mean, error, "Hypothetical Minds' table 1", f"{model}against trained bots")


def _metric(scenario: Scenario) -> Metric:
    ceiling = "oracle" if scenario.knows_bots else None
    floor = None if scenario.study in FROM_SHORTCUTS else "random"
    return Metric(floor=floor, ceiling=ceiling).measured_by(scenario.game.measure)


def _path(folder: Setting) -> Path | None:
    return Path(str(folder)) if folder else None


SUITE = MeltingPotSuite()
