"""A story with the questions to ask about it, from any source: drawn stories, functional items, files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class QuestionKind:
    """The attributes by which right answers are counted.

    order: 0 to 2 as in `Asked`, None if unknown. about: e.g. `room`. set_id: the same for all questions about one
    property of one thing. is_interesting: None if unknown. is_functional: True if the answer is an action.
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
    """A story and its questions, as an episode asks them.

    sees_contents: whether entering a room shows what its containers hold. relies_on: for each question the indices, in
    `questions`, of the literal questions that a functional item relies on; empty for literal ones.
    """

    text: str
    sees_contents: bool
    questions: Sequence[PosableQuestion]
    relies_on: Sequence[Sequence[int]] = ()
