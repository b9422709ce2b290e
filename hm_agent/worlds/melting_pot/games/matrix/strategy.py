"""The strategies of a matrix game: what to hold in the next interaction, and with whom."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.facts import Counts, argmax
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixRules
from hm_agent.worlds.melting_pot.strategy import SubstrateStrategy


@dataclass(frozen=True, slots=True)
class MatrixStrategy(SubstrateStrategy):
    """A strategy in a matrix game.

    target: the inventory to reach before the next interaction, None if planning decides on it. expected: the inventory
    that the other player is expected to hold, None if unknown. watch_first: True to see what the only opponent takes
    before collecting anything; the target is what to hold unless that speaks against it. show: the behaviour whose
    thing to take first before the eyes of the only opponent; None for none. awaits: the behaviour that it
    counts on, so that to see just that is no news; None if nothing was known when it was decided on.
    """

    target: Counts | None = None
    expected: Counts | None = None
    watch_first: bool = False
    show: str | None = None
    awaits: str | None = None

    @property
    def aims(self) -> object:
        """What a plan depends on: all but the words, and of the expected inventory only the kind that leads.

        A plan may wait until the other player has taken most of that kind.
        """
        leading = argmax(self.expected) if self.expected else None
        return self.seek, self.covert, self.watch_first, self.show, self.target, leading


@dataclass(frozen=True, slots=True)
class StrategyWriter:
    """Puts strategies of one player into words. players: the names of the others. inventory: words an inventory."""

    rules: MatrixRules
    players: Sequence[str]
    inventory: Callable[[Counts], str]

    def to_hold(self, target: Counts) -> MatrixStrategy:
        """To hold a target, whatever the others do."""
        return MatrixStrategy(f"hold {self.inventory(target)}", target=target)

    def to_meet(self, target: Counts, seek: tuple[str, ...] | None, *, covert: bool = False) -> MatrixStrategy:
        """To hold a target and meet players. seek: None for anybody, empty to meet nobody yet."""
        whom = "anybody" if seek is None or set(self.players) <= {*seek} else ", ".join(seek)
        meeting = f"meet {whom}" if whom else "watch the others"
        return MatrixStrategy(f"hold {self.inventory(target)} and {meeting}", seek=seek, covert=covert, target=target)

    def against_one(
        self, target: Counts, expected: Counts | None, *, watch: bool = False, covert: bool = False
    ) -> MatrixStrategy:
        """Against the only other player. expected: what it is expected to hold, None if unknown."""
        to_learn = "" if self.rules.length.one_interaction else ", to see what the opponent plays"
        against = f", expecting {self._lead(expected)}" if expected else to_learn
        how = ", and collect it unseen" if covert else ""
        words = f"hold {self.inventory(target)}{against}{how}"
        return MatrixStrategy(words, covert=covert, target=target, expected=expected, watch_first=watch)

    def _lead(self, expected: Counts) -> str:
        """The leading kind and its count in words, `paper to lead with 5`; the other counts are not predicted."""
        return f"{self.rules.behaviours[expected.index(max(expected))]} to lead with {max(expected)}"
