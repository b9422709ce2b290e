"""Plausible contexts of stories (section 2.1): a language model suggests settings, and a model judges their details.

A setting is suggested in one answer, so that its people, rooms, objects, containers and topics go together; then the
changes of each object. The judge refuses single containers and changes, and an object of which too few are left is
dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from random import Random
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema

from hm_agent.models.builtin import ReasonerTable
from hm_agent.models.prompts import phrase
from hm_agent.questions import Model, Question, Remark, answer_or_none, in_one_line
from hm_agent.worlds.exploretom.random_stories.cast import (
    CONTAINERS,
    CastLists,
    ListedObject,
    ListedSetting,
    cast_problems,
    read_cast,
)
from hm_agent.worlds.exploretom.story.actions import Alter, Change
from hm_agent.worlds.exploretom.story.language import change_problem, clause_of

_refusal = partial(phrase, "exploretom/messages.j2")

ROOMS, TOPICS, OBJECTS, PEOPLE, SPARE = 2, 5, 2, 4, 1
"""How many of each a setting has, and how many more containers than needed are asked for, since some are refused."""
VISIBLE, INVISIBLE = 3, 2
"""How many changes of an object are asked for; an object needs one of each."""
INSPIRING = 6
"""How many names are suggested to the model, for variety."""
TRIES = 2
"""How many settings are suggested, at most, for each that is wanted."""


def _text_like(pattern: str) -> WithJsonSchema:
    """The schema of texts for endpoints that hold to it, narrower than what `check` takes."""
    return WithJsonSchema({"type": "string", "pattern": pattern})


ThingName = Annotated[str, AfterValidator(in_one_line), _text_like("^[a-z][a-z -]{1,29}$")]
PersonName = Annotated[str, AfterValidator(in_one_line), _text_like("^[A-Z][a-z]{1,19}$")]
Verb = Annotated[str, AfterValidator(in_one_line), _text_like("^[a-z]{2,19}$")]
Rest = Annotated[str, AfterValidator(in_one_line), _text_like("^[a-z ]{0,39}$")]


class SuggestedObject(BaseModel):
    """An object, and containers that may hold and hide it."""

    name: ThingName
    containers: Annotated[list[ThingName], Field(min_length=CONTAINERS, max_length=CONTAINERS + SPARE)]


class SuggestedSetting(BaseModel):
    """Where a story may happen, who is there, and what they handle and talk about."""

    name: ThingName
    people: Annotated[list[PersonName], Field(min_length=PEOPLE, max_length=2 * PEOPLE)]
    rooms: Annotated[list[ThingName], Field(min_length=ROOMS, max_length=ROOMS)]
    topics: Annotated[list[ThingName], Field(min_length=TOPICS, max_length=TOPICS)]
    objects: Annotated[list[SuggestedObject], Field(min_length=OBJECTS, max_length=OBJECTS)]

    @property
    def lists(self) -> CastLists:
        """The setting as a list of its own."""
        objects = tuple(ListedObject(thing.name, tuple(thing.containers)) for thing in self.objects)
        setting = ListedSetting(self.name, tuple(self.rooms), tuple(self.topics), objects)
        return CastLists(tuple(self.people), (setting,))


class SuggestedChange(BaseModel):
    """A change in the words of `Anne {verb} the {object} {rest}.`; the rest may be empty."""

    verb: Verb
    rest: Rest = ""


class SuggestedChanges(BaseModel):
    """Changes of an object: those that whoever sees it later can see, and those that nobody can."""

    visible: Annotated[list[SuggestedChange], Field(min_length=1, max_length=VISIBLE)]
    invisible: Annotated[list[SuggestedChange], Field(min_length=1, max_length=INVISIBLE)]

    def of(self, thing: str) -> tuple[Change, ...]:
        listed = [(change, True) for change in self.visible] + [(change, False) for change in self.invisible]
        return tuple(Change(thing, change.verb, change.rest, is_visible) for change, is_visible in listed)


class DetailVerdict(BaseModel):
    """Whether a detail of a setting is plausible."""

    plausible: Literal["yes", "no"]
    reason: Remark = ""


@dataclass(frozen=True, slots=True)
class SuggestSetting(Question[SuggestedSetting]):
    """Where may a story happen? names: of people, to take or leave. taken: the settings that there are already."""

    template = "exploretom/suggest_setting.j2"
    schema = SuggestedSetting
    names: tuple[str, ...]
    taken: tuple[str, ...] = ()
    containers: int = CONTAINERS + SPARE

    def check(self, answer: SuggestedSetting) -> None:
        problems = list(cast_problems(answer.lists))
        if answer.name.lower() in map(str.lower, self.taken):
            problems.insert(0, _refusal("taken_setting", name=answer.name))
        if problems:
            raise ValueError("; ".join(problems))


@dataclass(frozen=True, slots=True)
class SuggestChanges(Question[SuggestedChanges]):
    """What may people do to an object that does not move it?"""

    template = "exploretom/suggest_changes.j2"
    schema = SuggestedChanges
    setting: str
    thing: str

    def check(self, answer: SuggestedChanges) -> None:
        if problems := list(filter(None, map(change_problem, answer.of(self.thing)))):
            raise ValueError("; ".join(problems))

    def usable_part(self, answer: SuggestedChanges) -> SuggestedChanges | None:
        """The changes that can be told in a sentence; None if none of either kind can."""
        told = {(change.verb, change.rest) for change in answer.of(self.thing) if change_problem(change) is None}
        visible, invisible = (
            [change for change in changes if (change.verb, change.rest) in told]
            for changes in (answer.visible, answer.invisible)
        )
        return SuggestedChanges(visible=visible, invisible=invisible) if visible and invisible else None


@dataclass(frozen=True, slots=True)
class JudgeDetail(Question[DetailVerdict]):
    """Is this plausible in a setting? detail: a sentence."""

    template = "exploretom/judge_detail.j2"
    schema = DetailVerdict
    setting: str
    detail: str


@dataclass(frozen=True, slots=True)
class SuggestedCast:
    """Names and settings that passed. refused: the details that the judge refused, with its reasons."""

    lists: CastLists
    refused: tuple[str, ...]


class CastWriter:
    """Has one model suggest settings, and another judge their details."""

    def __init__(self, suggester: Model, judge: Model, rng: Random) -> None:
        self._suggester, self._judge, self._rng = suggester, judge, rng
        self._refused: list[str] = []

    async def write(self, settings: int) -> SuggestedCast | None:
        """Returns this many settings, fewer if too many suggestions fail; None if all do."""
        names: dict[str, None] = {}
        found: list[ListedSetting] = []
        taken: list[str] = []
        for _ in range(settings * TRIES):
            if len(found) == settings:
                break
            inspiring = self._rng.sample(read_cast().names, INSPIRING)
            answer = await answer_or_none(self._suggester, SuggestSetting(tuple(inspiring), tuple(taken)))
            if answer is None:
                continue
            taken.append(answer.name)
            if setting := await self._judged(answer.lists.setting[0]):
                found.append(setting)
                names |= dict.fromkeys(answer.people)
        return SuggestedCast(CastLists(tuple(names), tuple(found)), tuple(self._refused)) if found else None

    async def _judged(self, setting: ListedSetting) -> ListedSetting | None:
        """The setting with the objects that the judge leaves; None if it leaves none."""
        judged = [await self._judged_object(setting.name, thing) for thing in setting.objects]
        objects = tuple(thing for thing in judged if thing)
        return replace(setting, objects=objects) if objects else None

    async def _judged_object(self, setting: str, thing: ListedObject) -> ListedObject | None:
        """An object with the containers and changes that the judge accepts; None if too few are left."""
        held = [
            name
            for name in thing.containers
            if await self._accepts(setting, _refusal("holding", thing=thing.name, container=name))
        ]
        if len(held) < CONTAINERS:
            return None
        answer = await answer_or_none(self._suggester, SuggestChanges(setting, thing.name))
        suggested = answer.of(thing.name) if answer else ()
        changes = [change for change in suggested if await self._accepts(setting, _changing(change))]
        visible, invisible = (
            tuple((change.verb, change.rest) for change in changes if change.is_visible is seen)
            for seen in (True, False)
        )
        return ListedObject(thing.name, tuple(held[:CONTAINERS]), visible, invisible) if visible and invisible else None

    async def _accepts(self, setting: str, detail: str) -> bool:
        """True if the judge finds a detail plausible; a judge that gives no verdict does not."""
        verdict = await answer_or_none(self._judge, JudgeDetail(setting, detail))
        if verdict is not None and verdict.plausible == "yes":
            return True
        self._refused.append(f"{setting}: {detail} {verdict.reason if verdict else _refusal('no_verdict')}".rstrip())
        return False


def _changing(change: Change) -> str:
    clause = clause_of(Alter("Anne", replace(change, is_visible=True)))
    return _refusal("changing", clause=clause, is_visible=change.is_visible)


# Without a language model


def _next_setting(question: SuggestSetting) -> SuggestedSetting:
    """The first setting of the lists that ship that is not taken, and again the first if all are."""
    listed = read_cast().setting
    setting = next((one for one in listed if one.name not in question.taken), listed[0])
    objects = [
        SuggestedObject(name=thing.name, containers=list(thing.containers[: CONTAINERS + SPARE]))
        for thing in islice(setting.objects, OBJECTS)
    ]
    return SuggestedSetting(
        name=setting.name,
        people=list(question.names),
        rooms=list(setting.rooms[:ROOMS]),
        topics=list(setting.topics[:TOPICS]),
        objects=objects,
    )


def _listed_changes(question: SuggestChanges) -> SuggestedChanges:
    """The changes of the lists that ship."""
    things = (thing for setting in read_cast().setting if setting.name == question.setting for thing in setting.objects)
    thing = next(thing for thing in things if thing.name == question.thing)

    def suggested(changes: Sequence[tuple[str, str]], most: int) -> list[SuggestedChange]:
        return [SuggestedChange(verb=verb, rest=rest) for verb, rest in changes[:most]]

    return SuggestedChanges(visible=suggested(thing.visible, VISIBLE), invisible=suggested(thing.invisible, INVISIBLE))


CAST_ANSWERS: ReasonerTable = {
    SuggestSetting: _next_setting,
    SuggestChanges: _listed_changes,
    JudgeDetail: lambda question: DetailVerdict(plausible="yes"),
}
"""The built-in reasoner suggests what the lists that ship have, and finds it plausible."""
