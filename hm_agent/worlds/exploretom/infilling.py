"""Stories told by a language model, action by action (section 2.3), each sentence checked before the next one.

A telling is checked twice: by rule, for the names that it has and must not have, and by a judge, which is a model, too.
What is refused is told again; what is refused too often is told by the plain sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal

from pydantic import BaseModel

from hm_agent.models.builtin import ReasonerTable
from hm_agent.questions import UNSHOWN, Model, Question, Remark, Words, answer_or_none, check_all
from hm_agent.worlds.exploretom.story.actions import (
    Alter,
    CarryTo,
    Inform,
    ObjectPlace,
    PutInto,
    StoryAction,
    StoryScript,
    TalkAbout,
    people_of,
)
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker
from hm_agent.worlds.exploretom.story.language import sentence_of

TRIES = 3
"""How often an action is told before it is told by its plain sentence."""
MAX_TOLD = 500
"""Characters of a telling."""
LENGTHS = ("in one sentence", "in one or two sentences")
STYLES = ("without direct speech", "with direct speech where someone speaks")
FIRST_TRY, RETOLD, PLAIN = "first_try", "retold", "plain"


def names_in(action: StoryAction) -> tuple[str, ...]:
    """The people, things and places that an action's sentence names, each once."""
    names: list[str | None] = [*people_of(action), getattr(action, "room", None)]
    if isinstance(action, PutInto | CarryTo):
        names += [action.object, getattr(action, "container", None)]
    if isinstance(action, Alter):
        names.append(action.change.object)
    if isinstance(action, TalkAbout):
        names.append(action.topic)
    if isinstance(action, Inform):
        claim = action.claim
        names += [claim.object, *((claim.container, claim.room) if isinstance(claim, ObjectPlace) else ())]
    return tuple(dict.fromkeys(name for name in names if name))


def named(text: str, names: Iterable[str]) -> set[str]:
    """Those of the names that a text holds as whole words, in any case; the longest name where several fit."""
    longest_first = sorted(set(names), key=len, reverse=True)
    if not longest_first:
        return set()
    pattern = "|".join(rf"(?<![\w-]){re.escape(name)}(?![\w-])" for name in longest_first)
    by_lower = {name.lower(): name for name in longest_first}
    return {by_lower[found.lower()] for found in re.findall(pattern, text, re.IGNORECASE)}


class ToldAction(BaseModel):
    """An action in a writer's words."""

    text: Words


class TellingVerdict(BaseModel):
    """Whether a telling tells all of an action, and more than that."""

    tells_all: Literal["yes", "no"]
    tells_more: Literal["yes", "no"]
    reason: Remark = ""

    @property
    def objection(self) -> str | None:
        """What is wrong; None if nothing is."""
        faults = {
            "it does not tell all that happens": self.tells_all == "no",
            "it tells more than what happens": self.tells_more == "yes",
        }
        wrong = [fault for fault, is_so in faults.items() if is_so]
        return f"{', and '.join(wrong)}. {self.reason}".strip() if wrong else None


@dataclass(frozen=True, slots=True)
class TellAction(Question[ToldAction]):
    """How would a writer tell this?

    must_name: names that the telling must have. may_not_name: those of the story that it must not have. refused,
    objection: the last try and what was wrong with it, if there was one.
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
        found = named(answer.text, (*self.must_name, *self.may_not_name))
        missing = [name for name in self.must_name if name not in found]
        others = [name for name in self.may_not_name if name in found]

        def is_short() -> None:
            if len(answer.text) > MAX_TOLD:
                raise ValueError(f"text: it has {len(answer.text)} characters; at most {MAX_TOLD} are allowed")

        def names_all() -> None:
            if missing:
                raise ValueError(f"text: it must name {', '.join(missing)}")

        def names_no_other() -> None:
            if others:
                raise ValueError(f"text: it must not name {', '.join(others)}")

        check_all(is_short, names_all, names_no_other)


@dataclass(frozen=True, slots=True)
class JudgeTelling(Question[TellingVerdict]):
    """Does a telling tell an action, and nothing else?"""

    template = "exploretom/judge_telling.j2"
    schema = TellingVerdict
    so_far: str
    action: str
    told: str


def _judge(asked: JudgeTelling) -> TellingVerdict:
    is_plain = asked.told == asked.action
    reason = "" if is_plain else "only the plain sentence can be checked without a language model"
    return TellingVerdict(tells_all="yes" if is_plain else "no", tells_more="no", reason=reason)


INFILLING_ANSWERS: ReasonerTable = {
    TellAction: lambda asked: ToldAction(text=asked.action),
    JudgeTelling: _judge,
}
"""The built-in reasoner tells the plain sentence, and lets nothing else pass."""


@dataclass(frozen=True, slots=True)
class ToldSentence:
    """An action as it is told. how: at the FIRST_TRY, RETOLD, or PLAIN, since all tries were refused."""

    text: str
    how: str
    objections: tuple[str, ...] = ()


class Infiller:
    """Tells stories. before_each: called before each question; what it raises ends the story."""

    def __init__(self, teller: Model, judge: Model, rng: Random, before_each: Callable[[], None]) -> None:
        self._teller, self._judge, self._rng, self._before_each = teller, judge, rng, before_each

    async def tell(self, script: StoryScript) -> list[ToldSentence]:
        """A story, one telling for each action."""
        every = dict.fromkeys(name for action in script.actions for name in names_in(action))
        tracker, told = BeliefTracker(script.people, sees_contents=script.sees_contents), list[ToldSentence]()
        for action in script.actions:
            allowed = {*names_in(action), tracker.rooms.get(action.person)}
            others = tuple(name for name in every if name not in allowed)
            told.append(await self._tell_action(" ".join(one.text for one in told), action, others))
            tracker.apply(action)
        return told

    async def _tell_action(self, so_far: str, action: StoryAction, others: Sequence[str]) -> ToldSentence:
        plain, objections, refused = sentence_of(action), list[str](), ""
        length, style = self._rng.choice(LENGTHS), self._rng.choice(STYLES)
        for _ in range(TRIES):
            last = objections[-1] if objections else ""
            question = TellAction(so_far, plain, length, style, names_in(action), refused, last, tuple(others))
            self._before_each()
            answer = await answer_or_none(self._teller, question)
            if answer is None:  # the model has been told several times what is wrong
                objections.append("no valid text was given")
                break
            self._before_each()
            verdict = await answer_or_none(self._judge, JudgeTelling(so_far, plain, answer.text))
            objection = "the judge gave no verdict" if verdict is None else verdict.objection
            if objection is None:
                return ToldSentence(answer.text, RETOLD if objections else FIRST_TRY, tuple(objections))
            refused = answer.text
            objections.append(objection)
        return ToldSentence(plain, PLAIN, tuple(objections))
