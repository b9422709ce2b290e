"""The built-in reasoner: calculates the answer to each question from the question's own fields alone.

It is deterministic and needs no key and no network. It is no language model, and never calls one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

from pydantic import BaseModel

from hm_agent.models.own_prompts import OwnQuestion
from hm_agent.questions import AnswerT, ModelCall, ModelUnavailable, Question, Unanswered, ignore

ReasonerTable: TypeAlias = Mapping[type[Question[Any]], Callable[[Any], BaseModel]]
"""The function that calculates the answer, by the question's class."""


def by_situation(tables: Mapping[type[Any], ReasonerTable]) -> ReasonerTable:
    """Joins the tables of several kinds of situations into one.

    A question that is in several tables is answered by that of the class of its `situation`, or of the nearest base of
    it.
    """

    def answer(question: Any) -> BaseModel:
        kind = next(kind for kind in type(question.situation).__mro__ if kind in tables)
        return tables[kind][type(question)](question)

    joined: dict[type[Question[Any]], Callable[[Any], BaseModel]] = {}
    for table in tables.values():
        for asked, calculate in table.items():
            joined[asked] = answer if asked in joined else calculate
    return joined


class BuiltinReasoner:
    """A model that looks up the question's class in a table and calls the function found there.

    Raises ModelUnavailable for a prompt of a user's own, and Unanswered for any other question that the table lacks.
    """

    name = "builtin"

    def __init__(self, answers: ReasonerTable) -> None:
        self._answers = answers

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        calculate = self._answers.get(type(question))
        if calculate is None and isinstance(question, OwnQuestion):
            raise ModelUnavailable(
                "the built-in reasoner is no language model and answers no prompts of your own: name one with --model"
            )
        if calculate is None:
            raise Unanswered(f"the built-in reasoner knows no answer to {question.asked_as}")
        return cast(AnswerT, calculate(question))
