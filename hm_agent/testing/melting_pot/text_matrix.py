"""What the prompts of matrix games say, and the rules that a player in them may go by."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from hm_agent.testing.melting_pot.prompt_text import find, search

Inventory = dict[str, int]
Table = Mapping[str, Mapping[str, float]]
"""The reward by the own kind, then by the other's."""

COMMITMENT = 5
"""How many of the main kind to collect."""
FADING = 0.9
"""How much less an interaction says than the one after it."""

# How the prompts put it


def start_of(prompt: str) -> int:
    """How many of each kind one starts with."""
    return int(find(r"you start with (\d+) of each", prompt))


def table_of(prompt: str) -> Table:
    rows = re.findall(r"^- your (\w+): (.+)$", prompt, re.MULTILINE)
    return {mine: {kind: float(paid) for paid, kind in re.findall(r"(\S+) against (\w+)", row)} for mine, row in rows}


@dataclass(frozen=True)
class Meeting:
    """An interaction by the kinds that led, None where none did. shown: what the other saw being collected most.

    partner: whom it was with, `other` where there is only one.
    """

    partner: str
    mine: str | None
    theirs: str | None
    shown: str | None


Past = Sequence[Meeting]


def past_of(prompt: str) -> list[Meeting]:
    line = r"^\d+\. step \d+: you .+? \((.+?)\); (other|player_\d+) .+? \((.+?)\); reward (.+)$"
    return [
        Meeting(partner, _kind(mine), _kind(theirs), leading(counts(rest, "collect (.+)")))
        for mine, partner, theirs, rest in re.findall(line, prompt, re.MULTILINE)
    ]


def _kind(words: str) -> str | None:
    return None if words in ("no lead", "unclear") else words


def counts(text: str, pattern: str) -> Inventory:
    """An inventory such as `rock 1, paper 6`, nothing where the pattern that ends in it isn't found."""
    return {kind: int(count) for kind, count in re.findall(r"(\w+) (\d+)", search(pattern, text))}


def leading(counts: Inventory) -> str | None:
    """The kind of which there is most, None where it is not the only one."""
    most = [kind for kind, count in counts.items() if count == max(counts.values())]
    return most[0] if len(most) == 1 else None


def by_player(past: Past) -> dict[str, list[Meeting]]:
    """The interactions with each of those that were met."""
    return {player: [meeting for meeting in past if meeting.partner == player] for player in _met(past)}


def _met(past: Past) -> list[str]:
    return list(dict.fromkeys(meeting.partner for meeting in past))


# What rule a player goes by

Rule = Callable[[Past], str | None]
"""From the interactions so far to the kind that is played next, None where the rule can't tell yet."""


def rules(table: Table) -> dict[str, Rule]:
    """The rules that are thought of, in words, the simplest first."""
    always = {f"It always plays {kind}.": partial(_always, kind) for kind in table}
    return always | {
        "It plays the best response to what I played last.": lambda past: _answer(table, _last(past).mine),
        "It plays the best response to what it last saw me collect.": lambda past: _answer(table, _last(past).shown),
        "It copies what I played last.": lambda past: _last(past).mine,
        "It plays the best response to its own last kind.": lambda past: _answer(table, _last(past).theirs),
        "It plays what its own last kind does best against.": lambda past: _prey(table, _last(past).theirs),
    }


def _always(kind: str, past: Past) -> str | None:
    return kind


def _last(past: Past) -> Meeting:
    return past[-1] if past else Meeting("", None, None, None)


def best(table: Table, against: str) -> str:
    """The kind that does best against another."""
    return max(table, key=lambda mine: table[mine][against])


def _answer(table: Table, against: str | None) -> str | None:
    return best(table, against) if against else None


def _prey(table: Table, kind: str | None) -> str | None:
    return max(table[kind], key=lambda theirs: table[kind][theirs]) if kind else None


def likeliest(table: Table, past: Past) -> str:
    """The rule that foretells the interactions best, the later ones weighing more."""
    known = rules(table)
    return max(known, key=lambda words: _foretold(known[words], past, 1 / len(table)))


def _foretold(rule: Rule, past: Past, chance: float) -> float:
    """The weight of the interactions that a rule gets right; where it can't tell, it may be right by chance."""
    total = 0.0
    for number, meeting in enumerate(past):
        said = rule(past[:number])
        if meeting.theirs:
            right = chance if said is None else float(said == meeting.theirs)
            total += right * FADING ** (len(past) - number)
    return total


# What that leads to


def expected(table: Table, past: Past, words: str) -> str:
    """The kind that a rule in words leads to; where it says nothing, the one met last, or any."""
    rule = rules(table).get(words.strip())
    met = [meeting.theirs for meeting in past if meeting.theirs]
    return (rule and rule(past)) or (met[-1] if met else next(iter(table)))


def expected_of_all(table: Table, past: Past) -> dict[str, str]:
    """The kind to expect of each that was met."""
    return {player: expected(table, met, likeliest(table, met)) for player, met in by_player(past).items()}


def commonest(table: Table, kinds: Sequence[str]) -> str:
    return max(table, key=kinds.count)


def lead_with(main: str, held: Inventory) -> Inventory:
    """An inventory to reach from this one, in which one kind leads."""
    others = max(count for kind, count in held.items() if kind != main)
    return held | {main: max(held[main], others + COMMITMENT)}
