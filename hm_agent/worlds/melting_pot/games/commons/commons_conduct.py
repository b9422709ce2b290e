"""What others are seen to do to a common good, and in whose company."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.games.commons.commons_facts import CommonsFacts
from hm_agent.worlds.melting_pot.games.commons.commons_seat import FRESH
from hm_agent.worlds.melting_pot.games.game import shared_fields
from hm_agent.worlds.melting_pot.games.open.conduct import STRETCH, Conduct, ConductWatch, takes, uses
from hm_agent.worlds.melting_pot.memory.entities import Disappearance, EntityMemory

OWN, SOMEBODY = "you", "somebody"
"""The names of the agent itself among those that clean, and of whoever has cleaned while the agent did not look."""
SCARCE = 2
"""An apple is one of the last if no more than so many others lie within the radius that counts for regrowth."""


def takes_last(apple: str) -> str:
    return f"takes a last {apple}"


@dataclass(frozen=True, slots=True)
class CommonsConduct(Conduct):
    """A stretch of another player's. in_company: True if anybody else was seen to clean in it or in the one before."""

    in_company: bool


class CommonsWatch(ConductWatch):
    """Watches the others at a common good.

    cleaned, spoiled: the latest step at which each was seen to clean, the agent itself included, and to take a last
    apple.
    """

    least_seen = 3

    def __init__(self, facts: CommonsFacts, memory: EntityMemory) -> None:
        super().__init__({facts.apple})
        self._facts, self.memory = facts, memory
        self.cleaned: dict[str, int] = {}
        self.spoiled: dict[str, int] = {}
        self._cleans = uses(facts.river.beam) if facts.river else None
        self._spoils = takes_last(facts.apple)
        possible = (takes(facts.apple), self._cleans or self._spoils)
        self.behaviours |= dict.fromkeys(possible)

    def _in_context(self, conduct: Conduct) -> CommonsConduct:
        others = (step for player, step in self.cleaned.items() if player != conduct.partner)
        in_company = any(conduct.step - step < 2 * STRETCH for step in others)
        return CommonsConduct(**shared_fields(conduct), in_company=in_company)

    def _did(self, step: int, player: str, acts: Sequence[str]) -> None:
        if self._cleans in acts:
            self.cleaned[player] = step
        if self._spoils in acts:
            self.spoiled[player] = step

    def _taking(self, step: int, taken: Disappearance) -> str:
        regrowth = self._facts.regrowth
        if regrowth is None:
            return takes(taken.kind)
        left = regrowth.near(taken.cell, self.memory.cells_of(taken.kind))
        looked_at = map(self.memory.looked_at.of, regrowth.around(taken.cell))
        is_known = all(seen is None or step - seen <= FRESH for seen in looked_at)
        return takes_last(taken.kind) if left <= SCARCE and is_known else takes(taken.kind)

    def _main(self, acts: Sequence[tuple[str, int]]) -> str:
        """To take last apples tells more than how many others were taken."""
        counts: Mapping[str, int] = dict(acts)
        return self._spoils if self._spoils in counts else acts[0][0]
