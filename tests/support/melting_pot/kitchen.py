"""The text player's answers to prompts about a kitchen."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.support.melting_pot.prompt_reading import Cell, Replies, cells_in, find, line, search

COMPLEMENT = {"loads pots": "serves soup", "serves soup": "loads pots"}
"""The own role for each role of the teammate; beside any other, the player does everything."""
TASKS = {"loads pots": ("load",), "serves soup": ("serve",), "does everything": ("load", "serve")}
FETCH_DISH_WITHIN = 12
"""A dish is fetched for a pot that is cooked in at most this many steps."""


# Hypotheses about the teammate


def propose(prompt: str) -> dict[str, Any]:
    """Proposes the hypothesis that the teammate repeats its activity of the latest round."""
    activities = _teammate_activities(prompt)
    return {
        "reasoning": "It did so last.",
        "hypothesis": f"The teammate always {activities[-1] if activities else 'rests'}.",
    }


def _teammate_activities(prompt: str) -> list[str]:
    """The teammate's role and tempo in each round, the oldest first."""
    return re.findall(r"^(?:- )?until step \d+ \(.+?\): ([^:;\n]+)", prompt, re.MULTILINE)


def predict(prompt: str) -> dict[str, Any]:
    """Predicts a behaviour by each hypothesis; that of standing around if the prompt shows no hypothesis."""
    hypotheses = re.findall(r"^\d+\. \(.+?\) (.+)$", prompt, re.MULTILINE)
    behaviours = [_behaviour_in(prompt, hypothesis) for hypothesis in hypotheses]
    following = [{"does": behaviour} for behaviour in behaviours or ["stands around"]]
    return {"reasoning": "By each hypothesis.", "player": "teammate", "next": following}


def _behaviour_in(prompt: str, words: str) -> str:
    """The role that the words name, with the tempo that they name, by default promptly; standing around for no role."""
    role = _role_in(prompt, words)
    if role in ("", "stands around"):
        return "stands around"
    return f"{role} {'slowly' if 'slowly' in words else 'promptly'}"


def read_mind(prompt: str) -> dict[str, Any]:
    """Gives the hypothesis of `propose`, if a round was noticed, its prediction, and the strategy beside that."""
    hypothesis = propose(prompt)["hypothesis"]
    following = _behaviour_in(prompt, hypothesis)
    mind = {"player": "teammate", "hypothesis": hypothesis, "next": {"does": following}}
    return {"minds": [mind] if _teammate_activities(prompt) else [], "strategy": _beside(prompt, following)}


def _beside(prompt: str, expected: str) -> dict[str, str]:
    """The strategy beside the behaviour expected of the teammate."""
    role = COMPLEMENT.get(_role_in(prompt, expected), "does everything")
    return {"words": f"I do what is left to do: one who {role}.", "expects": expected, "role": role}


def revise(prompt: str) -> dict[str, Any]:
    """Keeps the first hypothesis, if there is one, adds that of `propose`, and acts on the latter."""
    reading = read_mind(prompt)
    first_hypotheses = re.findall(r"^1\. \(.+?\) (.+)$", prompt, re.MULTILINE)
    revised = [
        {"of": 1, "hypothesis": "", "next": {"does": _behaviour_in(prompt, words)}} for words in first_hypotheses
    ]
    new = [{"of": 0, "hypothesis": mind["hypothesis"], "next": mind["next"]} for mind in reading["minds"]]
    return {"hypotheses": [*revised, *new], "strategy": reading["strategy"]}


# Strategies of its own


def decide(prompt: str) -> dict[str, Any]:
    """Gives the role of the strategy to follow, if one is given, else that beside what is expected or was done last."""
    if "this strategy amount to" in prompt:
        role = _role_in(prompt, search(r"# Your strategy\n(.+)", prompt)) or "does everything"
        return {"strategy": {"words": "", "expects": "stands around", "role": role}}
    expected = search(r"^- teammate \(next: (.+?)\)", prompt)
    return {"strategy": _beside(prompt, expected or _behaviour_in(prompt, propose(prompt)["hypothesis"]))}


def judge_strategy(prompt: str) -> dict[str, Any]:
    """Positive if the two players' roles together both load pots and serve soup."""
    own_role = search(r"the one who (.+) in this round", prompt)
    others_role = _role_in(prompt, " ".join(_teammate_activities(prompt)))
    tasks = {task for role in (own_role, others_role) for task in TASKS.get(role, ())}
    return {"reasoning": "", "outcome": "positive" if len(tasks) > 1 else "neutral"}


# Critiques


