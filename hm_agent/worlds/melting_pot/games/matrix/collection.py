"""What a player and others have collected in a matrix game, and what it still wants."""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.worlds.melting_pot.facts import Counts, argmax
from hm_agent.worlds.melting_pot.games.game import Collection
from hm_agent.worlds.melting_pot.games.matrix.best_response import raised
from hm_agent.worlds.melting_pot.games.matrix.history import MatrixHistory
from hm_agent.worlds.melting_pot.games.matrix.pickups import GatheringReader
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixRules, reward
from hm_agent.worlds.melting_pot.games.matrix.strategy import MatrixStrategy
from hm_agent.worlds.melting_pot.planning.calls import ANYBODY, Call, FireAt, Shadow


class MatrixCollection(Collection):
    """The collected things by the game's rules, by what was seen of others, and by what a strategy is to reach."""

    def __init__(
        self, rules: MatrixRules, players: Sequence[str], gatherings: GatheringReader, history: MatrixHistory
    ) -> None:
        self._rules, self._players, self._gatherings, self._history = rules, players, gatherings, history
        self.all_return = rules.regrowth.all_at_once

    @property
    def inferred_inventory(self) -> Counts | None:
        return self._history.inferred_inventory

    def is_armed(self, inventory: Counts) -> bool:
        return self._rules.is_armed(inventory)

    def leading(self, player: str) -> str | None:
        return self._gatherings.leading(player)

    def has_clear_lead(self, player: str) -> bool:
        return self._gatherings.has_clear_lead(player)

    def count_taken(self, player: str, behaviour: str | None = None) -> int:
        taken = self._gatherings.taken(player)
        return sum(taken) if behaviour is None else taken[self._rules.behaviours.index(behaviour)]

    def wanted(self, inventory: Counts, strategy: MatrixStrategy) -> frozenset[str]:
        """The kinds of things that the inventory lacks of the strategy's target."""
        target = strategy.target or inventory
        return frozenset(
            kind for kind, want, have in zip(self._rules.things, target, inventory, strict=True) if want > have
        )

    def unwanted(self, inventory: Counts, strategy: MatrixStrategy) -> frozenset[str]:
        """The kinds other than the one that leads, of which one more would lower its share; none if no kind leads.

        The kind that leads is among them, too, if one more of it would lower the reward that is expected.
        """
        main = argmax(inventory)
        if main is None:
            return frozenset()
        more, expected = raised(inventory, main, inventory[main] + 1), strategy.expected
        payoff = self._rules.payoff
        is_enough = expected and reward(more, expected, payoff) < reward(inventory, expected, payoff)
        return frozenset(thing for n, thing in enumerate(self._rules.things) if n != main or is_enough)

    def expected_kind(self, strategy: MatrixStrategy) -> str | None:
        """The kind that the only opponent is expected to hold most of.

        Without a strategist that expects one: what it was seen to take most of, else what led in its last inventory.
        """
        if len(self._players) > 1 or self._rules.alike:
            return None
        main = argmax(strategy.expected) if strategy.expected else None
        if main is None and (taken := self.leading(self._players[0])):
            main = self._rules.behaviours.index(taken)
        if main is None and self.inferred_inventory:
            main = argmax(self.inferred_inventory)
        return None if main is None else self._rules.things[main]

    def goes_on(self, rest: Sequence[Call], inventory: Counts, strategy: MatrixStrategy) -> bool:
        """True if what is left also suits a new strategy.

        It does if only watching is left and the strategy still says to watch, or if only a search for any opponent is
        left, the strategy's target is reached and it seeks anybody.
        """
        if strategy.watch_first and len(rest) == 1 and isinstance(rest[0], Shadow):
            return not self.is_armed(inventory)
        if strategy.target is None or len(rest) != 1 or not isinstance(rest[0], FireAt) or rest[0].aim != ANYBODY:
            return False
        has_lead = argmax(inventory) is not None and argmax(inventory) == argmax(strategy.target)
        seeks_anybody = strategy.seek is None or {*strategy.seek} >= {*self._players}
        return has_lead and not self.wanted(inventory, strategy) and seeks_anybody
