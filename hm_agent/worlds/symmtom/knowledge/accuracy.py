"""How often an estimate of who knows what is right, on what others may know second-hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from hm_agent.worlds.symmtom.knowledge.k_matrix import Knowledge
from hm_agent.worlds.symmtom.policies.policy import Policy
from hm_agent.worlds.symmtom.rules import Bools, GameState, Keys
from hm_agent.worlds.symmtom.selfplay import play
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.sights import Sights


def right_and_all(known: Bools, truth: GameState, sights: Sights) -> tuple[int, int]:
    """How many bits of K (R, n, c) are right, of how many: those of other agents on what they don't know first-hand."""
    counted = second_hand_bits(truth, sights)
    repeated = np.repeat(truth.knows, len(sights.me) // len(truth.step), axis=0)
    return int(((known == repeated) & counted).sum()), int(counted.sum())


def second_hand_bits(truth: GameState, sights: Sights) -> Bools:
    """(R, n, c): True for the bits of other agents on what these don't know first-hand."""
    others = np.arange(sights.settings.agents) != sights.me[:, None]
    first_hand = np.repeat(truth.first_hand, len(sights.me) // len(truth.step), axis=0)
    counted: Bools = others[..., None] & ~first_hand
    return counted


def measure_accuracy(
    settings: GameSettings, policy: Policy, kinds: Mapping[str, Callable[[], Knowledge]], seeds: Keys
) -> Mapping[str, float]:
    """The share of bits that each kind has right, over all turns in which agents act but the first, and all agents."""
    estimates = {name: build() for name, build in kinds.items()}
    right, counted = dict.fromkeys(kinds, 0), dict.fromkeys(kinds, 0)
    for moment in play(settings, policy, seeds):
        for name, estimate in estimates.items():
            known = estimate.update(moment.sights, moment.before)
            if moment.before.step[0] > 0:
                more = right_and_all(known, moment.before, moment.sights)
                right[name], counted[name] = right[name] + more[0], counted[name] + more[1]
    return {name: right[name] / counted[name] for name in kinds}
