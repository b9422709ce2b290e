from __future__ import annotations

import asyncio

import numpy as np
import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.worlds.symmtom.agents import POLICIES, PolicyAgent
from hm_agent.worlds.symmtom.metrics import REWARD, UNKNOWN_PIECES_SAID, USELESS_PIECES_SAID
from hm_agent.worlds.symmtom.policies.policy import Policy, next_known
from hm_agent.worlds.symmtom.rules import Direction, GameState, Ints, draw_priorities
from hm_agent.worlds.symmtom.selfplay import measure, play
from hm_agent.worlds.symmtom.settings import GameSettings, paper_settings
from hm_agent.worlds.symmtom.sights import Sights
from hm_agent.worlds.symmtom.world import SymmtomWorld

SEEDS = np.arange(150, dtype=np.uint32)


@pytest.mark.parametrize("setting", paper_settings(), ids=lambda setting: setting.game.name)
def test_the_heuristic_earns_about_what_it_does_in_the_authors_environment(setting: object) -> None:
    assert hasattr(setting, "game")
    found = measure(setting.game, POLICIES["heuristic"], SEEDS)
    assert found[REWARD].mean() == pytest.approx(setting.authors_environment["heuristic"], rel=0.1)  # type: ignore[attr-defined]
    assert not found[UNKNOWN_PIECES_SAID].any()


def test_pieces_are_said_in_turn() -> None:
    knows = np.array([[True, False, True, True]] * 4)
    assert next_known(knows, np.array([-1, 0, 2, 3], np.int32)).tolist() == [0, 2, 3, 0]


@pytest.mark.parametrize(
    "settings",
    [GameSettings(6, 3, 6), pytest.param(GameSettings(6, 4, 8), marks=pytest.mark.heavy)],
    ids=lambda one: one.name,
)
def test_planners_beat_the_heuristic_and_say_nothing_unknown(settings: GameSettings) -> None:
    seeds = np.arange(8, dtype=np.uint32)
    heuristic = measure(settings, POLICIES["heuristic"], seeds)
    for name in ("k_ce", "k_ge", "k_oracle"):
        found = measure(settings, POLICIES[name], seeds)
        assert found[REWARD].mean() > 1.15 * heuristic[REWARD].mean(), name
        assert found[USELESS_PIECES_SAID].mean() < heuristic[USELESS_PIECES_SAID].mean(), name
        assert not found[UNKNOWN_PIECES_SAID].any(), name


@pytest.mark.parametrize("name", [name for name in POLICIES if not name.startswith(("order_", "shortcut_", "teller"))])
def test_a_policy_plays_a_game_the_same_alone_and_in_a_batch(name: str) -> None:
    settings = GameSettings(6, 3, 4)
    together = [moment.after.positions for moment in play(settings, POLICIES[name](), np.array([5, 9], np.uint32))]
    alone = [moment.after.positions for moment in play(settings, POLICIES[name](), np.array([9], np.uint32))]
    assert all((one[1] == other[0]).all() for one, other in zip(together, alone, strict=True))


class Watcher(Policy):
    """Stays, and keeps what it saw."""

    def act(self, sights: Sights, truth: GameState | None = None) -> tuple[Ints, Ints]:
        self.sights = sights
        return np.full(1, Direction.STAY, np.int32), np.zeros(1, np.int32)


def test_an_agent_with_the_seed_of_the_game_does_not_foresee_who_gets_a_cell() -> None:
    world, right = SymmtomWorld(GameSettings(4, 2, 2)), 0
    for seed in range(200):
        turn, watcher = world.reset(seed), Watcher()
        asyncio.run(PolicyAgent(watcher, world, seed).act(turn.observations["player_0"]))
        seen = watcher.sights
        foreseen, drawn = (
            draw_priorities(seeds, seen.step, 2)[0].argmax() for seeds in (seen.seeds, world.state.seeds)
        )
        right += foreseen == drawn
    assert 70 < right < 130


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("scenario", ["symmtom_w4_n2_c2", "symmtom_w7_n5_c3_h2"])
def test_every_agent_plays_any_size_and_variant(name: str, scenario: str) -> None:
    (found,) = find_scenarios([scenario])
    world, agents = set_up(found, name, first_hand="private", rewards="competitive")
    outcome = play_out(world, agents, seed=1, steps=10)
    assert outcome.status in ("completed", "max_steps")


def test_who_thinks_that_nobody_learns_earns_little_where_pieces_are_many() -> None:
    seeds = np.arange(4, dtype=np.uint32)
    few, many = GameSettings(6, 3, 3), GameSettings(6, 3, 9)
    earned = {name: measure(many, POLICIES[name], seeds)[REWARD].mean() for name in ("k_first", "k_ge")}
    assert earned["k_first"] < 0.3 * earned["k_ge"]
    assert measure(few, POLICIES["k_first"], seeds)[REWARD].mean() > 40
