"""What happened with whom (Hypothetical Minds, appendix C.2): the second part of memory, told to the Theory of Mind."""

from __future__ import annotations

from hm_agent.core import Interaction


class InteractionMemory:
    """All that was understood of past interactions, the first one first."""

    def __init__(self) -> None:
        self.all: tuple[Interaction, ...] = ()

    @property
    def latest(self) -> Interaction | None:
        return self.all[-1] if self.all else None

    def add(self, evidence: Interaction) -> None:
        self.all = (*self.all, evidence)

    def of(self, partner: str) -> tuple[Interaction, ...]:
        """The interactions with one other player, the first one first."""
        return tuple(evidence for evidence in self.all if evidence.partner == partner)
