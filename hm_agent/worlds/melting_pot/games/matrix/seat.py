"""What questions in a matrix game show of one seat, what others may do next, and how a strategy is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pydantic import Field, model_validator

from hm_agent.models.prompts import phrase
from hm_agent.questions import UNSHOWN, Forms, check_all, one_of, some_of
from hm_agent.repeated_games.payoffs import Side
from hm_agent.theory_of_mind.situation import Behaviour, NoticedInteraction, SeatSituation, TypedStrategy
from hm_agent.worlds.melting_pot.facts import Counts, argmax
from hm_agent.worlds.melting_pot.games.matrix.best_response import LastSeen
from hm_agent.worlds.melting_pot.games.matrix.pairs.takings import Witnessed
from hm_agent.worlds.melting_pot.games.matrix.pickups import PickupRecord
from hm_agent.worlds.melting_pot.games.matrix.rules import LastShown, MatrixInteraction, MatrixRules, check_players
from hm_agent.worlds.melting_pot.grid import Cell, Layout
from hm_agent.worlds.melting_pot.planning.walking import steps_to_all


class NextLead(Behaviour):
    """Which behaviour's resource a player will hold most of in the next interaction, and its count."""

    kind: str
    count: int

    @property
    def words(self) -> str:
        return self.kind

    @model_validator(mode="before")
    @classmethod
    def _lead_of_inventory(cls, given: Any) -> Any:
        """Accepts a whole inventory by behaviour instead of the two fields, if one resource leads in it."""
        if not isinstance(given, dict) or given.keys() & cls.model_fields.keys():
            return given
        if not all(isinstance(count, int) for count in given.values()):
            return given
        leading = [kind for kind, count in given.items() if count == max(given.values())]
        return {"kind": leading[0], "count": given[leading[0]]} if len(leading) == 1 else given


class AgainstOne(TypedStrategy):
    """What to hold against one player, by behaviour, and how to collect it.

    expects: what that player is expected to hold in view of all. watch: True to see first what it takes. show: the kind
    of which the agent is to take one thing before its eyes, before all others; empty for none. covert: True if it must
    not see the agent collect the others.
    """

    expects: NextLead
    hold: dict[str, int]
    watch: bool = False
    show: str = ""
    covert: bool = False


class AmongMany(TypedStrategy):
    """Whom to meet, anybody if nobody is named, and what to hold then, by behaviour.

    watch: True to watch the others and meet nobody until more is known. covert: True if the others must not see the
    agent collect.
    """

    seek: list[str] = Field(default_factory=list)
    hold: dict[str, int]
    watch: bool = False
    covert: bool = False

    @model_validator(mode="before")
    @classmethod
    def _complete_if_watching(cls, given: Any) -> Any:
        """Lets a strategy that only watches leave out what to hold."""
        only_watches = isinstance(given, dict) and given.get("watch") is True
        return {"hold": {}} | given if only_watches else given


@dataclass(frozen=True, slots=True)
class OtherPlayer:
    """What the agent has seen of another player beside interactions.

    present: what it was seen to take since it last respawned, None if nothing was seen. former: the same between its
    earlier respawns, except before its interactions with the agent. seen: when and how far away it was last in view;
    None if that is unknown, and for an only opponent.
    """

    player: str
    present: PickupRecord | None = None
    former: tuple[PickupRecord, ...] = ()
    seen: LastSeen | None = None


@dataclass(frozen=True, slots=True)
class Reach:
    """Where the agent is and which things it knows of, by cell. here: None while it is not free to walk."""

    layout: Layout
    here: Cell | None
    things: Mapping[Cell, str]

    def count(self, kind: str) -> int:
        """How many things of a kind are known."""
        return sum(thing == kind for thing in self.things.values())

    def steps_to(self, kind: str, more: int) -> int | None:
        """The steps to take so many things of a kind, always the nearest next; None if too few are known."""
        left = {cell for cell, thing in self.things.items() if thing == kind}
        here, steps = self.here, 0
        for _ in range(more):
            ways = steps_to_all(self.layout, here) if here else {}
            here = min(left & ways.keys(), key=lambda cell: (ways[cell], cell), default=None)
            if here is None:
                return None
            steps += ways[here]
            left.remove(here)
        return steps


