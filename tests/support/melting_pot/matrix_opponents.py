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

NEUTRAL_REWARD = 0.05
"""A reward closer to zero than this is judged neutral."""
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

    partner: the other player's name. shown: the kind that the partner saw the player collect most.
    """

    partner: str
    mine: str | None
    theirs: str | None
    shown: str | None


Past = Sequence[PastInteraction]


def past_of(prompt: str) -> list[PastInteraction]:
    """The interactions that the prompt lists, the oldest first."""
    line = r"^- step \d+: you \S+ \((.+?)\), (\w+) \S+ \((.+?)\): (.+)$"
    about, table = search(r"^# What you noticed of (?:the (?!others))?(\w+)$", prompt), table_of(prompt)
    return [
        PastInteraction(
            (about or partner) if partner == "it" else partner,
            _kind_in(mine),
            _kind_in(theirs),
            leading_kind(dict(zip(table, map(int, search(r"collect ([\d/]+)", rest).split("/")), strict=True)))
            if "collect" in rest
            else None,
        )
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
    """Predicts what a player leads with by each hypothesis, or by the likeliest rule, and decides if that is asked."""
    table, past = table_of(prompt), past_of(prompt)
    theirs = [expected(table, past, words) for words in _hypotheses(prompt)[:-1]] + [_expected_kind(prompt)]
    player = find(r'"player": "(.+?)"', prompt)
    decided = {"strategy": decide(prompt)} if '"strategy":' in prompt else {}
    foreseen = [_predicted_lead(prompt, kind) for kind in theirs]
    return {"reasoning": f"It will play {theirs[-1]}.", "player": player, "next": foreseen, **decided}


def give_odds(prompt: str) -> dict[str, Any]:
    """Names the likeliest rule of the player in question, with most of the chance on what it predicts."""
    table = table_of(prompt)
    about = search(r"By which rules may (?:the )?(\w+) act", prompt)
    words = likeliest(table, [interaction for interaction in past_of(prompt) if interaction.partner == about])
    kind = _kind_taken(prompt) or expected(table, past_of(prompt), words)
    return {
        "reasoning": "It fits best.",
        "rules": [{"rule": words, "share": 100, "next": [80 if each == kind else 10 for each in table], "then": []}],
    }


def _predicted_lead(prompt: str, kind: str) -> dict[str, Any]:
    return {"kind": kind, "count": start_of(prompt) + COMMITMENT}


def _hypotheses(prompt: str) -> list[str]:
    """The words of the prompt's numbered hypotheses."""
    return re.findall(r"^\d+\. \((?:value|untested).*?\) (.+)$", prompt, re.MULTILINE)


def revise(prompt: str) -> dict[str, Any]:
    """Keeps or adds the likeliest rule of the player that the question is about, if it has met that one."""
    table, known = table_of(prompt), _hypotheses(prompt)
    about = search(r"^# What you noticed of (?:the (?!others))?(\w+)$", prompt)
    past = [interaction for interaction in past_of(prompt) if interaction.partner == about]
    words = likeliest(table, past)
    of = known.index(words) + 1 if words in known else 0
    revised = {"of": of, "hypothesis": words, "next": _predicted_lead(prompt, expected(table, past, words))}
    return {"reasoning": "It fits best.", "hypotheses": [revised] if past else [], "strategy": decide(prompt)}


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


def _expected_kinds(prompt: str) -> dict[str, str | None]:
    """The kind expected of each of many players, None where unknown.

    It is what a player was seen to take, else what it is believed to play, else what its likeliest rule predicts.
    """
    table, now = table_of(prompt), prompt.partition("# Now\n")[2].partition("\n\n")[0]
    known = expected_of_all(table, past_of(prompt))
    kinds: dict[str, str | None] = {}
    for player, words in re.findall(r"^- (player_\d+):(.*)$", now, re.MULTILINE):
        taken = leading_kind(counts(words, r"In this life: (.+?) \(until"))
        kinds[player] = taken or search(rf"^- {player} \(next: (\w+)\)", prompt) or known.get(player)
    return kinds


