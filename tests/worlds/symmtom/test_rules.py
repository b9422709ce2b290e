"""The rules against worked examples, and what always holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.rules import SILENT, Bools, Direction, Effects, GameState
from hm_agent.worlds.symmtom.settings import GameSettings

LEFT, RIGHT, UP, DOWN, STAY = Direction
Cell = tuple[int, int]
SMALL = GameSettings(6, 3, 3)


def game(
    settings: GameSettings, positions: Sequence[Cell], known: Sequence[set[int]], bases: Sequence[Cell] | None = None
) -> GameState:
    """One game: agent i knows piece j first-hand if j % n == i, and second-hand what else is in known[i]."""
    first_hand = np.zeros((1, settings.agents, settings.pieces), bool)
    for piece in range(settings.pieces):
        first_hand[0, piece % settings.agents, piece] = True
    second_hand = np.zeros_like(first_hand)
    for agent, pieces in enumerate(known):
        second_hand[0, agent, list(pieces)] = True
    far = [(settings.width - 1, settings.width - 1 - agent) for agent in range(settings.agents)]
    return GameState(
        seeds=np.zeros(1, np.uint32),
        step=np.zeros(1, np.int32),
        positions=np.array([positions], np.int32),
        bases=np.array([bases or far], np.int32),
        first_hand=first_hand,
        second_hand=second_hand & ~first_hand,
        recharges=np.zeros((1, settings.agents), np.int32),
        changed=np.zeros_like(first_hand),
    )


def act(
    state: GameState,
    directions: Sequence[Direction],
    pieces: Sequence[int],
    settings: GameSettings = SMALL,
    priorities: Sequence[int] | None = None,
) -> tuple[GameState, Effects]:
    keys = None if priorities is None else np.array([priorities], np.uint32)
    return rules.step(settings, state, [directions], [pieces], keys)


def moved(positions: Sequence[Cell], directions: Sequence[Direction], priorities: Sequence[int]) -> list[Cell]:
    settings = GameSettings(6, len(positions), 4)
    state, _ = act(game(settings, positions, []), directions, [0] * len(positions), settings, priorities)
    return [(int(x), int(y)) for x, y in state.positions[0]]


# Movement


@pytest.mark.parametrize(
    ("start", "direction"), [((0, 3), LEFT), ((5, 3), RIGHT), ((3, 0), UP), ((3, 5), DOWN)], ids=str
)
def test_a_wall_cancels_a_move(start: Cell, direction: Direction) -> None:
    assert moved([start, (2, 2)], [direction, STAY], [0, 1])[0] == start


def test_of_two_who_enter_a_cell_the_one_of_higher_priority_gets_it() -> None:
    starts: list[Cell] = [(1, 2), (3, 2)]
    assert moved(starts, [RIGHT, LEFT], [2, 1]) == [(2, 2), (3, 2)]
    assert moved(starts, [RIGHT, LEFT], [1, 2]) == [(1, 2), (2, 2)]


def test_equal_priorities_favour_the_last_agent() -> None:
    assert moved([(1, 2), (3, 2)], [RIGHT, LEFT], [1, 1]) == [(1, 2), (2, 2)]


def test_who_stays_keeps_the_cell_against_any_priority() -> None:
    assert moved([(1, 2), (2, 2)], [RIGHT, STAY], [9, 0]) == [(1, 2), (2, 2)]


def test_swapping_and_following_are_legal() -> None:
    assert moved([(1, 2), (2, 2)], [RIGHT, LEFT], [0, 1]) == [(2, 2), (1, 2)]
    assert moved([(1, 2), (2, 2), (3, 2)], [RIGHT, RIGHT, RIGHT], [0, 1, 2]) == [(2, 2), (3, 2), (4, 2)]


def test_a_cancelled_move_cancels_those_who_follow() -> None:
    starts: list[Cell] = [(0, 2), (1, 2), (3, 2)]
    assert moved(starts, [RIGHT, RIGHT, LEFT], [9, 1, 2]) == [(0, 2), (1, 2), (2, 2)]


def test_who_is_thrown_back_keeps_its_cell_against_two_who_enter_it() -> None:
    starts: list[Cell] = [(0, 2), (1, 2), (2, 2), (1, 3)]
    assert moved(starts, [RIGHT, RIGHT, STAY, UP], [7, 8, 0, 9]) == starts


def test_of_three_who_enter_a_cell_each_gets_it_equally_often() -> None:
    settings, games = GameSettings(6, 3, 3), 3000
    state = replace(
        rules.reset(settings, np.arange(games)),
        positions=np.tile(np.array([(1, 2), (3, 2), (2, 1)], np.int32), (games, 1, 1)),
    )
    after, _ = rules.step(settings, state, np.tile([RIGHT, LEFT, DOWN], (games, 1)), np.zeros((games, 3)))
    shares = (after.positions == (2, 2)).all(-1).mean(0)
    assert shares == pytest.approx([1 / 3] * 3, abs=0.03)


# Talk


def test_a_new_piece_pays_speaker_and_listener() -> None:
    state, effects = act(game(SMALL, [(1, 1), (2, 2), (5, 0)], []), [STAY] * 3, [0, 0, 2])
    assert effects.rewards.tolist() == [[1, 1, 0]]
    assert effects.said.tolist() == [[0, SILENT, 2]]
    assert state.knows[0].tolist() == [[True, False, False], [True, True, False], [False, False, True]]


def test_hearing_is_judged_after_the_movement() -> None:
    _, approached = act(game(SMALL, [(1, 1), (3, 1), (5, 5)], []), [RIGHT, STAY, STAY], [0, 1, 2])
    assert approached.rewards.tolist() == [[2, 2, 0]]
    _, left = act(game(SMALL, [(1, 1), (2, 1), (5, 5)], []), [LEFT, STAY, STAY], [0, 1, 2])
    assert left.rewards.tolist() == [[0, 0, 0]]


def test_hearing_reaches_diagonally_as_far_as_its_range() -> None:
    settings = GameSettings(6, 3, 3, hearing=2)
    _, effects = act(game(settings, [(0, 0), (2, 2), (5, 5)], []), [STAY] * 3, [0, 1, 2], settings)
    assert effects.heard_from[0].tolist() == [[False, True, False], [True, False, False], [False, False, False]]


def test_one_piece_from_two_speakers_is_one_to_the_listener_and_one_to_each_speaker() -> None:
    _, effects = act(game(SMALL, [(1, 1), (3, 1), (2, 1)], [set(), {0}, set()]), [STAY] * 3, [0, 0, 0])
    assert effects.said.tolist() == [[0, 0, SILENT]]
    assert effects.rewards.tolist() == [[1, 1, 1]]


def test_one_piece_to_two_listeners_pays_the_speaker_twice() -> None:
    _, effects = act(game(SMALL, [(2, 1), (1, 1), (3, 1)], []), [STAY] * 3, [0, 0, 0])
    assert effects.rewards.tolist() == [[2, 1, 1]]


def test_a_piece_heard_this_turn_can_be_said_only_in_the_next() -> None:
    state, effects = act(game(SMALL, [(1, 1), (2, 1), (3, 1)], []), [STAY] * 3, [0, 0, 2])
    assert effects.said[0, 1] == SILENT
    _, effects = act(state, [STAY] * 3, [0, 0, 2])
    assert effects.said[0, 1] == 0
    assert effects.news[0, 2].tolist() == [True, False, False]


# The published code's two rules


PUBLISHED = replace(SMALL, has_published_rules=True)


def test_what_was_just_learnt_is_silent_for_a_turn_by_the_published_rules() -> None:
    start = game(SMALL, [(1, 1), (2, 1), (3, 1)], [])
    for settings, news in ((SMALL, True), (PUBLISHED, False)):
        state, first = act(start, [STAY] * 3, [0, 0, 2], settings)
        assert first.said[0].tolist() == [0, SILENT, 2]
        state, second = act(state, [STAY] * 3, [0, 0, 2], settings)
        assert second.said[0, 1] == (0 if news else SILENT)
        assert second.rewards[0].tolist() == ([0, 1, 1] if news else [0, 0, 0])
        _, third = act(state, [STAY] * 3, [0, 0, 2], settings)
        assert third.said[0, 1] == 0
        assert third.rewards[0].tolist() == ([0, 0, 0] if news else [0, 1, 1])


def test_what_was_just_forgotten_can_be_said_for_a_turn_by_the_published_rules() -> None:
    start = game(SMALL, [(4, 4), (0, 0), (4, 3)], [{0, 1, 2}], bases=[(4, 4), (1, 1), (2, 2)])
    for settings, is_said in ((SMALL, False), (PUBLISHED, True)):
        state, effects = act(start, [STAY] * 3, [0, 1, 2], settings)
        assert effects.rewards.tolist() == [[6 + 1, 0, 1]]
        state, effects = act(state, [STAY] * 3, [1, 1, 2], settings)
        assert effects.said[0, 0] == (1 if is_said else SILENT)
        assert effects.rewards[0].tolist() == ([2, 0, 2] if is_said else [1, 0, 1])
        assert not state.knows[0, 0, 1]
        _, effects = act(state, [STAY] * 3, [1, 1, 2], settings)
        assert effects.said[0, 0] == SILENT


def test_a_listener_is_paid_by_each_speaker_of_a_new_piece_by_the_published_rules() -> None:
    start = game(SMALL, [(1, 1), (3, 1), (2, 1)], [set(), {0}, set()])
    for settings, paid in ((SMALL, 1), (PUBLISHED, 2)):
        state, effects = act(start, [STAY] * 3, [0, 0, 0], settings)
        assert effects.rewards.tolist() == [[1, 1, paid]]
        assert state.knows[0, 2].tolist() == [True, False, True]


# Bases


def test_a_recharge_pays_and_forgets_what_was_heard() -> None:
    start = game(SMALL, [(4, 4), (0, 0), (0, 2)], [{0, 1, 2}], bases=[(4, 5), (1, 1), (2, 2)])
    state, effects = act(start, [DOWN, STAY, STAY], [0, 1, 2])
    assert effects.rewards.tolist() == [[6, 0, 0]]
    assert state.knows[0, 0].tolist() == [True, False, False]
    assert state.recharges.tolist() == [[1, 0, 0]]


def test_who_hears_the_last_piece_on_its_base_recharges_a_turn_later() -> None:
    start = game(SMALL, [(4, 4), (4, 3), (0, 2)], [{2}, set(), set()], bases=[(4, 4), (1, 1), (2, 2)])
    state, effects = act(start, [STAY] * 3, [2, 1, 2])
    assert not effects.recharged.any()
    assert state.knows[0, 0].all()
    state, effects = act(state, [STAY] * 3, [2, 1, 2])
    assert effects.recharged.tolist() == [[True, False, False]]
    assert state.knows[0, 0].tolist() == [True, False, False]


def test_another_agents_base_does_nothing() -> None:
    start = game(SMALL, [(4, 4), (0, 0), (0, 2)], [{0, 1, 2}], bases=[(1, 1), (4, 4), (2, 2)])
    state, effects = act(start, [STAY] * 3, [0, 1, 2])
    assert not effects.recharged.any()
    assert state.knows[0, 0].all()


def test_who_recharges_is_heard_saying_a_piece_that_it_loses() -> None:
    start = game(SMALL, [(4, 4), (4, 3), (0, 2)], [{0, 1, 2}], bases=[(4, 4), (1, 1), (2, 2)])
    state, effects = act(start, [STAY] * 3, [2, 1, 2])
    assert effects.rewards.tolist() == [[7, 1, 0]]
    assert not state.knows[0, 0, 2]
    assert state.knows[0, 1, 2]


def test_the_second_recharge_ends_a_competitive_game_and_the_others_pay() -> None:
    settings = replace(SMALL, is_competitive=True)
    start = game(settings, [(4, 4), (0, 0), (0, 2)], [{0, 1, 2}], bases=[(4, 4), (1, 1), (2, 2)])
    start = replace(start, recharges=np.array([[1, 0, 0]], np.int32))
    state, effects = act(start, [STAY] * 3, [0, 1, 2], settings)
    assert effects.rewards.tolist() == [[6 + 6, -3, -3]]
    assert rules.is_over(settings, state).all()
    again, effects = act(state, [LEFT] * 3, [0, 1, 2], settings)
    assert not effects.rewards.any()
    assert (effects.said == SILENT).all()
    assert (again.positions == state.positions).all()
    assert again.step == state.step
    both = game(settings, [(4, 4), (0, 0), (0, 2)], [{0, 1, 2}, {0, 1, 2}], bases=[(4, 4), (0, 0), (2, 2)])
    _, effects = act(replace(both, recharges=np.array([[1, 1, 0]], np.int32)), [STAY] * 3, [0, 1, 2], settings)
    assert effects.rewards.tolist() == [[6 + 3, 6 + 3, -6]]


# Beginnings


@pytest.mark.parametrize("settings", [SMALL, GameSettings(6, 3, 5), GameSettings(6, 4, 3), GameSettings(12, 4, 12)])
def test_a_new_game_deals_pieces_equally_and_gives_everyone_a_cell_and_a_base(settings: GameSettings) -> None:
    state = rules.reset(settings, np.arange(200))
    assert (state.first_hand.sum(1) == 1).all()
    shares = state.first_hand.sum(-1)
    assert shares.min() == settings.pieces // settings.agents
    assert shares.max() == -(-settings.pieces // settings.agents)
    for cells in (state.positions, state.bases):
        assert cells.min() == 0
        assert cells.max() == settings.width - 1
        assert all(len({tuple(cell) for cell in one}) == settings.agents for one in cells.tolist())


def test_every_cell_and_every_owner_is_as_likely_as_any_other() -> None:
    state = rules.reset(SMALL, np.arange(100_000))
    cells = state.positions[:, 0, 1] * 6 + state.positions[:, 0, 0]
    assert np.bincount(cells, minlength=36) / 100_000 == pytest.approx(1 / 36, abs=0.003)
    assert state.first_hand.mean(0) == pytest.approx(np.full((3, 3), 1 / 3), abs=0.008)


def test_the_random_numbers_of_version_1_are_these() -> None:
    assert rules.random_keys(np.array([0, 1], np.uint32), 0, 2).tolist() == KEYS
    state = rules.reset(SMALL, [7])
    assert state.positions.tolist() == POSITIONS
    assert state.bases.tolist() == BASES
    assert state.first_hand.astype(int).tolist() == FIRST_HAND


KEYS = [[253362413, 941190334], [363686491, 2088533790]]
POSITIONS = [[[1, 2], [5, 0], [2, 2]]]
BASES = [[[2, 3], [2, 2], [2, 1]]]
FIRST_HAND = [[[0, 0, 1], [0, 1, 0], [1, 0, 0]]]


# What always holds


SIZES = st.builds(
    lambda width, agents, pieces, competitive: GameSettings(width, agents, pieces, is_competitive=competitive),
    st.integers(4, 8),
    st.integers(2, 5),
    st.integers(2, 7),
    st.booleans(),
)


@hypothesis_settings(max_examples=40)
@given(SIZES, st.integers(0, 2**32 - 1))
def test_rewards_and_knowledge_add_up_in_random_play(settings: GameSettings, seed: int) -> None:
    rng = np.random.default_rng(seed)
    state = rules.reset(settings, [seed, seed + 1])
    shape = (2, settings.agents)
    while not rules.is_over(settings, state).all():
        before = state
        state, effects = rules.step(settings, state, rng.integers(0, 5, shape), rng.integers(0, settings.pieces, shape))
        assert (np.abs(state.positions - before.positions).sum(-1) <= 1).all()
        assert len({tuple(cell) for cell in state.positions[0].tolist()}) == settings.agents
        assert not (state.first_hand & state.second_hand).any()
        assert (state.knows == ((before.knows | effects.news) & ~effects.recharged[..., None] | state.first_hand)).all()
        assert not (effects.news & before.knows).any()
        talk = effects.news.sum(-1) + effects.taught
        assert (effects.taught.sum(-1) >= effects.news.sum((-1, -2))).all()
        paid = effects.rewards - talk - effects.recharged * settings.recharge_reward
        assert (paid.sum(-1) == 0).all()
        assert settings.is_competitive or not paid.any()


@hypothesis_settings(max_examples=15)
@given(SIZES, st.integers(0, 2**32 - 1))
def test_the_published_rules_differ_in_the_lag_and_in_two_speakers_alone(settings: GameSettings, seed: int) -> None:
    """From each state of a game by the published rules, what the paper's rules would do differs by these causes."""
    rng, published = np.random.default_rng(seed), replace(settings, has_published_rules=True)
    state, shape = rules.reset(settings, [seed, seed + 1]), (2, settings.agents)
    while not rules.is_over(settings, state).all():
        directions, pieces = rng.integers(0, 5, shape), rng.integers(0, settings.pieces, shape)
        usual, usual_effects = rules.step(settings, state, directions, pieces)
        lags = np.take_along_axis(state.changed, pieces[..., None], -1)[..., 0]
        state, effects = rules.step(published, state, directions, pieces)
        assert ((effects.said != usual_effects.said) <= lags).all()
        for board in np.flatnonzero(~lags.any(-1)):
            spoken = effects.said[board][:, None] == np.arange(settings.pieces)
            speakers = (effects.heard_from[board].astype(int) @ spoken) * effects.news[board]
            twice = np.maximum(speakers - 1, 0).sum(-1)
            assert (effects.rewards[board] == usual_effects.rewards[board] + twice).all()
            for name, value in vars(state).items():
                assert (value[board] == getattr(usual, name)[board]).all(), name


