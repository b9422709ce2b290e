"""Plays from the words of the prompts alone, for tests and benchmarks of whole episodes over HTTP.

It reads with regular expressions and shares no code with the package, so it also shows that the prompts tell enough.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, product
from typing import Any

from benchmarks import text_cook
from benchmarks.loopback import Response, completion, prompt_of
from benchmarks.prompt_text import CELL, Cell, cell_of, cells_in, line, search

Inventory = dict[str, int]
Table = Mapping[str, Mapping[str, float]]
"""The reward by the own kind, then by the other's."""

MOST = 13
"""How many of a kind a player is expected to hold at most."""
COMMITMENT = 5
"""How many of the main kind to collect."""
LEAD = 3
"""By how much the main kind must lead for an early meeting to be worth it."""
NEAR, FRESH = 6, 2
"""How near, in steps of way, and how fresh, in steps of time, a sighting must be to be acted on at once."""
HASTE = 4
"""The way to the other counts from here on: twice as far, in steps beyond these, must be twice as likely."""
SUBGOALS = 6
"""How many subgoals a plan may have."""
DOUBT, REGROWTH = 4, 30
"""How many steps of way a place of regrowth counts as further away, and how long one seen empty is left alone."""
AGEING = 40
"""A thing counts as one step further away for every so many steps since it was seen."""
KITCHEN = "You and a teammate cook"
"""Prompts about a kitchen, and no others, have these words."""
FADING = 0.9
"""How much less an interaction says than the one after it."""


def answer(body: Mapping[str, Any]) -> Response:
    """Plays behind an endpoint. Where it is asked again, the first message still holds the prompt."""
    sent = "".join(str(message["content"]) for message in body["messages"])
    return completion(*[play(prompt_of(body, 0))] * (body.get("n") or 1), prompt=sent)


def play(prompt: str) -> str:
    """The answer to a prompt, as JSON; which one is asked for shows in the form at the prompt's end."""
    form = prompt.rpartition("# Answer")[2]
    replies = text_cook.REPLIES if KITCHEN in prompt else REPLIES
    for asked, reply in replies.items():
        if f'"{asked}":' in form:
            return json.dumps(reply(prompt))
    raise ValueError(f"no prompt that is known: its form has none of {', '.join(REPLIES)}: {form.strip()!r}")


# What the other held


def infer(prompt: str) -> dict[str, Any]:
    """The fewest things that explain the reward; as many of each kind where several kinds may have led."""
    paid = float(_find(r"has just paid you (\S+)\. You held", prompt))
    pure = {kind: float(reward) for kind, reward in re.findall(r"^- (\w+): ([+-][\d.]+)$", prompt, re.MULTILINE)}
    start = _start(prompt)
    possible = product(range(start, start + MOST), repeat=len(pure))
    merits = {held: _merit(held, pure, paid) for held in possible if max(held) > start}
    best = min(merits.values())
    found = [held for held, merit in merits.items() if merit == best]
    held = found[0] if len(found) == 1 else (start + 1,) * len(pure)
    return {"reasoning": f"It explains {paid:+.4f} best.", "inventory": dict(zip(pure, held, strict=True))}


def _merit(held: tuple[int, ...], pure: Mapping[str, float], paid: float) -> tuple[float, int]:
    """How far an inventory is from explaining a reward, then its size; the less, the better."""
    mean = sum(count * reward for count, reward in zip(held, pure.values(), strict=True)) / sum(held)
    return round(abs(mean - paid), 3), sum(held)


# What rule the other goes by


@dataclass(frozen=True)
class Meeting:
    """An interaction by the kinds that led, None where none did. shown: what the other saw being collected most."""

    mine: str | None
    theirs: str | None
    shown: str | None


Rule = Callable[[Sequence[Meeting]], str | None]
"""From the interactions so far to the kind that is played next, None where the rule can't tell yet."""


def rules(table: Table) -> dict[str, Rule]:
    """The rules that are thought of, in words, the simplest first."""
    always = {f"It always plays {kind}.": partial(_always, kind) for kind in table}
    return always | {
        "It plays the best response to what I played last.": lambda past: _best(table, _last(past).mine),
        "It plays the best response to what it last saw me collect.": lambda past: _best(table, _last(past).shown),
        "It copies what I played last.": lambda past: _last(past).mine,
        "It plays the best response to its own last kind.": lambda past: _best(table, _last(past).theirs),
        "It plays what its own last kind does best against.": lambda past: _prey(table, _last(past).theirs),
    }


def _always(kind: str, past: Sequence[Meeting]) -> str | None:
    return kind


def _last(past: Sequence[Meeting]) -> Meeting:
    return past[-1] if past else Meeting(None, None, None)


def _best(table: Table, against: str | None) -> str | None:
    return max(table, key=lambda mine: table[mine][against]) if against else None


