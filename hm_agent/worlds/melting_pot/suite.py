"""What Melting Pot offers to experiments, results, reports and replays. Importing this module imports no simulator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from hm_agent.agents.agent import BodyBuilder
from hm_agent.agents.registry import AGENTS
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import (
    FULL,
    SMALL,
    AgentSetup,
    BatteryPart,
    Option,
    OwnAgent,
    OwnCommand,
    Setting,
    Suite,
    Viewer,
)
from hm_agent.config import ConfigError, content_hash
from hm_agent.core import World
from hm_agent.extensions import ADDED
from hm_agent.matched_pairs import PAIRS, boards_info
from hm_agent.metrics import Metric, PublishedFigure, ShareMetric
from hm_agent.models.builtin import ReasonerTable
from hm_agent.recording.result import BOTS_FILE, NETWORKS
from hm_agent.theory_of_mind.mind import BasicMind, Mind
from hm_agent.theory_of_mind.predictions import BASE_RATE, FROM_PREDICTIONS, RIGHT
from hm_agent.wording import listed
from hm_agent.worlds.melting_pot.games import kind_of
from hm_agent.worlds.melting_pot.own_agents import ORACLE, OWN_AGENTS, PPO, SHORTCUTS, seat_body
from hm_agent.worlds.melting_pot.scenarios import (
    FILES,
    Scenario,
    all_scenarios,
    has_models,
    has_trained_bots,
    own_file,
    refuse_stand_ins,
    scenario_named,
)

SCRIPTED, LEARNED = "scripted", "learned"
SELF_PLAY = "selfplay"
FROM_SHORTCUTS = ("models_me", "hidden")
"""The studies of opponents who model the agent, and of those whose moves no clue tells: 0 is the best shortcut."""


@cache
def _infos_in(folders: tuple[str, ...]) -> Sequence[ScenarioInfo]:
    """All scenarios. folders: the registered ones, which `all_scenarios` reads itself; they are the cache's key."""
    return tuple(map(_scenario_info, all_scenarios()))


