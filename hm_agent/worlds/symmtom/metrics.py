"""What is counted of each agent's actions, by the truth that no agent sees (the paper's appendix A.2)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

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
    """What one step adds to every metric, (B, n) each: nothing in games that were over before it.

    directions: (B, n), those that were chosen.
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
    """True for who stepped onto its base without knowing all pieces."""
    was_there = (before.positions == before.bases).all(-1)
    is_there = (after.positions == after.bases).all(-1)
    wrong: Bools = is_there & ~was_there & ~before.knows.all(-1)
    return wrong


def _useless_pieces_said(settings: GameSettings, before: GameState, after: GameState, effects: Effects) -> Bools:
    """True for who said what all in its range knew, while it knew a piece that someone there did not know."""
    knows, near = before.knows, within_hearing(settings, after.positions)
    could_teach = (near[..., None] & knows[:, :, None] & ~knows[:, None]).any((-1, -2))
    useless: Bools = (effects.said != SILENT) & (effects.taught == 0) & could_teach
    return useless


def _useless_moves(settings: GameSettings, before: GameState, directions: Ints) -> Bools:
    """True for who does not know all, and moves away from all who know something else than it does.

    The way is the number of moves between the cells (Manhattan distance), to where the others were before the step.
    """
    knows, here = before.knows, before.positions
    there = np.clip(here + OFFSETS[directions], 0, settings.width - 1)
    distances = np.abs(here[:, :, None] - here[:, None]).sum(-1)
    grows = np.abs(there[:, :, None] - here[:, None]).sum(-1) > distances
    differs = (knows[:, :, None] != knows[:, None]).any(-1)
    useless: Bools = ~knows.all(-1) & differs.any(-1) & (grows | ~differs).all(-1)
    return useless