def paid_from_two_stores(
    settings: GameSettings, after: GameState, said: Sequence[int], old: Bools, new: Bools
) -> tuple[list[int], Bools]:
    """What each agent is paid, and the newer store after the step, as agents are served one after the other.

    old, new: (n, c), what was known at the start of the step, and what is known by now.
    """
    rewards, near = [0] * settings.agents, rules.within_hearing(settings, after.positions)[0]
    for agent in range(settings.agents):
        for other in np.flatnonzero(near[agent]).tolist():
            for listener, piece in ((agent, said[other]), (other, said[agent])):
                if piece != SILENT and not old[listener, piece]:
                    rewards[agent] += 1
                    new[listener, piece] = True
        if old[agent].all() and (after.positions[0, agent] == after.bases[0, agent]).all():
            rewards[agent] += settings.recharge_reward
            new[agent] = after.first_hand[0, agent]
    return rewards, new


@pytest.mark.parametrize("settings", [SMALL, GameSettings(6, 4, 8), GameSettings(4, 5, 3)], ids=lambda one: one.name)
def test_the_published_rules_are_those_of_two_stores_of_knowledge(settings: GameSettings) -> None:
    """There, speech is masked by the older store before it is renewed, so that the mask is a turn late."""
    published, recharges = replace(settings, has_published_rules=True), 0
    for seed in range(8):
        rng, state = np.random.default_rng(seed), rules.reset(settings, [seed])
        old, new = state.knows[0].copy(), state.knows[0].copy()
        while not rules.is_over(published, state)[0]:
            target = np.where(state.knows[0].all(-1)[:, None], state.bases[0], settings.width // 2)
            way = np.sign(target - state.positions[0])
            toward = np.where(way[:, 0] != 0, (way[:, 0] + 1) // 2, np.where(way[:, 1] != 0, (way[:, 1] + 5) // 2, 4))
            directions = np.where(rng.random(settings.agents) < 0.8, toward, rng.integers(0, 5, settings.agents))
            pieces = rng.integers(0, settings.pieces, settings.agents)
            said = [piece if old[agent, piece] else SILENT for agent, piece in enumerate(pieces.tolist())]
            state, effects = rules.step(published, state, [directions], [pieces])
            rewards, new = paid_from_two_stores(settings, state, said, (old := new.copy()), new)
            assert (effects.said[0].tolist(), effects.rewards[0].tolist()) == (said, rewards)
            assert (new == state.knows[0]).all()
            recharges += int(effects.recharged.sum())
    assert recharges > 5


@pytest.mark.parametrize("seed", [2**32 + 7, 2**64 + 7, 7 - 2**32])
def test_seeds_of_any_size_are_taken_modulo_two_to_the_32(seed: int) -> None:
    small, large = rules.reset(SMALL, [7]), rules.reset(SMALL, [seed])
    assert large.seeds.tolist() == [7]
    assert (large.positions == small.positions).all()
    assert rules.reset(SMALL, np.array([7], np.uint32)).seeds.tolist() == [7]


@hypothesis_settings(max_examples=20)
@given(SIZES, st.lists(st.integers(0, 2**32 - 1), min_size=2, max_size=5))
def test_a_game_is_the_same_alone_and_in_any_batch(settings: GameSettings, seeds: list[int]) -> None:
    rng = np.random.default_rng(len(seeds))
    shape = (len(seeds), settings.agents)
    state = rules.reset(settings, seeds)
    alone = [rules.reset(settings, [seed]) for seed in seeds]
    for _ in range(10):
        directions, pieces = rng.integers(0, 5, shape), rng.integers(0, settings.pieces, shape)
        state, effects = rules.step(settings, state, directions, pieces)
        for place in range(len(seeds)):
            alone[place], own = rules.step(settings, alone[place], [directions[place]], [pieces[place]])
            for name, value in vars(own).items():
                assert (getattr(effects, name)[place] == value[0]).all(), name
            for name, value in vars(alone[place]).items():
                assert (getattr(state, name)[place] == value[0]).all(), name
