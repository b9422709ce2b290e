"""How often estimates of who knows what are right, and a filter's simplest model of speech."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from hm_agent.worlds.symmtom.agents import count_right_bits
from hm_agent.worlds.symmtom.knowledge.filters import Weights
from hm_agent.worlds.symmtom.knowledge.k_matrix import Knowledge
from hm_agent.worlds.symmtom.policies.policy import Policy
from hm_agent.worlds.symmtom.rules import Bools, Keys
from hm_agent.worlds.symmtom.selfplay import play
from hm_agent.worlds.symmtom.settings import GameSettings


def uniform_speech(settings: GameSettings, known: Bools, near: Bools) -> Weights:
    """Every agent says each piece that it knows with equal probability."""
    shares: Weights = known / np.maximum(known.sum(-1, keepdims=True), 1)
    return shares


def measure_accuracy(
    settings: GameSettings, policy: Policy, kinds: Mapping[str, Callable[[], Knowledge]], seeds: Keys
) -> Mapping[str, Weights]:
    """Plays the games; returns (B,) shares of right bits by kind of K, over all agents and all turns but the first."""
    estimates = {name: build() for name, build in kinds.items()}
    right, counted = (dict.fromkeys(kinds, np.zeros(len(seeds), int)) for _ in range(2))
    for moment in play(settings, policy, seeds):
        for name, estimate in estimates.items():
            known = estimate.update(moment.sights, moment.before)
            if moment.before.step[0] > 0:
                rows = count_right_bits(known, moment.before, moment.sights)
                counts = [by_row.reshape(len(seeds), -1).sum(1) for by_row in rows]
                right[name], counted[name] = right[name] + counts[0], counted[name] + counts[1]
    return {name: right[name] / counted[name] for name in kinds}
