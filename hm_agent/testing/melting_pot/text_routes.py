"""Plans ways in matrix games from the words of the prompts alone: what to collect, and where to meet the other."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hm_agent.testing.melting_pot.prompt_text import CELL, Cell, Replies, cell_of, cells_in, line, search
from hm_agent.testing.melting_pot.text_matrix import Inventory, counts, lead_with, table_of
from hm_agent.testing.melting_pot.text_strategies import what_to_lead_with

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
WHERE_OTHERS_ARE = "Other player", "Other players", "Players you seek"
WHERE_TO_LOOK = (
    "Likely places to see it from, with the chance",
    "Places to see players you seek from, with how many to expect there",
    "Places to see other players from, with how many to expect there",
)


@dataclass(frozen=True)
class Situation:
    """What a prompt says of the map.

    held, target: what one holds, and is to hold. doubts: the cells that may have what is missing, with the steps that
    each counts as further away. lacking: how many things are missing. seen: where the other is, if it was seen just
    now. haunts: where it may be, the best first.
    """

    here: Cell
    held: Inventory
    target: Inventory
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
    if _may_fire_at_once(situation):
        return {"reasoning": "The other player is close, and I am ready for it.", "subgoals": [fire]}
    route = _route(situation)
    if situation.lacking and not route and situation.unseen:
        way = f"move_to({situation.here}, {situation.unseen[0]})"
        return {"reasoning": "I know of nothing that I need, so I explore.", "subgoals": [way]}
    moves = [f"move_to({start}, {end})" for start, end in pairwise([situation.here, *route])]
    subgoals = [*moves, fire] if len(route) == situation.lacking or not route else moves
    return {"reasoning": "I take the nearest things first.", "subgoals": subgoals[:SUBGOALS]}


def _situation(prompt: str) -> Situation:
    here = cells_in(search(r"You are at (\(.+?\))", prompt))[0]
    held = counts(prompt, r"\nYou hold: (.+)")
    target = counts(prompt, r"Target inventory: (.+)") or _own_target(prompt, held)
    lacks = {kind: count - held[kind] for kind, count in target.items() if count > held[kind]}
    return Situation(
        here=here,
        held=held,
        target=target,
        doubts={cell: doubt for kind in lacks for cell, doubt in _doubts(prompt, _thing(prompt, kind)).items()},
        lacking=sum(lacks.values()),
        seen=_seen(" ".join(line(title, prompt) for title in WHERE_OTHERS_ARE)),
        haunts=_by_worth(" ".join(line(title, prompt) for title in WHERE_TO_LOOK), here),
        unseen=cells_in(line("Out of view for longest", prompt)),
    )


def _own_target(prompt: str, held: Inventory) -> Inventory:
    """What to hold, where the prompt leaves that open; nothing in hand is in the way of what leads by enough."""
    main = what_to_lead_with(table_of(prompt), prompt)
    return held if _lead(held, main) >= LEAD else lead_with(main, held)


def _lead(held: Inventory, main: str) -> int:
    return held[main] - max(count for kind, count in held.items() if kind != main)


def _thing(prompt: str, kind: str) -> str:
    """What to collect for a kind."""
    return search(rf"^- (\w+) = {kind}$", prompt)


def _doubts(prompt: str, thing: str) -> dict[Cell, float]:
    """The places of a thing: where it was seen, and where it may have grown back."""
    known, regrowing = re.findall(rf"^- {thing}: (.+)$", prompt, re.MULTILINE)
    things = {cell_of(x, y): int(ago or 0) / AGEING for x, y, ago in re.findall(rf"{CELL}(?: (\d+) ago)?", known)}
    sites = re.findall(rf"{CELL}(?: (\d+))?", regrowing)
    return {cell_of(x, y): float(DOUBT) for x, y, ago in sites if not ago or int(ago) >= REGROWTH} | things


def _seen(words: str) -> Cell | None:
    """Where one of the others is, or was just now."""
    return next((cells_in(said)[0] for said in words.split(";") if cells_in(said) and _ago(said) <= FRESH), None)


def _ago(said: str) -> int:
    return int(search(r"(\d+) steps ago", said) or 0)


def _by_worth(words: str, here: Cell) -> list[Cell]:
    """Places by their chance, near ones before far ones."""
    chances = {cell_of(x, y): float(chance) for x, y, chance in re.findall(rf"{CELL} ([\d.]+)", words)}
    return sorted(chances, key=lambda cell: -chances[cell] / (HASTE + _way(here, cell)))


def _may_fire_at_once(situation: Situation) -> bool:
    """Whether the other is close by while the kind that is to lead already does."""
    main = max(situation.target, key=lambda kind: situation.target[kind])
    leads = _lead(situation.held, main) >= LEAD
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


def criticise(prompt: str) -> dict[str, Any]:
    """What a plan brought."""
    paid = float(search(r"^Reward in between: (\S+)\.$", prompt))
    verdict = "Hold the same again" if paid > 0 else "Hold what beats the other" if paid else "Go on"
    return {"reasoning": "By the reward.", "critique": f"{verdict}: it was paid {paid:+.2f}."}


REPLIES: Replies = {("subgoals",): plan, ("critique",): criticise}
