"""What SymmToM hands out to experiments, results, reports and replays. The module itself imports no NumPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hm_agent.config import ConfigError
from hm_agent.core import Agent, World
from hm_agent.matched_pairs import pairs_metric
from hm_agent.models.builtin import ReasonerTable
from hm_agent.recording.result import NETWORKS
from hm_agent.suite import (
    AgentSetup,
    Metric,
    Option,
    OwnAgent,
    OwnCommand,
    ScenarioInfo,
    Setting,
    ShareMetric,
    Suite,
    Viewer,
)
from hm_agent.theory_of_mind.mind import JointMindReading, MindPrompting, MindReading, OddsReading, StrategyMaking
from hm_agent.wording import listed
from hm_agent.worlds.symmtom.mind_facts import MindTest, mind_tests
from hm_agent.worlds.symmtom.pairs.kinds import BOTH, PAIR_SCENARIOS, PAIRS, SEATS, PairKind, PairScenario
from hm_agent.worlds.symmtom.settings import (
    COMPETITIVE,
    COOPERATIVE,
    PAPER,
    PRIVATE,
    PUBLIC,
    PUBLISHED,
    GameSettings,
    paper_settings,
    parse_name,
)
from hm_agent.worlds.symmtom.tables.table import MIXED_SCENARIOS, MixedScenario, MixedTable

if TYPE_CHECKING:
    from hm_agent.agents.agent import BodyBuilder
    from hm_agent.worlds.symmtom.learning.checkpoints import TrainedPlayer
    from hm_agent.worlds.symmtom.world import SymmtomWorld

NEED_ORDER_1 = frozenset(
    f"symmtom_w{width}_{pieces}" for width in (6, 12) for pieces in ("n3_c6", "n3_c9", "n4_c4", "n4_c8")
)
"""The paper's sizes in which `k_ge` gets 80% of the way from the best shortcut to `k_oracle` (docs/symmtom.md).

`k_first`, which differs from it in its K alone and so is the order below, gets no further than the shortcut.
"""

REFERENCES: Mapping[str, str] = {
    "random": "draws every move uniformly",
    "heuristic": "goes to the centre, says all that it knows in turn, recharges when complete",
    "k_first": "plans as if nobody ever learnt what others know first-hand; a shortcut",
    "k_ce": "plans over what it witnessed that others were told (CE)",
    "k_ge": "plans over that and the best guess at what it could not hear (GE)",
    "k_filter": "plans over what a filter holds likely that the others know",
}
"""The agents by which others are measured, except the ceiling: what each does."""

TRAINED: Mapping[str, str] = {
    "ippo": "PPO",
    "maddpg": "MADDPG; remembers nothing",
    "maddpg_oracle": "MADDPG; is told what the others truly know",
    "maddpg_ce": "MADDPG; knows what it witnessed that others were told",
    "maddpg_ge": "MADDPG; knows that, and guesses at what it could not hear",
    "maddpg_ee": "MADDPG; learned to guess at what it could not hear",
    "rmaddpg": "MADDPG; learned to remember",
}
"""The agents that play by a checkpoint, with the algorithm that trained them."""

SEPARATE_NOBODY = frozenset({"symmtom_w6_n3_c3", "symmtom_w12_n3_c3"})
"""The paper's sizes in which `k_first` gets about nine tenths of what `k_oracle` does."""

