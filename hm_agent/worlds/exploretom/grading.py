"""Which choice the words of an answer mean: by whole words in a few forms, not by parts of words or by a mention."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hm_agent.worlds.exploretom.story_questions import DOES_NOT_KNOW, KNOWS, NO, YES

_DENIAL = re.compile(r"\b(?:not|never|nor|or|neither|either|maybe|unsure|unknown|nowhere|isn't|won't|doesn't|don't)\b")
_FORMS = {
    YES: ("yes", "yes it is", "yes they do", "yes he does", "yes she does"),
    NO: ("no", "no it is not", "no they do not", "no he does not", "no she does not"),
    KNOWS: (KNOWS, "knows", "knows it", "they know about it", "he knows about it", "she knows about it"),
    DOES_NOT_KNOW: (
        DOES_NOT_KNOW,
        "does not know",
        "does not know it",
        "he does not know about it",
        "she does not know about it",
    ),
}
_PLACE = r"(?:{name}|(?:[\w' ]*\b)?(?:in|is|inside|into) (?:the |a |an )?{name}|(?:the|a|an) {name})"


def accepted_forms(choice: str) -> tuple[str, ...]:
    """The whole answers, in small letters, that mean a choice; for a place the commonest ones."""
    name = _plain(choice)
    return _FORMS.get(choice, (name, f"the {name}", f"in the {name}", f"it is in the {name}"))


def meaning(text: str, choices: Sequence[str]) -> str | None:
    """The choice that an answer means; None if it means none, or may mean several.

    An answer is a choice in other letters, its number from 1 or its letter from a in brackets, one of its accepted
    forms, or a sentence that ends with `in the ...` or `is the ...` and denies nothing.
    """
    plain = _plain(text)
    if lettered := re.fullmatch(r"\((?:([a-h])|([1-8]))\)", text.strip().lower()):
        index = ord(lettered[1]) - ord("a") if lettered[1] else int(lettered[2]) - 1
        return choices[index] if index < len(choices) else None
    found = [choice for choice in choices if plain in accepted_forms(choice)]
    if not found and not _DENIAL.search(plain):
        found = [choice for choice in choices if choice not in _FORMS and _ends_with(plain, choice)]
        # "in the box" also ends the words "in the tool box" does; the longest name is meant
        found = [choice for choice in found if len(choice) == max(map(len, found))]
    return found[0] if len(found) == 1 else None


def _ends_with(plain: str, choice: str) -> bool:
    return re.fullmatch(_PLACE.format(name=re.escape(_plain(choice))), plain) is not None


def _plain(text: str) -> str:
    """The words in small letters, without marks around them, and with `doesn't` written out."""
    words = re.sub(r"[^\w'’/&-]+", " ", text.lower().replace("’", "'"))
    words = words.replace("doesn't", "does not").replace("don't", "do not").replace("isn't", "is not")
    return " ".join(word.strip("'-") for word in words.split() if word.strip("'-"))
