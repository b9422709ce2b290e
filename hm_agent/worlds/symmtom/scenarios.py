"""SymmToM's scenarios: sizes of the game, tests of mind, matched pairs and mixed tables. Imports no NumPy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import Setting
from hm_agent.config import ConfigError
from hm_agent.matched_pairs import HalfOfKind, boards_info
from hm_agent.metrics import SHARE, Metric
from hm_agent.worlds.symmtom.mind_facts import MindTest, mind_tests
from hm_agent.worlds.symmtom.pairs.kinds import PAIR_SCENARIOS, PairKind
from hm_agent.worlds.symmtom.settings import PUBLIC, GameSettings, paper_settings, parse_name
from hm_agent.worlds.symmtom.tables.table import MIXED_SCENARIOS, MixedTable

NEED_ORDER_1 = frozenset(
    f"symmtom_w{width}_{pieces}" for width in (6, 12) for pieces in ("n3_c6", "n3_c9", "n4_c4", "n4_c8")
)
"""The paper's sizes in which `k_ge` gets 80% of the way from the best shortcut to `k_oracle` (docs/symmtom.md).

`k_first`, which differs from it in its K alone and so is the order below, gets no further than the shortcut.
"""

SEPARATE_NOBODY = frozenset({"symmtom_w6_n3_c3", "symmtom_w12_n3_c3"})
"""The paper's sizes in which `k_first` gets about nine tenths of what `k_oracle` does."""

PASSED_WITHOUT_A_MIND = frozenset(
    f"symmtom_test_{name}"
    for name in ("order_0_w6", "order_0_w12", "order_1_w6", "order_1_w12", "order_2_w12", "probabilistic_w6")
)
"""The tests of mind that `shortcut_farthest` passes in every trial (docs/symmtom.md)."""


def listed_scenarios() -> Iterator[ScenarioInfo]:
    """Yields the paper's sizes, then the tests of mind, their pairs, and the mixed tables."""
    yield from (size_info(setting.game) for setting in paper_settings())
    yield from (_test_info(name, test) for name, test in mind_tests().items())
    yield from (
        boards_info("symmtom", "SymmToM", name, pairs, "symmtom_pairs") for name, pairs in PAIR_SCENARIOS.items()
    )
    yield from (_table_info(name, found) for name, found in MIXED_SCENARIOS.items())


def mind_facts_of(name: str) -> MindTest | PairKind | MixedTable | None:
    """What describes a test of mind, the pairs of a kind or a mixed table, by the scenario's name; None for a size."""
    found = PAIR_SCENARIOS.get(name) or MIXED_SCENARIOS.get(name)
    return found.facts if found else mind_tests().get(name)


def game_settings(scenario: ScenarioInfo, options: Mapping[str, Setting]) -> GameSettings:
    """The settings of a size's or a test's game, with the options applied."""
    if facts := mind_facts_of(scenario.name):
        return replace(facts.settings, has_public_first_hand=options.get("first_hand", PUBLIC) == PUBLIC)
    return size_settings(scenario, options)


def literal_steps(scenario: ScenarioInfo, steps: int) -> int:
    """How many first steps may have literal questions: all `steps`, or of a test of mind those that no trial lacks."""
    facts = mind_facts_of(scenario.name)
    return min(steps, facts.prelude + 1) if facts else steps


def settings_by_name(scenario: ScenarioInfo) -> GameSettings:
    """The settings that a size's name tells; ConfigError if the scenario is no size."""
    game = parse_name(scenario.name)
    if game is None:
        raise ConfigError(f"unknown scenario {scenario.name!r}: say symmtom_w6_n3_c3 or the like")
    return game


def size_settings(scenario: ScenarioInfo, options: Mapping[str, Setting]) -> GameSettings:
    """The settings of a size's game, with the options applied."""
    return settings_by_name(scenario).under(options["first_hand"], options["rewards"], options["rules"])


def size_info(game: GameSettings) -> ScenarioInfo:
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
        metric=Metric("success", "share of trials passed", digits=3, bounds=SHARE),
        asked_by="symmtom_test",
        separates_nobody=name in PASSED_WITHOUT_A_MIND,
        prelude=test.prelude,
    )


def _table_info(name: str, found: HalfOfKind[MixedTable]) -> ScenarioInfo:
    table = found.facts
    return ScenarioInfo(
        world="symmtom",
        name=name,
        short_name=name,
        group="SymmToM, mixed tables",
        about=f"a newcomer among partners that keep back: {table.about} ({found.half} half)",
        seats=table.settings.seats[:1],
        metric=Metric("reward_per_agent", "reward after a prelude", floor="shortcut_peddler_rarest", ceiling="teller"),
        asked_by="symmtom_mixed",
        held_out=found.is_held_out,
        needs_order=table.needs_order,
        prelude=table.prelude,
    )
