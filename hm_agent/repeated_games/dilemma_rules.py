"""The rules of players who cooperate or defect, and answer the other's defections.

cooperate, defect: the numbers of these actions, the same for both players.
"""

from __future__ import annotations

from dataclasses import dataclass

from hm_agent.repeated_games.payoffs import Shares
from hm_agent.repeated_games.rules_of_play import RuleOfPlay


@dataclass(frozen=True)
class GrimRule(RuleOfPlay):
    """Cooperates until the other has defected `times` times, and defects from then on."""

    times: int = 1
    cooperate: int = 0
    defect: int = 1
    start = 0
    order = 1

    def after(self, state: int, own: int, other: int) -> int:
        """How often the other has defected, at most `times`."""
        return min(state + (other == self.defect), self.times)

    def reply(self, state: int) -> int:
        return self.defect if state == self.times else self.cooperate


@dataclass(frozen=True)
class CorrigibleRule(RuleOfPlay):
    """Defects until the other has defected `times` times; then cooperates once, and copies the other from then on.

    tremble: the chance, once it copies, of the opposite.
    """

    times: int = 3
    tremble: float = 0.0
    cooperate: int = 0
    defect: int = 1
    start = (0, None)
    order = 1

    def after(self, state: tuple[int, int | None], own: int, other: int) -> tuple[int, int | None]:
        """How often the other has defected, at most `times`, and what it copies, None before that."""
        defections, copied = state
        if defections == self.times:
            return self.times, other
        defections += other == self.defect
        return defections, self.cooperate if defections == self.times else copied

    def chances(self, state: tuple[int, int | None]) -> Shares:
        copied = state[1]
        return self.trembling(self.defect, 0.0) if copied is None else self.trembling(copied, self.tremble)


@dataclass(frozen=True)
class TitForTwoTatsRule(RuleOfPlay):
    """Cooperates, but defects after two defections in a row (Axelrod, 1984)."""

    cooperate: int = 0
    defect: int = 1
    start = 0
    order = 1

    def after(self, state: int, own: int, other: int) -> int:
        """How often in a row the other has defected, at most 2."""
        return min(state + 1, 2) if other == self.defect else 0

    def reply(self, state: int) -> int:
        return self.defect if state == 2 else self.cooperate


@dataclass(frozen=True)
class GenerousTitForTatRule(RuleOfPlay):
    """Copies the other, but forgives each defection with a fixed chance (Nowak and Sigmund, 1992)."""

    generosity: float
    cooperate: int = 0
    defect: int = 1
    start = False
    order = 1

    def after(self, state: bool, own: int, other: int) -> bool:
        """True if the other has just defected."""
        return other == self.defect

    def chances(self, state: bool) -> Shares:
        return self.trembling(self.defect, self.generosity) if state else self.trembling(self.cooperate, 0.0)


@dataclass(frozen=True)
class GradualRule(RuleOfPlay):
    """Answers the n-th defection by n defections and then two cooperations (Beaufils, Delahaye and Mathieu, 1996).

    What the other does meanwhile provokes nothing.
    """

    cooperate: int = 0
    defect: int = 1
    start = (0, 0, 0)
    order = 1

    def after(self, state: tuple[int, int, int], own: int, other: int) -> tuple[int, int, int]:
        """How many defections it has answered, how often it is still to defect, and then to cooperate."""
        answered, punishments, apologies = state
        if punishments:
            return answered, punishments - 1, apologies
        if apologies:
            return answered, 0, apologies - 1
        return (answered + 1, answered + 1, 2) if other == self.defect else (answered, 0, 0)

    def reply(self, state: tuple[int, int, int]) -> int:
        return self.defect if state[1] else self.cooperate


@dataclass(frozen=True)
class SuspiciousTitForTatRule(RuleOfPlay):
    """Begins with defection, copies the other, and cooperates after `patience` mutual defections in a row."""

    patience: int = 3
    cooperate: int = 0
    defect: int = 1
    start = (True, 0)
    order = 2

    def after(self, state: tuple[bool, int], own: int, other: int) -> tuple[bool, int]:
        """Whether it defects next, and how many mutual defections in a row there have been, at most `patience`."""
        mutual = min(state[1] + 1, self.patience) if own == other == self.defect else 0
        return other == self.defect and mutual < self.patience, mutual

    def reply(self, state: tuple[bool, int]) -> int:
        return self.defect if state[0] else self.cooperate
