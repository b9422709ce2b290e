"""Judges the labels of a story: right, wrong with the reason, arguable with the convention, or not judged.

A label is called wrong only if all sentences up to its question, the question, all choices and the label can be read,
the sentences are possible one after the other, a definite answer follows from them, and no convention makes it right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from hm_agent.worlds.exploretom.audit.choices import meant_choices
from hm_agent.worlds.exploretom.audit.labelled import LabelledQuestion, LabelledStory
from hm_agent.worlds.exploretom.audit.read_story import ReadStory, believer_words, right_places
from hm_agent.worlds.exploretom.audit.tomi_language import WhereAsked, parse_question
from hm_agent.worlds.exploretom.datasets.belief_trace import value_words
from hm_agent.worlds.exploretom.questions.asked import Asked, AskedProperty, AskedTime
from hm_agent.worlds.exploretom.questions.functional import action_choices, chosen_action, parse_asked_action
from hm_agent.worlds.exploretom.questions.grading import meaning
from hm_agent.worlds.exploretom.story.evidence import AwayFrom, Key, Missing, ObjectLocation


class LabelVerdict(Enum):
    """The verdict on a label."""

    RIGHT = "right"
    WRONG = "wrong"
    ARGUABLE = "arguable"
    NOT_JUDGED = "not judged"


class Convention(Enum):
    """What a story leaves open, and authors of data sets decide in different ways."""

    CONTENTS = "does one who enters a room see what its containers hold?"
    STAYED = "does one who comes back and finds a thing moved think that those who had stayed know where it is?"
    CLAIMS = "does one believe what is claimed?"
    NUMBERS = "do the numbers of choices begin with 0?"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A label with its verdict. reason: in one line, unless the label is right.

    trace: for a wrong label, a line for each sentence of the story. convention: for an arguable one, what decides.
    """

    question: LabelledQuestion
    verdict: LabelVerdict
    reason: str = ""
    trace: tuple[str, ...] = ()
    convention: Convention | None = None


@dataclass(frozen=True, slots=True)
class _Unjudged(Exception):
    """Raised if a label can't be judged. reason: why, in one line."""

    reason: str


@dataclass(frozen=True, slots=True)
class _Answer:
    """What is known about the answer to a question.

    key: what it is about. people: whose nested belief it is, outermost first; empty for the state of the world.
    objection: why a text is no right answer, None if it is; raises _Unjudged for a text that can't be judged.
    depends_on: the convention on which it depends whether a text is right; None if there is none.
    """

    key: Key
    people: Sequence[str]
    objection: Callable[[str], str | None]
    depends_on: Callable[[str], Convention | None] = lambda text: None


def judge(story: LabelledStory, *, sees_contents: bool | None = None) -> Iterator[Judgement]:
    """Yields the judgements of a story's labels, in their order.

    sees_contents: whether entering shows what containers hold, for stories whose file does not say; None to take what
    ToMi has, yes, and to call a label arguable that is wrong only because of that.
    """
    shows = sees_contents if story.sees_contents is None else story.sees_contents
    lines = [line.line for line in story.lines]
    sentences = tuple(line.text for line in story.lines)
    for question in story.questions:
        yield _judge(sentences, question, lines, shows)


def _judge(
    sentences: tuple[str, ...], question: LabelledQuestion, lines: Sequence[int], shows: bool | None
) -> Judgement:
    read = _read(sentences, shows is not False)
    try:
        if question.label == "":
            raise _Unjudged("it has no label")
        if read.stop < question.after:
            raise _Unjudged(f"line {lines[read.stop]}: {read.problem}")
        answer = _answer(read, question)
        label, *others = _label_texts(question)
        objection = answer.objection(label)
        convention = answer.depends_on(label)
        if objection is None:
            return _arguable(question, convention) if convention else Judgement(question, LabelVerdict.RIGHT)
        if convention is None and shows is None and _is_right(_read(sentences, False), question, label):
            convention = Convention.CONTENTS
        if convention is None and others and answer.objection(others[0]) is None:
            convention = Convention.NUMBERS
        if convention:
            return _arguable(question, convention, objection)
        _check_choices(question, answer)
    except _Unjudged as unjudged:
        return Judgement(question, LabelVerdict.NOT_JUDGED, unjudged.reason)
    trace = tuple(read.trace(answer.key, answer.people, question.after))
    return Judgement(question, LabelVerdict.WRONG, objection, trace)


def _arguable(question: LabelledQuestion, convention: Convention, objection: str = "") -> Judgement:
    known = f"; by default {objection}" if objection else ""
    return Judgement(question, LabelVerdict.ARGUABLE, f"{convention.value}{known}", convention=convention)


def _is_right(read: ReadStory, question: LabelledQuestion, label: str) -> bool:
    """True if a label is right in another reading of its story; False also if that is not known."""
    if read.stop < question.after:
        return False
    try:
        return _answer(read, question).objection(label) is None
    except _Unjudged:
        return False


def _label_texts(question: LabelledQuestion) -> tuple[str, ...]:
    """The texts that a label may mean, the likeliest first; raises _Unjudged if it means none."""
    if question.unread:
        raise _Unjudged(question.unread)
    if not question.choices:
        return (str(question.label),)
    texts = meant_choices(question.label, question.choices)
    if not texts:
        raise _Unjudged(f"{str(question.label)[:80]!r} means none of the {len(question.choices)} choices")
    return texts


