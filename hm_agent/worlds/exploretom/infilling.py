"""Infilling (section 2.3): a language model tells a story action by action, and each telling is checked.

A telling is checked twice: a rule checks which names it has, and a judge, also a model, checks what it says. A telling
that is rejected is tried again; after too many rejections the plain sentence of the action is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Literal

from pydantic import BaseModel

from hm_agent.models.builtin import ReasonerTable
from hm_agent.models.prompts import phrase
from hm_agent.questions import UNSHOWN, Model, Question, Remark, Words, answer_or_none
from hm_agent.worlds.exploretom.story.actions import StoryAction, StoryScript
from hm_agent.worlds.exploretom.story.beliefs import steps_of
from hm_agent.worlds.exploretom.story.language import names_of, sentence_of

_refusal = partial(phrase, "exploretom/messages.j2")

TRIES = 3
"""The most tellings to try before the plain sentence of the action is used."""
MAX_TOLD = 500
"""The longest telling, in characters."""
LENGTHS = ("in one sentence", "in one or two sentences")
STYLES = ("without direct speech", "with direct speech where someone speaks")
FIRST_TRY, RETOLD, PLAIN = "first_try", "retold", "plain"


def names_found_in(text: str, names: Iterable[str]) -> set[str]:
    """Returns the names that a text has as whole words, in any case; where several names match, the longest counts."""
    longest_first = sorted(set(names), key=len, reverse=True)
    if not longest_first:
        return set()
    pattern = "|".join(rf"(?<![\w-]){re.escape(name)}(?![\w-])" for name in longest_first)
    by_lower = {name.lower(): name for name in longest_first}
    return {by_lower[match.lower()] for match in re.findall(pattern, text, re.IGNORECASE)}


class ToldAction(BaseModel):
    """An action in a writer's words."""

    text: Words


class TellingVerdict(BaseModel):
    """Whether a telling tells everything about an action, and whether it tells more than that."""

    tells_all: Literal["yes", "no"]
    tells_more: Literal["yes", "no"]
    reason: Remark = ""

    @property
    def objection(self) -> str | None:
        """What is wrong with the telling; None if nothing is."""
        lacks, adds = self.tells_all == "no", self.tells_more == "yes"
        return _refusal("objection", lacks=lacks, adds=adds, reason=self.reason) if lacks or adds else None


@dataclass(frozen=True, slots=True)
class TellAction(Question[ToldAction]):
    """How would a writer tell this?

    must_name: names that the telling must have. may_not_name: the story's other names, which it must not have. refused,
    objection: the last rejected telling and what was wrong with it; empty at the first try.
    """

    template = "exploretom/tell_action.j2"
    schema = ToldAction
    so_far: str
    action: str
    length: str
    style: str
    must_name: tuple[str, ...]
    refused: str = ""
    objection: str = ""
    may_not_name: tuple[str, ...] = field(default=(), metadata=UNSHOWN)

    def check(self, answer: ToldAction) -> None:
        names, problems = names_found_in(answer.text, (*self.must_name, *self.may_not_name)), list[str]()
        if len(answer.text) > MAX_TOLD:
            problems.append(_refusal("too_long", length=len(answer.text), most=MAX_TOLD))
        if missing := [name for name in self.must_name if name not in names]:
            problems.append(_refusal("lacks", names=missing))
        if others := [name for name in self.may_not_name if name in names]:
            problems.append(_refusal("names_others", names=others))
        if problems:
            raise ValueError("; ".join(problems))


@dataclass(frozen=True, slots=True)
class JudgeTelling(Question[TellingVerdict]):
    """Does a telling tell an action, and nothing else?"""

    template = "exploretom/judge_telling.j2"
    schema = TellingVerdict
    so_far: str
    action: str
    told: str


def _judge(question: JudgeTelling) -> TellingVerdict:
    is_plain = question.told == question.action
    reason = "" if is_plain else "only the plain sentence can be checked without a language model"
    return TellingVerdict(tells_all="yes" if is_plain else "no", tells_more="no", reason=reason)


INFILLING_ANSWERS: ReasonerTable = {TellAction: lambda question: ToldAction(text=question.action), JudgeTelling: _judge}
"""The built-in reasoner tells the plain sentence, and as a judge accepts nothing else."""


@dataclass(frozen=True, slots=True)
class ToldSentence:
    """The telling of an action. objections: why its tries were rejected.

    how: FIRST_TRY; RETOLD, after a rejection; or PLAIN, the plain sentence, since no try was accepted.
    """

    text: str
    how: str
    objections: tuple[str, ...] = ()


class Infiller:
    """Tells stories with one model and checks them with another.

    before_each: called before each question to a model; an exception from it ends the story.
    """

    def __init__(self, teller: Model, judge: Model, rng: Random, before_each: Callable[[], None]) -> None:
        self._teller, self._judge, self._rng, self._before_each = teller, judge, rng, before_each

    async def tell(self, script: StoryScript) -> list[ToldSentence]:
        """Returns the tellings of a story's actions, in order."""
        all_names = dict.fromkeys(name for action in script.actions for name in names_of(action))
        tellings: list[ToldSentence] = []
        for action, tracker in steps_of(script):
            allowed = {*names_of(action), tracker.rooms.get(action.person)}
            forbidden = tuple(name for name in all_names if name not in allowed)
            tellings.append(await self._tell_action(" ".join(telling.text for telling in tellings), action, forbidden))
        return tellings

    async def _tell_action(self, so_far: str, action: StoryAction, forbidden: Sequence[str]) -> ToldSentence:
        plain, objections, refused = sentence_of(action), list[str](), ""
        length, style = self._rng.choice(LENGTHS), self._rng.choice(STYLES)
        for _ in range(TRIES):
            last = objections[-1] if objections else ""
            question = TellAction(so_far, plain, length, style, names_of(action), refused, last, tuple(forbidden))
            self._before_each()
            answer = await answer_or_none(self._teller, question)
            if answer is None:  # the model has been told several times what is wrong
                objections.append(_refusal("no_text"))
                break
            self._before_each()
            verdict = await answer_or_none(self._judge, JudgeTelling(so_far, plain, answer.text))
            objection = _refusal("no_verdict") if verdict is None else verdict.objection
            if objection is None:
                return ToldSentence(answer.text, RETOLD if objections else FIRST_TRY, tuple(objections))
            refused = answer.text
            objections.append(objection)
        return ToldSentence(plain, PLAIN, tuple(objections))
