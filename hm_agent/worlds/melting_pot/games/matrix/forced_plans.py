"""The plans that nobody is asked for in a matrix game, because only one makes sense."""

from __future__ import annotations

from collections.abc import Sequence, Set

from hm_agent.worlds.melting_pot.facts import Counts, argmax
from hm_agent.worlds.melting_pot.games.game import PlanContext
from hm_agent.worlds.melting_pot.games.matrix.collection import MatrixCollection
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixRules
from hm_agent.worlds.melting_pot.grid import Cell, nearest
from hm_agent.worlds.melting_pot.planning.calls import ANYBODY, HIT_NOBODY, USED_UP, Call, FireAt, MoveTo, Shadow, Show


class ForcedPlans:
    """Makes the plans that nobody is asked for, and remembers whether it has watched or shown since an interaction."""

    def __init__(self, rules: MatrixRules, players: Sequence[str], collection: MatrixCollection) -> None:
        self._rules, self._players, self._collection = rules, players, collection
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forgets what was done, after an interaction."""
        self._has_watched = False
        """True if the agent has watched its only opponent since the latest interaction, as the strategy said."""
        self._is_watching = False
        """True while it does so."""
        self._has_shown = False
        """True if the agent has gone to show something since the latest interaction, as the strategy said."""

    def may_watch(self, held: Counts) -> bool:
        """True if a strategy to watch would be followed.

        An only opponent is watched once between interactions, until it is clear what it takes, while nothing is held.
        """
        if not self._rules.clues or len(self._players) > 1:
            return self._rules.clues
        is_open = not self._collection.has_clear_lead(self._players[0])
        return is_open and (self._is_watching or not self._has_watched) and not self._rules.is_armed(held)

    def plan(self, context: PlanContext, held: Counts) -> tuple[Call, ...]:
        """Watches or shows something first if the strategy says so, each once between two interactions.

        It watches only while nothing is collected. After a plan that was used up, or whose search was in vain, it
        searches for an opponent once the target is reached, and explores while nothing is collected; empty if none of
        this makes sense. held: the agent's inventory.
        """
        strategy = context.strategy
        self._is_watching = strategy.watch_first and not (self._has_watched or self._collection.is_armed(held))
        if self._is_watching:
            self._has_watched = True
            return (Shadow(self._players[0]),)
        if show := self._next_to_show(context):
            self._has_shown = True
            return (Show(show),)
        if strategy.target is None or strategy.seek == () or context.previous is None:
            return ()
        wanted = self._collection.wanted(held, strategy)
        search = next((call for call in reversed(context.previous.calls) if isinstance(call, FireAt)), None)
        in_vain = search is not None and HIT_NOBODY in context.because and search.aim == ANYBODY
        if not in_vain and (search is not None or context.because != USED_UP):
            return ()
        if wanted:
            return () if in_vain else self._explore(context, held, wanted)
        if argmax(held) is None or argmax(held) != argmax(strategy.target):
            return ()
        assert context.view.pose is not None, "plans start from a known pose"
        place = context.memory.likely_place(context.view.pose.cell, strategy.seek or ())
        return (FireAt(place),) if place else ()

    def _next_to_show(self, context: PlanContext) -> Cell | None:
        """The nearest known thing of the kind that the strategy says to show, once between two interactions."""
        if context.strategy.show is None or self._has_shown or context.view.pose is None:
            return None
        thing = self._rules.things[self._rules.behaviours.index(context.strategy.show)]
        return nearest(context.view.pose.cell, context.memory.cells_of(thing))

    def _explore(self, context: PlanContext, held: Counts, wanted: Set[str]) -> tuple[Call, ...]:
        """Moves to cells long out of view, if nothing is collected and no wanted thing was ever seen; else none."""
        if self._collection.is_armed(held) or not wanted.isdisjoint(context.memory.sites.values()):
            return ()
        assert context.view.pose is not None, "plans start from a known pose"
        here, step = context.view.pose.cell, context.observation.step
        return tuple(MoveTo(cell) for cell, _ in context.memory.looked_at.unseen_places(here, step))
