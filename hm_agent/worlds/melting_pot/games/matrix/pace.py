"""Estimates how many steps the agent takes to collect one more thing, from its own pickups in the episode."""

from __future__ import annotations

from hm_agent.worlds.melting_pot.facts import Counts

PSEUDO_PICKUPS = 10.0
"""How many pickups the game's measured pace counts for in the estimate."""
LONGEST_GAP = 30
"""A gap of more steps between two pickups is not counted: it went into something else, e.g. a search for a player."""


class CollectionPace:
    """Estimates the steps per thing. prior: the game's measured pace, in steps per thing."""

    def __init__(self, prior: float) -> None:
        self._steps, self._things = PSEUDO_PICKUPS * prior, PSEUDO_PICKUPS
        self._held: Counts = ()
        self._latest: int | None = None
        """The step of the latest pickup since the agent came back."""

    def read(self, step: int, held: Counts) -> None:
        """Updates the estimate with the inventory at a step."""
        gained = sum(held) - sum(self._held or held)
        self._held = held
        if gained < 0:
            self._latest = None  # an interaction has reset the inventory
        elif gained > 0:
            if self._latest is not None and step - self._latest <= LONGEST_GAP:
                self._steps, self._things = self._steps + step - self._latest, self._things + gained
            self._latest = step

    @property
    def steps_per_thing(self) -> float:
        return self._steps / self._things
