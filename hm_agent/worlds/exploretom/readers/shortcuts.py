"""Rules that answer from where the words stand in the text, and keep no account of what is so or of what anybody knows.

Most look at some of the story's sentences, a window, and take the choice that is named first or last in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from hm_agent.worlds.exploretom.questions.asked import DOES_NOT_KNOW, KNOWS, NO, YES, parse_asked
from hm_agent.worlds.exploretom.questions.functional import parse_asked_action
from hm_agent.worlds.exploretom.questions.plans import choices_of
from hm_agent.worlds.exploretom.readers.reading import read_story
from hm_agent.worlds.exploretom.readers.shortcut_words import WINDOWED, rule_name
from hm_agent.worlds.exploretom.world import StoryView

Rule = Callable[[StoryView], str]
Window = Callable[[Sequence[str], str], Sequence[str]]
"""Selects some of the sentences of a story, given a person whom the question names."""


def first_choice(view: StoryView) -> str:
    return shown_choices(view)[0]


def last_choice(view: StoryView) -> str:
    return shown_choices(view)[-1]


def last_mention(view: StoryView) -> str:
    """Takes the choice that the story names last; of choices such as yes and no, the affirmative one.

    Of several names in a choice, as in `box in the hall`, the first one counts.
    """
    choices = shown_choices(view)
    affirmative = next((choice for choice in choices if choice in (YES, KNOWS)), None)
    return affirmative or max(choices, key=lambda choice: view.story.rfind(_words(_names(choice)[0])))


def _names(choice: str) -> Sequence[str]:
    """The places or people that a choice names."""
    return re.split(r" in the | and |, | tells (?:everyone in the )?", choice)


def _words(name: str) -> str:
    return name if name[0].isupper() else f"the {name}"


def shown_choices(view: StoryView) -> Sequence[str]:
    """The choices of a question, also if the view does not show them."""
    return view.choices or choices_of(read_story(view.story, view.sees_contents), view.question)


# Windows


def where_named(sentences: Sequence[str], name: str) -> Sequence[int]:
    """The numbers of the sentences that name a person; the last one if none does."""
    return [number for number, words in enumerate(sentences) if name in words] or [len(sentences) - 1]


WINDOWS: Mapping[str, Window] = {
    "anywhere": lambda sentences, person: sentences,
    "plain": lambda sentences, person: [words for words in sentences if "While" not in words],
    "askew": lambda sentences, person: [words for words in sentences if "While" in words],
    "with": lambda sentences, person: [words for words in sentences if person in words],
    "of": lambda sentences, person: [words for words in sentences if words.startswith(person)],
    "told": lambda sentences, person: [words for words in sentences if f"to {person} " in words],
    "until": lambda sentences, person: sentences[: where_named(sentences, person)[-1] + 1],
    "before": lambda sentences, person: sentences[: where_named(sentences, person)[0]],
    "from": lambda sentences, person: sentences[where_named(sentences, person)[0] :],
    "after": lambda sentences, person: sentences[where_named(sentences, person)[-1] + 1 :],
}
"""By name, as `shortcut_words` says."""


def named_in(view: StoryView, window: Window, *, asker: bool, last: bool) -> str:
    """Takes the choice that a window names last or first; yes if it names what is asked about, no if not.

    asker: True if the window is of the first person whom the question names, False if of the last one. A choice that
    names several is as far as its first name, then its next. Where the window names no choice, the whole story counts.
    """
    choices, sentences, people = shown_choices(view), view.story.splitlines(), people_named(view)
    person = people[0 if asker else -1] if people else ""
    seen = "\n".join(window(sentences, person))
    if set(choices) in ({NO, YES}, {DOES_NOT_KNOW, KNOWS}):
        is_named = _subject(view.question) in seen
        return next(choice for choice in choices if (choice in (YES, KNOWS)) == is_named)
    for text in (seen, view.story):
        places = {choice: [_place(text, name, last=last) for name in _names(choice)] for choice in choices}
        named = {choice: place for choice, place in places.items() if place[0] is not None}
        if named:
            return max(named, key=lambda choice: [place or 0 for place in named[choice]])
    return first_choice(view)


def _place(text: str, name: str, *, last: bool) -> int | None:
    """How late a text last names something, or how early it first does: more is more; None if it does not."""
    found = text.rfind(_words(name)) if last else text.find(_words(name))
    return None if found < 0 else found + 1 if last else len(text) - found


def _subject(question: str) -> str:
    """The words for what a question of yes or no is about."""
    asked = parse_asked_action(question) or parse_asked(question)
    return asked.key[-1]


def people_named(view: StoryView) -> Sequence[str]:
    """The people of the story whom the question names, in this order."""
    people = read_story(view.story, view.sees_contents).tracker.people
    return sorted(filter(view.question.__contains__, people), key=view.question.index)


def majority(view: StoryView) -> str:
    """Takes the choice that the story names most often; of choices such as yes and no, the affirmative one."""
    return max(shown_choices(view), key=lambda choice: [view.story.count(_words(name)) for name in _names(choice)])


SHORTCUTS: Mapping[str, Rule] = {
    "last_choice": last_choice,
    "majority": majority,
    **{
        rule_name(window, pick, whom): partial(
            named_in, window=WINDOWS[window], asker=whom == "asker", last=pick == "last"
        )
        for window, pick, whom in WINDOWED
    },
}
"""By name; as an agent each is `shortcut_` and this name."""
