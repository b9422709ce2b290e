from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.agents import POLICIES
from hm_agent.worlds.symmtom.metrics import REWARD
from hm_agent.worlds.symmtom.rules import GameState
from hm_agent.worlds.symmtom.selfplay import measure
from hm_agent.worlds.symmtom.settings import GameSettings
from tests.support.symmtom.best_play import best_total, relaxed_total

TINY = GameSettings(4, 2, 2)
SMALL = GameSettings(6, 3, 3)


def most_by_trying(settings: GameSettings, board: GameState) -> int:
    """The most that any actions earn, by playing all of them."""
    n = settings.agents
    actions = list(product(product(range(5), repeat=n), product(range(settings.pieces), repeat=n)))
    arrays = {name: np.repeat(value, len(actions), axis=0) for name, value in vars(board).items()}
    directions, pieces = (np.array([action[place] for action in actions]) for place in (0, 1))
    after, effects = rules.step(settings, GameState(**arrays), directions, pieces)
    totals = effects.rewards.sum(1)
    if rules.is_over(settings, after).all():
        return int(totals.max())
    reached: dict[bytes, tuple[int, int]] = {}
    for place, total in enumerate(totals.tolist()):
        key = after.positions[place].tobytes() + after.second_hand[place].tobytes()
        reached[key] = max(reached.get(key, (-1, 0)), (total, place))
    boards = (
        (total, {name: value[[place]] for name, value in vars(after).items()}) for total, place in reached.values()
    )
    return max(total + most_by_trying(settings, GameState(**fields)) for total, fields in boards)


@pytest.mark.parametrize("seed", range(4))
def test_the_best_is_what_trying_all_actions_finds(seed: int) -> None:
    near = [[(1, 1), (2, 1)], [(1, 1), (2, 2)], [(0, 0), (2, 1)], [(3, 3), (1, 2)]][seed]
    bases = [[(1, 1), (2, 1)], [(2, 2), (0, 0)], [(1, 0), (2, 2)], [(3, 2), (1, 1)]][seed]
    board = replace(
        rules.reset(TINY, [seed]),
        positions=np.array([near], np.int32),
        bases=np.array([bases], np.int32),
        step=np.array([TINY.steps - 3], np.int32),
    )
    assert best_total(TINY, board) == most_by_trying(TINY, board)


def test_no_agent_earns_more_than_the_best_and_no_best_more_than_the_bound() -> None:
    board = rules.reset(SMALL, [11])
    best = best_total(SMALL, board)
    earned = measure(SMALL, POLICIES["k_oracle"], np.array([11], np.uint32))[REWARD].sum()
    assert 0.5 * best < earned <= best <= relaxed_total(SMALL, board)


def test_a_game_with_too_many_states_is_refused() -> None:
    settings = GameSettings(12, 4, 12)
    with pytest.raises(ValueError, match="too many states"):
        relaxed_total(settings, rules.reset(settings, [0]))
