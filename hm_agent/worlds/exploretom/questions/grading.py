"""Decides which choice an answer means by what it asserts; denials and reasons do not count."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from hm_agent.grouping import grouped
from hm_agent.worlds.exploretom.questions.accepted_forms import (
    FIXED_FORMS,
    OPEN_FORMS,
    accepted_forms,
    container_and_room,
)
from hm_agent.worlds.exploretom.questions.asked import DOES_NOT_KNOW, IN_CONTAINER, KNOWS, NO, NO_PLACE, OPENLY, YES
from hm_agent.worlds.exploretom.questions.functional import ASKS, NOBODY
from hm_agent.worlds.exploretom.story.language import names_in, plain_words

_SENTENCE_ENDS = re.compile(r"[.!?:()]+")
_COMMAS = re.compile(r"[,;\n—–]| - ")
_REASON = re.compile(r"\b(?:because|since|as(?! well)|given|due to)\b")
_LEADING_REASON = re.compile(rf"^(?:{_REASON.pattern})[^,]* , ")
_SO = re.compile(r"\b(?:so(?! that)|therefore|thus|hence)\b")
_CLAUSE_ENDS = re.compile(r" ?, ?| (?=(?:but|however|and now)\b)")
_OPENINGS = "but|however|and|then|now|also|i think|i believe|i would say|that|the answer is|probably|most likely"
_CLAUSE_STARTS = re.compile(rf"^(?:(?:{_OPENINGS})(?: |$))+")
_DENIAL = re.compile(
    r"\b(?:not(?! only)|never|nor|neither|nowhere|cannot|no longer|no more|without|instead of|rather than)\b"
)
_DOUBT = re.compile(
    r"\b(?:or|either|maybe|perhaps|possibly|might|may|could|unsure|uncertain|unknown|unclear|whether|if|unless|until|"
    r"except|apart from|other than|besides|not only)\b"
)
_TAKES_BACK = re.compile(
    r"^(?:but|however)\b|\b(?:it|that|this)(?:'s| is) (?:not|no longer)(?: (?:there|so|true|right|correct|any more))*$"
)
_FIRST = "\ue000"
_MENTION = f"[{_FIRST}-\uf8ff]"
_GOES = r"(?:go|goes|going|went|walks?|heads?|runs?|returns?)(?: back| straight| right| directly| over)* to"
_BEFORE = (
    rf"(?:in|inside|into|within|at|on|is|are|be|it's|that's|now|only|just|both|to tell|tells?|informs?|checks?|opens?|"
    rf"stands?|search(?:es)?|thinks?|believes?|says?|answers?|chooses?|{_GOES})"
)
_AFTER = (
    r"(?:now|first|instead|to|for|at|where|which|that|when|still|again|about|only|is where|"
    r"and (?:takes|gets|looks|finds|asks)|(?:must|needs? to|has to|have to|should) (?:be told|know|hear))"
)
_WAS = re.compile(rf"\b(?:was|were|been|used to be)(?: \w+)? (?:in|inside|at|on) {_MENTION}")
_KNOWING = re.compile(rf"{_MENTION} (?:\w+ )?(?:already|knows?|knew|saw|heard)\b.*")
"""Matches a clause about who knows already; it asserts nothing about who must be told."""
_LIST = re.compile(rf"{_MENTION}(?:(?: ,)?(?: (?:and|&|as well as|plus))? {_MENTION})+")
_KNOWER = (
    r"(?!.*\b(?:nobody|no|none|never|doubts?|hardly|who|whether|if)\b)"
    r"(?:[\w' -]+ (?:thinks|believes) (?:that )?)?(?:[\w'-]+ ){0,2}"
)
_KNOWN = r"(?: about)?(?: (?:it|that|the [\w' /&-]+))?"
_WORDS = {
    YES: re.compile(r"yes(?!.*\b(?:no|not|or)\b)(?: .*)?"),
    NO: re.compile(r"no(?!.*\byes\b)(?: [\w'-]+ (?:is|does|do|did|will|would|can|could|has)\b.*)?"),
    KNOWS: re.compile(rf"(?!.*\bnot\b){_KNOWER}knows{_KNOWN}"),
    DOES_NOT_KNOW: re.compile(rf"{_KNOWER}(?<!not )does not know{_KNOWN}"),
    ASKS: re.compile(rf"(?!.*{_DENIAL.pattern})(?:.*\b)?ask(?:s|ing)?(?: (?!nobody\b|no\b).*)?"),
    IN_CONTAINER: re.compile(rf"(?!.*{_DENIAL.pattern})(?:.*\b(?:in|inside|is) )?(?:(?:a|some) )?container"),
    NO_PLACE: re.compile(
        r"(?!.*\b(?:nobody|no one|who|whether|if)\b)(?:[\w'-]+ ){0,4}"
        r"(?:knows? (?:of )?(?:no place|none)|does not know(?: of)?(?: any place| where.*)?)"
    ),
    NOBODY: re.compile(
        r"(?:(?:.*\b(?:tells?|is|are) )?(?:nobody|no one|no-one|noone|none)(?: else| at all| of them)?"
        r"(?: (?:must|needs?|has|have|should|to)\b.*)?)|.*\bnot\b.*\btell any(?:one|body)(?: else)?"
    ),
}
"""Patterns of the clauses that mean a choice without naming a place or a person."""
_EVERYONE = re.compile(
    r"(?:.*\btells? )?(?:everyone|everybody|all|both)(?: else| of them| (?:of )?the others)?(?: (?:must|needs? to) .+)?"
)


def meaning(text: str, choices: Sequence[str], question: str = "") -> str | None:
    """The choice that an answer means; None if it means none, or may mean several.

    It is the one choice that the answer asserts: what it denies (`not`, `rather than`) and its reasons (after
    `because`, before `so`) don't count. If what was and what is differ, only the one that is asked for counts.

    A number from 1 or a letter from a in brackets means a choice, too. Names count as whole words: alone, or after
    words such as `in`, `goes to` and `tell`. People may stand in any order, and a place may be named by its container
    or room alone if no other choice has it.
    """
    if bracketed := re.fullmatch(r"\((?:([a-h])|([1-8]))\)", text.strip().lower()):
        index = ord(bracketed[1]) - ord("a") if bracketed[1] else int(bracketed[2]) - 1
        return choices[index] if index < len(choices) else None
    vocabulary = _vocabulary(tuple(choices))
    if exact := vocabulary.whole.get(plain_words(text)):
        return exact[0] if len(exact) == 1 else None
    claims = [claim for sentence in _SENTENCE_ENDS.split(text) for claim in _sentence_claims(sentence, vocabulary)]
    if (meant := _common_choice(claims)) is None:
        asks_past = re.search(r"\b(?:was|were|did)\b", question) is not None
        meant = _common_choice([claim for claim in claims if claim.is_past == asks_past or not claim.choices])
    return meant


@dataclass(frozen=True, slots=True)
class _Claim:
    """What a clause says about the choices.

    choices: those that it may mean; empty if it leaves that open. is_stated: True if it asserts this in a form that is
    read, False if it only mentions a name. is_past: True if it says what was.
    """

    choices: frozenset[str]
    is_stated: bool = False
    is_past: bool = False


def _common_choice(claims: Sequence[_Claim]) -> str | None:
    """The one choice that all claims allow, if one of them states it; else None."""
    if not any(claim.is_stated for claim in claims):
        return None
    common = frozenset.intersection(*(claim.choices for claim in claims))
    return next(iter(common)) if len(common) == 1 else None


class _Vocabulary:
    """The names in choices: rooms, containers and people. In a text each mention becomes a private-use letter.

    whole: the choices that each accepted form means. everyone: the choice that names all people. stated: matches a
    mention that is asserted.
    """

    def __init__(self, choices: tuple[str, ...]) -> None:
        self.choices = choices
        forms = ((form, choice) for choice in choices for form in dict.fromkeys(accepted_forms(choice, choices)))
        self.whole = grouped(forms)
        named = [choice for choice in choices if choice not in FIXED_FORMS]
        groups = {frozenset(map(plain_words, names_in(choice))): choice for choice in named if names_in(choice)}
        everyone = frozenset(name for group in groups for name in group)
        self.everyone = groups.get(everyone) if len(everyone) > 1 else None
        self._choices_by_letter: list[frozenset[str]] = []
        self._letters = {name: self._new_letter(meant) for name, meant in _choices_by_name(named).items()}
        self._people = {letter: name for name, letter in self._letters.items()} if groups else {}
        self._groups = {group: self._new_letter({choice}) for group, choice in groups.items()}
        self._no_group = self._new_letter(())
        names = "|".join(re.escape(name) for name in sorted(self._letters, key=len, reverse=True))
        self._mentions = re.compile(rf"(?<!\S)(?:(?:the|a|an) )?({names})(?!\S)" if names else r"(?!)()")
        # After a container its room may follow, also one that no choice names, if no choice names a room.
        room = rf"in(?= {_MENTION})" if any(container_and_room(choice)[1] for choice in named) else "in"
        self.stated = re.compile(
            rf"(?:^|^to |(?:^|\s){_BEFORE} ){_MENTION}(?=$| (?:{_AFTER}|{room})(?:\s|$)| {_MENTION})"
        )

    def _new_letter(self, choices: Iterable[str]) -> str:
        self._choices_by_letter.append(frozenset(choices))
        return chr(ord(_FIRST) + len(self._choices_by_letter) - 1)

    def choices_of(self, letter: str) -> frozenset[str]:
        """The choices that a mention may mean."""
        return self._choices_by_letter[ord(letter) - ord(_FIRST)]

    def marked(self, words: str) -> str:
        """Replaces each mention by its letter, and then each list of people by the letter of their group."""
        words = self._mentions.sub(lambda found: self._letters[found[1]], words)
        return _LIST.sub(self._group_letter, words) if self._people else words

    def _group_letter(self, match: re.Match[str]) -> str:
        people = frozenset(self._people[letter] for letter in re.findall(_MENTION, match[0]))
        return self._groups.get(people, self._no_group)


_vocabulary = lru_cache(maxsize=256)(_Vocabulary)


def _choices_by_name(choices: Sequence[str]) -> Mapping[str, Iterable[str]]:
    """Maps each name in choices to the choices that it may mean alone: places that have it, or one person."""
    meanings: dict[str, set[str]] = {}
    for choice in choices:
        people, (container, room) = names_in(choice), container_and_room(choice)
        if len(people) > 1:
            for person in people:
                meanings.setdefault(_bare(person), set())
            continue
        for name in (*(OPEN_FORMS if container == OPENLY else (container,)), *([room] if room else ())):
            meanings.setdefault(_bare(name), set()).add(choice)
    return meanings


def _bare(name: str) -> str:
    """A name in lower case without its article."""
    return re.sub(r"^(?:the|a|an) (?=.)", "", plain_words(name))


def _sentence_claims(sentence: str, vocabulary: _Vocabulary) -> list[_Claim]:
    """The claims of a sentence without its reasons; only those of its conclusion (after `so`) if that states one."""
    words = vocabulary.marked(" , ".join(filter(None, map(plain_words, _COMMAS.split(sentence)))))
    words = _REASON.split(_LEADING_REASON.sub("", words.replace("n't", " not")))[0].strip(" ,")
    conclusion = _SO.split(words)[-1].strip(" ,")
    concluded = [claim for clause in _CLAUSE_ENDS.split(conclusion) for claim in _clause_claims(clause, vocabulary)]
    if conclusion == words or any(claim.is_stated for claim in concluded):
        return concluded
    return [claim for clause in _CLAUSE_ENDS.split(words) for claim in _clause_claims(clause, vocabulary)]


def _clause_claims(clause: str, vocabulary: _Vocabulary) -> Iterator[_Claim]:
    """The claims that a clause makes about the choices; names after a denial make none.

    A denial without a name excludes yes and `knows about it`; if it takes the answer back, it excludes every choice.
    """
    words = _CLAUSE_STARTS.sub("", clause).strip()
    for choice in vocabulary.choices:
        if choice in _WORDS and _WORDS[choice].fullmatch(words):
            yield _Claim(frozenset({choice}), is_stated=True)
            words = "".join(re.findall(_MENTION, words))
    if vocabulary.everyone and _EVERYONE.fullmatch(words):
        yield _Claim(frozenset({vocabulary.everyone}), is_stated=True)
    if _KNOWING.fullmatch(words):
        return
    asserted, *denied = _DENIAL.split(words, maxsplit=1)
    if _DOUBT.search(asserted):
        yield _Claim(frozenset())
    if denied and not re.search(_MENTION, words):
        yield _Claim(frozenset() if _TAKES_BACK.search(clause) else frozenset(vocabulary.choices) - {YES, KNOWS})
    is_stated, is_past = vocabulary.stated.search(asserted.strip()) is not None, _WAS.search(asserted) is not None
    for letter in re.findall(_MENTION, asserted):
        yield _Claim(vocabulary.choices_of(letter), is_stated, is_past)
