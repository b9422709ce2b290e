"""Cooks from the words of the prompts alone, for tests of whole episodes over HTTP.

It reads with regular expressions and shares no code with the package, so it also shows that the prompts tell enough.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.prompt_text import Cell, cells_in, line, search

COMPLEMENT = {"loads pots": "serves soup", "serves soup": "loads pots"}
"""Which part goes with the teammate's; beside any other, one does everything."""
SOON = 12
"""Within so many steps a pot is cooked that one fetches a dish for."""


def propose(prompt: str) -> dict[str, Any]:
    """What the latest round came to is taken to go on."""
    rounds = re.findall(r"^- until step .+?\): (.+?): ", prompt, re.MULTILINE)
    return {"reasoning": "It did so last.", "hypothesis": f"The teammate always {rounds[-1] if rounds else 'rests'}."}


def predict(prompt: str) -> dict[str, Any]:
    said = search(r"# Your hypothesis about the teammate\n(.+)", prompt)
    return {"reasoning": "By the hypothesis.", "behaviour": next((role for role in _roles(prompt) if role in said), "")}


def choose(prompt: str) -> dict[str, Any]:
    expected = search(r"By it the teammate next (.+)\.", prompt)
    role = COMPLEMENT.get(expected, "does everything")
    strategy = f"I do what is left to do: one who {role}."
    return {"reasoning": "We share.", "teammate": expected or "stands around", "role": role, "strategy": strategy}


def criticise(prompt: str) -> dict[str, Any]:
    return {"reasoning": "", "critique": "It was of no use with this in my hands: look at the pots again first."}


@dataclass(frozen=True)
class Scene:
    """What a prompt says of the kitchen. cooking: the pots that are full, with the steps until they are cooked."""

    here: Cell
    hands: str
    room: list[Cell]
    cooking: Mapping[Cell, int]
    things: Mapping[str, Cell]
    counters: list[Cell]
    unseen: list[Cell]
    floor: list[Cell]


def plan(prompt: str) -> dict[str, Any]:
    """One errand: what is in the hands is brought where it belongs, or the next thing is fetched."""
    scene = _scene(prompt)
    barred = set(cells_in(" ".join(re.findall(r"^Not now: interact(\(.+?\)) came", prompt, re.MULTILINE))))
    return {"reasoning": "One errand after the other.", "subgoals": ERRANDS[scene.hands](scene, barred)}


def _empty_handed(scene: Scene, barred: set[Cell]) -> list[str]:
    if scene.unseen:
        far = max(scene.floor, key=lambda cell: abs(cell[0] - scene.here[0]) + abs(cell[1] - scene.here[1]))
        return [f"move_to({scene.here}, {far})"]
    soonest = min(scene.cooking, key=lambda cell: scene.cooking[cell], default=None)
    if soonest and (scene.cooking[soonest] <= SOON or not scene.room):
        return [_use(scene.things["dish_dispenser"]), f"wait({soonest})", _use(soonest), _use(scene.things["delivery"])]
    return [_use(scene.things["tomato_dispenser"]), _use(scene.room[0])]


def _with_tomato(scene: Scene, barred: set[Cell]) -> list[str]:
    return [_use(next((pot for pot in scene.room if pot not in barred), scene.counters[0]))]


def _with_dish(scene: Scene, barred: set[Cell]) -> list[str]:
    soonest = min(scene.cooking, key=lambda cell: scene.cooking[cell], default=None)
    if soonest is None:
        return [_use(scene.counters[0])]
    return [f"wait({soonest})", _use(soonest), _use(scene.things["delivery"])]


def _with_soup(scene: Scene, barred: set[Cell]) -> list[str]:
    return [_use(scene.things["delivery"])]


ERRANDS: Mapping[str, Callable[[Scene, set[Cell]], list[str]]] = {
    "nothing": _empty_handed,
    "a tomato": _with_tomato,
    "a dish": _with_dish,
    "soup": _with_soup,
}


def _scene(prompt: str) -> Scene:
    contents = r"\((\d+), (\d+)\) (\d of \d tomatoes|cooked|full, cooked in about (\d+) steps)"
    pots = re.findall(contents, line("Pots", prompt))
    things = re.findall(r"(\w+) \((\d+), (\d+)\)", line("In your room", prompt))
    return Scene(
        here=cells_in(search(r"You are at (\(.+?\))", prompt))[0],
        hands=search(r"and hold (.+?)\.$", prompt),
        room=[(int(x), int(y)) for x, y, content, _ in pots if "tomatoes" in content],
        cooking={(int(x), int(y)): int(left or 0) for x, y, content, left in pots if "tomatoes" not in content},
        things={kind: (int(x), int(y)) for kind, x, y in things},
        counters=cells_in(line("Bare counters", prompt)),
        unseen=cells_in(line("Never seen yet", prompt)),
        floor=cells_in(line("Floor", prompt)),
    )


def _roles(prompt: str) -> list[str]:
    return re.findall(r'^- "(.+?)":', prompt, re.MULTILINE)


def _use(cell: Cell) -> str:
    return f"interact({cell})"


REPLIES: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "critique": criticise,
    "hypothesis": propose,
    "behaviour": predict,
    "role": choose,
    "subgoals": plan,
}
"""How to answer, by what the form of the answer has in it."""
