"""What answers about several hypotheses share in all games: a prediction for each, or the hypotheses revised."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from pydantic import BaseModel

from hm_agent.core import Hypothesis
from hm_agent.questions import Remark, check_all
from hm_agent.theory_of_mind.mind import MOST_HYPOTHESES


class RevisedHypothesis(BaseModel):
    """One hypothesis: kept, reworded or new.

    of: its number in the question, from 1; 0 for a new one. hypothesis: empty if it is kept as it is.
    """

    of: int
    hypothesis: Remark


def forms_for_each(hypotheses: Sequence[Hypothesis]) -> dict[str, Any]:
    """The keywords of a list with an item for each hypothesis, one without any."""
    count = max(1, len(hypotheses))
    return {"minItems": count, "maxItems": count}


def check_for_each(field: str, given: Sequence[object], hypotheses: Sequence[Hypothesis]) -> None:
    """Raises ValueError if a list has another number of items."""
    wanted = max(1, len(hypotheses))
    if len(given) != wanted:
        raise ValueError(f"{field}: {len(given)} given, {wanted} wanted, one for each hypothesis")


def revision_forms(hypotheses: Sequence[Hypothesis], *, is_wanted: bool = True) -> Mapping[str, Mapping[str, Any]]:
    """The keywords of a list of `RevisedHypothesis` and of `of`. is_wanted: False if the list is to be empty."""
    least, most = (1, MOST_HYPOTHESES) if is_wanted else (0, 0)
    return {"hypotheses": {"minItems": least, "maxItems": most}, "of": {"minimum": 0, "maximum": len(hypotheses)}}


def check_revisions(
    given: Sequence[RevisedHypothesis], hypotheses: Sequence[Hypothesis], *, is_wanted: bool = True
) -> None:
    """Raises ValueError for revisions that can't be used. hypotheses: those that are numbered."""
    numbers = [each.of for each in given]
    each_of: list[Callable[[], None]] = [partial(_check_revised, each, numbers, len(hypotheses)) for each in given]
    check_all(lambda: _check_count(len(given), is_wanted), *each_of)


def _check_count(given: int, is_wanted: bool) -> None:
    if given and not is_wanted:
        raise ValueError("hypotheses: nothing new is known of anyone; write []")
    if is_wanted and not 1 <= given <= MOST_HYPOTHESES:
        raise ValueError(f"hypotheses: {given} given, 1 to {MOST_HYPOTHESES} wanted")


def _check_revised(each: RevisedHypothesis, numbers: Sequence[int], known: int) -> None:
    if not 0 <= each.of <= known:
        raise ValueError(f"of: no hypothesis has the number {each.of}; 0 is for a new one")
    if each.of and numbers.count(each.of) > 1:
        raise ValueError(f"of: hypothesis {each.of} is named more than once")
    if not each.of and not each.hypothesis:
        raise ValueError("hypothesis: a new one needs words")
