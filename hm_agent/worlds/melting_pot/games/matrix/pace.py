"""Estimates what an interaction costs the agent in steps, from its own rounds and pickups in the episode."""

from __future__ import annotations

from dataclasses import replace

from hm_agent.worlds.melting_pot.facts import Counts, Timing

PSEUDO_PICKUPS, PSEUDO_ROUNDS = 10.0, 3.0
"""How many pickups, and how many rounds, the game's measured pace counts for in the estimate."""
LONGEST_GAP = 30
"""A gap of more steps between two pickups is not counted: it went into something else, e.g. a search for a player."""


class Pace:
    """Estimates the steps from one interaction to the next, and the steps per thing. prior: as measured in the game."""

    def __init__(self, prior: Timing) -> None:
        self._prior = prior
        self._steps, self._things = PSEUDO_PICKUPS * prior.per_thing, PSEUDO_PICKUPS
        self._rest, self._rounds = PSEUDO_ROUNDS * prior.per_round, PSEUDO_ROUNDS
        """The steps of all rounds besides collecting, and the number of rounds."""
        self._held: Counts = ()
        self._latest: int | None = None
        """The step of the latest pickup since the agent came back."""
        self._collected = 0
        """How many things were collected in the present round."""
        self._began: int | None = None
        """The step in which the latest interaction was paid; None before the first, which no full round precedes."""

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
            self._collected += gained

    def end_round(self, step: int) -> None:
        """Updates the estimate with an interaction that is paid in this step."""
        if self._began is not None:
            self._rest += max(0.0, step - self._began - self._collected * self._steps / self._things)
            self._rounds += 1
        self._began, self._collected = step, 0

    @property
    def timing(self) -> Timing:
        """The game's timing with the estimates: per round rounded to fives, per thing to halves."""
        per_round, per_thing = self._rest / self._rounds, self._steps / self._things
        return replace(self._prior, per_round=5 * round(per_round / 5), per_thing=round(2 * per_thing) / 2)