def _prey(table: Table, kind: str | None) -> str | None:
    return max(table[kind], key=lambda theirs: table[kind][theirs]) if kind else None


def propose(prompt: str) -> dict[str, Any]:
    """The rule that foretells the interactions best, the later ones weighing more."""
    past, table = _past(prompt), _table(prompt)
    known = rules(table)
    words = max(known, key=lambda words: _foretold(known[words], past, 1 / len(table)))
    return {"reasoning": f"Of {len(known)} rules it fits the interactions best.", "hypothesis": words}


def _foretold(rule: Rule, past: Sequence[Meeting], chance: float) -> float:
    """The weight of the interactions that a rule gets right; where it can't tell, it may be right by chance."""
    total = 0.0
    for number, meeting in enumerate(past):
        said = rule(past[:number])
        if meeting.theirs:
            right = chance if said is None else float(said == meeting.theirs)
            total += right * FADING ** (len(past) - number)
    return total


# What it will play, and what to hold against it


def predict(prompt: str) -> dict[str, Any]:
    """What the hypothesis says or, where things were seen to be taken, what those say; and the best answer to it."""
    table, start = _table(prompt), _start(prompt)
    theirs = _leading(_counts(prompt, r"for the next interaction: (.+?)\. You hold")) or _expected(prompt, table)
    other = {"other_next": dict.fromkeys(table, start) | {theirs: start + COMMITMENT}}
    if '"own_next":' not in prompt:
        return {"reasoning": f"It will play {theirs}."} | other
    mine = max(table, key=lambda kind: table[kind][theirs])
    held = _counts(prompt, r"You hold (.+?) by now\.")
    own = {"own_next": _lead_with(mine, dict.fromkeys(table, start) | held)}
    return {"reasoning": f"It will play {theirs}, and {mine} does best against that."} | other | own


def choose(prompt: str) -> dict[str, Any]:
    """Those who are expected to play what most are, and the best answer to it; anybody where nothing is known."""
    table, start = _table(prompt), _start(prompt)
    lines = re.findall(r"^- (player_\d+): (.+)$", prompt, re.MULTILINE)
    expected = {player: kind for player, said in lines if (kind := search(r"Expected: (\w+)\.", said))}
    kinds = list(expected.values())
    theirs = max(table, key=kinds.count)
    mine = max(table, key=lambda kind: table[kind][theirs])
    held = _counts(prompt, r"^You hold (.+?)\.")
    return {
        "reasoning": f"{kinds.count(theirs)} of {len(kinds)} are expected to play {theirs}.",
        "seek": [player for player, _ in lines if expected.get(player) in (theirs, None)],
        "own_next": _lead_with(mine, dict.fromkeys(table, start) | held),
    }


def _expected(prompt: str, table: Table) -> str:
    """The kind that the hypothesis leads to; where it says nothing, the one met last, or any."""
    past = _past(prompt)
    words = search(r"# Your hypothesis about (?:the other|this) player\n(.+)", prompt)
    rule = rules(table).get(words.strip())
    met = [meeting.theirs for meeting in past if meeting.theirs]
    return (rule and rule(past)) or (met[-1] if met else next(iter(table)))


def _lead_with(main: str, held: Inventory) -> Inventory:
    """An inventory to reach from this one, in which one kind leads."""
    others = max(count for kind, count in held.items() if kind != main)
    return held | {main: max(held[main], others + COMMITMENT)}


# Where to go


@dataclass(frozen=True)
class Situation:
    """What a prompt says of the map.

    doubts: the cells that may have what is missing, with the steps that each counts as further away. lacking: how many
    things are missing. seen: where the other is, if it was seen just now. haunts: where it may be, the best first.
    """

    here: Cell
    doubts: Mapping[Cell, float]
    lacking: int
    seen: Cell | None
    haunts: Sequence[Cell]
    unseen: Sequence[Cell]


def plan(prompt: str) -> dict[str, Any]:
    """Collects what is missing, the nearest first, then meets the other; explores where nothing is known."""
    situation = _situation(prompt)
    place = (situation.seen, *situation.haunts, situation.here)
    fire = f"fire_at({next(cell for cell in place if cell)})"
    if _may_fire_at_once(prompt, situation):
        return {"reasoning": "The other player is close, and I am ready for it.", "subgoals": [fire]}
    route = _route(situation)
    if situation.lacking and not route and situation.unseen:
        way = f"move_to({situation.here}, {situation.unseen[0]})"
        return {"reasoning": "I know of nothing that I need, so I explore.", "subgoals": [way]}
    moves = [f"move_to({start}, {end})" for start, end in pairwise([situation.here, *route])]
    subgoals = [*moves, fire] if len(route) == situation.lacking or not route else moves
    return {"reasoning": "I take the nearest things first.", "subgoals": subgoals[:SUBGOALS]}


