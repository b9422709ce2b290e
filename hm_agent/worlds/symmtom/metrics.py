"""The metrics of each agent's actions, counted from the full state of the game (the paper's appendix A.2)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.rules import OFFSETS, SILENT, Bools, Effects, GameState, Ints, is_over, within_hearing
from hm_agent.worlds.symmtom.settings import GameSettings

REWARD = "reward_per_agent"
RECHARGES = "recharges"
WRONG_BASE_USES = "wrong_base_uses"
UNKNOWN_PIECES_SAID = "unknown_pieces_said"
USELESS_PIECES_SAID = "useless_pieces_said"
USELESS_MOVES = "useless_moves"


def count_step(
    settings: GameSettings, before: GameState, directions: npt.ArrayLike, after: GameState, effects: Effects
) -> Mapping[str, Ints]:
    """Returns what one step adds to each metric, (B, n): zero in games that were over before it.

    directions: (B, n), as agents chose them, cancelled moves included.
    """
    counts = {
        REWARD: effects.rewards,
        RECHARGES: effects.recharged,
        WRONG_BASE_USES: _wrong_base_uses(before, after),
        UNKNOWN_PIECES_SAID: effects.said == SILENT,
        USELESS_PIECES_SAID: _useless_pieces_said(settings, before, after, effects),
        USELESS_MOVES: _useless_moves(settings, before, np.asarray(directions, np.int32)),
    }
    goes_on = ~is_over(settings, before)[:, None]
    return {name: (count * goes_on).astype(np.int32) for name, count in counts.items()}


def _wrong_base_uses(before: GameState, after: GameState) -> Bools:
    """(B, n): True for agents that stepped onto their base without knowing all pieces."""
    was_there = (before.positions == before.bases).all(-1)
    is_there = (after.positions == after.bases).all(-1)
    wrong: Bools = is_there & ~was_there & ~before.knows.all(-1)
    return wrong


def _useless_pieces_said(settings: GameSettings, before: GameState, after: GameState, effects: Effects) -> Bools:
    """(B, n): True for agents that said a piece known to all in range, but could say one that was new to a listener."""
    can_say, near = rules.sayable(settings, before), within_hearing(settings, after.positions)
    could_teach = (near[..., None] & can_say[:, :, None] & ~before.knows[:, None]).any((-1, -2))
    useless: Bools = (effects.said != SILENT) & (effects.taught == 0) & could_teach
    return useless


def _useless_moves(settings: GameSettings, before: GameState, directions: Ints) -> Bools:
    """(B, n): True for agents that lack a piece and move away from every agent whose knowledge differs from theirs.

    Distances are Manhattan distances to where the others were before the step; at least one agent has to differ.
    """
    knows, here = before.knows, before.positions
    there = np.clip(here + OFFSETS[directions], 0, settings.width - 1)
    distances = np.abs(here[:, :, None] - here[:, None]).sum(-1)
    grows = np.abs(there[:, :, None] - here[:, None]).sum(-1) > distances
    differs = (knows[:, :, None] != knows[:, None]).any(-1)
    useless: Bools = ~knows.all(-1) & differs.any(-1) & (grows | ~differs).all(-1)
    return useless