class MeltingPotSuite(Suite):
    """The scenarios of DeepMind's Melting Pot, and self-play on their substrates."""

    name = "melting_pot"
    title = "Melting Pot"
    own_files = FILES
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
    needs_are = "by construction of each pair"
    literal = ShareMetric(
        RIGHT, "the share of predicted behaviours of others that came true", BASE_RATE, given_by=FROM_PREDICTIONS
    )
    battery: Mapping[str, BatteryPart] = {SMALL: BatteryPart(("rws_repeated_1",), options={"bots": SCRIPTED})}
    battery_items = "rws_pairs_*"
    per_order: Mapping[str, int] = {SMALL: 3, FULL: 20}
    scored_by = 24
    commands: Mapping[str, OwnCommand] = {
        "game-file": OwnCommand(
            "write the file of one of Melting Pot's substrates",
            "hm_agent.worlds.melting_pot.simulator.written_games:main",
        ),
        "train": OwnCommand("train players by PPO", "hm_agent.worlds.melting_pot.learning.command:main"),
    }

    def offers_in(self, scenario: ScenarioInfo) -> Sequence[type[BasicMind]] | None:
        return kind_of(scenario_named(scenario.name).game).offers

    @property
    def scenarios(self) -> Sequence[ScenarioInfo]:
        return _infos_in(tuple(ADDED.folders))

    @property
    def own_agents(self) -> Mapping[str, OwnAgent]:
        return OWN_AGENTS

    def chosen(self, options: Mapping[str, Setting]) -> Mapping[str, Setting]:
        own = super().chosen(options)
        if own.get("bots") == SCRIPTED and own.get("bots_dir"):
            raise ConfigError(f"--bots_dir={own['bots_dir']} has no effect: --bots=scripted plays without models")
        return own

    def settle(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> Mapping[str, Setting]:
        own_scenario, bots = scenario_named(scenario.name), options["bots"]
        if own_scenario.unseen and not own_scenario.unseen.clues:
            options = {**options, "clues": "off"}
        if path := own_file(own_scenario.game):
            from hm_agent.worlds.melting_pot.simulator.game_files import check_game

            check_game(path)
        if own_scenario.pairs:
            options = {**options, "clues": "off", "hints": "none"}
        if own_scenario.pairs or own_scenario.is_self_play:
            return {**options, "bots": None, "bots_dir": None}
        if bots == SCRIPTED or (bots == "auto" and not options["bots_dir"] and not has_trained_bots(own_scenario.game)):
            refuse_stand_ins(own_scenario)
            return {**options, "bots": SCRIPTED}
        from hm_agent.worlds.melting_pot.simulator.bots.casting import choose_bots

        return {**options, "bots": str(choose_bots(own_scenario, str(bots), _path(options["bots_dir"])))}

    def unused(
        self, scenario: ScenarioInfo, agents: Sequence[str], options: Mapping[str, Setting]
    ) -> Mapping[str, str]:
        settled = dict.fromkeys(("bots", "bots_dir", "clues", "hints"), "every matched pair is played alike")
        unused = settled if scenario_named(scenario.name).pairs else {}
        if any(agent == PPO or agent not in {*OWN_AGENTS, *AGENTS} for agent in agents):
            return unused
        return {**unused, "checkpoint": f"it is for the agent {PPO}, and not for {listed(agents)}"}

    def lacks(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> str:
        given = self.with_defaults(options)
        has_bots = has_models(scenario_named(scenario.name), str(given["bots"]), _path(given["bots_dir"]))
        return "" if has_bots else scenario.needs

    def content(self, scenario: ScenarioInfo) -> str | None:
        path = own_file(scenario_named(scenario.name).game)
        return content_hash(path) if path else None

    def networks(
        self, scenario: ScenarioInfo, agents: Sequence[str], options: Mapping[str, Setting]
    ) -> Mapping[str, Path]:
        own, found = scenario_named(scenario.name), {}
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

        own_scenario = scenario_named(scenario.name)
        if own_scenario.pair_facts:
            return kind_of(own_scenario.game).pair_world(own_scenario.game, own_scenario.pair_facts)
        if own_scenario.is_self_play:
            return SelfPlayWorld(own_scenario)
        return MeltingPotWorld(own_scenario, Bots(str(options["bots"])), _path(options.get("bots_dir")))

    def parallel_env(
        self, scenario: ScenarioInfo, options: Mapping[str, Setting], render_mode: str | None, *, in_words: bool = False
    ) -> Any:
        from hm_agent.worlds.melting_pot.simulator.parallel import MeltingPotParallelEnv
        from hm_agent.worlds.melting_pot.simulator.world import SubstrateWorld

        if scenario_named(scenario.name).pairs:
            return super().parallel_env(scenario, options, render_mode)
        world = self.open(scenario, options)
        assert isinstance(world, SubstrateWorld)
        return MeltingPotParallelEnv(world, scenario_named(scenario.name), render_mode, in_words=in_words)

    def env_in_words(self, scenario: ScenarioInfo, options: Mapping[str, Setting], render_mode: str | None) -> Any:
        return self.parallel_env(scenario, options, render_mode, in_words=True)

    def episodes(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> int | None:
        return PAIRS if scenario_named(scenario.name).pairs else None

    def seed(self, scenario: ScenarioInfo, base: int, number: int) -> int | None:
        return base * PAIRS + number if scenario_named(scenario.name).pairs else None

    def body(self, setup: AgentSetup) -> BodyBuilder:
        return seat_body(setup)

    def answers(self) -> ReasonerTable:
        from hm_agent.worlds.melting_pot import games

        return games.answers()

    def viewer(self, scenario: ScenarioInfo) -> Viewer:
        from hm_agent.worlds.melting_pot.viewer.viewer import MeltingPotViewer

        return MeltingPotViewer(scenario_named(scenario.name))

    def notes(self, settings: Mapping[str, Setting]) -> Sequence[str]:
        how = {SCRIPTED: "are scripted", LEARNED: "are puppets that were trained here"}.get(str(settings.get("bots")))
        return (f"The bots {how}: they stand in for Melting Pot's trained ones.",) if how else ()


def _scenario_info(scenario: Scenario) -> ScenarioInfo:
    game = scenario.game
    if pairs := scenario.pair_facts:
        return boards_info("melting_pot", game.title, scenario.name, pairs, "pairs")
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
    learner = "PPO after 1e8 steps" if agent == "ppo" else "GPT-4"
    return PublishedFigure(mean, error, "Hypothetical Minds' table 1", f"{learner} against trained bots")


def _metric(scenario: Scenario) -> Metric:
    is_told_of_all = len(scenario.seats) == 1 or not kind_of(scenario.game).counts_on_all
    ceiling = ORACLE if scenario.knows_bots and is_told_of_all else None
    floor = None if scenario.study in FROM_SHORTCUTS else "random"
    return Metric(floor=floor, ceiling=ceiling).measured_by(scenario.game.measure)


def _path(folder: Setting) -> Path | None:
    return Path(str(folder)) if folder else None


SUITE = MeltingPotSuite()
