"""Answers questions about a household from the request alone: walks about, writes to all, and makes up the rest."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Mapping
from typing import Any

from hm_agent.testing.endpoint import Response, completion, prompt_of, serve
from hm_agent.testing.schema_player import made_up

WALKS = 3
"""How many rooms a plan goes to."""
_ROOMS = re.compile(r"^([\w-]+): (?:[\w-]+(?: \(opens\))?(?:, |$)|no furniture$)", re.MULTILINE)


def answer(body: Mapping[str, Any]) -> Response:
    """A completion that fits the schema of a request and passes its check; the same for the same words."""
    prompt = prompt_of(body, 0)
    schema = body["response_format"]["json_schema"]["schema"]
    stream = random.Random(prompt)
    made = made_up(schema, schema.get("$defs", {}), stream)
    if "commands" in made:
        made["commands"] = _plan(prompt, stream)
    for number, one in enumerate(made.get("hypotheses", ()), 1):
        one.update(of=0, hypothesis=f"It does rule {number}.")
    return completion(*[json.dumps(made)] * (body.get("n") or 1), prompt=prompt)


def _plan(prompt: str, stream: random.Random) -> list[str]:
    """A walk through rooms that the agent may enter, then a message if one is left."""
    barred = re.findall(r"^You cannot enter (.+)\.$", prompt, re.MULTILINE)
    here = re.findall(r"^Turn .* You are in ([\w-]+)\.", prompt, re.MULTILINE)[-1]
    plan = prompt.partition("The household:\n")[2].partition("\n\n")[0]
    rooms = [room for room in _ROOMS.findall(plan) if room not in ", ".join(barred).split(", ")]
    walk = []
    for _ in range(WALKS):
        if others := [room for room in rooms if room != here]:
            here = stream.choice(others)
            walk.append(f"Navigate[{here}]")
    can_tell = "You can message nobody" not in prompt and "Messages left: 0." not in prompt
    told = [f"Communicate['I am in {here}', all]"] if can_tell else []
    return [*walk, *told] or ["Wait[]"]


if __name__ == "__main__":
    serve(answer, float(sys.argv[1]))
