"""What happened with whom (Hypothetical Minds, appendix C.2): the second part of memory, told to the Theory of Mind."""

from __future__ import annotations

from hm_agent.core import Evidence


class InteractionMemory:
    """All that was understood of past interactions, by partner and in order."""

    def __init__(self) -> None:
        self._by_partner: dict[str, list[Evidence]] = {}
        self.latest: Evidence | None = None

    def add(self, evidence: Evidence) -> None:
        self._by_partner.setdefault(evidence.partner, []).append(evidence)
        self.latest = evidence

    def of(self, partner: str) -> tuple[Evidence, ...]:
        """The interactions with one other player, the first one first."""
        return tuple(self._by_partner.get(partner, ()))
