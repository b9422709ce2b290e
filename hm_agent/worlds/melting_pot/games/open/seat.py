"""What questions show of a player in any substrate, and what answers may say of the others and of its plans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hm_agent.models.prompts import phrase
from hm_agent.questions import UNSHOWN, Forms, one_of, shown_fields
from hm_agent.theory_of_mind.seat_question import check_name
from hm_agent.theory_of_mind.situation import Behaviour, SeatSituation
from hm_agent.worlds.melting_pot.games.open.calls import Call, CallNames, LookAround, WalkTo, call_pattern, read_plan
from hm_agent.worlds.melting_pot.games.open.deeds import Deed
from hm_agent.worlds.melting_pot.games.open.open_facts import SubstrateFacts
from hm_agent.worlds.melting_pot.grid import Cell, Layout, Pose
from hm_agent.worlds.melting_pot.memory.entities import PlayerSighting
from hm_agent.worlds.melting_pot.memory.view_times import ViewTimes
from hm_agent.worlds.melting_pot.planning.walking import steps_from
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

    own_name: by which others may be told of it. actions: those beside steps and turns. pose: None while it is unknown
    or the player is off the map. is_own_map: True if nobody knows the map, so that cells are counted from where the
    player began. told: what the game tells it beside its view, in words by name. own: what is drawn with its own
    avatar. deeds: what it did, and what it was paid then. behaviours: what others can be predicted to do. seen: the
    kind and the step of every thing that was seen and not seen gone, by its cell. sighted: where each other player was
    last. looked_at: when each cell was in view. blocking: the kinds of things that nobody can enter. has: how many it
    holds of what its game counts, of what its hand has grasped and of what is drawn with it, as far as the game's file
    says what that is for.
    """

    blocks = "melting_pot/open/blocks.j2"
    most_calls = MOST_CALLS
    behaviour = NextConduct

    facts: SubstrateFacts = field(metadata=UNSHOWN)
    own_name: str
    actions: tuple[str, ...]
    step: int
    pose: Pose | None
    is_own_map: bool
    told: tuple[tuple[str, str], ...]
    own: tuple[str, ...]
    deeds: tuple[Deed, ...]
    earned: float
    behaviours: tuple[str, ...]
    layout: Layout = field(metadata=UNSHOWN)
    seen: Mapping[Cell, tuple[str, int]] = field(metadata=UNSHOWN)
    sighted: Mapping[str, PlayerSighting] = field(metadata=UNSHOWN)
    looked_at: ViewTimes = field(metadata=UNSHOWN)
    blocking: frozenset[str] = field(metadata=UNSHOWN)
    has: Mapping[str, int] = field(default_factory=dict, metadata=UNSHOWN, kw_only=True)

    def to_json(self) -> Mapping[str, Any]:
        """What traces show: the fields that prompts show, and what these show of things and players."""
        return {**shown_fields(self), "things": self.things, "players": self.players}

    @property
    def here(self) -> Cell:
        """The own cell, or the corner of the map while it is unknown."""
        return self.pose.cell if self.pose else (0, 0)

    def steps_to(self, cell: Cell) -> int:
        """The steps to a cell if nothing is in the way."""
        return self.layout.distance(self.here, cell)

    @cached_property
    def things(self) -> tuple[KnownThings, ...]:
        """All things that were seen and not seen gone, by kind, the nearest first."""
        counts = Counter(kind for kind, _ in self.seen.values())
        cells: dict[str, list[tuple[Cell, int]]] = {kind: [] for kind in counts}
        for cell, (kind, step) in sorted(self.seen.items(), key=lambda item: self.steps_to(item[0])):
            if len(cells[kind]) < MOST_CELLS:
                cells[kind].append((cell, self.step - step))
        known = (KnownThings(kind, count, tuple(cells[kind])) for kind, count in counts.items())
        return tuple(sorted(known, key=lambda each: (self.steps_to(each.cells[0][0]), each.kind)))

    @cached_property
    def players(self) -> tuple[KnownPlayer, ...]:
        """All other players that were seen: those in view first, the nearest first."""
        known = [
            KnownPlayer(name, seen.cell, seen.facing, seen.mark, self.step - seen.step)
            for name, seen in self.sighted.items()
        ]
        return tuple(sorted(known, key=lambda each: (each.ago > 0, self.steps_to(each.cell), each.name)))

    @cached_property
    def unseen(self) -> tuple[Cell, ...]:
        """Cells that were out of view for long; none while the own one is unknown."""
        return tuple(cell for cell, _ in self.looked_at.unseen_places(self.here, self.step)) if self.pose else ()

    @property
    def unseen_inside(self) -> tuple[Cell, ...]:
        """Those between things that were seen, where something shows on all ground of an unknown map, else all."""
        if not (self.facts.floor and self.is_own_map and self.seen and self.pose):
            return self.unseen
        columns, rows = zip(*self.seen, strict=True)
        inside = (min(columns), min(rows)), (max(columns), max(rows))
        return tuple(cell for cell, _ in self.looked_at.unseen_places(self.here, self.step, inside))

    @property
    def search(self) -> Call:
        """A walk to the cell that was out of view for longest; a look around where none was for long."""
        return WalkTo(self.unseen[0]) if self.unseen else LookAround()

    @cached_property
    def solid(self) -> frozenset[Cell]:
        """The cells that a thing is known to block, but for what the player holds."""
        return frozenset(cell for cell, (kind, _) in self.seen.items() if kind in self.blocking) - {self.held_at}

    @property
    def held_at(self) -> Cell | None:
        """The cell straight ahead, if a thing that blocks is held there, which moves and turns with the player."""
        ahead = self.layout.wrapped(self.pose.place(1, 0)) if self.pose and self.has else None
        kind, _ = self.seen.get(ahead, ("", 0)) if ahead else ("", 0)
        return ahead if kind in self.blocking and kind in self.has else None

    @cached_property
    def ways(self) -> Mapping[Cell, int]:
        """The steps to each cell to which a way is known, over seen cells if nobody knows the map.

        What blocks, and players in view, are where ways end.
        """
        closed = self.solid | {player.cell for player in self.players if not player.ago}

        def leads_on(cell: Cell) -> bool:
            return cell not in closed and (not self.is_own_map or self.looked_at.of(cell) is not None)

        return steps_from(self.layout, self.here, leads_on)

    @property
    def stamina(self) -> float | None:
        """The share of its full stamina; None where players don't tire."""
        return next((float(told) for name, told in self.told if name == "stamina"), None)

    @property
    def is_tired(self) -> bool:
        """True for a player that the game's file has rest now."""
        return self.stamina is not None and self.stamina <= self.facts.tired

    def cells_of(self, kinds: Collection[str]) -> list[Cell]:
        """The cells of the known things of some kinds, but for the own cell."""
        return [cell for cell, (kind, _) in self.seen.items() if kind in kinds and cell != self.here]

    @property
    def left(self) -> int:
        """The steps until the episode ends, or may end."""
        return max(0, self.facts.length.least - self.step)

    @property
    def shunned(self) -> Set[Cell]:
        """The cells that walks go around if they can."""
        return {*self.cells_of(self.facts.avoids)} if self.facts.avoids else set()

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


@dataclass(frozen=True)
class PlayingRule:
    """A rule of a player: what minds take others to follow, and scripted players do.

    words: as agents say it of others, or as the strategy of a shortcut. next: what it does now, by the seat of its
    player. changed_by: the things that end what it does once its player gets them.
    """

    words: str
    next: Callable[[Any], Sequence[Call]]
    changed_by: Set[str] = frozenset()