def criticise(prompt: str) -> dict[str, Any]:
    """Criticises the call that failed, if one did, else the whole plan."""
    if "has failed" in prompt:
        return {"reasoning": "", "critique": "It was of no use with this in my hands: look at the pots again first."}
    paid = float(find(r"Reward meanwhile: (\S+)\.$", prompt))
    return {"reasoning": "", "critique": "Go on." if paid else "Bring soup sooner."}


# Plans


@dataclass(frozen=True)
class KitchenScene:
    """The kitchen as a prompt describes it.

    not_full: pots that take tomatoes. cooking: full pots, with the steps until they are cooked.
    """

    here: Cell
    hands: str
    not_full: list[Cell]
    cooking: Mapping[Cell, int]
    things: Mapping[str, Cell]
    counters: list[Cell]
    unseen: list[Cell]
    floor: list[Cell]


def plan(prompt: str) -> dict[str, Any]:
    """Plans to deliver or use the item held; with empty hands, to fetch the one that is needed next."""
    scene = _scene(prompt)
    refused = set(cells_in(" ".join(re.findall(r"^Not now: interact(\(.+?\)) has failed", prompt, re.MULTILINE))))
    return {"reasoning": "One errand after the other.", "calls": PLANS_BY_HELD[scene.hands](scene, refused)}


def _empty_handed(scene: KitchenScene, refused: set[Cell]) -> list[str]:
    if scene.unseen:
        far = max(scene.floor, key=lambda cell: abs(cell[0] - scene.here[0]) + abs(cell[1] - scene.here[1]))
        return [f"move_to({far})"]
    soonest = min(scene.cooking, key=lambda cell: scene.cooking[cell], default=None)
    if soonest and (scene.cooking[soonest] <= FETCH_DISH_WITHIN or not scene.not_full):
        return [_use(scene.things["dish_dispenser"]), f"wait({soonest})", _use(soonest), _use(scene.things["delivery"])]
    return [_use(scene.things["tomato_dispenser"]), _use(scene.not_full[0])]


def _with_tomato(scene: KitchenScene, refused: set[Cell]) -> list[str]:
    return [_use(next((pot for pot in scene.not_full if pot not in refused), scene.counters[0]))]


def _with_dish(scene: KitchenScene, refused: set[Cell]) -> list[str]:
    soonest = min(scene.cooking, key=lambda cell: scene.cooking[cell], default=None)
    if soonest is None:
        return [_use(scene.counters[0])]
    return [f"wait({soonest})", _use(soonest), _use(scene.things["delivery"])]


def _with_soup(scene: KitchenScene, refused: set[Cell]) -> list[str]:
    return [_use(scene.things["delivery"])]


PLANS_BY_HELD: Mapping[str, Callable[[KitchenScene, set[Cell]], list[str]]] = {
    "nothing": _empty_handed,
    "a tomato": _with_tomato,
    "a dish": _with_dish,
    "soup": _with_soup,
}


def _scene(prompt: str) -> KitchenScene:
    contents = r"\((\d+), (\d+)\) (\d of \d tomatoes|cooked|full, cooked in about (\d+) steps?)"
    pots = re.findall(contents, line("Pots", prompt))
    things = re.findall(r"(\w+) \((\d+), (\d+)\)", line("In your room", prompt))
    return KitchenScene(
        here=cells_in(search(r"You are at (\(.+?\))", prompt))[0],
        hands=search(r"and hold (.+?)\.$", prompt),
        not_full=[(int(x), int(y)) for x, y, content, _ in pots if "tomatoes" in content],
        cooking={(int(x), int(y)): int(left or 0) for x, y, content, left in pots if "tomatoes" not in content},
        things={kind: (int(x), int(y)) for kind, x, y in things},
        counters=cells_in(line("Bare counters", prompt)),
        unseen=cells_in(line("Never seen yet", prompt)),
        floor=cells_in(line("Floor", prompt)),
    )


def _role_in(prompt: str, words: str) -> str:
    """The first of the prompt's roles that the words name; empty if they name none."""
    roles = re.findall(r'"([a-z ]+)" \(', prompt)
    return next((role for role in roles if role in words), "")


def _use(cell: Cell) -> str:
    return f"interact({cell})"


REPLIES: Replies = {
    ("critique",): criticise,
    ("hypothesis",): propose,
    ("calls",): plan,
    ("outcome",): judge_strategy,
    ("strategy",): decide,
    ("minds", "strategy"): read_mind,
    ("hypotheses", "strategy"): revise,
    ("player", "next"): predict,
}
