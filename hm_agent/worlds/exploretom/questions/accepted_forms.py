"""The commonest whole answers that mean a choice of a question, word for word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, permutations

from hm_agent.wording import listed
from hm_agent.worlds.exploretom.questions.functional import ASKS, NOBODY
from hm_agent.worlds.exploretom.questions.story_questions import (
    DOES_NOT_KNOW,
    IN_CONTAINER,
    KNOWS,
    NO,
    NO_PLACE,
    OPENLY,
    YES,
)
from hm_agent.worlds.exploretom.story.language import names_in, plain_words

MOST_REORDERED = 4
"""Groups of more people have no accepted forms in another order; `meaning` reads them in any."""

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
"""Of the choices that are the same in every story."""
OPEN_FORMS = (OPENLY, "in the open", "openly")


def accepted_forms(choice: str, choices: Sequence[str] = ()) -> tuple[str, ...]:
    """The commonest whole answers, in small letters, that mean a choice among others.

    Of a container with its room the container alone is one, if no other of the choices has it.
    """
    if choice in FIXED_FORMS:
        return FIXED_FORMS[choice]
    container, room = placed(choice)
    if container == OPENLY:
        return tuple(f"{form} in the {plain_words(room)}" if room else form for form in OPEN_FORMS)
    if room is None:
        names = [plain_words(choice)]
    else:
        is_only = [placed(other)[0] for other in choices].count(container) == 1
        names = [plain_words(choice), *([plain_words(container)] if is_only else [])]
    forms = [form for name in names for form in (name, f"the {name}", f"in the {name}", f"it is in the {name}")]
    return (*forms, *_reordered(choice))


def placed(choice: str) -> tuple[str, str | None]:
    """The container and the room of a choice such as `box in the hall`; other choices have no room."""
    container, found, room = choice.rpartition(" in the ")
    return (container, room) if found and choice != OPENLY else (choice, None)


def _reordered(choice: str) -> tuple[str, ...]:
    """The same people in other words, if a choice names several."""
    names = names_in(choice)
    if not 2 <= len(names) <= MOST_REORDERED:
        return ()
    lists = (form for order in permutations(names) for form in (listed(order), " and ".join(order)))
    forms = dict.fromkeys(map(plain_words, lists))
    return tuple(form for form in forms if form != plain_words(choice))


def overlapping(choices: Sequence[str]) -> tuple[str, str] | None:
    """Two choices that the same answer would mean; None if each answer means at most one."""
    for first, second in combinations(choices, 2):
        if not set(accepted_forms(first, choices)).isdisjoint(accepted_forms(second, choices)):
            return first, second
    return None
