"""A text player: plans from the words of a prompt alone, for tests and benchmarks of whole episodes over HTTP.

Its plans share no code with the package, so they also show that prompts tell where to go and what is there. All other
forms it fills in at random, as their schemas allow.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from random import Random
from typing import Any

from hm_agent.models.canned import fitting
from hm_agent.testing.endpoint import Response, completion, prompt_of

KITCHEN = "cook tomato soup"
"""Words that are in every prompt about a kitchen and in no other."""
FETCH_DISH_WITHIN = 12
"""A dish is fetched for a pot that is cooked in at most this many steps."""
MOST_ANSWERS = 10
"""How many answers to one prompt are tried."""
ENOUGH = 7
"""With so many things it meets another player."""
Cell = tuple[int, int]


def answer(body: Mapping[str, Any]) -> Response:
    """The chat completion for a request: the first answer to its prompt that was not refused before."""
    contents, prompt = [str(message["content"]) for message in body["messages"]], prompt_of(body, 0)
    schema, stream = body["response_format"]["json_schema"]["schema"], Random(prompt)
    answers = (json.dumps(play(prompt, schema, stream)) for _ in range(MOST_ANSWERS))
    text = next(each for each in answers if each not in contents)
    return completion(*[text] * (body.get("n") or 1), prompt="".join(contents))


def play(prompt: str, schema: Mapping[str, Any], stream: Random) -> dict[str, Any]:
    """The answer to a prompt: plans are made, anybody is met and expected to repeat itself, and all else is drawn."""
    said: dict[str, Any] = fitting(schema, stream)
    if "watch" in said.get("strategy", ()):
        said["strategy"] |= {"watch": False} | ({"seek": []} if "seek" in said["strategy"] else {})
    if "calls" in said:
        said["calls"] = kitchen_plan(prompt) if KITCHEN in prompt else matrix_plan(prompt)
    led = re.findall(r"\((\w+)\): [+-]", prompt)
    for prediction in said.get("next", ()):
        if led and "kind" in prediction:
            prediction["kind"] = led[-1]
    return said


def matrix_plan(prompt: str) -> list[str]:
    """Collects the nearest things that are missing, then fires at another player; explores if it knows of none."""
    if "You watch" in prompt:
        return ["wait(10)"]
    missing = dict.fromkeys(re.findall(r"(\w+) = \w+", prompt), 1)
    if lacking := _line("Still to collect", prompt):
        missing = {thing: int(count) for count, thing in re.findall(r"(\d+) (\w+)", lacking)}
    held = sum(map(int, re.findall(r"\w (\d+)", _line("It is step.* and hold", prompt, ""))))
    known = [cell for thing, count in missing.items() for cell in _cells(_line(f"- {thing}", prompt))[:count]]
    unseen = _cells(_line(r"Longest out of view \(steps\)", prompt))
    if held < ENOUGH and missing and not known and unseen:
        return [f"move_to({unseen[0]})"]
    (here,) = _cells(_line("It is step.* You are at", prompt, ""))[:1]
    meeting = [*_cells(_line("Cells from which you may see.*", prompt)), here][0]
    first, *others = [*(f"move_to({cell})" for cell in known[: max(0, ENOUGH - held)]), f"fire_at({meeting})"]
    return [first, "fire_on_sight()", *others] if others else [first]


def kitchen_plan(prompt: str) -> list[str]:
    """Delivers or uses what is held; with empty hands fetches what is needed next."""
    pots = re.findall(r"(\(\d+, \d+\)) (\d of|cooked|full, cooked in about (\d+))", _line("Pots", prompt))
    refused = re.findall(r"^Not now: interact\((.+?)\) has failed", prompt, re.MULTILINE)
    to_fill = [pot for pot, content, _ in pots if content.endswith("of")]
    to_serve = sorted((int(left or 0), pot) for pot, content, left in pots if not content.endswith("of"))
    at = {
        kind: f"interact({cell})" for kind, cell in re.findall(r"(\w+) (\(\d+, \d+\))", _line("In your room", prompt))
    }
    put_down = [f"interact({cell})" for cell in _cells(_line("Bare counters", prompt))[:1]]
    serve = [f"wait({to_serve[0][1]})", f"interact({to_serve[0][1]})", at["delivery"]] if to_serve else put_down
    match _line("Step.* and hold", prompt, ""):
        case "nothing." if _line("Never seen yet", prompt):
            (here,) = _cells(_line("Step.* You are at", prompt, ""))[:1]
            away = {cell: abs(cell[0] - here[0]) + abs(cell[1] - here[1]) for cell in _cells(_line("Floor", prompt))}
            return [f"move_to({max(away, key=away.__getitem__)})"]
        case "nothing." if to_serve and (to_serve[0][0] <= FETCH_DISH_WITHIN or not to_fill):
            return [at["dish_dispenser"], *serve]
        case "nothing.":
            return [at["tomato_dispenser"], f"interact({to_fill[0]})"]
        case "a tomato.":
            return [f"interact({pot})" for pot in to_fill if pot not in refused][:1] or put_down
        case "a dish.":
            return serve
    return [at["delivery"]]


def _line(title: str, prompt: str, colon: str = ":") -> str:
    """The text after a title, a pattern, on the first line that begins with it; empty if no line does."""
    match = re.search(rf"^{title}{colon} (.+)$", prompt, re.MULTILINE)
    return match[1] if match else ""


def _cells(text: str) -> list[Cell]:
    return [(int(x), int(y)) for x, y in re.findall(r"\((\d+), (\d+)\)", text)]
