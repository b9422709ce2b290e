"""The text player's model of its opponents in matrix games: what they held, which rule they follow, whom to meet."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

from tests.support.melting_pot.prompt_reading import Replies, find, search

Inventory = dict[str, int]
Table = Mapping[str, Mapping[str, float]]
"""The reward by the own kind, then by the other player's."""

COMMITMENT = 5
"""How many more of the main kind than of any other to collect."""
DISCOUNT = 0.9
"""The weight of an interaction relative to the one after it."""
MAX_COLLECTED = 13
"""An opponent's inventory is searched for below this many of each kind beyond the initial ones."""

# Reading the prompt


def start_of(prompt: str) -> int:
    """How many of each kind every player starts with."""
    return int(find(r"You start with (\d+) of each", prompt))


def table_of(prompt: str) -> Table:
    """The payoff table that the prompt shows."""
    rows = re.findall(r"^- your (\w+): (.+)$", prompt, re.MULTILINE)
    return {mine: {kind: float(paid) for paid, kind in re.findall(r"(\S+) against (\w+)", row)} for mine, row in rows}


@dataclass(frozen=True)
class PastInteraction:
    """An interaction by the leading kind of each inventory, None where no kind led.

    partner: the other player's name, `it` in a two-player game. shown: the kind that the partner saw the player
    collect most.
    """

    partner: str
    mine: str | None
    theirs: str | None
    shown: str | None


Past = Sequence[PastInteraction]


def past_of(prompt: str) -> list[PastInteraction]:
    """The interactions that the prompt lists, the oldest first."""
    line = r"^- step \d+: you \S+ \((.+?)\), (\w+) \S+ \((.+?)\): (.+)$"
    return [
        PastInteraction(partner, _kind_in(mine), _kind_in(theirs), leading_kind(counts(rest, "collect ([^;]+)")))
        for mine, partner, theirs, rest in re.findall(line, prompt, re.MULTILINE)
    ]


def _kind_in(words: str) -> str | None:
    likeliest, *_ = words.removeprefix("perhaps ").split(";")
    return None if words in ("no kind led", "it is open what led") else likeliest


def counts(text: str, pattern: str) -> Inventory:
    """Parses the pattern's group, e.g. `rock 1, paper 6`, into an inventory; empty where the pattern doesn't match."""
    return {kind: int(count) for kind, count in re.findall(r"(\w+) (\d+)", search(pattern, text))}


def leading_kind(counts: Inventory) -> str | None:
    """The most frequent kind; None if several tie or there is none."""
    most = [kind for kind, count in counts.items() if count == max(counts.values())]
    return most[0] if len(most) == 1 else None


# Rules that an opponent may follow

Rule = Callable[[Past], str | None]
"""From the interactions so far to the kind that the opponent plays next; None if the rule predicts nothing yet."""


def rules(table: Table) -> dict[str, Rule]:
    """The candidate rules by their words, the simplest first."""
    always = {f"It always plays {kind}.": partial(_always, kind) for kind in table}
    return always | {
        "It plays the best response to what I played last.": lambda past: _answer(table, _last(past).mine),
        "It plays the best response to what it last saw me collect.": lambda past: _answer(table, _last(past).shown),
        "It copies what I played last.": lambda past: _last(past).mine,
        "It plays the best response to its own last kind.": lambda past: _answer(table, _last(past).theirs),
        "It plays what its own last kind does best against.": lambda past: _most_beaten_by(table, _last(past).theirs),
    }


def _always(kind: str, past: Past) -> str | None:
    return kind


def _last(past: Past) -> PastInteraction:
    return past[-1] if past else PastInteraction("", None, None, None)


def best_response(table: Table, against: str) -> str:
    """The best response to a kind."""
    return max(table, key=lambda mine: table[mine][against])


def _answer(table: Table, against: str | None) -> str | None:
    return best_response(table, against) if against else None


def _most_beaten_by(table: Table, kind: str | None) -> str | None:
    """The kind that `kind` does best against."""
    return max(table[kind], key=lambda theirs: table[kind][theirs]) if kind else None


def likeliest(table: Table, past: Past) -> str:
    """The words of the rule that predicts the interactions best, later ones weighing more."""
    candidates = rules(table)
    return max(candidates, key=lambda words: _score(candidates[words], past, 1 / len(table)))


