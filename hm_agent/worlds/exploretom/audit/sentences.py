"""Splits a story into sentences, also where full stops are missing, and a text into its story and its question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from hm_agent.worlds.exploretom.audit.tomi_language import parse_question, parse_sentence
from hm_agent.worlds.exploretom.story.language import CAPITAL, aside_of

_NUMBER = r"\d+[.):]?\s+"
NUMBERED = re.compile(r"(?:(?P<number>\d+)[.):]?\s+)?(?P<text>\S.*)")
_ENDS = re.compile(r"(?<=[.!?])\s+")
_CUT = re.compile(rf"\s+(?:{_NUMBER})?(?={CAPITAL})")
_MOST_CAPITALS = 12
"""The most words with a capital in a sentence before which a text is cut."""
_INSTRUCTION = re.compile(r"(?:Read|Answer|Given|Choose|Please)\b[^\n]*\b(?:story|question)\b[^\n]*\n(?=\s*1[.):]?\s)")
"""Matches what tells a reader to read and answer, before the sentence with the number 1."""
_QUESTION_START = re.compile(r"\b(?:Where|What|Who|Whom|Which|In which|Does|Do|Is|Are|Will|Would)\b(?!.*[.?!]\s)")


@lru_cache(maxsize=64)
def sentences_of(text: str) -> tuple[str, ...]:
    """The sentences of a text, without the numbers that may stand before them.

    Where a full stop is missing, a text is cut before words that begin with a capital, if all parts can then be read:
    `Bob likes the hall Bob left the hall.` is two sentences. A part that can't be read stays whole.
    """
    return tuple(
        sentence
        for line in _INSTRUCTION.sub("", text.lstrip(), count=1).splitlines()
        for part in _ENDS.split(line.strip())
        if (bare := _without_number(part))
        for sentence in _cut(bare)
    )


def split_question(text: str) -> tuple[str, str, str]:
    """Splits a text that ends with a question into (story, question, what follows the question)."""
    end = text.rfind("?") + 1
    before, after = text[:end].rstrip(), text[end:].strip()
    start = max([match.end() for match in re.finditer(r"[.!?]\s+|\n\s*", before)], default=0)
    question = before[start:]
    for match in reversed(list(_CUT.finditer(question))):
        before_it = sentences_of(question[: match.start()])
        if parse_question(_without_number(question[match.end() :])) and all(map(_is_sentence, before_it)):
            start += match.end()
            break
    else:
        if not parse_question(question) and (found := _QUESTION_START.search(question)):
            start += found.start()
    return before[:start].rstrip(), _without_number(before[start:]), after


def _without_number(part: str) -> str:
    """A part without the number before it; empty for a number alone."""
    part = part.strip()
    match = NUMBERED.fullmatch(part)
    return "" if match is None or re.fullmatch(r"\d+[.):]?", part) else match["text"]


def _is_sentence(text: str) -> bool:
    return parse_sentence(text) is not None or aside_of(text) is not None


def _cut(text: str) -> Sequence[str]:
    """Cuts a text into the most sentences that can all be read; the text alone if there is no one such way."""
    cuts = [(0, 0), *((match.start(), match.end()) for match in _CUT.finditer(text)), (len(text), len(text))]
    if len(cuts) == 2:
        return (text,)
    ways: list[list[tuple[str, ...]]] = [[()]]
    for stop in range(1, len(cuts)):
        found = list(_ways_until(text, cuts, stop, ways))
        most = max(map(len, found), default=0)
        ways.append([way for way in found if len(way) == most][:2])  # a second one tells that the first is not the only
    return ways[-1][0] if len(ways[-1]) == 1 else (text,)


def _ways_until(
    text: str, cuts: Sequence[tuple[int, int]], stop: int, ways: Sequence[Sequence[tuple[str, ...]]]
) -> Iterator[tuple[str, ...]]:
    """The ways of cutting a text up to a cut, by the ways up to each earlier one."""
    for start in range(max(0, stop - _MOST_CAPITALS), stop):
        if not ways[start]:
            continue
        part = _without_number(text[cuts[start][1] : cuts[stop][0]])
        if part and _is_sentence(part):
            yield from ((*way, part) for way in ways[start])
