"""What one cook notices of one teammate, step by step."""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.worlds.melting_pot.games.cooking.activities import Activity, ActivityReader, Held
from hm_agent.worlds.melting_pot.games.cooking.kitchen import SOUP, Kitchen
from hm_agent.worlds.melting_pot.games.cooking.room_seat import Teammate
from hm_agent.worlds.melting_pot.games.cooking.rounds import Pace, PaceReader, RoundEnd, RoundReader
from hm_agent.worlds.melting_pot.memory.entities import PlayerSighting
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap


class TeammateWatch:
    """Follows one teammate through an episode.

    seen: the teammate as last seen, with what it holds by all that is known. is_only: True if there is no other, so
    that all that happens out of view is its doing.
    """

    def __init__(self, player: str, *, is_only: bool) -> None:
        self.player, self._is_only = player, is_only
        self._activities = ActivityReader(player, is_only=is_only)
        self._rounds = RoundReader(player)
        self._pace = PaceReader()
        self.seen: Teammate | None = None
        self._arrived = 0
        """The step at which it was first seen on its present cell."""

    @property
    def held(self) -> Held | None:
        return self._activities.held

    @property
    def pace(self) -> Pace:
        return self._pace.latest

    @property
    def latest(self) -> tuple[Activity, ...]:
        """Its activities in this round or shortly before."""
        return self._rounds.latest

    @property
    def soup_since(self) -> int:
        """The step since which it is known to hold soup; -1 if it is not."""
        return self.held.since if self.held and self.held.thing == SOUP else -1

    def read(
        self, step: int, view: TextualMap, kitchen: Kitchen, deliverers: Sequence[str], sighting: PlayerSighting | None
    ) -> tuple[RoundEnd, ...]:
        """Returns the rounds that end with this step.

        deliverers: who delivered each soup of this step. sighting: the teammate as last seen.
        """
        is_watched = self._is_only or (sighting is not None and sighting.step == step)
        activities = self._activities.read(step, view, kitchen, deliverers.count(self.player))
        held = self.held
        if sighting and held:
            if self.seen is None or self.seen.cell != sighting.cell:
                self._arrived = sighting.step
            stood = sighting.step - self._arrived
            self.seen = Teammate(sighting.cell, held.thing, sighting.step, held.since, self.player, stood)
        pace = self._pace.read(step, kitchen, activities, is_watched=is_watched)
        return self._rounds.read(step, kitchen, activities, deliverers, pace, is_watched=is_watched)