def _score(rule: Rule, past: Past, chance: float) -> float:
    """The discounted sum of correct predictions. chance: the score of an interaction that a rule doesn't predict."""
    total = 0.0
    for number, interaction in enumerate(past):
        prediction = rule(past[:number])
        if interaction.theirs:
            accuracy = chance if prediction is None else float(prediction == interaction.theirs)
            total += accuracy * DISCOUNT ** (len(past) - number)
    return total


def expected(table: Table, past: Past, words: str) -> str:
    """The kind that a rule predicts; if it predicts nothing, the latest kind known, else the table's first."""
    rule = rules(table).get(words.strip())
    known_kinds = [interaction.theirs for interaction in past if interaction.theirs]
    return (rule and rule(past)) or (known_kinds[-1] if known_kinds else next(iter(table)))


def expected_of_all(table: Table, past: Past) -> dict[str, str]:
    """The kind expected of each partner so far, by its likeliest rule."""
    by_partner = {
        partner: [interaction for interaction in past if interaction.partner == partner]
        for partner in dict.fromkeys(interaction.partner for interaction in past)
    }
    return {partner: expected(table, own, likeliest(table, own)) for partner, own in by_partner.items()}


def most_frequent_kind(table: Table, kinds: Sequence[str]) -> str:
    """The kind of the table that stands in `kinds` most often; the first such kind of the table if several tie."""
    return max(table, key=kinds.count)


def lead_with(main: str, held: Inventory) -> Inventory:
    """The smallest inventory reachable from this one in which `main` leads by COMMITMENT."""
    others = max(count for kind, count in held.items() if kind != main)
    return held | {main: max(held[main], others + COMMITMENT)}


# Questions about one opponent


def infer(prompt: str) -> dict[str, Any]:
    """Infers the smallest inventory that explains the reward best; equal counts of each kind if several do alike."""
    paid = float(find(r"has just paid you (\S+)\. You held", prompt))
    # The reward if the opponent had held one kind alone.
    pure = {kind: float(reward) for kind, reward in re.findall(r"^- (\w+): ([+-][\d.]+)$", prompt, re.MULTILINE)}
    start = start_of(prompt)
    possible = product(range(start, start + MAX_COLLECTED), repeat=len(pure))
    errors = {}  # by inventory: the difference of the reward expected from it and the one paid, then its size
    for held in possible:
        if max(held) > start:
            mean = sum(count * reward for count, reward in zip(held, pure.values(), strict=True)) / sum(held)
            errors[held] = round(abs(mean - paid), 3), sum(held)
    least = min(errors.values())
    best_fits = [held for held, error in errors.items() if error == least]
    held = best_fits[0] if len(best_fits) == 1 else (start + 1,) * len(pure)
    return {"reasoning": f"It explains {paid:+.4f} best.", "inventory": dict(zip(pure, held, strict=True))}


def propose(prompt: str) -> dict[str, Any]:
    words = likeliest(table_of(prompt), past_of(prompt))
    return {"reasoning": "Of all rules it fits the interactions best.", "hypothesis": words}


def predict(prompt: str) -> dict[str, Any]:
    """Predicts a kind, and its count, by the last of the prompt's hypotheses, and a kind by each of the others."""
    table, past, theirs = table_of(prompt), past_of(prompt), _expected_kind(prompt)
    others = [expected(table, past, words) for words in _hypotheses(prompt)[:-1]]
    return {
        "reasoning": f"It will play {theirs}.",
        "others_predict": others,
        "other_next": _predicted_lead(prompt, theirs),
    }


def _predicted_lead(prompt: str, kind: str) -> dict[str, Any]:
    return {"kind": kind, "count": start_of(prompt) + COMMITMENT}


def _hypotheses(prompt: str) -> list[str]:
    """The words of the prompt's numbered hypotheses."""
    return re.findall(r"^\d+\. \((?:value|untested).*?\) (.+)$", prompt, re.MULTILINE)


def revise(prompt: str) -> dict[str, Any]:
    """Keeps or adds the likeliest rule alone, and plays the best response to it."""
    table, past = table_of(prompt), past_of(prompt)
    words = likeliest(table, past)
    known = _hypotheses(prompt)
    hypothesis = {"of": known.index(words) + 1 if words in known else 0, "hypothesis": words}
    theirs = _kind_taken(prompt) or expected(table, past, words)
    held = dict.fromkeys(table, start_of(prompt)) | counts(prompt, r"You hold (.+?)\.")
    return {
        "reasoning": "Of all rules it fits the interactions best.",
        "hypotheses": [{**hypothesis, "next": expected(table, past, words)}] if past else [],
        "other_next": _predicted_lead(prompt, theirs),
        "own_next": lead_with(best_response(table, theirs), held),
        "covert": False,
        "why": "I answer the rule that fits best.",
    }


