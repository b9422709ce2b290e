"""Reads claims from the sentences in which `tell` writes them and tasks tell secrets; others say nothing here."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache

from hm_agent.worlds.enacttom.tasks.propositions import (
    AGENT_IN_ROOM,
    IS_IN_ROOM,
    MOST_DEPTH,
    SENTENCES,
    WANTED,
    Claim,
    Proposition,
    claim,
    wanted,
)

_NAME = r"([A-Za-z][\w-]*)"
_KNOWS = re.compile(rf"{_NAME} knows that (.+)", re.DOTALL)
_WANTED = re.compile(r"by the end, (.+)", re.DOTALL | re.IGNORECASE)
_AS_TOLD = tuple(
    (re.compile(told, re.DOTALL | re.IGNORECASE), plain)
    for told, plain in (
        (r"(?:by the end, )?([\w-]+) must end (?:up )?(.+)", r"by the end, \1 must be \2"),
        (r"(.+) now", r"\1"),
        (r"the handle of (.+), and (.+)", r"\1 and \2"),
        (r"(opening .+), too", r"\1"),
    )
)
"""The words of a task's secrets, e.g. `cabinet_5 must end open`, and the same in the words of `tell`."""
_END = re.compile(r"[.!;]+(?:\s+|$)|\n+")


def read_claims(text: str, agents: Collection[str]) -> tuple[Claim, ...]:
    """The claims of a text, in order and each once: its sentences of the form of `Claim.words`, or of secrets.

    agents: all names of agents, since of these alone it is said in the same words where they are. Other names are taken
    as they stand: whether there are such things, the reader does not know.
    """
    found = (_claim(sentence.strip(), agents) for sentence in _END.split(text))
    return tuple(dict.fromkeys(one for one in found if one))


def _claim(sentence: str, agents: Collection[str]) -> Claim | None:
    knowers: list[str] = []
    while known := _KNOWS.fullmatch(sentence):
        knowers.append(known[1])
        sentence = known[2].strip()
    for told, plain in _AS_TOLD:
        if found := told.fullmatch(sentence):
            sentence = found.expand(plain)
    if len(knowers) > MOST_DEPTH or not set(knowers) <= set(agents):
        return None
    goal = _WANTED.fullmatch(sentence)
    if goal is None:
        said = next(_propositions(sentence, agents), None)
    else:
        plain = goal[1].replace(" must be ", " is ", 1).replace(" must hold ", " holds ", 1)
        said = next((wanted(one) for one in _propositions(plain, agents) if one.predicate != WANTED), None)
    return claim(knowers, said) if said else None


def _propositions(sentence: str, agents: Collection[str]) -> Iterator[Proposition]:
    """The propositions whose words a sentence is, those with the most words of their own first."""
    for predicate, pattern, order in _patterns():
        if said := pattern.fullmatch(sentence):
            names = dict(zip(order, said.groups(), strict=True))
            arguments = tuple(names[place] for place in sorted(names))
            if (predicate == AGENT_IN_ROOM) == (arguments[0] in agents) or predicate not in _WHERE:
                yield Proposition(predicate, arguments)


_WHERE = (AGENT_IN_ROOM, IS_IN_ROOM)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str], tuple[int, ...]], ...]:
    """For each predicate, what its words look like, and which argument each name is."""
    longest_first = sorted(SENTENCES.items(), key=lambda entry: -len(entry[1]))
    return tuple((predicate, *_pattern(words)) for predicate, words in longest_first)


def _pattern(words: str) -> tuple[re.Pattern[str], tuple[int, ...]]:
    parts = re.split(r"\{(\d)\}", words)
    order = tuple(int(place) for place in parts[1::2])
    return re.compile(_NAME.join(re.escape(part) for part in parts[::2]), re.IGNORECASE), order
