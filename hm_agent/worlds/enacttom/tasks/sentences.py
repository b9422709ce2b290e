"""Reads claims from text: from sentences as `tell` and the secrets of tasks word them. Others are ignored."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache

from hm_agent.worlds.enacttom.tasks.propositions import (
    MOST_DEPTH,
    SENTENCES,
    Claim,
    Is,
    Proposition,
    normalised_claim,
    wanted,
)

_NAME = r"([A-Za-z][\w-]*)"
_KNOWS = re.compile(rf"{_NAME} knows that (.+)", re.DOTALL)
_WANTED = re.compile(r"by the end, (.+)", re.DOTALL | re.IGNORECASE)
_REWORDINGS = tuple(
    (re.compile(pattern, re.DOTALL | re.IGNORECASE), rewording)
    for pattern, rewording in (
        (r"(?:by the end, )?([\w-]+) must end (?:up )?(.+)", r"by the end, \1 must be \2"),
        (r"(.+) now", r"\1"),
        (r"the handle of (.+), and (.+)", r"\1 and \2"),
        (r"(opening .+), too", r"\1"),
    )
)
"""Patterns of the wording of secrets, e.g. `cabinet_5 must end open`, each with the wording that `tell` uses."""
SENTENCE_END = re.compile(r"[.!;]+(?:\s+|$)|\n+")


def read_claims(text: str, agents: Collection[str]) -> tuple[Claim, ...]:
    """Returns the claims of a text in order, each once: one for each sentence worded like `Claim.words` or a secret.

    agents: the names of all agents. They distinguish agent_in_room from is_in_room, which have the same wording, and
    only they can be knowers. Other names are not checked, since the reader does not know what the household holds.
    """
    claims = (_read_claim(sentence.strip(), agents) for sentence in SENTENCE_END.split(text))
    return tuple(dict.fromkeys(stated for stated in claims if stated))


def _read_claim(sentence: str, agents: Collection[str]) -> Claim | None:
    """Reads one sentence; None if it states no claim."""
    knowers: list[str] = []
    while known := _KNOWS.fullmatch(sentence):
        knowers.append(known[1])
        sentence = known[2].strip()
    for pattern, rewording in _REWORDINGS:
        if match := pattern.fullmatch(sentence):
            sentence = match.expand(rewording)
    if len(knowers) > MOST_DEPTH or not set(knowers) <= set(agents):
        return None
    goal = _WANTED.fullmatch(sentence)
    if goal is None:
        proposition = next(_propositions(sentence, agents), None)
    else:
        unmarked = goal[1].replace(" must be ", " is ", 1).replace(" must hold ", " holds ", 1)
        proposition = next(
            (wanted(candidate) for candidate in _propositions(unmarked, agents) if candidate.predicate != Is.WANTED),
            None,
        )
    return normalised_claim(knowers, proposition) if proposition else None


def _propositions(sentence: str, agents: Collection[str]) -> Iterator[Proposition]:
    """Yields the propositions that a sentence may state, those of the longest wording first."""
    for predicate, pattern, order in _patterns():
        if match := pattern.fullmatch(sentence):
            names = dict(zip(order, match.groups(), strict=True))
            arguments = tuple(names[place] for place in sorted(names))
            if (predicate == Is.AGENT_IN_ROOM) == (arguments[0] in agents) or predicate not in _LOCATIONS:
                yield Proposition(predicate, arguments)


_LOCATIONS = (Is.AGENT_IN_ROOM, Is.IN_ROOM)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str], tuple[int, ...]], ...]:
    """For each predicate, longest wording first: a pattern of its sentence and the argument index of each name."""
    longest_first = sorted(SENTENCES.items(), key=lambda entry: -len(entry[1]))
    return tuple((predicate, *_pattern(words)) for predicate, words in longest_first)


def _pattern(words: str) -> tuple[re.Pattern[str], tuple[int, ...]]:
    parts = re.split(r"\{(\d)\}", words)
    order = tuple(int(place) for place in parts[1::2])
    return re.compile(_NAME.join(re.escape(part) for part in parts[::2]), re.IGNORECASE), order
