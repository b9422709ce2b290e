"""What was collected: by others, as the resources tell that have disappeared; by the agent itself, at which pace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from hm_agent.core import Clue
from hm_agent.worlds.melting_pot.facts import Counts, argmax
from hm_agent.worlds.melting_pot.games.matrix.facts import INTERACTING, READY
from hm_agent.worlds.melting_pot.grid import Cell
from hm_agent.worlds.melting_pot.memory.entities import Disappearance
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap

CLEAR_LEAD = 2
"""The lead in pickups that is more than a slight clue: a player may take a single thing of another kind on its way.

Among many players, who are seldom seen, no lead is slight.
"""
RESPAWN_GAP = 60
"""A gap of this many steps between pickups means that the player respawned in between.

An interaction takes both players off the map for long.
"""

PSEUDO_PICKUPS = 10.0
"""How many pickups the game's measured pace counts for in the estimate."""
LONGEST_GAP = 30
"""A gap of more steps between two pickups is not counted: it went into something else, e.g. a search for a player."""


@dataclass(frozen=True, slots=True)
class Pickup:
    """A thing that another player took. behaviour: the pure strategy that the thing stands for.

    step: when it was found gone. witnessed: True if the player was seen taking it, False if it vanished out of view.
    """

    step: int
    behaviour: str
    cell: Cell
    witnessed: bool


@dataclass(frozen=True, slots=True)
class PickupRecord:
    """What a player was seen to collect between two respawns. step: the step of the last pickup seen.

    pickups: each pickup in order; empty in records of former lives.
    """

    step: int
    taken: Counts
    pickups: tuple[Pickup, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Gathering(Clue):
    """How much of each resource a player is known to have taken since it respawned.

    own: the agent's inventory. pickups: each pickup in order.
    """

    taken: Counts
    own: Counts
    pickups: tuple[Pickup, ...] = field(default=(), compare=False)

    def describe(self) -> str:
        return f"{self.partner} has taken {self.taken}"


class GatheringReader:
    """Counts what each other player takes between its respawns.

    things, behaviours: the resources and the pure strategy of each, in the game's order. initial: the count of each
    resource with which every player starts.
    """

    def __init__(self, things: Sequence[str], behaviours: Sequence[str], initial: int, players: Sequence[str]) -> None:
        self._things, self._behaviours, self._initial = things, behaviours, initial
        self._pickups: dict[str, tuple[Pickup, ...]] = dict.fromkeys(players, ())
        self._former: dict[str, tuple[PickupRecord, ...]] = dict.fromkeys(players, ())
        self._spent: dict[str, dict[str, int]] = {player: {} for player in players}
        """By player and resource, the step of the latest interaction in which the player held that resource."""

    def reset_partner(self, partner: str, step: int, held: Counts) -> None:
        """Resets a player's count after an interaction with the agent. held: the partner's inventory in it."""
        self._pickups[partner] = ()
        spent = (kind for kind, count in zip(self._things, held, strict=True) if count > self._initial)
        self._spent[partner] |= dict.fromkeys(spent, step)

    def former_records(self, player: str) -> tuple[PickupRecord, ...]:
        """The records of a player's former lives, except those that ended in an interaction with the agent."""
        return self._former[player]

    def read(self, step: int, view: TextualMap, lost: Sequence[Disappearance], own: Counts) -> tuple[Gathering, ...]:
        """Returns a clue for each player whose count changes with this frame.

        The taker of a lost resource is the one seen on its cell or, if it was out of view, the only other player; what
        vanishes in view from a cell with nobody on it was destroyed by beams. A resource last seen before a player's
        interaction may have been part of the inventory it held there, so its loss does not count. Nothing is
        counted while the agent interacts with the only other player: what is gone by then was part of the inventory
        that the partner holds in this interaction.
        """
        if view.mark == INTERACTING and self._is_two_player_game:
            return ()
        changed = dict.fromkeys(self._respawned(view))
        standing = {player.cell: player.kind for player in view.players}
        only = next(iter(self._pickups)) if self._is_two_player_game else None
        for loss in lost:
            on_it = standing.get(loss.cell)
            taker = only if loss.seen < step - 1 else on_it
            if taker in self._pickups and loss.seen >= self._spent[taker].get(loss.kind, 0):
                behaviour = self._behaviours[self._things.index(loss.kind)]
                self._count(taker, Pickup(step, behaviour, loss.cell, witnessed=taker == on_it))
                changed[taker] = None
        return tuple(self._clue(step, player, own) for player in changed)

    @property
    def _is_two_player_game(self) -> bool:
        """True if there is a single other player."""
        return len(self._pickups) == 1

    def _respawned(self, view: TextualMap) -> list[str]:
        """Closes the records of players in view that are interacting or not ready to: their inventory is reset."""
        if view.mark == INTERACTING:
            return []  # `reset_partner` handles the agent's own interactions
        respawned = [player.kind for player in view.players if player.mark != READY and self._pickups.get(player.kind)]
        for player in respawned:
            self._close(player)
        return respawned

    def _count(self, taker: str, pickup: Pickup) -> None:
        # An only opponent interacts with nobody but the agent, which `reset_partner` handles.
        pickups = self._pickups[taker]
        if not self._is_two_player_game and pickups and pickup.step - pickups[-1].step >= RESPAWN_GAP:
            self._close(taker)
        self._pickups[taker] += (pickup,)

    def _close(self, player: str) -> None:
        """Moves a player's count to its former records."""
        if pickups := self._pickups[player]:
            self._former[player] += (PickupRecord(pickups[-1].step, self.taken(player)),)
        self._pickups[player] = ()

    def taken(self, player: str) -> Counts:
        """How much of each resource a player is known to have taken since it respawned."""
        counts = Counter(pickup.behaviour for pickup in self._pickups[player])
        return tuple(counts[behaviour] for behaviour in self._behaviours)

    def present_record(self, player: str) -> PickupRecord | None:
        """The record of a player since it respawned; None if it is not known to have taken anything."""
        pickups = self._pickups[player]
        return PickupRecord(pickups[-1].step, self.taken(player), pickups) if pickups else None

    def leading(self, player: str) -> str | None:
        """The behaviour for which a player is known to have taken most since it respawned; None if none leads."""
        main = argmax(self.taken(player))
        return None if main is None else self._behaviours[main]

    def has_clear_lead(self, player: str) -> bool:
        """True if a behaviour leads in what a player is known to have taken, by more than a slight clue."""
        return self.leading(player) is not None and not self._is_slight(self.taken(player))

    def _is_slight(self, taken: Counts) -> bool:
        second, first = sorted(taken)[-2:]
        return self._is_two_player_game and first - second < CLEAR_LEAD

    def _clue(self, step: int, taker: str, own: Counts) -> Gathering:
        suggests, taken, pickups = self.leading(taker), self.taken(taker), self._pickups[taker]
        return Gathering(step, taker, suggests, taken, own, pickups, is_slight=self._is_slight(taken))


class CollectionPace:
    """Estimates the steps that the agent takes per thing, from its own pickups in the episode.

    prior: the game's measured pace, in steps per thing.
    """

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
