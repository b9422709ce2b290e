"""What questions show of a player in any substrate, and what answers may say of the others and of its plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hm_agent.models.prompts import phrase
from hm_agent.questions import UNSHOWN, Forms, one_of
from hm_agent.theory_of_mind.language_questions import check_name
from hm_agent.theory_of_mind.situation import Behaviour, SeatSituation
from hm_agent.worlds.melting_pot.games.open.calls import Call, CallNames, call_pattern, read_plan
from hm_agent.worlds.melting_pot.games.open.deeds import Deed
from hm_agent.worlds.melting_pot.games.open.open_facts import SubstrateFacts
from hm_agent.worlds.melting_pot.grid import Cell, Layout, Pose
from hm_agent.written_calls import CallError

MOST_CALLS = 5
"""The largest number of calls in a plan; a longer one would be outdated long before its end."""
MOST_CELLS = 4
"""How many cells a question shows of a kind of things, the nearest first."""


class NextConduct(Behaviour):
    """What another player does most in the next stretch in which it is seen."""

    does: str

    @property
    def words(self) -> str:
        return self.does


@dataclass(frozen=True, slots=True)
class KnownThings:
    """Where things of a kind were last seen. cells: the nearest, with the steps since then. count: of all known."""

    kind: str
    count: int
    cells: tuple[tuple[Cell, int], ...]


@dataclass(frozen=True, slots=True)
class KnownPlayer:
    """Another player as last seen. shows: what is drawn with it, e.g. what it carries. ago: the steps since then."""

    name: str
    cell: Cell
    facing: int | None
    shows: str | None
    ago: int


@dataclass(frozen=True)
class OpenSeat(SeatSituation):
    """What one player knows of its game at a step.

    actions: those beside steps and turns. pose: None while it is unknown or the player is off the map. is_own_map: True
    if nobody knows the map, so that cells are counted from where the player began. told: what the game tells it beside
    its view, in words by name. own: what is drawn with its own avatar. things, players: those that were seen and not
    seen gone. deeds: what it did, and what it was paid then. unseen: cells that were not in view for long. behaviours:
    what others can be predicted to do. kinds: the kind of every known thing. solid: the cells that something blocks.
    """

    blocks = "melting_pot/open/blocks.j2"
    behaviour = NextConduct

    facts: SubstrateFacts = field(metadata=UNSHOWN)
    actions: tuple[str, ...]
    step: int
    pose: Pose | None
    is_own_map: bool
    told: tuple[tuple[str, str], ...]
    own: tuple[str, ...]
    things: tuple[KnownThings, ...]
    players: tuple[KnownPlayer, ...]
    deeds: tuple[Deed, ...]
    earned: float
    unseen: tuple[Cell, ...]
    behaviours: tuple[str, ...]
    layout: Layout = field(metadata=UNSHOWN)
    kinds: Mapping[Cell, str] = field(metadata=UNSHOWN)
    solid: frozenset[Cell] = field(metadata=UNSHOWN)

    @property
    def most_calls(self) -> int:
        return MOST_CALLS

    @property
    def left(self) -> int:
        """The steps until the episode ends, or may end."""
        return max(0, self.facts.length.least - self.step)

    @property
    def shunned(self) -> Set[Cell]:
        """The cells that walks go around if they can."""
        return {cell for cell, kind in self.kinds.items() if kind in self.facts.avoids}

    def behaviour_forms(self, about: str | None) -> Forms:
        return {"does": one_of(self.behaviours)}

    def check_behaviour(self, about: str, given: Any) -> None:
        check_name("does", given.does, self.behaviours)

    @cached_property
    def names(self) -> CallNames:
        """What calls may name."""
        named = dict.fromkeys((*(known.kind for known in self.things), *self.facts.named_things))
        players = tuple(known.name for known in self.players)
        return CallNames(self.layout, self.actions, tuple(named), players)

    def call_patterns(self, barred: Any) -> tuple[str, str]:
        pattern = call_pattern(self.names)
        return pattern, pattern

    def read_plan(self, texts: Sequence[str], barred: Any) -> tuple[Call, ...]:
        plan = read_plan(texts, self.names)
        if plan[0] == barred:
            raise CallError(phrase("agent/messages.j2", "just_failed", call=str(barred)))
        return plan
