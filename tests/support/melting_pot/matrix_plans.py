"""The text player's plans in matrix games: what to collect and where to meet."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.support.melting_pot.matrix_opponents import (
    Inventory,
    best_response,
    counts,
    expected_of_all,
    lead_with,
    most_frequent_kind,
    past_of,
    table_of,
)
from tests.support.melting_pot.prompt_reading import CELL, Cell, Replies, cell_of, cells_in, line, search

MIN_LEAD = 3
"""By how many the main kind has to lead to be played before the target inventory is reached."""
NEAR_CELLS, FRESH_STEPS = 6, 2
"""The other player is approached at once if it is at most this near and was seen at most this long ago."""
DISTANCE_OFFSET = 4
"""A place is worth its probability / (DISTANCE_OFFSET + its distance in cells)."""
MAX_CALLS = 6
REGROWTH_COST, REGROWTH_STEPS = 4, 30
"""The extra cost, in cells, of a site whose resource may have regrown, and after how many steps it may have."""
STEPS_PER_CELL = 40
"""A sighting this many steps old costs as much as one more cell of distance."""
WHERE_OTHERS_ARE = r"Other player \(\w+\)", "Other players", "Players you seek"
WHERE_TO_LOOK = (
    "Cells from which you may see it, with the chance",
    "Cells from which you may see players you seek, with how many to expect",
    "Cells from which you may see other players, with how many to expect",
)

# Plans


@dataclass(frozen=True)
class MatrixScene:
    """The map as a prompt describes it.

    held, target: the inventory now, and the one to reach. extra_costs: the cells that may have a missing resource, each
    with the cells of distance to add for its uncertainty. missing: how many resources are missing. seen: where another
    player was seen within FRESH_STEPS. likely: where one may be, the best place first.
    """

    here: Cell
    held: Inventory
    target: Inventory
    extra_costs: Mapping[Cell, float]
    missing: int
    seen: Cell | None
    likely: Sequence[Cell]
    unseen: Sequence[Cell]


def plan(prompt: str) -> dict[str, Any]:
    """Collects missing resources, the nearest first, then fires at another player; explores if none are known."""
    scene = _scene(prompt)
    places = (scene.seen, *scene.likely, scene.here)
    fire = f"fire_at({next(cell for cell in places if cell)})"
    main = max(scene.target, key=lambda kind: scene.target[kind])
    is_near = scene.seen is not None and _distance(scene.here, scene.seen) <= NEAR_CELLS
    if is_near and _lead(scene.held, main) >= MIN_LEAD:
        return {"reasoning": "The other player is close, and I am ready for it.", "calls": [fire]}
    route = _route(scene)
    if scene.missing and not route and scene.unseen:
        explore = f"move_to({scene.unseen[0]})"
        return {"reasoning": "I know of nothing that I need, so I explore.", "calls": [explore]}
    moves = [f"move_to({cell})" for cell in route]
    calls = [*moves, fire] if len(route) == scene.missing or not route else moves
    return {"reasoning": "I take the nearest things first.", "calls": calls[:MAX_CALLS]}


def _scene(prompt: str) -> MatrixScene:
    here = cells_in(search(r"You are at (\(.+?\))", prompt))[0]
    held = counts(prompt, r", and hold (.+?)\.$")
    lacking = {thing: int(n) for n, thing in re.findall(r"(\d+) (\w+)", line("Still to collect", prompt))}
    things = _thing_by_kind(prompt)
    target = {kind: count + lacking.get(things[kind], 0) for kind, count in held.items()}
    if "Still to collect" not in prompt:
        target = _own_target(prompt, held)
    lacks = {kind: count - held[kind] for kind, count in target.items() if count > held[kind]}
    return MatrixScene(
        here=here,
        held=held,
        target=target,
        extra_costs={cell: cost for kind in lacks for cell, cost in _extra_costs(prompt, kind).items()},
        missing=sum(lacks.values()),
        seen=_fresh_sighting(" ".join(line(title, prompt) for title in WHERE_OTHERS_ARE)),
        likely=_places_by_worth(" ".join(line(title, prompt) for title in WHERE_TO_LOOK), here),
        unseen=cells_in(line(r"Longest out of view \(steps\)", prompt)),
    )


def _own_target(prompt: str, held: Inventory) -> Inventory:
    """The inventory to reach if the prompt gives none: one in which the best response to the commonest kind leads.

    A lead of MIN_LEAD in the present inventory is enough.
    """
    table = table_of(prompt)
    main = best_response(table, most_frequent_kind(table, list(expected_of_all(table, past_of(prompt)).values())))
    return held if _lead(held, main) >= MIN_LEAD else lead_with(main, held)


def _lead(held: Inventory, main: str) -> int:
    return held[main] - max(count for kind, count in held.items() if kind != main)


def _extra_costs(prompt: str, kind: str) -> dict[Cell, float]:
    """The extra cost of each cell where the resource to collect for a kind was seen or may have regrown."""
    thing = _thing_by_kind(prompt)[kind]
    known = search(rf"^- {thing}: (.+)$", prompt)
    things = {
        cell_of(x, y): int(ago or 0) / STEPS_PER_CELL for x, y, ago in re.findall(rf"{CELL}\*?(?: (\d+))?", known)
    }
    sites = re.findall(rf"{thing} {CELL}(?: (\d+))?", line(r"Empty when last seen \(steps since\)", prompt))
    return {
        cell_of(x, y): float(REGROWTH_COST) for x, y, ago in sites if not ago or int(ago) >= REGROWTH_STEPS
    } | things


def _thing_by_kind(prompt: str) -> dict[str, str]:
    """The thing to collect for each kind."""
    return {kind: thing for thing, kind in re.findall(r"(\w+) = (\w+)", prompt)}


def _fresh_sighting(words: str) -> Cell | None:
    """The first cell where another player was seen within FRESH_STEPS."""
    for part in words.split(";"):
        cells, steps_ago = cells_in(part), int(search(r"(\d+) steps? ago", part) or 0)
        if cells and steps_ago <= FRESH_STEPS:
            return cells[0]
    return None


def _places_by_worth(words: str, here: Cell) -> list[Cell]:
    """The places that the words name, the best first: by probability over distance, offset by DISTANCE_OFFSET."""
    chances = {cell_of(x, y): float(chance) for x, y, chance in re.findall(rf"{CELL} ([\d.]+)", words)}
    return sorted(chances, key=lambda cell: -chances[cell] / (DISTANCE_OFFSET + _distance(here, cell)))


def _route(scene: MatrixScene) -> list[Cell]:
    """The cheapest cell from each one before, until there is one for every missing resource or the plan is full."""
    costs, here, route = dict(scene.extra_costs), scene.here, list[Cell]()
    while costs and len(route) < min(scene.missing, MAX_CALLS):
        start = here
        here = min(costs, key=lambda cell: (_distance(start, cell) + costs[cell], cell))
        route.append(here)
        del costs[here]
    return route


def _distance(start: Cell, end: Cell) -> int:
    return abs(start[0] - end[0]) + abs(start[1] - end[1])


def criticise(prompt: str) -> dict[str, Any]:
    """Criticises a plan by the reward since it was made."""
    paid = sum(map(float, re.findall(r"\): ([+-][\d.]+)", prompt)))
    verdict = "Hold the same again" if paid > 0 else "Hold what beats the other" if paid else "Go on"
    return {"reasoning": "By the reward.", "critique": f"{verdict}: it was paid {paid:+.2f}."}


REPLIES: Replies = {
    ("calls",): plan,
    ("critique",): criticise,
}