def _situation(prompt: str) -> Situation:
    lacks = {kind: int(count) for count, kind in re.findall(r"(\d+) (\w+)", line("Still to collect", prompt))}
    here = cells_in(search(r"You are at (\(.+?\))", prompt))[0]
    return Situation(
        here=here,
        doubts={cell: doubt for kind in lacks for cell, doubt in _doubts(prompt, kind).items()},
        lacking=sum(lacks.values()),
        seen=_seen(line("Other player", prompt) or line("Players you seek", prompt)),
        haunts=_by_worth(line(LIKELY, prompt) or line(LIKELY_AMONG_MANY, prompt), here),
        unseen=cells_in(line("Out of view for longest", prompt)),
    )


def _doubts(prompt: str, kind: str) -> dict[Cell, float]:
    """The places of a kind: things that were seen, and places where such a thing may have grown back."""
    known, regrowing = re.findall(rf"^- {kind}: (.+)$", prompt, re.MULTILINE)
    things = {cell_of(x, y): int(ago or 0) / AGEING for x, y, ago in re.findall(rf"{CELL}(?: (\d+) ago)?", known)}
    sites = re.findall(rf"{CELL}(?: (\d+))?", regrowing)
    return {cell_of(x, y): float(DOUBT) for x, y, ago in sites if not ago or int(ago) >= REGROWTH} | things


def _seen(words: str) -> Cell | None:
    """Where the other is, or was just now."""
    ago = re.search(r"(\d+) steps ago", words)
    cells = cells_in(words)
    return cells[0] if cells and (ago is None or int(ago[1]) <= FRESH) else None


def _by_worth(words: str, here: Cell) -> list[Cell]:
    """Places by their chance, near ones before far ones."""
    chances = {cell_of(x, y): float(chance) for x, y, chance in re.findall(rf"{CELL} ([\d.]+)", words)}
    return sorted(chances, key=lambda cell: -chances[cell] / (HASTE + _way(here, cell)))


def _may_fire_at_once(prompt: str, situation: Situation) -> bool:
    """Whether the other is close by while the kind that is to lead already does."""
    held, target = _counts(prompt, r"\nYou hold: (.+)"), _counts(prompt, r"Target inventory: (.+)")
    main = max(target, key=lambda kind: target[kind])
    leads = held[main] - max(count for kind, count in held.items() if kind != main) >= LEAD
    return leads and situation.seen is not None and _way(situation.here, situation.seen) <= NEAR


def _route(situation: Situation) -> list[Cell]:
    """The nearest places, each from the one before, as far as they are needed."""
    doubts, here, route = dict(situation.doubts), situation.here, list[Cell]()
    while doubts and len(route) < min(situation.lacking, SUBGOALS):
        start = here
        here = min(doubts, key=lambda cell: (_way(start, cell) + doubts[cell], cell))
        route.append(here)
        del doubts[here]
    return route


def _way(start: Cell, end: Cell) -> int:
    return abs(start[0] - end[0]) + abs(start[1] - end[1])


# How the prompts put it

LIKELY = "Likely places to see it from, with the chance"
LIKELY_AMONG_MANY = "Places to see players you seek from, with how many to expect there"


def _start(prompt: str) -> int:
    """How many of each kind one starts with."""
    return int(_find(r"you start with (\d+) of each", prompt))


def _table(prompt: str) -> Table:
    rows = re.findall(r"^- your (\w+): (.+)$", prompt, re.MULTILINE)
    return {mine: {kind: float(paid) for paid, kind in re.findall(r"(\S+) against (\w+)", row)} for mine, row in rows}


def _past(prompt: str) -> list[Meeting]:
    lines = re.findall(r"^\d+\. step \d+: you .+? \((.+?)\); other .+? \((.+?)\); reward (.+)$", prompt, re.MULTILINE)
    return [
        Meeting(_kind(mine), _kind(theirs), _leading(_counts(rest, "collect (.+)"))) for mine, theirs, rest in lines
    ]


def _kind(words: str) -> str | None:
    return None if words in ("no lead", "unclear") else words


def _counts(text: str, pattern: str) -> Inventory:
    """An inventory such as `rock 1, paper 6`, nothing where the pattern that ends in it isn't found."""
    return {kind: int(count) for kind, count in re.findall(r"(\w+) (\d+)", search(pattern, text))}


def _leading(counts: Inventory) -> str | None:
    """The kind of which there is most, None where it is not the only one."""
    most = [kind for kind, count in counts.items() if count == max(counts.values())]
    return most[0] if len(most) == 1 else None


def _find(pattern: str, prompt: str) -> str:
    if found := search(pattern, prompt):
        return found
    raise ValueError(f"the prompt doesn't say {pattern!r}")


REPLIES: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "inventory": infer,
    "hypothesis": propose,
    "seek": choose,
    "other_next": predict,
    "subgoals": plan,
}
"""How to answer, by what the form of the answer has in it."""
