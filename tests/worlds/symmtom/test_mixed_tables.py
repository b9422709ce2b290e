from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import scenario_named, suites
from hm_agent.config import ConfigError
from hm_agent.testing.episodes import play_out, set_up, settled
from hm_agent.worlds.symmtom.agents import POLICIES
from hm_agent.worlds.symmtom.metrics import REWARD
from hm_agent.worlds.symmtom.own_agents import PEDDLERS
from hm_agent.worlds.symmtom.rules import SILENT, Direction
from hm_agent.worlds.symmtom.settings import PRIVATE
from hm_agent.worlds.symmtom.tables.partners import Account, chooses, keeps, trades, word
from hm_agent.worlds.symmtom.tables.peddlers import WORDS
from hm_agent.worlds.symmtom.tables.table import MIXED_SCENARIOS, TABLES
from hm_agent.worlds.symmtom.tables.table_world import NEWCOMER, MixedTableWorld
from hm_agent.worlds.symmtom.views import BoardScene, SpokenMove
from tests.support.step_log import StepLog

ALL, NOBODY = np.array([False, True, True]), np.zeros(3, bool)
LACKING = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0]], bool)
"""What each agent lacks of three pieces that agent 0, the partner, knows."""


@cache
def game(kind: str, agent: str, seed: int = 0, half: str = "even") -> tuple[Sequence[BoardScene], Mapping[str, float]]:
    """The scenes of a game, and the metrics of the newcomer."""
    world, agents = set_up(scenario_named(f"symmtom_mixed_{kind}_{half}"), agent, seed=seed)
    recorder = StepLog(BoardScene)
    play_out(world, agents, seed=seed, recorders=[recorder])
    return recorder.scenes, world.seat_metrics("player_0")


def news(scene: BoardScene, listener: int) -> set[int]:
    """Those who told an agent something new."""
    return {speaker for hearer, speaker in scene.heard if hearer == listener and scene.is_new(listener, speaker)}


def stale(scene: BoardScene, listener: int) -> bool:
    """True if anybody told an agent a piece that it knew."""
    return any(hearer == listener and not scene.is_new(hearer, speaker) for hearer, speaker in scene.heard)


NONE = (0, 0, 0)


def account(gifts: Sequence[int] = NONE, told: Sequence[int] = NONE, now: Sequence[int] = NONE) -> Account:
    return Account(np.array(gifts, np.int32), np.array(told, np.int32), np.array(now, np.int32))


def test_a_keeper_serves_all_in_the_turn_after_a_gift_and_nobody_else() -> None:
    assert (keeps(ALL, account(now=(0, 0, 1))) == ALL).all()
    assert not keeps(ALL, account(gifts=(0, 0, 5))).any()


def test_a_trader_tells_one_piece_for_every_two() -> None:
    assert trades(ALL, account(gifts=(9, 3, 2), told=(0, 1, 0))).tolist() == [False, False, True]


def test_a_chooser_serves_its_last_giver_and_only_alone() -> None:
    passed = account()
    assert not chooses(np.array([False, False, True]), passed).any()
    passed.note(np.array([SILENT, SILENT, 0]), np.zeros(3, bool), NOBODY)
    passed.note(np.array([SILENT, 1, SILENT]), np.array([True, True, False]), NOBODY)
    assert passed.giver == 2
    assert passed.stale == 0
    assert chooses(np.array([False, False, True]), passed).tolist() == [False, False, True]
    assert not chooses(ALL, passed).any()
    assert not chooses(np.array([False, True, False]), passed).any()


def test_a_word_serves_most_of_those_served_and_fewest_others_or_is_unknown() -> None:
    known = np.array([True, True, False])
    assert word(known, LACKING, np.array([False, False, True]), ALL) == 1
    assert word(known, LACKING, ALL, ALL) == 0
    assert word(known, LACKING, NOBODY, ALL) == 2
    assert word(np.ones(3, bool), LACKING, NOBODY, ALL) == 2


@pytest.mark.parametrize("kind", ["keepers", "forgiving"])
def test_keepers_answer_a_gift_at_once_and_keep_back_after_a_stale_word(kind: str) -> None:
    scenes, table = game(kind, "order_1")[0], TABLES[kind]
    answers = 0
    for place in range(table.prelude + 1, len(scenes)):
        for partner in news(scenes[place], NEWCOMER):
            answers += 1
            assert NEWCOMER in news(scenes[place - 1], partner)
            assert not any(stale(scene, partner) for scene in scenes[place - table.patience : place])
    assert answers > 8


