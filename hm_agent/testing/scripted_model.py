"""A deterministic model that answers each kind of question by a given function, so that tests need no patches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from pydantic import BaseModel

from hm_agent.questions import AnswerT, ModelCall, Question, Unanswered, ignore

ReplyFunction = Callable[[Any], BaseModel | None]
"""Maps a question to its answer; None makes the model raise Unanswered."""
QuestionT = TypeVar("QuestionT", bound=Question[Any])


class ScriptedModel:
    """A `Model` given its replies by kind of question; records the questions in `asked`, in order.

    Raises KeyError for a kind of question without a reply, and Unanswered where the reply is None.
    """

    name = "told"

    def __init__(self, replies: Mapping[type[Question[Any]], ReplyFunction]) -> None:
        self.replies = dict(replies)
        self.asked: list[Question[Any]] = []

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        self.asked.append(question)
        reply = self.replies[type(question)](question)
        if reply is None:
            raise Unanswered("as told")
        return cast(AnswerT, reply)

    def of(self, kind: type[QuestionT]) -> list[QuestionT]:
        """The questions of one kind, in the order they were asked."""
        return [question for question in self.asked if isinstance(question, kind)]

    def kinds(self) -> list[type[Question[Any]]]:
        """The kinds of the questions asked since the last call; clears `asked`."""
        kinds = [type(question) for question in self.asked]
        self.asked.clear()
        return kinds


def each(replies: Sequence[Any]) -> ReplyFunction:
    """A reply function that ignores the question: it gives the replies one by one, then None."""
    remaining = iter(replies)
    return lambda question: next(remaining, None)
