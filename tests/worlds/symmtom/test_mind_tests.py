"""The tests of mind: who passes which, and what their worlds do."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from pydantic import TypeAdapter

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.command_line.cli import main
from hm_agent.config import ConfigError
from hm_agent.episode import run_episode
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.worlds.symmtom.agents import POLICIES, PolicyAgent
from hm_agent.worlds.symmtom.mind_facts import MindTest, mind_tests
from hm_agent.worlds.symmtom.mind_world import FAILURE, OVER_OPTIMUM, SUCCESS, MindTestWorld, steps_until_hearing
from hm_agent.worlds.symmtom.rules import Direction
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.views import SpokenMove

TRIALS = 6


@cache
def trial(name: str, agent: str, seed: int) -> Mapping[str, float]:
    world = MindTestWorld(mind_tests()[f"symmtom_test_{name}"])
    playing = PolicyAgent(POLICIES[agent](), world, seed=31 * seed + 1, is_told=agent == "k_oracle")
    outcome = asyncio.run(run_episode(world, {"player_0": playing}, seed=seed))
    assert outcome.error is None
    return world.metrics()


def share_passed(name: str, agent: str) -> float:
    return float(np.mean([trial(name, agent, seed)[SUCCESS] for seed in range(TRIALS)]))


ORDERS = {"order_0_w6": 0, "order_0_w12": 0, "order_1_w6": 1, "order_1_w12": 1, "order_2_w12": 2, "order_3_w12": 3}


PLAYED = [
    pytest.param(name, order, marks=pytest.mark.heavy if name in ("order_0_w12", "order_1_w12") else ())
    for name, order in product(ORDERS, range(4))
]
"""The larger board of an order that a smaller one has, too, is heavy."""


@pytest.mark.parametrize(("name", "order"), PLAYED)
def test_an_agent_passes_exactly_the_tests_up_to_its_order(name: str, order: int) -> None:
    passed = share_passed(name, f"order_{order}")
    assert passed == 1 if order >= ORDERS[name] else passed <= 0.25


@pytest.mark.parametrize(("agent", "passes"), [("k_ce", False), ("k_ge", True), ("k_filter", True), ("k_oracle", True)])
def test_who_fills_in_what_it_could_not_hear_passes_order_1(agent: str, passes: bool) -> None:
    assert share_passed("order_1_w6", agent) == passes


def test_only_who_deduces_from_its_reward_passes_the_retroactive_test() -> None:
    assert share_passed("retroactive_w6", "k_filter") == 1
    assert share_passed("retroactive_w6", "k_ce") < 0.9
    assert share_passed("retroactive_w6", "k_ge") < 0.9


def test_the_probabilistic_test_takes_one_and_a_half_turns_at_best() -> None:
    found = [trial("probabilistic_w6", "k_ce", seed) for seed in range(24)]
    assert all(one[SUCCESS] for one in found)
    assert np.mean([one[OVER_OPTIMUM] for one in found]) == pytest.approx(1, abs=0.2)
    assert np.mean([trial("probabilistic_w6", "k_oracle", seed)[OVER_OPTIMUM] for seed in range(4)]) < 0.9


def test_chance_passes_no_test_of_an_order() -> None:
    for name in ORDERS:
        assert share_passed(name, "random") <= 0.5, name


@pytest.mark.parametrize("name", ["symmtom_test_order_1_w6", "symmtom_test_order_2_w12"])
def test_during_the_prelude_the_tested_agent_is_held_and_its_actions_do_nothing(name: str) -> None:
    test = mind_tests()[name]
    world = MindTestWorld(test)
    turn = world.reset(3)
    for _ in range(test.prelude):
        assert 0 in turn.observations["player_0"].view.held
        turn = world.step({"player_0": SpokenMove(Direction.LEFT, 0)})
        assert turn.observations["player_0"].view.positions[0] == world.scene().positions[0]  # type: ignore[union-attr]
    assert 0 not in turn.observations["player_0"].view.held
    assert world.metrics() == {SUCCESS: 0, FAILURE: 0}


def test_trials_mirror_and_turn_the_board_and_renumber_the_pieces() -> None:
    world = MindTestWorld(mind_tests()["symmtom_test_order_0_w6"])
    boards = {world.reset(seed).observations["player_0"].view.positions for seed in range(60)}
    owners = {world.reset(seed).observations["player_0"].view.first_hand for seed in range(60)}
    assert len(boards) == 8
    assert len(owners) == 6


def test_the_wait_for_one_who_comes_nearer_is_shorter_than_the_way() -> None:
    settings = GameSettings(12, 3, 3)
    stays = steps_until_hearing(settings, [(0, 0)] * 20)
    comes = steps_until_hearing(settings, [(min(step, 5), 0) for step in range(20)])
    assert (stays[0][10, 0], comes[0][10, 0], stays[3][1, 1]) == (9, 5, 0)


def test_a_test_is_played_from_its_name_by_any_agent() -> None:
    (scenario,) = find_scenarios(["symmtom_test_order_0_w6"])
    world, agents = set_up(scenario, "heuristic")
    assert list(agents) == ["player_0"]
    play_out(world, agents, seed=0)
    assert len(find_scenarios(["symmtom_test_*"])) == len(mind_tests()) == 8


def test_a_competitive_test_is_refused_before_it_is_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--scenario=symmtom_test_order_0_w6", "--agent=random", "--rewards=competitive", f"--out={tmp_path}"]
    assert main(["hm-agent", "play", *flags]) == 2
    error = capsys.readouterr().err
    assert "symmtom_test_order_0_w6 is cooperative" in error
    assert error.count("\n") == 1


def test_a_test_that_cannot_be_is_refused_with_its_name() -> None:
    part = {"position": (0, 0), "base": (0, 0), "first_hand": (0,)}
    said = {"about": "", "width": 6, "pieces": 3, "prelude": 0, "kind": "tell", "goal": 1, "agents": (part, part)}
    test = TypeAdapter(MindTest).validate_python(said)
    with pytest.raises(ConfigError, match=r"test_x: first_hand: each of the 3 pieces has one owner, not \[0, 0\]"):
        test.check("test_x")