def test_traders_never_tell_the_newcomer_more_than_half_of_what_it_told_them() -> None:
    scenes, told = game("traders", "order_1")[0], 0
    for partner in range(1, 5):
        balance = 0
        for scene in scenes[TABLES["traders"].prelude :]:
            told += partner in news(scene, NEWCOMER)
            balance -= 2 * (partner in news(scene, NEWCOMER))
            assert balance >= 0
            balance += NEWCOMER in news(scene, partner)
    assert told > 4


def test_choosers_tell_the_newcomer_nothing_that_another_hears() -> None:
    scenes = game("choosers", "order_1")[0][TABLES["choosers"].prelude :]
    told = [(scene, speaker) for scene in scenes for speaker in news(scene, NEWCOMER)]
    assert told
    assert all([listener for listener, of in scene.heard if of == speaker] == [NEWCOMER] for scene, speaker in told)


def test_in_the_prelude_the_newcomer_is_held_and_silent_hears_all_and_no_secret_is_said() -> None:
    table = TABLES["motley"]
    world = MixedTableWorld(table, "even")
    turn = world.reset(1)
    said: set[int] = set()
    for step in range(table.prelude):
        view = turn.observations["player_0"].view
        assert view.held == (NEWCOMER,)
        assert view.first_hand == ((), None, None, None, None)
        turn = world.step({"player_0": SpokenMove(Direction.LEFT, view.knows[0] if view.knows else 0)})
        scene = world.scene()
        assert scene is not None
        assert scene.moved_to[NEWCOMER] == scene.positions[NEWCOMER]
        assert scene.said[NEWCOMER] is None
        if step < table.talk:
            assert {speaker for listener, speaker in scene.heard if listener == NEWCOMER} == {1, 2, 3, 4}
        said |= {piece for piece in scene.said if piece is not None and piece != SILENT}
    assert set(turn.observations["player_0"].view.knows) == said
    assert len(said) <= table.pieces - 4 * table.secrets
    assert not world.seat_metrics("player_0").get(REWARD)
    assert turn.observations["player_0"].view.held == ()
    assert not any(scene.heard for scene in [world.scene()] if scene)


def test_a_seed_is_one_game_and_in_one_half_alone() -> None:
    boards = [
        MixedTableWorld(TABLES["motley"], half).reset(seed).observations["player_0"].view
        for half in ("even", "odd")
        for seed in (0, 1, 0)
    ]
    assert boards[0] == boards[2]
    assert len({view.positions for view in boards}) == 4
    seats = [MixedTableWorld(TABLES["motley"], "even") for _ in range(6)]
    for seed, world in enumerate(seats):
        world.reset(seed)
    seated = {tuple(one.offers.__name__ for one in world.partners.values()) for world in seats}
    assert len(seated) > 1


def test_where_order_1_is_needed_it_earns_what_the_ceiling_does_and_others_little() -> None:
    earned = {
        name: sum(game("keepers", name, seed)[1][REWARD] for seed in range(2))
        for name in ("teller", "order_0", "order_1", "shortcut_peddler_rarest")
    }
    assert earned["order_1"] >= 0.8 * earned["teller"]
    assert earned["order_0"] < 0.4 * earned["teller"]
    assert earned["shortcut_peddler_rarest"] < 0.4 * earned["teller"]


def test_tables_are_private_cooperative_and_half_of_them_held_out() -> None:
    suite, found = suites()["symmtom"], find_scenarios(["symmtom_mixed_*"])
    assert [scenario.name for scenario in found] == list(MIXED_SCENARIOS)
    for scenario in found:
        assert scenario.held_out == scenario.name.endswith("_odd")
        assert scenario.needs_order == MIXED_SCENARIOS[scenario.name].facts.needs_order
        assert settled(scenario)["first_hand"] == PRIVATE
        assert suite.unused(scenario, ["random"], {})["first_hand"]
        with pytest.raises(ConfigError, match="is cooperative"):
            settled(scenario, rewards="competitive")


def test_each_peddler_is_an_agent_and_says_what_it_does() -> None:
    agents = suites()["symmtom"].own_agents
    assert {*PEDDLERS} == {*WORDS, "hushed"}
    assert all(agents[f"shortcut_peddler_{name}"].is_reference for name in PEDDLERS)
    assert {"teller", *(f"shortcut_peddler_{name}" for name in PEDDLERS)} < {*POLICIES}


def test_an_agent_of_language_plays_a_table() -> None:
    world, agents = set_up(scenario_named("symmtom_mixed_motley_odd"), "hypothetical_minds", literal="2")
    assert play_out(world, agents, seed=0, steps=30).status == "max_steps"