SHORTCUTS: Mapping[str, str] = {
    "nearest": "the nearest agent",
    "farthest": "the farthest agent",
    "first_named": "the first agent",
    "owns_most": "the agent with most first-hand pieces",
    "most_met": "the agent it was near longest",
    "least_met": "the agent it was near shortest",
    "last_speaker": "the one that it heard last",
    "last_told": "the one last spoken to in its hearing",
    "last_news": "the one that last said a new piece",
    "said_most": "the one heard to say most pieces",
    "told_least": "the one told the fewest pieces in its hearing",
    "told_seldom": "the one spoken to most seldom in its hearing",
}
"""The rules of policies/shortcuts.py: whom they go to, in words."""
PEDDLERS: Mapping[str, str] = {
    "in_turn": "the one of the lowest number",
    "rarest": "the one that it heard said most seldom",
    "commonest": "the one that it heard said most often",
    "latest": "the one that it heard said last",
    "earliest": "the one that it has not heard said for longest",
    "newest": "the one that it learnt last",
    "hushed": "the one that it heard said most seldom, and nothing while it is told news",
}
"""The rules of tables/peddlers.py: what they tell first of what the one in front did not say itself, in words."""
PASSED_WITHOUT_A_MIND = frozenset(
    f"symmtom_test_{name}"
    for name in ("order_0_w6", "order_0_w12", "order_1_w6", "order_1_w12", "order_2_w12", "probabilistic_w6")
)
"""The tests of mind that `shortcut_farthest` passes in every trial (docs/symmtom.md)."""