def counter(prompt: str) -> dict[str, Any]:
    """A prediction and the best response to it."""
    table = table_of(prompt)
    held = dict.fromkeys(table, start_of(prompt)) | counts(prompt, r"You hold (.+?) now\.")
    return predict(prompt) | {"own_next": lead_with(best_response(table, _expected_kind(prompt)), held)}


def _expected_kind(prompt: str) -> str:
    """The kind that the opponent has collected most since, if that is known; else what the hypothesis predicts."""
    words = next(reversed(_hypotheses(prompt)), "") or search(r"# What you know for certain .+\n(.+)", prompt)
    return _kind_taken(prompt) or expected(table_of(prompt), past_of(prompt), words)


def _kind_taken(text: str) -> str | None:
    """The kind that the only opponent has taken most since the latest interaction."""
    kinds = re.findall(
        r"(\w+) at \(",
        search(r"has most likely taken \(\* before your eyes, else found gone then\): (.+?)\.(?:$| )", text),
    )
    return leading_kind({kind: kinds.count(kind) for kind in kinds})


# Whom to meet


def choose(prompt: str) -> dict[str, Any]:
    lines = re.findall(r"^- (player_\d+): (.+)$", prompt, re.MULTILINE)
    kinds = {player: search(r"Expected next: (\w+)\.", words) or None for player, words in lines}
    return {"reasoning": "Most are expected to play so.", **partner_choice(prompt, kinds)}


def revise_and_choose(prompt: str) -> dict[str, Any]:
    """Keeps the likeliest rule of the player of whom there is news, and chooses a partner among all players."""
    table = table_of(prompt)
    about, words = search(r"^(player_\d+), of whom you have news:$", prompt), ""
    past = past_of(prompt.partition("The others:")[0])
    if about and past:
        words = likeliest(table, past)
    known = _hypotheses(prompt)
    hypothesis = {"of": known.index(words) + 1 if words in known else 0, "hypothesis": words}
    revised = [{**hypothesis, "next": expected(table, past, words)}] if words else []
    choice = choose(prompt)
    if words and about not in choice["seek"]:
        choice["seek"].append(about)
    return {**choice, "hypotheses": revised, "watch": False, "why": "Most are expected to play so."}


def partner_choice(prompt: str, kinds: Mapping[str, str | None]) -> dict[str, Any]:
    """Seeks the players of the commonest kind and those of unknown kind, with the best response to that kind.

    kinds: the kind expected of each player, None where unknown.
    """
    table = table_of(prompt)
    theirs = most_frequent_kind(table, [kind for kind in kinds.values() if kind])
    held = dict.fromkeys(table, start_of(prompt)) | counts(prompt, r"You hold (.+?)\.")
    return {
        "seek": [player for player, kind in kinds.items() if kind in (theirs, None)],
        "own_next": lead_with(best_response(table, theirs), held),
    }


def read_minds(prompt: str) -> dict[str, Any]:
    """Gives each partner's likeliest rule and next kind, and the choice of partners and an inventory, in one answer.

    The next kind is the one that a player has collected most since, if known, else what its likeliest rule predicts.
    """
    table = table_of(prompt)
    parts = re.split(r"^(player_\d+):$", prompt, flags=re.MULTILINE)[1:]
    # In a two-player game, the whole prompt is about the one other player.
    paragraphs = dict(zip(parts[::2], parts[1::2], strict=True)) or {find(r'"player": "(.+?)"', prompt): prompt}
    kinds: dict[str, str | None] = {}
    minds = []
    for player, words in paragraphs.items():
        past = past_of(words)
        taken = _kind_taken(words) or leading_kind(counts(words, r"In this life: (.+?) \(until"))
        kinds[player] = taken or (expected(table, past, likeliest(table, past)) if past else None)
        if past:
            minds.append({"player": player, "hypothesis": likeliest(table, past), "next": kinds[player]})
    return {"reasoning": "Each by the rule that fits best.", "minds": minds, **partner_choice(prompt, kinds)}


REPLIES: Replies = {
    ("inventory",): infer,
    ("hypothesis",): propose,
    ("other_next",): predict,
    ("other_next", "own_next"): counter,
    ("hypotheses", "other_next", "own_next", "why"): revise,
    ("hypotheses", "seek", "own_next", "why"): revise_and_choose,
    ("minds", "seek", "own_next"): read_minds,
}
