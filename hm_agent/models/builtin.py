"""The built-in reasoner: answers each question by calculation from the question's own fields, and nothing else.

It needs no key and no network and is deterministic. It is no language model, and never called one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from pydantic import BaseModel

from hm_agent.questions import AnswerT, Call, Question, Unanswered, ignore
from hm_agent.worlds.melting_pot.games.cooking.reasoner import answers as cooking
from hm_agent.worlds.melting_pot.games.matrix.reasoner import answers as matrix

ANSWERS: Mapping[type[Question[Any]], Callable[[Any], BaseModel]] = {**matrix.ANSWERS, **cooking.ANSWERS}
"""How to answer, by the kind of question."""


class BuiltinReasoner:
    """A model that calculates."""

    name = "builtin"

    async def answer(self, question: Question[AnswerT], note: Callable[[Call], None] = ignore) -> AnswerT:
        calculate = ANSWERS.get(type(question))
        if calculate is None:
            raise Unanswered(f"the built-in reasoner knows no answer to {type(question).__name__}")
        return cast(AnswerT, calculate(question))
