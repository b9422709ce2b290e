"""A model that answers as it is told, and things that happen for strategists to think about."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar, cast

from pydantic import BaseModel

from hm_agent.core import Counts, Event, Strategy
from hm_agent.questions import AnswerT, Call, Question, Unanswered, ignore
from hm_agent.worlds.melting_pot.facts import KitchenFacts, MatrixFacts
from hm_agent.worlds.melting_pot.games.cooking.game import CookingGame
from hm_agent.worlds.melting_pot.games.cooking.rounds import Delivery
from hm_agent.worlds.melting_pot.games.matrix.game import MatrixGame
from hm_agent.worlds.melting_pot.games.matrix.interactions import InteractionEvent
from hm_agent.worlds.melting_pot.games.matrix.payoff import reward
from hm_agent.worlds.melting_pot.games.matrix.pickups import Gathering
from hm_agent.worlds.melting_pot.scenarios import game_named
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of

RWS = game_named("rws_repeated", MatrixFacts)
ROCKS, PAPERS, SCISSORS = (6, 1, 1), (1, 6, 1), (1, 1, 6)
OWN = (1, 7, 1)
"""What one holds in every interaction: a committed paper."""
Reply = Callable[[Any], BaseModel | None]
QuestionT = TypeVar("QuestionT", bound=Question[Any])


class ScriptedModel:
    """Answers each kind of question by a function of it, None for no answer, and notes every question."""

    name = "told"

    def __init__(self, replies: Mapping[type[Question[Any]], Reply]) -> None:
        self.replies = dict(replies)
        self.asked: list[Question[Any]] = []

    async def answer(self, question: Question[AnswerT], note: Callable[[Call], None] = ignore) -> AnswerT:
        self.asked.append(question)
        reply = self.replies[type(question)](question)
        if reply is None:
            raise Unanswered("as told")
        return cast(AnswerT, reply)

    def of(self, kind: type[QuestionT]) -> list[QuestionT]:
        """The questions of one kind, in the order they were asked."""
        return [question for question in self.asked if isinstance(question, kind)]

    def kinds(self) -> list[type[Question[Any]]]:
        """What was asked since this was last called."""
        kinds = [type(question) for question in self.asked]
        self.asked.clear()
        return kinds


class Strategist(Protocol):
    """The part of a strategist that events are told to."""

    async def revise(self, event: Event) -> Strategy | None: ...


def dyad() -> MatrixGame:
    return MatrixGame(RWS, vision_of(RWS.short_name))


def arena() -> MatrixGame:
    facts = game_named("rws_arena", MatrixFacts)
    return MatrixGame(facts, vision_of(facts.short_name))


def kitchen() -> CookingGame:
    facts = game_named("cooking_asymmetric", KitchenFacts)
    return CookingGame(facts, vision_of(facts.short_name))


def tell(strategist: Strategist, event: Event) -> Strategy | None:
    return asyncio.run(strategist.revise(event))


def meet(
    strategist: Strategist, step: int, other: Counts = ROCKS, paid: float | None = None, partner: str = "opponent"
) -> Strategy | None:
    """An interaction in which the other held this. paid: the reward, where it is not what that comes to."""
    paid = reward(OWN, other, RWS.payoff) if paid is None else paid
    return tell(strategist, InteractionEvent(step, partner, OWN, paid, shown=(0, 0, 0)))


def find_gone(
    strategist: Strategist, step: int, suggests: str | None, taken: Counts = (0, 1, 0), partner: str = "opponent"
) -> Strategy | None:
    """A clue: somebody has taken this."""
    return tell(strategist, Gathering(step, partner, suggests, taken, own=(1, 3, 1)))


def deliver(strategist: Strategist, step: int, role: str | None, teammate: str) -> Strategy | None:
    """A soup that was delivered by oneself while the teammate played a role."""
    return tell(strategist, Delivery(step, teammate, (), role, by="you"))


def each(replies: Sequence[Any]) -> Reply:
    """One reply after the other, whatever is asked; none after the last."""
    left = iter(replies)
    return lambda question: next(left, None)
