"""Reads minds in matrix games by the words of prompts alone: what others hold, by which rule, and whom to meet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product
from typing import Any

from hm_agent.testing.melting_pot.prompt_text import Replies, find, search
from hm_agent.testing.melting_pot.text_matrix import (
    COMMITMENT,
    Table,
    best,
    commonest,
    counts,
    expected,
    lead_with,
    leading,
    likeliest,
    past_of,
    start_of,
    table_of,
)

MOST = 13
"""How many of a kind a player is expected to hold at most."""

# What the other held


def infer(prompt: str) -> dict[str, Any]:
    """The fewest things that explain the reward; as many of each kind where several kinds may have led."""
    paid = float(find(r"has just paid you (\S+)\. You held", prompt))
    pure = {kind: float(reward) for kind, reward in re.findall(r"^- (\w+): ([+-][\d.]+)$", prompt, re.MULTILINE)}
    start = start_of(prompt)
    possible = product(range(start, start + MOST), repeat=len(pure))
    merits = {held: _merit(held, pure, paid) for held in possible if max(held) > start}
    least = min(merits.values())
    found = [held for held, merit in merits.items() if merit == least]
    held = found[0] if len(found) == 1 else (start + 1,) * len(pure)
    return {"reasoning": f"It explains {paid:+.4f} best.", "inventory": dict(zip(pure, held, strict=True))}


def _merit(held: tuple[int, ...], pure: Mapping[str, float], paid: float) -> tuple[float, int]:
    """How far an inventory is from explaining a reward, then its size; the less, the better."""
    mean = sum(count * reward for count, reward in zip(held, pure.values(), strict=True)) / sum(held)
    return round(abs(mean - paid), 3), sum(held)


# By which rule it goes, and what to hold against that


def propose(prompt: str) -> dict[str, Any]:
    words = likeliest(table_of(prompt), past_of(prompt))
    return {"reasoning": "Of all rules it fits the interactions best.", "hypothesis": words}


def predict(prompt: str) -> dict[str, Any]:
    table, theirs = table_of(prompt), _expected(prompt)
    other = dict.fromkeys(table, start_of(prompt)) | {theirs: start_of(prompt) + COMMITMENT}
    return {"reasoning": f"It will play {theirs}.", "other_next": other}


def counter(prompt: str) -> dict[str, Any]:
    """A prediction, and the best answer to it."""
    table = table_of(prompt)
    held = dict.fromkeys(table, start_of(prompt)) | counts(prompt, r"You hold (.+?) by now\.")
    return predict(prompt) | {"own_next": lead_with(best(table, _expected(prompt)), held)}


def _expected(prompt: str) -> str:
    """What the hypothesis says or, where things were seen to be taken, what those say."""
    words = search(r"# Your hypothesis about (?:the other|this) player\n(.+)", prompt)
    taken = leading(counts(prompt, r"for the next interaction: (.+?)\. You hold"))
    return taken or expected(table_of(prompt), past_of(prompt), words)


# Whom to meet


def choose(prompt: str) -> dict[str, Any]:
    lines = re.findall(r"^- (player_\d+): (.+)$", prompt, re.MULTILINE)
    kinds = {player: search(r"Expected: (\w+)\.", said) or None for player, said in lines}
    return {"reasoning": "Most are expected to play so.", **meeting(prompt, kinds)}


def meeting(prompt: str, kinds: Mapping[str, str | None]) -> dict[str, Any]:
    """Those who play what most do, and the best answer to it; anybody where nothing is known.

    kinds: what each player is expected to play.
    """
    table = table_of(prompt)
    theirs = commonest(table, [kind for kind in kinds.values() if kind])
    held = dict.fromkeys(table, start_of(prompt)) | counts(prompt, r"^You hold (.+?)\.")
    return {
        "seek": [player for player, kind in kinds.items() if kind in (theirs, None)],
        "own_next": lead_with(best(table, theirs), held),
    }


def read_minds(prompt: str) -> dict[str, Any]:
    """The rule of everybody that was met, what that leads to or what was taken since, and the answer to it."""
    table, said = table_of(prompt), _said_of_each(prompt)
    kinds = {player: _next(table, words) for player, words in said.items()}
    minds = [
        {"player": player, "hypothesis": likeliest(table, past_of(words)), "next": kinds[player]}
        for player, words in said.items()
        if past_of(words)
    ]
    return {"reasoning": "Each by the rule that fits best.", "minds": minds, **meeting(prompt, kinds)}


def _next(table: Table, words: str) -> str | None:
    """What somebody of whom this is known plays next; None where nothing tells."""
    past, taken = (
        past_of(words),
        leading(counts(words, r"(?:has most likely taken|Seen to take) since: (.+?)(?:\.| \(until)")),
    )
    return taken or (expected(table, past, likeliest(table, past)) if past else None)


def _said_of_each(prompt: str) -> dict[str, str]:
    """What is told of each player; all that is, where there is one."""
    parts = re.split(r"^(player_\d+):$", prompt, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True)) or {find(r'"player": "(.+?)"', prompt): prompt}


REPLIES: Replies = {
    ("inventory",): infer,
    ("hypothesis",): propose,
    ("other_next",): predict,
    ("other_next", "own_next"): counter,
    ("minds", "seek", "own_next"): read_minds,
}