class SymmtomSuite(Suite):
    """The paper's twelve settings, any other size by its name, the tests of mind, their pairs, and mixed tables."""

    name = "symmtom"
    offers = (MindReading, JointMindReading, MindPrompting, OddsReading, StrategyMaking)
    title = "SymmToM"
    needs_are = "proved of each pair, and of sizes measured on seeds"
    shortcuts = ("random", "heuristic", "k_first", *(f"shortcut_{name}" for name in SHORTCUTS))
    options = (
        Option(
            "first_hand",
            "Whether everyone knows who knows what first-hand, or everyone only its own.",
            PUBLIC,
            (PUBLIC, PRIVATE),
            changes_world=True,
        ),
        Option(
            "rewards",
            "Cooperative as in the paper, or competitive: the second recharge of an agent ends the episode, and the "
            "others pay.",
            COOPERATIVE,
            (COOPERATIVE, COMPETITIVE),
            changes_world=True,
        ),
        Option(
            "rules",
            "Those of the paper or, if `published`, of its authors' code: what can be said is a turn old, and a new "
            "piece pays its listener once for each speaker.",
            choices=(PAPER, PUBLISHED),
            changes_world=True,
        ),
        Option(
            "literal",
            "At how many steps of an episode language agents are asked whether others know pieces; none by default. "
            "In a test of mind, at as many steps of its prelude as there are.",
        ),
        Option(
            "checkpoint",
            "The file that a trained agent plays by, if not the one that comes with the package for the scenario.",
        ),
    )
    network_options: Mapping[str, str] = {NETWORKS: "checkpoint"}
    commands: Mapping[str, OwnCommand] = {
        "train": OwnCommand("train agents", "hm_agent.worlds.symmtom.learning.command:main"),
    }
    literal = ShareMetric(
        "literal_right",
        "the share of rightly answered questions on who knows which piece",
        "literal_true",
        is_binary=True,
    )
    battery_items = "symmtom_pairs_*"
    battery_options: Mapping[str, Setting] = {"literal": "1"}
    environments: Mapping[str, str] = {"hm_agent/SymmToM-v0": "symmtom_w6_n3_c3"}

    @cached_property
    def scenarios(self) -> Sequence[ScenarioInfo]:
        papers = tuple(_size_info(setting.game) for setting in paper_settings())
        tests = tuple(_test_info(name, test) for name, test in mind_tests().items())
        pairs = (_pairs_info(name, pairs) for name, pairs in PAIR_SCENARIOS.items())
        return (*papers, *tests, *pairs, *(_table_info(name, found) for name, found in MIXED_SCENARIOS.items()))

    def find(self, name: str) -> ScenarioInfo | None:
        game = parse_name(name)
        return _size_info(game) if game else None

    def settle(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> Mapping[str, Setting]:
        if options.get("rules") == PAPER:
            options = {**options, "rules": None}
        if _mind_facts(scenario.name) and options.get("rewards") == COMPETITIVE:
            raise ConfigError(f"--rewards={COMPETITIVE}: {scenario.name} is cooperative, as every test of mind is")
        if _mind_facts(scenario.name) and options.get("rules") == PUBLISHED:
            raise ConfigError(f"--rules={PUBLISHED}: {scenario.name} has the paper's rules, as every test of mind has")
        if scenario.name in MIXED_SCENARIOS:
            options = {**options, "first_hand": PRIVATE}
        if scenario.name in PAIR_SCENARIOS and options.get("first_hand", PUBLIC) != PUBLIC:
            raise ConfigError(
                f"--first_hand={options['first_hand']}: what is right in {scenario.name} is so if all know"
            )
        count, steps = options.get("literal"), _game_settings(scenario, options).steps
        if count is not None and not (str(count).isdecimal() and int(count) < steps):
            raise ConfigError(f"--literal={count}: say at how many of the {steps} steps to ask, 0 to {steps - 1}")
        if path := options.get("checkpoint"):
            from hm_agent.worlds.symmtom.learning.checkpoints import load

            load(Path(str(path)), _game_settings(scenario, options))
        return options

    def networks(
        self, scenario: ScenarioInfo, agents: Sequence[str], options: Mapping[str, Setting]
    ) -> Mapping[str, Path]:
        path = options.get("checkpoint")
        return {NETWORKS: Path(str(path))} if path and not TRAINED.keys().isdisjoint(agents) else {}

    def unused(
        self, scenario: ScenarioInfo, agents: Sequence[str], options: Mapping[str, Setting]
    ) -> Mapping[str, str]:
        from hm_agent.agents.registry import AGENTS

        unused = {}
        if scenario.name in MIXED_SCENARIOS:
            unused["first_hand"] = "first-hand knowledge is private at every mixed table"
        if all(agent in self.own_agents for agent in agents):
            unused["literal"] = f"it is for language agents, such as react, and not for {listed(agents)}"
        if not any(agent in TRAINED or agent not in {*self.own_agents, *AGENTS} for agent in agents):
            unused["checkpoint"] = f"it is for trained agents, such as ippo, and not for {listed(agents)}"
        return unused

    def open(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> World[Any, Any]:
        from hm_agent.worlds.symmtom.mind_world import MindTestWorld
        from hm_agent.worlds.symmtom.world import SymmtomWorld

        if pairs := PAIR_SCENARIOS.get(scenario.name):
            from hm_agent.worlds.symmtom.pairs.pair_world import MindPairWorld

            return MindPairWorld(pairs.kind, pairs.half)
        if found := MIXED_SCENARIOS.get(scenario.name):
            from hm_agent.worlds.symmtom.tables.table_world import MixedTableWorld

            return MixedTableWorld(found.table, found.half)
        if scenario.name in mind_tests():
            return MindTestWorld(mind_tests()[scenario.name], has_public_first_hand=options["first_hand"] == PUBLIC)
        return SymmtomWorld(_size_settings(scenario, options))

    def parallel_env(self, scenario: ScenarioInfo, options: Mapping[str, Setting], render_mode: str | None) -> Any:
        if _mind_facts(scenario.name):
            raise ConfigError(
                f"{scenario.name} has no environment for PettingZoo: only sizes have, e.g. symmtom_w6_n3_c3"
            )
        from hm_agent.worlds.symmtom.parallel import SymmtomParallelEnv

        return SymmtomParallelEnv(_size_settings(scenario, options), render_mode)

    def body(self, setup: AgentSetup) -> BodyBuilder:
        from hm_agent.worlds.symmtom.language.body import symmtom_body

        board = _board(setup)
        steps = min(board.settings.steps, setup.max_steps or board.settings.steps)
        probed, last = int(setup.options["literal"] or 0), _literal_steps(setup.scenario, steps)
        seat = board.seats[0] if setup.scenario.name in PAIR_SCENARIOS else setup.seat
        return partial(symmtom_body, board, seat, setup.seed, steps, probed, last)

    def episodes(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> int | None:
        return PAIRS if scenario.name in PAIR_SCENARIOS else None

    def seed(self, scenario: ScenarioInfo, base: int, number: int) -> int | None:
        return base * PAIRS + number if scenario.name in PAIR_SCENARIOS else None

    def viewer(self, scenario: ScenarioInfo) -> Viewer:
        from hm_agent.worlds.symmtom.viewer.viewer import SymmtomViewer

        facts = _mind_facts(scenario.name)
        return SymmtomViewer(facts.settings if facts else _settings_by_name(scenario), mind_tests().get(scenario.name))

    def answers(self) -> ReasonerTable:
        from hm_agent.worlds.symmtom.language.reasoner import ANSWERS

        return ANSWERS

    @cached_property
    def own_agents(self) -> Mapping[str, OwnAgent]:
        orders = {f"order_{order}": f"reasons to order {order} about others' knowledge" for order in range(4)}
        ceiling = "plans over what the others truly know; marks the ceiling"
        return {
            **{name: OwnAgent(about, _by_policy(name), is_reference=True) for name, about in REFERENCES.items()},
            **{name: OwnAgent(about, _by_policy(name), asked_by="order") for name, about in orders.items()},
            **{
                f"shortcut_{name}": OwnAgent(
                    f"goes to {about}, and keeps no account of knowledge",
                    _by_policy(f"shortcut_{name}"),
                    is_reference=True,
                    asked_by="shortcut",
                )
                for name, about in SHORTCUTS.items()
            },
            **{
                f"shortcut_peddler_{name}": OwnAgent(
                    f"goes round the others, tells first {about}, and keeps no account of who was told what",
                    _by_policy(f"shortcut_peddler_{name}"),
                    is_reference=True,
                    asked_by="shortcut_peddler",
                )
                for name, about in PEDDLERS.items()
            },
            "k_oracle": OwnAgent(ceiling, _by_policy("k_oracle", is_told=True), is_reference=True),
            "teller": OwnAgent(
                "tells others what they truly lack and is silent else; marks the ceiling of mixed tables",
                _by_policy("teller", is_told=True),
                is_reference=True,
            ),
            **{
                name: OwnAgent(
                    f"was trained by {about}",
                    partial(_build_trained, name),
                    check=partial(_load_player, name),
                    is_reference=True,
                )
                for name, about in TRAINED.items()
            },
        }


def _mind_facts(name: str) -> MindTest | PairKind | MixedTable | None:
    """What describes a test of mind, the pairs of a kind or a mixed table, by the scenario's name; None for a size."""
    if pairs := PAIR_SCENARIOS.get(name):
        return pairs.facts
    found = MIXED_SCENARIOS.get(name)
    return found.table if found else mind_tests().get(name)


def _game_settings(scenario: ScenarioInfo, options: Mapping[str, Setting]) -> GameSettings:
    """The settings of a size's or a test's game, with the options applied."""
    if facts := _mind_facts(scenario.name):
        return replace(facts.settings, has_public_first_hand=options.get("first_hand", PUBLIC) == PUBLIC)
    return _size_settings(scenario, options)


def _literal_steps(scenario: ScenarioInfo, steps: int) -> int:
    """How many first steps may have literal questions: all `steps`, or of a test of mind those that no trial lacks."""
    facts = _mind_facts(scenario.name)
    return min(steps, facts.prelude + 1) if facts else steps


def _settings_by_name(scenario: ScenarioInfo) -> GameSettings:
    """The settings that a size's name tells; ConfigError if the scenario is no size."""
    game = parse_name(scenario.name)
    if game is None:
        raise ConfigError(f"unknown scenario {scenario.name!r}: say symmtom_w6_n3_c3 or the like")
    return game


def _size_settings(scenario: ScenarioInfo, options: Mapping[str, Setting]) -> GameSettings:
    """The settings of a size's game, with the options applied."""
    return _settings_by_name(scenario).under(options["first_hand"], options["rewards"], options["rules"])


def _size_info(game: GameSettings) -> ScenarioInfo:
    """The floor is the best shortcut: the heuristic or, of few pieces, `k_first`, to which nobody ever learns one."""
    floor = "k_first" if game.pieces <= game.agents else "heuristic"
    hearing = "" if game.hearing == 1 else f", hearing range {game.hearing}"
    return ScenarioInfo(
        world="symmtom",
        name=game.name,
        short_name=game.name,
        group=f"SymmToM, {game.agents} agents",
        about=f"{game.width}x{game.width} cells, {game.agents} agents, {game.pieces} pieces{hearing}",
        seats=game.seats,
        metric=Metric("reward_per_agent", "reward per agent and episode", floor=floor, ceiling="k_oracle"),
        asked_by="symmtom",
        separates_nobody=game.name in SEPARATE_NOBODY,
        needs_order=1 if game.name in NEED_ORDER_1 else None,
    )


def _test_info(name: str, test: MindTest) -> ScenarioInfo:
    return ScenarioInfo(
        world="symmtom",
        name=name,
        short_name=name,
        group="SymmToM, tests of mind",
        about=test.about,
        seats=test.settings.seats[:1],
        metric=Metric("success", "share of trials passed", digits=3),
        asked_by="symmtom_test",
        separates_nobody=name in PASSED_WITHOUT_A_MIND,
    )


def _pairs_info(name: str, pairs: PairScenario) -> ScenarioInfo:
    order = pairs.facts.order
    return ScenarioInfo(
        world="symmtom",
        name=name,
        short_name=name,
        group=f"SymmToM, matched pairs of order {order}",
        about=f"order {order}: {pairs.facts.about} ({pairs.half} half)",
        seats=SEATS,
        metric=pairs_metric(BOTH, "share of pairs with both boards passed", order),
        asked_by="symmtom_pairs",
        held_out=pairs.half == "odd",
        needs_order=order,
    )


def _table_info(name: str, found: MixedScenario) -> ScenarioInfo:
    table = found.table
    return ScenarioInfo(
        world="symmtom",
        name=name,
        short_name=name,
        group="SymmToM, mixed tables",
        about=f"a newcomer among partners that keep back: {table.about} ({found.half} half)",
        seats=table.settings.seats[:1],
        metric=Metric("reward_per_agent", "reward after a prelude", floor="shortcut_peddler_rarest", ceiling="teller"),
        asked_by="symmtom_mixed",
        held_out=found.half == "odd",
        needs_order=table.needs_order,
    )


def _board(setup: AgentSetup) -> SymmtomWorld:
    """The board that a seat plays on: one of two in a matched pair."""
    from hm_agent.worlds.symmtom.pairs.pair_world import MindPairWorld
    from hm_agent.worlds.symmtom.world import SymmtomWorld

    board = setup.world.boards[setup.seat] if isinstance(setup.world, MindPairWorld) else setup.world
    assert isinstance(board, SymmtomWorld)
    return board


def _by_policy(name: str, *, is_told: bool = False) -> Callable[[AgentSetup], Agent[Any, Any]]:
    """Returns the builder of a policy's agent. is_told: True if the policy is given the true state of the game."""

    def build(setup: AgentSetup) -> Agent[Any, Any]:
        from hm_agent.worlds.symmtom.agents import POLICIES, PolicyAgent

        return PolicyAgent(POLICIES[name](), _board(setup), setup.seed, is_told=is_told)

    return build


def _load_player(name: str, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> TrainedPlayer:
    """Loads the weights that a trained agent plays a scenario by; ConfigError if there are none that fit."""
    from hm_agent.worlds.symmtom.learning.checkpoints import player_of

    path = options["checkpoint"]
    return player_of(name, Path(str(path)) if path else None, _game_settings(scenario, options))


def _build_trained(name: str, setup: AgentSetup) -> Agent[Any, Any]:
    """Builds the agent that the algorithm `name` trained."""
    from hm_agent.worlds.symmtom.agents import PolicyAgent
    from hm_agent.worlds.symmtom.learning.trained_policy import TrainedPolicy

    player = _load_player(name, setup.scenario, setup.options)
    return PolicyAgent(TrainedPolicy(player), _board(setup), setup.seed, is_told=player.kind == "oracle")


SUITE = SymmtomSuite()