def decide(prompt: str) -> dict[str, Any]:
    """Follows the prompt's strategy, if it has one; else plays the best response to what most are expected to play."""
    table, own = table_of(prompt), search(r"^# Your strategy\n(.+)", prompt)
    held = dict.fromkeys(table, start_of(prompt)) | counts(prompt, r"You hold (.+?)\.")
    kinds = _expected_kinds(prompt) if '"seek":' in prompt else {"it": _expected_of_one(prompt, own)}
    mine = _kind_followed(own, prompt) if own else None
    mine = mine or best_response(table, most_frequent_kind(table, [kind for kind in kinds.values() if kind]))
    strategy = {"hold": lead_with(mine, held), "watch": False, "covert": False}
    if '"seek":' in prompt:
        seek = [player for player, kind in kinds.items() if kind is None or best_response(table, kind) == mine]
        return {"words": f"I always lead with {mine}.", "seek": seek, **strategy}
    words = f"I answer one of whom this is true: {likeliest(table, past_of(prompt))}"
    return {"words": words, "expects": _predicted_lead(prompt, kinds["it"] or mine), **strategy}


def _expected_of_one(prompt: str, own: str) -> str:
    """The kind expected of an only opponent; by its likeliest rule alone for a rule of the player's own."""
    table, past = table_of(prompt), past_of(prompt)
    is_rule = bool(own) or "Say your strategy" in prompt
    return expected(table, past, likeliest(table, past)) if is_rule else _expected_kind(prompt)


def _kind_followed(own: str, prompt: str) -> str | None:
    """The kind to lead with by a strategy: the answer to the rule that its words contain, else the kind they name."""
    table = table_of(prompt)
    if rule := next((rule for rule in rules(table) if rule in own), None):
        return best_response(table, expected(table, past_of(prompt), rule))
    return next((kind for kind in table if kind in own), None)


def decide_alone(prompt: str) -> dict[str, Any]:
    return {"reasoning": "It answers what they are expected to play.", "strategy": decide(prompt)}


def judge(prompt: str) -> dict[str, Any]:
    """Judges an inventory that the player might have held by the reward that it would have had."""
    table, mine = table_of(prompt), counts(prompt, r"suppose you had held (.+?)\.")
    theirs = dict(zip(table, map(int, find(r"\), \w+ ([\d/]+) \(", prompt).split("/")), strict=True))
    total = sum(mine[own] * theirs[other] * paid for own, row in table.items() for other, paid in row.items())
    paid = total / sum(mine.values()) / sum(theirs.values())
    outcome = "neutral" if abs(paid) < NEUTRAL_REWARD else "positive" if paid > 0 else "negative"
    return {"reasoning": f"It would have paid {paid:+.2f}.", "outcome": outcome}


def read_minds(prompt: str) -> dict[str, Any]:
    """Gives each partner's likeliest rule and what it leads with by that, and what to do."""
    table = table_of(prompt)
    minds = []
    for player in dict.fromkeys(interaction.partner for interaction in past_of(prompt)):
        past = [interaction for interaction in past_of(prompt) if interaction.partner == player]
        words = likeliest(table, past)
        foreseen = _predicted_lead(prompt, expected(table, past, words))
        minds.append({"player": player, "hypothesis": words, "next": foreseen})
    return {"reasoning": "Each by the rule that fits best.", "minds": minds, "strategy": decide(prompt)}


REPLIES: Replies = {
    ("inventory",): infer,
    ("reasoning", "rules"): give_odds,
    ("hypothesis",): propose,
    ("player", "next"): predict,
    ("reasoning", "hypotheses", "strategy"): revise,
    ("reasoning", "minds", "strategy"): read_minds,
    ("strategy",): decide_alone,
    ("outcome",): judge,
}
