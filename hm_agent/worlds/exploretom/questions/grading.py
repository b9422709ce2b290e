"""Which choice the words of an answer mean: by whole words in a few forms, not by parts of words or by a mention."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations, permutations

from hm_agent.wording import listed
from hm_agent.worlds.exploretom.questions.functional import ASKS, NOBODY
from hm_agent.worlds.exploretom.questions.story_questions import DOES_NOT_KNOW, KNOWS, NO, YES
from hm_agent.worlds.exploretom.story.language import names_in, plain_words

_DENIAL = re.compile(
    r"\b(?:not|never|nor|or|neither|either|maybe|unsure|unknown|nowhere|cannot|\w+n't|no longer|no more|instead of|"
    r"rather than)\b"
)
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
    NOBODY: (NOBODY, "no one", "no-one"),
    ASKS: (ASKS, "ask somebody", "asks someone", "ask someone"),
}
_NEGATIVE = (NO, DOES_NOT_KNOW, NOBODY)
_PLACE = (
    r"(?:{name}|(?:[\w' ]*\b)?(?:in|is|inside|into) (?:the |a |an )?{name}|(?:the|a|an) {name}|"
    r"(?:(?:[\w']+ )?(?:goes|(?:will|would) go) )?to (?:the |a |an )?{name})"
)
_ROOM = r" in the (?P<room>[\w' ]+)"
_TOLD = r"(?:(?:[\w' ]*\b)?(?:tell|tells) )?(?:only )?{name}"
_THINKER = r"(?:[\w']+ thinks (?:that )?)?(?:[\w']+ )?"
_KNOWING = {
    KNOWS: re.compile(rf"{_THINKER}knows(?: about)?(?: it)?"),
    DOES_NOT_KNOW: re.compile(rf"{_THINKER}does not know(?: about)?(?: it)?"),
}
_HEAD = re.compile(r"([^,;:.(]+)[,;:.(](.+)", re.DOTALL)
MOST_REORDERED = 4
"""Groups of more people are read in one order only."""


def accepted_forms(choice: str) -> tuple[str, ...]:
    """The whole answers, in small letters, that mean a choice; for a place the commonest ones."""
    if choice in _FORMS:
        return _FORMS[choice]
    name = plain_words(choice)
    return (name, f"the {name}", f"in the {name}", f"it is in the {name}", *_reordered(choice))


def _reordered(choice: str) -> tuple[str, ...]:
    """The same people in another order, if a choice names several."""
    names = names_in(choice)
    if not 2 <= len(names) <= MOST_REORDERED:
        return ()
    forms = [plain_words(form) for order in permutations(names) for form in (listed(order), " and ".join(order))]
    return tuple(form for form in dict.fromkeys(forms) if form != plain_words(choice))


def overlapping(choices: Sequence[str]) -> tuple[str, str] | None:
    """Two choices that the same answer would mean; None if each answer means at most one."""
    for first, second in combinations(choices, 2):
        if not set(accepted_forms(first)).isdisjoint(accepted_forms(second)):
            return first, second
    return None


def meaning(text: str, choices: Sequence[str]) -> str | None:
    """The choice that an answer means; None if it means none, or may mean several.

    An answer is a choice in other letters, its number from 1 or its letter from a in brackets, one of its accepted
    forms, a sentence that ends with `in the ...`, `is the ...` or `tell ...` and denies nothing, `Anne goes to the
    ...`, or `Anne thinks that Beth knows about it` and the like. More may follow a comma or another mark, if it names
    no other choice.
    """
    if lettered := re.fullmatch(r"\((?:([a-h])|([1-8]))\)", text.strip().lower()):
        index = ord(lettered[1]) - ord("a") if lettered[1] else int(lettered[2]) - 1
        return choices[index] if index < len(choices) else None
    return _meant(plain_words(text), choices) or _meant_before_more(text, choices)


def _meant_before_more(text: str, choices: Sequence[str]) -> str | None:
    """The choice that an answer means up to its first comma or other mark, unless what follows may take it back."""
    parted = _HEAD.fullmatch(text.strip())
    if parted is None:
        return None
    meant, rest = _meant(plain_words(parted[1]), choices), plain_words(parted[2])
    if meant is None or _names_another(rest, meant, choices):
        return None
    return None if meant not in _NEGATIVE and _DENIAL.search(rest) else meant


def _names_another(plain: str, meant: str, choices: Sequence[str]) -> bool:
    """True if words hold a form of another choice than the one that is meant."""
    others = [form for choice in choices if choice != meant for form in accepted_forms(choice)]
    return any(re.search(rf"(?<!\w){re.escape(form)}(?!\w)", plain) for form in others)


def _meant(plain: str, choices: Sequence[str]) -> str | None:
    """The choice that plain words mean as a whole; None if they mean none, or may mean several."""
    found = [choice for choice in choices if plain in accepted_forms(choice)]
    if not found:
        found = [choice for choice in choices if choice in _KNOWING and _KNOWING[choice].fullmatch(plain)]
    if not found and not _DENIAL.search(plain):
        found = [choice for choice in choices if choice not in _FORMS and _ends_with(plain, choice, choices)]
        # "in the box" also ends the words "in the tool box" does; the longest name is meant
        found = [choice for choice in found if len(choice) == max(map(len, found))]
    return found[0] if len(found) == 1 else None


def _ends_with(plain: str, choice: str, choices: Sequence[str]) -> bool:
    """True if words end with a choice; after a container its room may follow, if that is no choice, too."""
    place = _PLACE.format(name=re.escape(plain_words(choice)))
    if re.fullmatch(place, plain):
        return True
    if (roomed := re.fullmatch(place + _ROOM, plain)) and not _names_another(roomed["room"], choice, choices):
        return True
    names = [plain_words(choice), *_reordered(choice)] if names_in(choice) else []
    return any(re.fullmatch(_TOLD.format(name=re.escape(name)), plain) for name in names)
