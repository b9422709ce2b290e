"""Common complete answers that mean a choice, word for word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, permutations

from hm_agent.wording import listed
from hm_agent.worlds.exploretom.questions.asked import DOES_NOT_KNOW, IN_CONTAINER, KNOWS, NO, NO_PLACE, OPENLY, YES
from hm_agent.worlds.exploretom.questions.functional import ASKS, NOBODY
from hm_agent.worlds.exploretom.story.language import names_in, plain_words

MOST_REORDERED = 4
"""The largest group of people for which all orders are listed; `meaning` reads the people of any group in any order."""

FIXED_FORMS: Mapping[str, tuple[str, ...]] = {
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
    IN_CONTAINER: (IN_CONTAINER, "a container", "container"),
    NO_PLACE: (
        NO_PLACE,
        "no place",
        "none",
        "nowhere",
        "does not know",
        "knows none",
        "he knows no place",
        "she knows no place",
    ),
    NOBODY: (NOBODY, "nobody else", "no one", "no one else", "no-one", "none", "none of them"),
    ASKS: (ASKS, "ask somebody", "asks someone", "ask someone", "asks somebody else", "asks someone else", "asks"),
}
"""The accepted forms of the choices that are the same in every story."""
OPEN_FORMS = (OPENLY, "in the open", "openly")


def accepted_forms(choice: str, choices: Sequence[str] = ()) -> tuple[str, ...]:
    """Returns common complete answers, in lower case, that mean a choice.

    For a place such as `box in the hall` the container alone is one of them, if only one of `choices` has it.
    """
    if choice in FIXED_FORMS:
        return FIXED_FORMS[choice]
    container, room = container_and_room(choice)
    if container == OPENLY:
        return tuple(f"{form} in the {plain_words(room)}" if room else form for form in OPEN_FORMS)
    if room is None:
        names = [plain_words(choice)]
    else:
        is_only = [container_and_room(other)[0] for other in choices].count(container) == 1
        names = [plain_words(choice), *([plain_words(container)] if is_only else [])]
    forms = [form for name in names for form in (name, f"the {name}", f"in the {name}", f"it is in the {name}")]
    return (*forms, *_reordered(choice))


def container_and_room(choice: str) -> tuple[str, str | None]:
    """Splits a place such as `box in the hall` into container and room; the room of other choices is None."""
    container, separator, room = choice.rpartition(" in the ")
    return (container, room) if separator and choice != OPENLY else (choice, None)


def _reordered(choice: str) -> tuple[str, ...]:
    """The people of a choice in any order, joined by commas or `and`; empty if the choice does not name several."""
    names = names_in(choice)
    if not 2 <= len(names) <= MOST_REORDERED:
        return ()
    lists = (form for order in permutations(names) for form in (listed(order), " and ".join(order)))
    forms = dict.fromkeys(map(plain_words, lists))
    return tuple(form for form in forms if form != plain_words(choice))


def overlapping(choices: Sequence[str]) -> tuple[str, str] | None:
    """Returns two choices that share an accepted form; None if there are none."""
    for first, second in combinations(choices, 2):
        if not set(accepted_forms(first, choices)).isdisjoint(accepted_forms(second, choices)):
            return first, second
    return None
