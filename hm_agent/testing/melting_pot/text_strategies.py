"""Makes strategies of its own in matrix games, and goes by them, from the words of the prompts alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hm_agent.testing.melting_pot.prompt_text import Replies, search
from hm_agent.testing.melting_pot.text_matrix import (
    Inventory,
    Past,
    Table,
    best,
    commonest,
    counts,
    expected,
    expected_of_all,
    lead_with,
    likeliest,
    past_of,
    rules,
    start_of,
    table_of,
)
from hm_agent.testing.melting_pot.text_minds import choose, meeting

STRATEGY = "# Your strategy\n"
"""Before the strategy that is to be followed."""
EVEN = 0.05
"""A reward below this is no reward."""


def make(prompt: str) -> dict[str, Any]:
    """To answer the rule that fits best; among many, to lead with what beats most of those that were met."""
    table, past = table_of(prompt), past_of(prompt)
    if players := _players(prompt):
        met = expected_of_all(table, past)
        choice = meeting(prompt, {player: met.get(player) for player in players})
        return choice | {"strategy": f"I always lead with {max(choice['own_next'], key=choice['own_next'].get)}."}
    words = likeliest(table, past)
    mine = best(table, expected(table, past, words))
    return _choice(prompt, mine) | {"strategy": f"I answer one of whom this is true: {words}"}


def settle(prompt: str) -> dict[str, Any]:
    """By the strategy to be followed, where there is one; else by what is expected of everybody."""
    if STRATEGY not in prompt:
        return choose(prompt)
    return _choice(prompt, _comes_to(search(f"{STRATEGY}(.+)", prompt), table_of(prompt), past_of(prompt)))


def _comes_to(words: str, table: Table, past: Past) -> str:
    """What does best against the rule that a strategy speaks of, or the kind it names, or what beats the latest."""
    if rule := next((rule for rule in rules(table) if rule in words), None):
        return best(table, expected(table, past, rule))
    return next((kind for kind in table if kind in words), best(table, expected(table, past, "")))


def _choice(prompt: str, mine: str) -> dict[str, Any]:
    """To hold most of one kind, and to meet those that lose to it or are not known."""
    table = table_of(prompt)
    met = expected_of_all(table, past_of(prompt))
    seek = [player for player in _players(prompt) if player not in met or best(table, met[player]) == mine]
    own = lead_with(mine, dict.fromkeys(table, start_of(prompt)))
    return {"reasoning": f"That comes to {mine}.", "seek": seek, "own_next": own}


def _players(prompt: str) -> list[str]:
    """The names of the others, where there are several."""
    return re.findall(r"player_\d+", search(r"^The other players are (.+)\.$", prompt))


def judge(prompt: str) -> dict[str, Any]:
    mine, theirs = (
        counts(prompt, "Suppose you had held (.+?) instead"),
        counts(prompt, r"the other player held (.+?)\."),
    )
    paid = _paid(table_of(prompt), mine, theirs)
    outcome = "neutral" if abs(paid) < EVEN else "positive" if paid > 0 else "negative"
    return {"reasoning": f"It would have paid {paid:+.2f}.", "outcome": outcome}


def _paid(table: Table, mine: Inventory, theirs: Inventory) -> float:
    total = sum(mine[own] * theirs[other] * paid for own, row in table.items() for other, paid in row.items())
    return total / sum(mine.values()) / sum(theirs.values())


def what_to_lead_with(table: Table, prompt: str) -> str:
    """The answer to what most of those that were met play next, where nobody has decided on a strategy."""
    kinds: Mapping[str, str] = expected_of_all(table, past_of(prompt))
    return best(table, commonest(table, list(kinds.values())))


REPLIES: Replies = {
    ("seek", "own_next", "strategy"): make,
    ("seek", "own_next"): settle,
    ("outcome",): judge,
}
