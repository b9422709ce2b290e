"""The accuracy of estimates of who knows what, on the pieces that other agents can know only second-hand."""

from __future__ import annotations

import numpy as np

from hm_agent.worlds.symmtom.rules import Bools, GameState
from hm_agent.worlds.symmtom.sights import Sights


def count_right_bits(known: Bools, truth: GameState, sights: Sights) -> tuple[int, int]:
    """Returns how many bits of K (R, n, c) are right and how many there are, of those in `second_hand_bits`."""
    counted = second_hand_bits(truth, sights)
    true_bits = np.repeat(truth.knows, len(sights.me) // len(truth.step), axis=0)
    return int(((known == true_bits) & counted).sum()), int(counted.sum())


def second_hand_bits(truth: GameState, sights: Sights) -> Bools:
    """(R, n, c): True for the bits of K on other agents and pieces that these do not know first-hand."""
    others = np.arange(sights.settings.agents) != sights.me[:, None]
    first_hand = np.repeat(truth.first_hand, len(sights.me) // len(truth.step), axis=0)
    counted: Bools = others[..., None] & ~first_hand
    return counted
