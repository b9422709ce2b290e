"""A story with the questions that are put about it, whatever they come from: drawn stories, functional items, files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class QuestionKind:
    """What right answers are counted by.

    order: 0 to 2 as in `Asked`, None if nobody says. about: e.g. `room`. set_id: questions about one property of one
    thing share it. is_interesting: None where that is not known. is_functional: True if an action is to be chosen.
    """

    order: int | None
    about: str
    set_id: str
    is_interesting: bool | None = None
    is_false_belief: bool = False
    is_functional: bool = False


class PosableQuestion(Protocol):
    """A question with its answer, which is one of its choices."""

    @property
    def text(self) -> str: ...

    @property
    def answer(self) -> str: ...

    @property
    def choices(self) -> tuple[str, ...]: ...

    @property
    def kind(self) -> QuestionKind: ...


@dataclass(frozen=True, slots=True)
class PosedStory:
    """What an episode asks.

    sees_contents: whether entering a room shows what its containers hold. relies_on: for each question the places, in
    `questions`, of the literal questions whose answers a functional one needs; empty for literal ones.
    """

    text: str
    sees_contents: bool
    questions: Sequence[PosableQuestion]
    relies_on: Sequence[Sequence[int]] = ()
