"""What a world tells agents that think in language: the present situation, what others may do, what a plan may say.

A world that implements this needs no body, mind or questions of its own (`agents/written_body.py`, `written_mind.py`,
`mind_questions.py`): it supplies a `SeatSituation`, interactions, and the blocks of its prompts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias

from pydantic import BaseModel

from hm_agent.core import Event, Interaction
from hm_agent.models.prompts import phrase
from hm_agent.questions import WORDS_PATTERN, Forms, Remark
from hm_agent.repeated_games.payoffs import Side

Call: TypeAlias = Any
"""One call of a plan, e.g. `meet(player_1)`: a frozen dataclass of the world; `str` gives it as a model writes it."""


class Behaviour(BaseModel):
    """What another player may do next, as an answer names it; each world has a subclass with its own fields."""

    @property
    def words(self) -> str:
        """The behaviour in words, as hypotheses keep it, e.g. `visits its base, says 2`."""
        raise NotImplementedError


class TypedStrategy(BaseModel):
    """A strategy as an answer gives it in a world where a strategy is more than words; each such world has a subclass.

    words: the strategy, or the reason for it, in words; it may be empty.
    """

    words: Remark = ""


class SeatSituation:
    """What one seat sees and knows now: a frozen dataclass of each world.

    blocks: the template in prompts/ with the world's blocks; its macros are listed in docs/adding_a_world.md.
    behaviour: how an answer names what another player may do. strategy: how an answer names what to do about it: words,
    or a `TypedStrategy`. shows_history: True if the block `now` tells the interactions, so that they are not told
    again. keys, count_range: of the mappings and numbers in answers, as in `Question`.
    """

    __slots__ = ()
    blocks: ClassVar[str]
    behaviour: ClassVar[type[Behaviour]]
    shows_history: ClassVar[bool] = False

    @property
    def keys(self) -> Sequence[str]:
        return ()

    @property
    def count_range(self) -> tuple[int, int] | None:
        return None

    @property
    def strategy(self) -> Any:
        return Remark

    @property
    def writes_strategy(self) -> bool:
        """True if a strategy is nothing but words."""
        return self.strategy is Remark

    @property
    def tells_reward(self) -> bool:
        """True if the seat knows what it was paid so far."""
        return True

    @property
    def side(self) -> Side:
        """The game of one interaction as the seat sees it, in a world where both choose from a few actions."""
        raise NotImplementedError

    def may_know(self, about: str) -> Sequence[str]:
        """What a player may know that matters, in words, of which agents are asked for chances; by default nothing."""
        return ()

    @property
    def most_calls(self) -> int:
        """The largest number of calls in a plan."""
        raise NotImplementedError

    @property
    def is_over(self) -> bool:
        """True once nothing is left to do but to answer literal questions."""
        return False

    def behaviour_forms(self, about: str | None) -> Forms:
        """JSON schema keywords of the fields of a behaviour of a player; None: of any player."""
        raise NotImplementedError

    def check_behaviour(self, about: str, given: Any) -> None:
        """Raises ValueError if a predicted behaviour of a player is impossible, with what would be possible."""
        raise NotImplementedError

    def strategy_forms(self, present: str | None) -> Forms:
        """JSON schema keywords of a strategy and its fields. present: the strategy up to now, in words; None if none.

        Words may be left empty only if there is a strategy already.
        """
        return {} if present else {"strategy": {"pattern": WORDS_PATTERN}}

    def check_strategy(self, given: Any, present: str | None) -> None:
        """Raises ValueError if a strategy in an answer can't be followed, with what would be right."""
        if not given and not present:
            raise ValueError(phrase("agent/messages.j2", "no_strategy"))

    def shown(self, history: Sequence[NoticedInteraction], latest: int) -> Sequence[NoticedInteraction]:
        """The interactions that a question shows, the oldest first. latest: how many it shows by default."""
        return history[-latest:]

    def call_patterns(self, barred: Call | None) -> tuple[str, str]:
        """Regular expressions of a plan's first call, which can be carried out now, and of all later ones.

        barred: the call that has just failed, which is not to come first.
        """
        raise NotImplementedError

    def read_plan(self, texts: Sequence[str], barred: Call | None) -> tuple[Call, ...]:
        """Reads a plan; raises CallError if it can't be carried out, with what would be right."""
        raise NotImplementedError

    def usable_part(self, texts: Sequence[str], barred: Call | None) -> Sequence[str]:
        """What of a plan that can't be carried out is of use all the same; by default nothing."""
        return ()


class NoticedInteraction(Interaction, Protocol):
    """An interaction as an agent that thinks in language notices it; each world has its own kinds."""

    def shows(self, prediction: str) -> bool | None:
        """True if a predicted behaviour, in words, came true; None if the interaction doesn't tell."""
        ...


@dataclass(frozen=True, slots=True)
class InteractionSeen(Event):
    """The agent noticed an interaction with another player."""

    interaction: NoticedInteraction


@dataclass(frozen=True, slots=True)
class PlanRecord:
    """A plan that is over or was given up. done: how many of its steps were carried out, of so many. left: the rest."""

    calls: tuple[Call, ...]
    done: int
    of: int
    left: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class BarredCall:
    """A call that has just failed. why: the reason, in words."""

    call: Call
    why: str
