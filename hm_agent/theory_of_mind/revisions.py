"""Schemas and checks of answers about several hypotheses, in any game: a prediction by each, or their revision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from pydantic import BaseModel

from hm_agent.core import Hypothesis
from hm_agent.models.prompts import phrase
from hm_agent.questions import Remark, check_all
from hm_agent.theory_of_mind.mind import MOST_HYPOTHESES

_refusal = partial(phrase, "agent/messages.j2")


class RevisedHypothesis(BaseModel):
    """One hypothesis: kept, reworded or new.

    of: its number in the question, from 1; 0 for a new one. hypothesis: empty if it is kept as it is.
    """

    of: int = 0
    hypothesis: Remark = ""


def forms_for_each(hypotheses: Sequence[object]) -> dict[str, Any]:
    """The JSON schema keywords of a list with one item for each hypothesis, and a single item if there is none."""
    count = max(1, len(hypotheses))
    return {"minItems": count, "maxItems": count}


def check_for_each(field: str, given: Sequence[object], hypotheses: Sequence[object]) -> None:
    """Raises ValueError if a list does not have one item for each hypothesis, or a single item if there is none.

    field: the list's name, for the message.
    """
    count = max(1, len(hypotheses))
    if len(given) != count:
        raise ValueError(_refusal("not_for_each", field=field, given=len(given), wanted=count))


SOME, ANY, NONE = range(1, MOST_HYPOTHESES + 1), range(MOST_HYPOTHESES + 1), range(1)
"""How many hypotheses an answer may have: after new evidence, before there is evidence, and if nothing new is known."""


def revision_forms(hypotheses: Sequence[Hypothesis], counts: range = SOME) -> Mapping[str, Mapping[str, Any]]:
    """The JSON schema keywords of a list of hypotheses and of their `of`. counts: how many there may be."""
    return {
        "hypotheses": {"minItems": counts[0], "maxItems": counts[-1]},
        "of": {"minimum": 0, "maximum": len(hypotheses)},
    }


def check_revisions(given: Sequence[RevisedHypothesis], hypotheses: Sequence[Hypothesis], counts: range = SOME) -> None:
    """Raises ValueError for revisions that can't be used.

    hypotheses: those that the question numbers. counts: how many revisions there may be.
    """
    numbers = [revision.of for revision in given]
    checks: list[Callable[[], None]] = [
        partial(_check_revised, revision, numbers, len(hypotheses)) for revision in given
    ]
    check_all(lambda: _check_count(len(given), counts), *checks)


def _check_count(given: int, counts: range) -> None:
    if given and counts == NONE:
        raise ValueError(_refusal("nothing_new"))
    if given not in counts:
        raise ValueError(_refusal("too_many_or_few", given=given, least=counts[0], most=counts[-1]))


def _check_revised(revision: RevisedHypothesis, numbers: Sequence[int], count: int) -> None:
    if not 0 <= revision.of <= count:
        raise ValueError(_refusal("no_hypothesis", number=revision.of))
    if revision.of and numbers.count(revision.of) > 1:
        raise ValueError(_refusal("named_twice", number=revision.of))
    if not revision.of and not revision.hypothesis:
        raise ValueError(_refusal("no_words"))
