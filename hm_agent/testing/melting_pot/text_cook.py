"""Cooks from the words of the prompts alone, for tests of whole episodes over HTTP.

It reads with regular expressions and shares no code with the package, so it also shows that the prompts tell enough.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hm_agent.testing.melting_pot.prompt_text import Cell, Replies, cells_in, find, line, search

COMPLEMENT = {"loads pots": "serves soup", "serves soup": "loads pots"}
"""Which part goes with the teammate's; beside any other, one does everything."""
WORK = {"loads pots": ("load",), "serves soup": ("serve",), "does everything": ("load", "serve")}
SOON = 12
"""Within so many steps a pot is cooked that one fetches a dish for."""


# What the teammate does, and what goes with it


def propose(prompt: str) -> dict[str, Any]:
    """What the latest round came to is taken to go on."""
    rounds = _rounds(prompt)
    return {"reasoning": "It did so last.", "hypothesis": f"The teammate always {rounds[-1] if rounds else 'rests'}."}


def _rounds(prompt: str) -> list[str]:
    """What the teammate's doings came to in each round."""
    return re.findall(r"- until step .+?\): (.+?): ", prompt)


def predict(prompt: str) -> dict[str, Any]:
    said = search(r"# Your hypothesis about the teammate\n(.+)", prompt)
    return {"reasoning": "By the hypothesis.", "behaviour": _role_in(prompt, said) or "stands around"}


def choose(prompt: str) -> dict[str, Any]:
    expected = search(r"By it the teammate next (.+)\.", prompt)
    return {"reasoning": "We share.", "teammate": expected or "stands around"} | _part_beside(expected)


def _part_beside(expected: str) -> dict[str, Any]:
    """The part that goes with what is expected of the teammate."""
    role = COMPLEMENT.get(expected, "does everything")
    return {"role": role, "strategy": f"I do what is left to do: one who {role}."}


def read_mind(prompt: str) -> dict[str, Any]:
    """What the latest round came to is taken to go on, and answered at once."""
    said = propose(prompt)
    expected = _role_in(prompt, said["hypothesis"])
    return {"teammate": expected or "stands around"} | said | _part_beside(expected)


# Strategies of its own


def make(prompt: str) -> dict[str, Any]:
    return {"reasoning": "By what the teammate did last."} | _part_beside(
        _role_in(prompt, propose(prompt)["hypothesis"])
    )


def follow(prompt: str) -> dict[str, Any]:
    role = _role_in(prompt, search(r"# Your strategy\n(.+)", prompt))
    return {"reasoning": "By the strategy.", "role": role or "does everything"}


def judge(prompt: str) -> dict[str, Any]:
    """Somebody must load, and somebody serve."""
    mine = search(r"the one who (.+) in this round, and", prompt)
    done = {part for role in (mine, *_rounds(prompt)) for part in WORK.get(role, ())}
    return {"reasoning": "", "outcome": "positive" if len(done) > 1 else "neutral"}


# What to learn


def criticise(prompt: str) -> dict[str, Any]:
    """Of what failed, if something did, or of a whole plan."""
    if "it has failed" in prompt:
        return {"reasoning": "", "critique": "It was of no use with this in my hands: look at the pots again first."}
    paid = float(find(r"^Reward in between, from both of you: (\S+)\.$", prompt))
    return {"reasoning": "", "critique": "Go on." if paid else "Bring soup sooner."}


# What to do


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


def _role_in(prompt: str, words: str) -> str:
    """The role that is named in words; nothing where none is."""
    roles = re.findall(r'^- "(.+?)":', prompt, re.MULTILINE)
    return next((role for role in roles if role in words), "")


def _use(cell: Cell) -> str:
    return f"interact({cell})"


REPLIES: Replies = {
    ("critique",): criticise,
    ("hypothesis",): propose,
    ("behaviour",): predict,
    ("subgoals",): plan,
    ("outcome",): judge,
    ("role",): follow,
    ("role", "strategy"): make,
    ("teammate", "role", "strategy"): choose,
    ("teammate", "role", "strategy", "hypothesis"): read_mind,
}
