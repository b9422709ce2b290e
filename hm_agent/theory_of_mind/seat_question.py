"""A question of a seat, in any world that is played in words, and the classes of its answers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, TypeVar

from hm_agent.models.prompts import phrase
from hm_agent.questions import AnswerT, Question
from hm_agent.theory_of_mind.situation import Behaviour, NoticedInteraction, SeatSituation

BehaviourT = TypeVar("BehaviourT", bound=Behaviour)
StrategyT = TypeVar("StrategyT")
History = tuple[NoticedInteraction, ...]


def check_name(field: str, name: object, known: Sequence[object]) -> None:
    """Raises ValueError if a name in an answer is none of the known ones, which the message lists."""
    if name not in known:
        raise ValueError(phrase("agent/messages.j2", "unknown_name", field=field, name=str(name)[:60], known=known))


def one_for_each(things: Sequence[object]) -> dict[str, Any]:
    """The JSON schema keywords of a list with one item for each thing, and a single item if there is none."""
    count = max(1, len(things))
    return {"minItems": count, "maxItems": count}


def check_one_for_each(field: str, given: Sequence[object], things: Sequence[object]) -> None:
    """Raises ValueError if a list in an answer is not as `one_for_each` asks. field: its name, for the message."""
    count = max(1, len(things))
    if len(given) != count:
        details = {"field": field, "given": len(given), "wanted": count}
        raise ValueError(phrase("agent/messages.j2", "not_for_each", **details))


class SeatQuestion(Question[AnswerT]):
    """A question of a seat; the seat's situation narrows down what an answer may hold."""

    __slots__ = ()
    situation: SeatSituation

    @property
    def keys(self) -> Sequence[str]:
        return self.situation.keys

    @property
    def count_range(self) -> tuple[int, int] | None:
        return self.situation.count_range


@cache
def answer_with(kind: type[AnswerT], *parameters: Any) -> type[AnswerT]:
    """The class of an answer that is generic, with these parameters."""
    answer: type[AnswerT] = kind[parameters]  # type: ignore[index]
    return answer


def answer_about(kind: type[AnswerT], situation: SeatSituation) -> type[AnswerT]:
    """The class of an answer for a world's behaviours, from one that is generic over them, e.g. `Foresight`."""
    return answer_with(kind, situation.behaviour)


def answer_deciding(kind: type[AnswerT], situation: SeatSituation) -> type[AnswerT]:
    """The same from one that is generic over behaviours and strategies, e.g. `Prediction`."""
    return answer_with(kind, situation.behaviour, situation.strategy)