def _check_choices(question: LabelledQuestion, answer: _Answer) -> None:
    """Raises _Unjudged if a question has choices of which none is known to be right."""
    for choice in question.choices:
        try:
            if answer.objection(choice.text) is None:
                return
        except _Unjudged:
            continue
    if question.choices:
        raise _Unjudged("none of the choices reads as the right answer")


@lru_cache(maxsize=16)
def _read(sentences: tuple[str, ...], sees_contents: bool) -> ReadStory:
    """Reads a story, cached, since files of JSON lines repeat it for each of its questions."""
    return ReadStory(sentences, sees_contents)


# Answers


def _answer(read: ReadStory, question: LabelledQuestion) -> _Answer:
    """The answer to a question; raises _Unjudged if the question can't be read, or no definite answer follows."""
    asked = parse_question(question.text)
    if action := parse_asked_action(question.text):
        _check_actions(read)
        story = read.answered(question.after)
        right, choices = chosen_action(story, action), action_choices(story, action)
        return _Answer(action.key, (action.person,), _differs_from(right, choices))
    if isinstance(asked, WhereAsked) and (changed := read.first_change(question.after)):
        raise _Unjudged(f"{changed[:80]!r} may say where something is")
    if isinstance(asked, Asked) and read.states_places:
        asked = _as_where_asked(asked)
    if isinstance(asked, Asked):
        return _own_answer(read, asked, question)
    if asked is None:
        raise _Unjudged(f"can't read the question {question.text[:80]!r}")
    return _where_answer(read, asked, question)


def _check_actions(read: ReadStory) -> None:
    """Raises _Unjudged if the story also has sentences about places (`Being`) or claims."""
    if read.states_places:
        raise _Unjudged("such a question is judged only if all sentences of the story are actions of people")


def _differs_from(right: str, choices: Sequence[str]) -> Callable[[str], str | None]:
    """The objection to every text that does not mean the right one of a question's choices."""

    def objection(text: str) -> str | None:
        return None if meaning(text, choices) == right else f"the answer is {right!r}"

    return objection


def _own_answer(read: ReadStory, asked: Asked, question: LabelledQuestion) -> _Answer:
    """The answer to a question in our own language."""
    _check_actions(read)
    story = read.answered(question.after)
    right = story.answer(asked)
    if right is None:
        raise _Unjudged("the story gives no definite answer")
    return _Answer(asked.key, asked.people, _differs_from(right, story.choices(asked)))


def _where_answer(read: ReadStory, asked: WhereAsked, question: LabelledQuestion) -> _Answer:
    """The answer to a question of where something is, which may be told in ToMi's sentences."""
    tracker, after = read.tracker_after(question.after), question.after
    if unknown := [name for name in asked.people if name not in read.people]:
        raise _Unjudged(f"the story names no {unknown[0]}")
    has_room = asked.thing in tracker.people or asked.thing in tracker.containers
    key = ("room" if has_room else "location", asked.thing)
    value = read.value(key, asked.people, after, asked.time)
    claimed = read.claims_heard(asked.thing, asked.people, after) if asked.people else ()
    believed = dict.fromkeys((*right_places(value)[:1], *claimed))
    inferred = _if_those_who_stayed_know(read, key, asked, after)

    def objection(text: str) -> str | None:
        label = read.place_meant(text)
        if isinstance(value, ObjectLocation | str):
            if label in right_places(value):
                return None
            if label is None and not question.choices:
                raise _Unjudged(f"can't read the label {text[:80]!r} as a place of the story")
            return _correction(asked, value_words(value))
        if isinstance(value, AwayFrom | Missing) and label and read.is_ruled_out(label, value, tracker):
            return _correction(asked, f"not in the {value.room}")
        raise _Unjudged(f"the story does not say where {_asked_words(asked)} is")

    def depends_on(text: str) -> Convention | None:
        label = read.place_meant(text)
        if len(believed) > 1 and label in believed:
            return Convention.CLAIMS
        if label in right_places(inferred) and label not in right_places(value):
            return Convention.STAYED
        return None

    return _Answer(key, asked.people, objection, depends_on)


def _if_those_who_stayed_know(read: ReadStory, key: Key, asked: WhereAsked, after: int) -> ObjectLocation | None:
    """Where the first person believes a thing, if the second had stayed with it when the first last left it."""
    if len(asked.people) != 2 or key[0] != "location":
        return None
    own = read.value(key, asked.people[:1], after)
    if not isinstance(own, ObjectLocation):
        return None
    return own if asked.people[1] in read.stayed_when_leaving(asked.people[0], own.room, after) else None


def _asked_words(asked: WhereAsked) -> str:
    """`the apple`, or with people `the apple, as Anne thinks that Beth believes,`."""
    thing = asked.thing if asked.thing[0].isupper() else f"the {asked.thing}"
    if not asked.people:
        return thing
    thinks = " thinks that ".join(asked.people)
    return f"{thing}, as {thinks} believes,"


def _correction(asked: WhereAsked, known: str) -> str:
    """The right answer as a sentence: `Anne thinks that Beth believes it in the box in the hall`."""
    if asked.time == "beginning":
        return f"at the beginning it is {known}"
    return f"{believer_words(asked.people)} it {known}" if asked.people else f"it is {known}"


def _as_where_asked(asked: Asked) -> WhereAsked | Asked:
    """A question about a room or container as one that can be judged for any story; other questions unchanged."""
    if asked.about not in (AskedProperty.ROOM, AskedProperty.CONTAINER) or asked.time is AskedTime.BEFORE:
        return asked
    return WhereAsked(asked.subject, asked.people, "beginning" if asked.time is AskedTime.BEGINNING else "now")
