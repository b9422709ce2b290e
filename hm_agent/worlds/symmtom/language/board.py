"""The board as questions show it, and what happens on it: events, and meetings with other agents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from hm_agent.core import Event
from hm_agent.models.prompts import phrase
from hm_agent.questions import Forms, check_all, one_of
from hm_agent.theory_of_mind.seat_question import check_name
from hm_agent.theory_of_mind.situation import Behaviour, InteractionSeen, SeatSituation
from hm_agent.worlds.symmtom.language.calls import (
    Call,
    CallContext,
    Recharge,
    call_pattern,
    check_plan,
    parse_calls,
    walk_pattern,
)
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.views import Cell, Pieces

YOU = "you"
"""How texts name the agent that reads them."""
NOTHING = "nothing"
"""How texts name what a silent agent says."""
VISITS_BASE = "visits its base"
RETURNS = "comes straight back"


SILENCE = -1
"""How an answer names the piece of an agent that says none."""
MOST_TALKS = 12
"""How many talks a prompt shows: all that a test of mind has, and in a longer game the latest."""
MOST_WALKS = 4
"""The largest number of walks in a plan; a longer one would be outdated long before its end."""


class NextTalk(Behaviour):
    """What another agent does until it is met again, and which piece it says first then; `SILENCE` for none."""

    does: str
    says: int

    @property
    def words(self) -> str:
        return behaviour_of(self.does, None if self.says == SILENCE else self.says)


@dataclass(frozen=True, slots=True)
class Talk:
    """Steps in a row in which the same players were in hearing range of each other, as far as one of them noticed.

    first, last: how many steps had been played after each of both. pairs: who was in range of whom, `you` for the
    reader, who comes first. said: by each speaker that the reader could hear, itself included, what it said step by
    step, None for silence. recharged: who recharged in the last of the steps, as far as the reader can tell.
    """

    first: int
    last: int
    pairs: tuple[tuple[str, str], ...] = ()
    said: tuple[tuple[str, tuple[int | None, ...]], ...] = ()
    recharged: tuple[str, ...] = ()

    @property
    def players(self) -> frozenset[str]:
        """All who were in range of somebody."""
        return frozenset(name for pair in self.pairs for name in pair)


@dataclass(frozen=True, slots=True)
class Said:
    """What an agent was heard to say."""

    name: str
    piece: int


@dataclass(frozen=True, slots=True)
class PlayerSeen:
    """Another agent, as one agent knows it.

    first_hand: None if that is not public. shown: the other pieces that it has said or heard in the reader's
    hearing since it last recharged, as far as the reader can tell. near: the agents in its hearing range now, `you`
    for the reader. moved: its move in the latest turn, as left, right, up, down or stay; None before the first, and
    if the reader was held in it, when others follow scripts. is_held: True if it can't move now. recharges: how
    often it has recharged, as far as the reader can tell.
    """

    name: str
    cell: Cell
    base: Cell
    first_hand: Pieces | None
    shown: Pieces = ()
    near: tuple[str, ...] = ()
    moved: str | None = None
    is_held: bool = False
    recharges: int = 0


@dataclass(frozen=True, slots=True)
class Board(SeatSituation):
    """All that one agent may know at the start of a turn.

    knows: all pieces that it knows. said, heard, got: in the turn before; said is None if it was silent, got is its
    reward. recharges: how often it has recharged. steps: of the episode. talks: the latest, the oldest first.
    """

    blocks = "symmtom/blocks.j2"
    behaviour = NextTalk

    rules: GameSettings
    step: int
    me: str
    cell: Cell
    base: Cell
    first_hand: Pieces
    knows: Pieces
    others: tuple[PlayerSeen, ...]
    said: int | None = None
    heard: tuple[Said, ...] = ()
    is_held: bool = False
    got: float = 0.0
    recharges: int = 0
    steps: int = 0
    talks: tuple[Talk, ...] = ()

    @property
    def lacks(self) -> Pieces:
        return tuple(piece for piece in range(self.rules.pieces) if piece not in self.knows)

    @property
    def in_range(self) -> tuple[str, ...]:
        return tuple(player.name for player in self.others if YOU in player.near)

    def player(self, name: str) -> PlayerSeen:
        return next(player for player in self.others if player.name == name)

    def outcomes(self, about: str | None) -> tuple[str, ...]:
        """All behaviours of another agent, or of any if None, between two meetings with this one, in words."""
        return (VISITS_BASE, *(f"meets {player.name}" for player in self.others if player.name != about), RETURNS)

    def behaviour_forms(self, about: str | None) -> Forms:
        return {"does": one_of(self.outcomes(about)), "says": {"minimum": SILENCE, "maximum": self.rules.pieces - 1}}

    def check_behaviour(self, about: str, given: Any) -> None:
        check_all(
            partial(check_name, "does", given.does, self.outcomes(about)),
            partial(check_name, "says", given.says, range(SILENCE, self.rules.pieces)),
        )

    def may_know(self, about: str) -> tuple[str, ...]:
        """All pieces."""
        return tuple(phrase(self.blocks, "piece", piece=piece) for piece in range(self.rules.pieces))

    @property
    def most_calls(self) -> int:
        """Each piece once, and the walks."""
        return MOST_WALKS + self.rules.pieces

    @property
    def _context(self) -> CallContext:
        return CallContext(self.rules.width, tuple(player.name for player in self.others), self.knows)

    def call_patterns(self, barred: Call | None) -> tuple[str, str]:
        """Pieces are said while walks go on, so that a plan means the same whichever of both comes first."""
        useless = [*([Recharge()] if self.lacks else []), *([barred] if barred else [])]
        return walk_pattern(self._context, useless), call_pattern(self._context)

    def read_plan(self, texts: Sequence[str], barred: Call | None) -> tuple[Call, ...]:
        plan = parse_calls(texts, self._context)
        check_plan(plan, MOST_WALKS, self.lacks, barred)
        return plan


@dataclass(frozen=True, slots=True)
class Meeting:
    """An interaction: one or more turns in a row in which another agent was in hearing range.

    step: after its last turn. does: what the partner did between the meeting before and this one, None in the first.
    said: the piece that the partner said in each turn, None where it was silent. told: the piece that the agent itself
    said in each turn. news: the pieces that the agent learnt from the partner.
    """

    step: int
    partner: str
    does: str | None
    said: tuple[int | None, ...]
    told: tuple[int | None, ...]
    news: Pieces = ()

    @property
    def turns(self) -> int:
        return len(self.said)

    @property
    def behaviour(self) -> str:
        """What a right prediction equals: what the partner did, and the piece that it said first."""
        return behaviour_of(self.does, self.said[0])

    @property
    def reward(self) -> float:
        """For new pieces alone, since the agent is not told to whom its own pieces were new."""
        return float(len(self.news))

    def shows(self, prediction: str) -> bool | None:
        """True if the partner did and first said what was predicted; None for the first meeting with it."""
        return None if self.does is None else prediction == self.behaviour


def behaviour_of(does: str | None, says: int | None) -> str:
    """A behaviour in words, e.g. `visits its base, says 2`. says: None for nothing."""
    piece = NOTHING if says is None else str(says)
    return f"{does}, says {piece}" if does else f"says {piece}"


@dataclass(frozen=True, slots=True)
class PieceHeard(Event):
    """The agent heard a piece. is_new: True if it did not know the piece."""

    speaker: str
    piece: int
    is_new: bool

    def describe(self) -> str:
        return f"heard {'the new piece ' if self.is_new else ''}{self.piece} from {self.speaker}"


@dataclass(frozen=True, slots=True)
class WasHeard(Event):
    """The agent said a piece and others were in its hearing range."""

    piece: int
    listeners: tuple[str, ...]

    def describe(self) -> str:
        return f"said {self.piece} to {', '.join(self.listeners)}"


@dataclass(frozen=True, slots=True)
class CameIntoRange(Event):
    partner: str

    def describe(self) -> str:
        return f"met {self.partner}"


@dataclass(frozen=True, slots=True)
class HasRecharged(Event):
    """The agent has recharged on its own base."""

    def describe(self) -> str:
        return "recharged"


@dataclass(frozen=True, slots=True)
class MeetingEnded(InteractionSeen):
    """The partner left or went onto its base, or the meeting was so long that another one begins."""

    interaction: Meeting

    def describe(self) -> str:
        said = ", ".join(NOTHING if piece is None else str(piece) for piece in self.interaction.said)
        return f"the meeting with {self.interaction.partner} ended, who said {said}"