@dataclass(frozen=True, slots=True)
class MatrixSeat(SeatSituation):
    """What one player of a matrix game sees and knows at a step.

    held: its inventory. others: the other players, or only the one that a question is about. interactions: those that
    the block `now` sums up, i.e. all, but among many players without those that the question tells one by one.
    may_watch: False if a strategy to watch would not be followed. last_shown: what the only opponent last saw the agent
    collect, None if nothing. reach: what it can collect; None if nothing was seen. witnessed: what it is told of the
    opponent in a matched pair, and saw being taken; None elsewhere.
    """

    blocks = "melting_pot/matrix/blocks.j2"
    behaviour = NextLead

    rules: MatrixRules
    step: int
    held: Counts
    others: tuple[OtherPlayer, ...]
    interactions: tuple[MatrixInteraction, ...] = ()
    may_watch: bool = True
    last_shown: LastShown | None = None
    reach: Reach | None = field(default=None, compare=False, metadata=UNSHOWN)
    witnessed: Witnessed | None = None

    def to_json(self) -> Mapping[str, Any]:
        """What traces show: what changes from question to question; a trace's own lines hold the interactions."""
        witnessed = {"takings": self.witnessed.takings} if self.witnessed else {}
        return {"step": self.step, "held": self.held, "others": self.others, **witnessed}

    @property
    def keys(self) -> tuple[str, ...]:
        return self.rules.behaviours

    @property
    def count_range(self) -> tuple[int, int]:
        return self.rules.count_range

    @property
    def strategy(self) -> type[AgainstOne | AmongMany]:
        return AgainstOne if len(self.others) == 1 else AmongMany

    @property
    def side(self) -> Side:
        return self.rules.side

    @property
    def players(self) -> list[str]:
        return [other.player for other in self.others]

    def within_reach(self, target: Counts) -> Counts:
        """The target with no more of its leading kind than is known, in a pair, where nothing comes back; it leads."""
        lead = argmax(target)
        if self.witnessed is None or self.reach is None or lead is None:
            return target
        known = self.held[lead] + self.reach.count(self.rules.things[lead])
        least = 1 + max(max(both) for kind, both in enumerate(zip(target, self.held, strict=True)) if kind != lead)
        return tuple(max(least, min(count, known)) if kind == lead else count for kind, count in enumerate(target))

    def shown(self, history: Sequence[NoticedInteraction], latest: int) -> Sequence[NoticedInteraction]:
        """All interactions: a rule shows in the whole of them."""
        return history

    def behaviour_forms(self, about: str | None) -> Forms:
        least, most = self.rules.lead_range
        return {"kind": one_of(self.rules.behaviours), "count": {"minimum": least, "maximum": most}}

    def check_behaviour(self, about: str, given: NextLead) -> None:
        self.rules.check("next", {given.kind: given.count}, self.rules.lead_range)

    def strategy_forms(self, present: str | None) -> Forms:
        watch: Forms = {} if self.may_watch else {"watch": {"enum": [False]}}
        show = one_of(["", *(self.rules.behaviours if self.may_show else ())])
        return {**self.behaviour_forms(None), "show": show, "seek": some_of(self.players), **watch}

    @property
    def may_show(self) -> bool:
        """True if there is one opponent, it is always the same, and it may answer what it sees."""
        return self.rules.players == 2 and self.witnessed is None

    def check_strategy(self, given: AgainstOne | AmongMany, present: str | None) -> None:
        if isinstance(given, AgainstOne):
            expected = {given.expects.kind: given.expects.count}
            others = partial(self.rules.check, "expects", expected, self.rules.lead_range)
        else:
            others = partial(check_players, "seek", given.seek, self.players)
        checks = partial(self._check_watch, given), partial(self._check_show, given)
        check_all(partial(self.rules.check, "hold", given.hold, self.count_range), others, *checks)

    def _check_show(self, given: AgainstOne | AmongMany) -> None:
        if isinstance(given, AgainstOne) and given.show not in ("", *(self.rules.behaviours if self.may_show else ())):
            raise ValueError(phrase("melting_pot/matrix/messages.j2", "no_show", given=given.show, seat=self))

    def _check_watch(self, given: AgainstOne | AmongMany) -> None:
        if given.watch and not self.may_watch:
            raise ValueError(phrase("melting_pot/matrix/messages.j2", "no_watch"))
