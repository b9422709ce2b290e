"""Reads the choices of a question in the forms in which data sets write them, and what a label means among them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from hm_agent.worlds.exploretom.audit.tomi_language import words
from hm_agent.worlds.exploretom.questions.grading import meaning
from hm_agent.worlds.exploretom.story.language import plain_words

_NAMES = ("label", "letter", "key", "id", "name", "option")
_TEXTS = ("text", "value", "content", "choice", "answer", "option")
_LETTERED = re.compile(r"\(?(?P<name>[A-Za-z]|\d{1,2})[.):]\)?\s+(?P<text>\S.*)")
_IN_TEXT = re.compile(r"(?:^|[,;\n]\s*|\s)\(?([A-Z])[.):]\)?\s+")


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice. name: its letter or number."""

    name: str
    text: str


def read_choices(value: object) -> tuple[Choice, ...] | None:
    """The choices that a value of JSON lists; None if it is in no form that is read.

    Read are lists of texts, with letters or without; lists of objects with a letter and a text; objects with a text
    for each letter, or with a list of letters and one of texts; and one text, `A. box, B. bin`.
    """
    if isinstance(value, str):
        return _from_text(value)
    if isinstance(value, Mapping):
        return _from_object(value)
    if not isinstance(value, list) or not value:
        return None
    if all(isinstance(part, str) and part.strip() for part in value):
        return _lettered(value)
    objects = [_choice_from(part, letter) for part, letter in zip(value, ascii_uppercase, strict=False)]
    choices = tuple(choice for choice in objects if choice)
    return choices if len(choices) == len(value) else None


def _from_text(text: str) -> tuple[Choice, ...] | None:
    """The choices of one text, if their letters are A, B and so on."""
    start, *parts = _IN_TEXT.split(text.strip())
    letters, texts = parts[::2], [part.strip(" ,;\n") for part in parts[1::2]]
    is_read = not start and all(texts) and len(letters) > 1 and letters == list(ascii_uppercase[: len(letters)])
    return tuple(map(Choice, letters, texts)) if is_read else None


def _from_object(value: Mapping[str, object]) -> tuple[Choice, ...] | None:
    names, texts = (next((value[key] for key in keys if key in value), None) for keys in (_NAMES, _TEXTS))
    if isinstance(names, list) and isinstance(texts, list) and len(names) == len(texts):
        value = dict(zip(map(str, names), texts, strict=True))
    if not value or not all(isinstance(text, str) and text.strip() for text in value.values()):
        return None
    return tuple(Choice(str(name).strip("(). "), str(text).strip()) for name, text in value.items())


def _lettered(texts: Sequence[str]) -> tuple[Choice, ...]:
    """Choices by the letters with which they begin, if each begins with its own; else by A, B and so on."""
    matches = [_LETTERED.fullmatch(text.strip()) for text in texts]
    own = tuple(Choice(match["name"], match["text"]) for match in matches if match)
    names = [choice.name.upper() for choice in own]
    if len(own) == len(texts) and names in (list(ascii_uppercase[: len(own)]), [str(n + 1) for n in range(len(own))]):
        return own
    return tuple(map(Choice, ascii_uppercase, (text.strip() for text in texts)))


def _choice_from(value: object, letter: str) -> Choice | None:
    if not isinstance(value, Mapping):
        return None
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str | int)), letter)
    text = next((value[key] for key in _TEXTS if isinstance(value.get(key), str)), None)
    return Choice(str(name).strip("(). "), text.strip()) if isinstance(text, str) and text.strip() else None


def meant_choices(label: str | int, choices: Sequence[Choice]) -> tuple[str, ...]:
    """The texts that a label means: its choice by words, letter or number; none if it means none, or several.

    A number that names no choice counts from 0, or from 1: both are returned, in this order, where there are both.
    """
    text = str(label).strip()
    by_words = {choice.text for choice in choices if isinstance(label, str) and choice.text == text}
    name = re.sub(r"^\(?(\w+)[.):]?\)?$", r"\1", text).upper()
    by_name = {choice.text for choice in choices if choice.name.upper() == name}
    if found := by_words or by_name:
        return tuple(found) if len(found | by_name if by_words else found) == 1 else ()
    if text.isdecimal():
        texts = [choice.text for choice in choices]
        return tuple(texts[number] for number in (int(text), int(text) - 1) if 0 <= number < len(texts))
    if (match := _LETTERED.fullmatch(text)) and Choice(match["name"].upper(), match["text"]) in choices:
        return (match["text"],)
    return _by_meaning(text, [choice.text for choice in choices])


def _by_meaning(text: str, texts: Sequence[str]) -> tuple[str, ...]:
    """The one choice that a longer text asserts, such as `It is in the red box`."""
    plain = {words(choice): choice for choice in texts}
    same = [choice for shown, choice in plain.items() if plain_words(shown) == plain_words(words(text))]
    if len(same) == 1:
        return (same[0],)
    meant = meaning(words(text), list(plain)) if len(plain) == len(texts) else None
    return (plain[meant],) if meant else ()
