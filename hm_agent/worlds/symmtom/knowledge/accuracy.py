"""The accuracy of estimates of who knows what, on the pieces that other agents can know only second-hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from hm_agent.worlds.symmtom.knowledge.k_matrix import Knowledge
from hm_agent.worlds.symmtom.policies.policy import Policy
from hm_agent.worlds.symmtom.rules import Bools, GameState, Keys
from hm_agent.worlds.symmtom.selfplay import play
from hm_agent.worlds.symmtom.settings import GameSettings
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


def measure_accuracy(
    settings: GameSettings, policy: Policy, kinds: Mapping[str, Callable[[], Knowledge]], seeds: Keys
) -> Mapping[str, float]:
    """Plays the games and returns the share of right bits by kind of K, over all agents and all turns but the first."""
    estimates = {name: build() for name, build in kinds.items()}
    right, counted = dict.fromkeys(kinds, 0), dict.fromkeys(kinds, 0)
    for moment in play(settings, policy, seeds):
        for name, estimate in estimates.items():
            known = estimate.update(moment.sights, moment.before)
            if moment.before.step[0] > 0:
                counts = count_right_bits(known, moment.before, moment.sights)
                right[name], counted[name] = right[name] + counts[0], counted[name] + counts[1]
    return {name: right[name] / counted[name] for name in kinds}
