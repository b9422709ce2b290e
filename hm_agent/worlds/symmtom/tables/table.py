"""The mixed tables: an agent under test among scripted partners that keep back. Imports no NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hm_agent.matched_pairs import in_halves
from hm_agent.worlds.symmtom.settings import GameSettings


@dataclass(frozen=True)
class MixedTable:
    """A newcomer, who owns no piece, among scripted partners, who own them all; first-hand knowledge is private.

    In the prelude the newcomer is held. For `talk` steps the partners mill about, at most `apart` cells from it, and
    say pieces that they know, but for `secrets` of each one's own; then they go to their stalls in silence.

    partners: the kind of each; a seed seats them. patience: for how many turns a partner serves nobody after it was
    told a piece that it knew. free: the number of steps after the prelude. needs_order: as measured on both halves of
    the seeds (docs/symmtom_pairs.md); None if no order is needed.
    """

    about: str
    partners: tuple[str, ...]
    width: int = 10
    pieces: int = 64
    hearing: int = 3
    apart: int = 2
    secrets: int = 4
    talk: int = 14
    free: int = 30
    patience: int = 6
    needs_order: int | None = None

    @property
    def prelude(self) -> int:
        """The number of steps until the newcomer is free: the talk, and the longest way to a stall."""
        return self.talk + 2 * (self.apart + self.hearing + 1)

    @property
    def settings(self) -> GameSettings:
        agents, length = 1 + len(self.partners), self.prelude + self.free
        return GameSettings(self.width, agents, self.pieces, self.hearing, has_public_first_hand=False, length=length)


KEEPERS = ("keeper",) * 4
TABLES: Mapping[str, MixedTable] = {
    "keepers": MixedTable("four that tell a piece only after they were told one", KEEPERS, needs_order=1),
    "traders": MixedTable("four that tell a piece for every two that they were told", ("trader",) * 4, needs_order=1),
    "choosers": MixedTable("four that tell only who last told them news, and alone", ("chooser",) * 4, needs_order=1),
    "motley": MixedTable(
        "two keepers, a trader and a chooser", ("keeper", "keeper", "trader", "chooser"), needs_order=1
    ),
    "forgiving": MixedTable("four keepers that mind no stale word", KEEPERS, patience=0, needs_order=1),
}
"""By the name of the kind. Sizes were chosen on the even half: `order_1` earns at least 80% of what the ceiling does on
both halves, `order_0` and each shortcut less than 40% (`python -m benchmarks symmtom_mixed`, docs/symmtom_pairs.md).
"""
MIXED_SCENARIOS = in_halves("symmtom_mixed_", TABLES)
